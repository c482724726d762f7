// Every way of closing on a device, against the CPU. The kernels are called here, not only the
// library: without CUDA in the build there is nothing to compile, and one test that
// says so.
#include <gtest/gtest.h>

#include "tests/support/gpu.hpp"

#ifdef YUPANA_CUDA
#include <cmath>
#include <limits>
#include <vector>

#include "tests/graph/graphs.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"
#include "yupana/graph/shortest_paths_cuda.hpp"

namespace yupana::graph {
namespace {

using yupana::cuda::DeviceArray;
using yupana::cuda::Stream;

// Around the tile of a square (64), the tiles of the product (64, 128), the strips (128, 256), the
// width panels are padded to (256); primes; several of each.
const std::vector<std::int64_t> sizes = {
    0, 1, 2, 63, 64, 65, 127, 128, 129, 257, 509, 513, 770, 1000, 1537};

// Every way of closing, whatever the size: one kernel a step; both sizes of tiles and of strips;
// packed.
constexpr std::int64_t never = std::int64_t{1} << 40;
constexpr cuda::ClosureLimits small_tiles = {
    .small = 0, .large_tiles = never, .strip_tiles = never, .deep_strips = never, .packed = never};
constexpr cuda::ClosureLimits large_tiles = {
    .small = 0, .large_tiles = 0, .strip_tiles = 0, .deep_strips = never, .packed = never};
constexpr cuda::ClosureLimits deep_strips = {
    .small = 0, .large_tiles = 0, .strip_tiles = never, .deep_strips = 0, .packed = never};
constexpr cuda::ClosureLimits packed = {.small = 0, .packed = 0};
constexpr cuda::ClosureLimits one_kernel = {.small = never};
const std::vector<cuda::ClosureLimits> ways = {
    {}, small_tiles, large_tiles, deep_strips, packed, one_kernel};

// Closes on the device, with rows `padding` cells further apart than they are long.
template <class T, class Close>
SquareMatrix<T> on_device(const SquareMatrix<T>& w, std::int64_t padding, const Close& close) {
  const std::int64_t n = w.size();
  const std::int64_t stride = n + padding;
  DeviceArray<T> memory(n * stride + 1);
  const auto copy = [&](void* to, std::int64_t to_stride, const void* from, std::int64_t stride_) {
    if (n == 0) return;
    yupana::cuda::check(cudaMemcpy2D(to,
                                     static_cast<std::size_t>(to_stride) * sizeof(T),
                                     from,
                                     static_cast<std::size_t>(stride_) * sizeof(T),
                                     static_cast<std::size_t>(n) * sizeof(T),
                                     static_cast<std::size_t>(n),
                                     cudaMemcpyDefault),
                        "copy");
    yupana::cuda::check(cudaDeviceSynchronize(), "copy");
  };
  copy(memory.data(), stride, w.data(), n);
  close(memory.data(), n, stride);
  SquareMatrix<T> result(n);
  copy(result.data(), n, memory.data(), stride);
  return result;
}

template <class T>
SquareMatrix<T> closed_there(Context& context,
                             const SquareMatrix<T>& w,
                             const cuda::ClosureLimits& limits,
                             std::int64_t padding = 0) {
  return on_device(w, padding, [&](T* weights, std::int64_t n, std::int64_t stride) {
    const Stream stream;
    cuda::close_symmetric(context, 0, weights, n, stride, stream, limits);
  });
}

template <class T>
SquareMatrix<T> directed_there(Context& context,
                               const SquareMatrix<T>& w,
                               bool negative,
                               const cuda::ClosureLimits& limits) {
  return on_device(w, 0, [&](T* weights, std::int64_t n, std::int64_t stride) {
    const Stream stream;
    EXPECT_EQ(cuda::close_directed(context, 0, weights, n, stride, negative, stream, limits), -1);
  });
}

// Whole weights, so that every sum is exact in each type and results can be compared for equality.
template <class T>
SquareMatrix<T> whole_graph(std::int64_t n, GraphParams params) {
  auto w = random_graph<T>(n, params);
  for (std::int64_t i = 0; i < n * n; ++i) {
    if (w.data()[i] != unreachable<T>) w.data()[i] = static_cast<T>(std::floor(w.data()[i]));
  }
  return w;
}

template <class T>
class GpuClosure : public testing::Test {};
using Types = testing::Types<std::int32_t, float, double>;
TYPED_TEST_SUITE(GpuClosure, Types);

TYPED_TEST(GpuClosure, EqualsTheCpuForEverySizeAndWay) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context host({.device = "cpu"});
  for (const std::int64_t n : sizes) {
    const auto w = whole_graph<TypeParam>(n, {.largest = 100, .zeros = 0.01});
    const auto expected = closed(host, w);
    for (std::size_t way = 0; way < ways.size(); ++way) {
      ASSERT_EQ(differences(closed_there(gpu, w, ways[way]), expected), 0) << n << " way " << way;
    }
    ASSERT_EQ(differences(closed(gpu, w), expected), 0) << n;
  }
}

TYPED_TEST(GpuClosure, EqualsTheCpuWherePartsAreNotJoined) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context host({.device = "cpu"});
  for (const std::int64_t n : {65, 257, 700}) {
    const auto w = whole_graph<TypeParam>(n, {.largest = 9, .missing = 1 - 1.5 / n});
    const auto expected = closed(host, w);
    for (std::size_t way = 0; way < ways.size(); ++way) {
      ASSERT_EQ(differences(closed_there(gpu, w, ways[way]), expected), 0) << n << " way " << way;
    }
  }
}

TYPED_TEST(GpuClosure, TakesRowsThatAreNotAligned) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  for (const std::int64_t n : {129, 300, 515}) {
    const auto w = whole_graph<TypeParam>(n, {.largest = 100});
    for (const auto& way : ways) {
      const auto expected = closed_there(gpu, w, way);
      for (const std::int64_t padding : {1, 2, 3, 5}) {
        ASSERT_EQ(differences(closed_there(gpu, w, way, padding), expected), 0) << n;
      }
    }
  }
}

TYPED_TEST(GpuClosure, CountsTheEdgesThatAreTheirOwnShortestPath) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context host({.device = "cpu"});
  for (const std::int64_t n : {1, 2, 100, 800}) {
    const auto w = whole_graph<TypeParam>(n, {.largest = 30, .zeros = 0.001});
    auto copy = copy_of(w);
    const std::int64_t kept = cpu::shortest_paths_symmetric<TypeParam>(host, copy.view());
    for (const auto& way : ways) {
      auto again = copy_of(w);
      EXPECT_EQ(cuda::close_symmetric<TypeParam>(gpu, again.view(), way), kept);
    }
  }
}

TYPED_TEST(GpuClosure, DirectedEqualsTheCpuForEverySizeAndWay) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context host({.device = "cpu"});
  for (const std::int64_t n : sizes) {
    const auto w = whole_graph<TypeParam>(n, {.largest = 100, .missing = 0.3, .directed = true});
    const auto expected = closed(host, w, PathMethod::directed);
    for (std::size_t way = 0; way < ways.size(); ++way) {
      ASSERT_EQ(differences(directed_there(gpu, w, false, ways[way]), expected), 0)
          << n << " way " << way;
      if (std::is_integral_v<TypeParam>) continue;
      ASSERT_EQ(differences(directed_there(gpu, w, true, ways[way]), expected), 0)
          << n << " way " << way;
    }
    ASSERT_EQ(differences(closed(gpu, w, PathMethod::floyd_warshall), expected), 0) << n;
  }
}

// w(i, j) + h(i) - h(j) keeps the length of every cycle: negative edges, no negative cycle.
TYPED_TEST(GpuClosure, NegativeEdgesEqualTheCpu) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context host({.device = "cpu"});
  for (const std::int64_t n : {3, 64, 200, 600, 1100}) {
    auto w = whole_graph<TypeParam>(n, {.largest = 100, .missing = 0.5, .directed = true});
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        if (i == j || w(i, j) == unreachable<TypeParam>) continue;
        w(i, j) += static_cast<TypeParam>(i * 37 % 101) - static_cast<TypeParam>(j * 37 % 101);
      }
    }
    ASSERT_EQ(differences(closed(gpu, w), closed(host, w)), 0) << n;
  }
}

TYPED_TEST(GpuClosure, NamesAVertexOnANegativeCycle) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  for (const std::int64_t n : {5, 130, 700, 1400}) {
    auto w = whole_graph<TypeParam>(n, {.largest = 100, .directed = true});
    for (std::int64_t i = 0; i < n * n; ++i) w.data()[i] += 400;
    for (std::int64_t i = 0; i < n; ++i) w(i, i) = 0;
    const std::vector<std::int64_t> cycle = {n / 5, n - 1, n / 2};
    for (std::size_t c = 0; c < 3; ++c) w(cycle[c], cycle[(c + 1) % 3]) = c == 0 ? -41 : 20;
    const std::string message = bad_input([&] { closed(gpu, w); });
    bool named = false;
    for (const std::int64_t v : cycle) {
      named |= message.find("vertex " + std::to_string(v) + " ") != std::string::npos;
    }
    EXPECT_TRUE(named) << n << ": " << message;
  }
}

TYPED_TEST(GpuClosure, ThroughLittleMemoryHasTheSameBits) {
  YUPANA_NEEDS_GPU();
  Context whole({.device = "cuda:0"});
  for (const std::int64_t n : {1290, 1537}) {
    // Whole, 1,290 vertices take 17.5 MiB; strip by strip, 1,537 of a directed graph take 13.
    for (const std::uint64_t memory : {std::uint64_t{14} << 20, std::uint64_t{17} << 20}) {
      Context little({.device = "cuda:0", .gpu_memory = memory * sizeof(TypeParam) / 4});
      const auto w = random_graph<TypeParam>(n, {.largest = 1e5, .missing = 0.5, .zeros = 0.01});
      EXPECT_EQ(differences(closed(little, w), closed(whole, w)), 0) << n;
      const auto d = random_graph<TypeParam>(n, {.largest = 1e5, .missing = 0.5, .directed = true});
      EXPECT_EQ(differences(closed(little, d), closed(whole, d)), 0) << n;
      auto a = copy_of(w);
      auto b = copy_of(w);
      EXPECT_EQ(cuda::close_symmetric<TypeParam>(little, a.view(), {}),
                cuda::close_symmetric<TypeParam>(whole, b.view(), {}));
    }
  }
}

// Named twice, one device plays two or three that read each other's memory.
TYPED_TEST(GpuClosure, OnSeveralDevicesHasTheSameBits) {
  YUPANA_NEEDS_GPU();
  Context one({.device = "cuda:0"});
  for (const char* devices : {"cuda:0,0", "cuda:0,0,0"}) {
    Context several({.device = devices});
    for (const std::int64_t n : {100, 257, 1000, 1537}) {
      const auto w = random_graph<TypeParam>(n, {.largest = 1e5, .missing = 0.5, .zeros = 0.01});
      const auto d = random_graph<TypeParam>(n, {.largest = 1e5, .missing = 0.5, .directed = true});
      for (std::size_t way = 1; way + 1 < ways.size(); ++way) {
        auto limits = ways[way];
        limits.shared = 0;
        auto a = copy_of(w);
        auto b = copy_of(w);
        EXPECT_EQ(cuda::close_symmetric<TypeParam>(several, a.view(), limits),
                  cuda::close_symmetric<TypeParam>(one, b.view(), limits));
        ASSERT_EQ(differences(a, b), 0) << n << " way " << way << " " << devices;
        auto e = copy_of(d);
        auto f = copy_of(d);
        cuda::close_directed<TypeParam>(several, e.view(), false, limits);
        cuda::close_directed<TypeParam>(one, f.view(), false, limits);
        ASSERT_EQ(differences(e, f), 0) << n << " way " << way << " " << devices;
      }
    }
  }
}

TYPED_TEST(GpuClosure, OnAllDevicesHasTheBitsOfOne) {
  YUPANA_NEEDS_GPU();
  if (yupana::cuda::device_count() < 2) GTEST_SKIP() << "one GPU only";
  Context one({.device = "cuda:0"});
  Context all({.device = "cuda"});
  for (const std::int64_t n : {4096, 7001}) {
    const auto w = random_graph<TypeParam>(n, {.largest = 1e6});
    EXPECT_EQ(differences(closed(all, w), closed(one, w)), 0) << n;
  }
}

TYPED_TEST(GpuClosure, PredecessorsEqualTheCpu) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context host({.device = "cpu"});
  // A block of 256 threads does a source; 1,024 of them are done at a time.
  for (const std::int64_t n : {0, 1, 2, 65, 255, 256, 257, 1024, 1025, 1300}) {
    const auto w = random_graph<TypeParam>(n, {.largest = 50, .missing = 0.6, .zeros = 0.05});
    const auto f = closed(host, w);
    const auto there = predecessors<TypeParam>(gpu, w.view(), f.view());
    const auto here = predecessors<TypeParam>(host, w.view(), f.view());
    ASSERT_EQ(differences(there, here), 0) << n;
  }
}

template <class T>
class GpuRounding : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(GpuRounding, FloatTypes);

TYPED_TEST(GpuRounding, IsTheSameInEveryRun) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  const auto w = random_graph<TypeParam>(1537, {.largest = 1});
  const auto d = random_graph<TypeParam>(1537, {.largest = 1, .directed = true});
  const auto f = closed(gpu, w);
  const auto g = closed(gpu, d);
  for (int repeat = 0; repeat < 3; ++repeat) {
    EXPECT_EQ(differences(closed(gpu, w), f), 0);
    EXPECT_EQ(differences(closed(gpu, d), g), 0);
  }
}

// |error| <= hops * unit roundoff, relative, against sums in double of the same weights (their own
// error is 2^-29 of the bound); for double against the CPU, whose bound is the same.
TYPED_TEST(GpuRounding, ErrorStaysWithinItsBound) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context host({.device = "cpu"});
  const std::int64_t n = 1100;
  const auto w = random_graph<TypeParam>(n, {.largest = 1, .missing = 0.9});
  SquareMatrix<double> wide(n);
  for (std::int64_t i = 0; i < n * n; ++i) wide.data()[i] = static_cast<double>(w.data()[i]);
  const auto exact = closed(host, wide);
  const double unit = static_cast<double>(std::numeric_limits<TypeParam>::epsilon()) / 2;
  const double sides = std::is_same_v<TypeParam, double> ? 2 : 1.01;
  for (const auto& way : ways) {
    const auto f = closed_there(gpu, w, way);
    for (std::int64_t i = 0; i < n * n; ++i) {
      const double truth = exact.data()[i];
      ASSERT_LE(std::abs(static_cast<double>(f.data()[i]) - truth),
                sides * 100 * unit * truth);  // no path here has 100 edges
    }
  }
}

// Packed arithmetic must step aside exactly where a length would be its "no edge", 0x7c00.
TEST(GpuPacked, IsExactOnBothSidesOfItsBound) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context host({.device = "cpu"});
  for (const std::int32_t largest : {0x7bff, 0x7c00, 0x7fff, 0x8000, 0xffff, 0x10000}) {
    for (const std::int64_t n : {2, 300, 1000}) {
      auto w = whole_graph<std::int32_t>(n, {.largest = static_cast<double>(largest)});
      for (std::int64_t i = 0; i < n * n; ++i) {  // long enough to make direct edges matter
        if (w.data()[i] != 0) w.data()[i] = std::max(w.data()[i], largest / 2);
      }
      w(0, n - 1) = w(n - 1, 0) = largest;
      ASSERT_EQ(differences(closed_there(gpu, w, packed), closed(host, w)), 0) << largest;
    }
  }
  for (const std::int32_t largest : {10, 54, 55, 56, 105, 106, 200}) {  // (n - 1) * 105 < 0x7c00
    const std::int64_t n = 301;
    auto w = whole_graph<std::int32_t>(n, {.missing = 1});
    for (std::int64_t i = 1; i < n; ++i) w(i, i - 1) = w(i - 1, i) = largest;
    ASSERT_EQ(differences(closed_there(gpu, w, packed), closed(host, w)), 0) << largest;
  }
}

// As half-precision floats, lengths close to "no edge" are subnormal and sums beyond it positive or
// NaN: paths of two short edges that end on either side of it and of the direct edges.
TEST(GpuPacked, OrdersLengthsNextToNoEdge) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context host({.device = "cpu"});
  const std::int32_t largest = 0x7bff;
  for (const std::int32_t spread : {5, 200, 2000}) {
    auto w = whole_graph<std::int32_t>(500, {.largest = 2.0 * spread, .missing = 0.9});
    for (std::int64_t i = 0; i < w.size(); ++i) {
      for (std::int64_t j = 0; j < w.size(); ++j) {
        if (i == j) continue;
        const bool is_short = w(i, j) != unreachable<std::int32_t>;
        w(i, j) = is_short ? largest / 2 - spread + w(i, j) : largest;
      }
    }
    ASSERT_EQ(differences(closed_there(gpu, w, packed), closed(host, w)), 0) << spread;
  }
}

TEST(GpuInt32, LargestWeightsDoNotOverflow) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context host({.device = "cpu"});
  const std::int32_t most = unreachable<std::int32_t> - 1;
  auto w = random_graph<std::int32_t>(400, {.largest = static_cast<double>(most)});
  w(3, 9) = w(9, 3) = most;
  const auto expected = closed(host, w);
  for (const auto& way : ways) EXPECT_EQ(differences(closed_there(gpu, w, way), expected), 0);
}

}  // namespace
}  // namespace yupana::graph

#else
TEST(CudaShortestPaths, NeedABuildWithCuda) { YUPANA_NEEDS_GPU(); }
#endif
