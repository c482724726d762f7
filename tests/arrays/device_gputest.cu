// The templates for device code: operators, orders and types of one's own, in device memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/arrays/samples.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/there.hpp"
#include "yupana/arrays/merge_sort_cuda.cuh"
#include "yupana/arrays/partition_cuda.cuh"
#include "yupana/arrays/reduce.hpp"
#include "yupana/arrays/reduce_by_key_cuda.cuh"
#include "yupana/arrays/reduce_cuda.cuh"

namespace yupana::arrays {
namespace {

using cuda::Workspace;
using yupana::cuda::check;
using yupana::cuda::DeviceArray;

/// Twelve bytes: no vector of 16 holds a whole number of them. Composition of x -> a x + b modulo
/// 2^32, and how many were composed; associative, not commutative.
struct Affine {
  std::uint32_t a, b, count;
  bool operator==(const Affine&) const = default;
};
struct Compose {
  constexpr Affine operator()(const Affine& x, const Affine& y) const {
    return {x.a * y.a, x.b * y.a + y.b, x.count + y.count};
  }
};

template <class T>
std::vector<T> values_of(std::int64_t n) {
  if constexpr (std::is_same_v<T, Affine>) {
    std::vector<T> values;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint64_t bits = word(i);
      values.push_back(
          {static_cast<std::uint32_t>(bits) | 1, static_cast<std::uint32_t>(bits >> 32), 1});
    }
    return values;
  } else {
    return random_values<T>(n);
  }
}

const std::vector<std::int64_t> sizes = {
    1, 2, 31, 33, 255, 257, 1024, 2047, 2049, 8191, 8192, 8193, 16385, 65537, 300007, 1000003};

template <bool exclusive, class T, class Op>
void rings(Workspace& space,
           const std::vector<T>& in,
           T init,
           const std::vector<T>& want,
           std::int64_t shift,
           Op op) {
  There<T> from(in, shift), to(in, shift);
  // As many stages as this device grants memory for, as every device does, and two.
  for (const int shared : {yupana::cuda::device_facts().max_shared_bytes, 99 << 10, 0}) {
    check(cudaMemset(to.data(), 0xff, in.size() * sizeof(T)), "spoil");
    cuda::launch_scan(space,
                      nullptr,
                      {exclusive, true},
                      from.data(),
                      ssize_of(in),
                      cuda::to_words(init),
                      to.data(),
                      op,
                      shared);
    EXPECT_TRUE(to.back() == want) << in.size() << " shifted by " << shift << ", " << shared;
  }
}

template <class T, class Op>
void scans(T init, Op op) {
  Workspace space;
  using Flat = cuda::FlatScan<T>;
  std::vector<std::int64_t> all = sizes;
  for (const std::int64_t edge : {cuda::BlockScan<T, 4>::most,
                                  cuda::BlockScan<T, 16>::most,
                                  std::int64_t{Flat::tile},
                                  32 * std::int64_t{Flat::tile}}) {
    all.insert(all.end(), {edge - 1, edge, edge + 1});
  }
  // So many tiles that a ring of two stages is used again.
  all.insert(all.end(), {Flat::most, Flat::most + 1, 300 * cuda::ScanShape<T>::tile + 5});
  for (const std::int64_t n : all) {
    const std::vector<T> in = values_of<T>(n);
    std::vector<T> inclusive, exclusive, from;
    T total = in[0], running = init;
    for (std::int64_t i = 0; i < n; ++i) {
      const T value = in[static_cast<std::size_t>(i)];
      if (i > 0) total = op(total, value);
      inclusive.push_back(total);
      exclusive.push_back(running);
      running = op(running, value);
      from.push_back(running);
    }
    There<T> there(in);
    cuda::inclusive_scan(space, nullptr, there.data(), n, there.data(), op);
    EXPECT_TRUE(there.back() == inclusive) << n;
    for (const std::int64_t shift : {0, 1}) {
      rings<true>(space, in, init, exclusive, shift, op);
      rings<false>(space, in, init, from, shift, op);
    }
    There<T> shifted(in, 1), out(in, 1);
    cuda::exclusive_scan(space, nullptr, shifted.data(), n, init, out.data(), op);
    EXPECT_TRUE(out.back() == exclusive) << n << " not aligned";
    There<T> result(std::vector<T>{init});
    for (const std::int64_t shift : {0, 1}) {
      There<T> summed(in, shift);
      const T* values = summed.data();
      cuda::reduce(space, nullptr, values, n, init, result.data(), op);
      EXPECT_TRUE(result.back()[0] == running) << "reduce " << n << " shifted by " << shift;
    }
  }
}

TEST(DeviceArrays, ScansAndFoldsKeepTheOrderOfOperandsForAnyType) {
  YUPANA_NEEDS_GPU();
  scans<Affine>({3, 5, 1}, Compose{});
  scans<Matrix2>({2, 1, 1, 1}, Product{});
}

/// Of such width a tile of the ring is one warp's.
struct Wide {
  std::uint32_t words[33];
  bool operator==(const Wide&) const = default;
};
struct Later {
  constexpr Wide operator()(const Wide& x, Wide y) const {
    y.words[0] += x.words[0];
    return y;
  }
};

TEST(DeviceArrays, ScansOfWideValuesFitTheSharedMemoryOfEveryDevice) {
  YUPANA_NEEDS_GPU();
  Workspace space;
  for (const std::int64_t n : {1, 31, 32, 33, 1000, 20000}) {
    std::vector<Wide> in(static_cast<std::size_t>(n)), want;
    Wide through{};
    for (std::size_t i = 0; i < in.size(); ++i) {
      for (std::uint32_t k = 0; k < 33; ++k) in[i].words[k] = static_cast<std::uint32_t>(i) * k + 1;
      want.push_back(through = Later{}(through, in[i]));
    }
    rings<false>(space, in, Wide{}, want, 0, Later{});
  }
}

TEST(DeviceArrays, ScansOfEveryWidth) {
  YUPANA_NEEDS_GPU();
  scans<std::uint8_t>(7, Plus{});
  scans<std::int16_t>(-7, Plus{});
  scans<std::uint32_t>(7, Multiply{});
  scans<std::uint64_t>(7, Plus{});
  scans<std::uint64_t>(7, Max{});
}

TEST(DeviceArrays, FoldsOfIntegersTakeAsManyBlocksAsTheyNeed) {
  YUPANA_NEEDS_GPU();
  Workspace space;
  using Few = cuda::ChunkShape<std::uint32_t, 3, 2>;
  for (const std::int64_t n : {1, 5, 2047, 2048, 2049, 6143, 6144, 6145, 100003}) {
    const std::vector<std::uint32_t> in = random_values<std::uint32_t>(n);
    const std::uint32_t least = *std::min_element(in.begin(), in.end());
    std::uint32_t sum = 7;
    for (const std::uint32_t x : in) sum += x;
    There<std::uint32_t> there(in), result(std::vector<std::uint32_t>{0});
    const std::uint32_t* values = there.data();
    cuda::reduce_chunks<Few>(space, nullptr, values, n, 7u, result.data(), Plus{});
    EXPECT_EQ(result.back()[0], sum) << n;
    cuda::reduce_chunks<Few>(space, nullptr, values, n, ~0u, result.data(), Min{});
    EXPECT_EQ(result.back()[0], least) << n;
  }
}

template <class T>
void sums_anywhere() {
  Workspace space;
  Context context({.device = "cpu", .threads = 2});
  constexpr std::int64_t tile = tile_size<T>, row = cuda::sum_row<T>;
  using Small = cuda::SumShape<T, 32, 2>;
  for (const std::int64_t n : {std::int64_t{1},
                               row - 1,
                               row,
                               row + 1,
                               127 * row,
                               128 * row,
                               129 * row,
                               512 * row + 5,
                               700 * row,
                               tile - 1,
                               tile,
                               tile + 1,
                               5 * tile + 17,
                               37 * tile - row}) {
    const std::vector<T> in = random_values<T>(n);
    const T want = reduce(context, in.data(), n, T(3), Plus{});
    for (const std::int64_t shift : {0, 1, 3}) {
      There<T> there(in, shift), result(std::vector<T>{0});
      const T* values = there.data();
      cuda::reduce(space, nullptr, values, n, T(3), result.data(), Plus{});
      EXPECT_TRUE(same_bits(result.back(), std::vector<T>{want})) << n << " shifted by " << shift;
      cuda::sum<T, Small>(space, nullptr, values, n, T(3), result.data());
      EXPECT_TRUE(same_bits(result.back(), std::vector<T>{want})) << n << ", a ring of two stages";
    }
  }
}

TEST(DeviceArrays, SumsOfFloatsHaveTheBitsOfTheCpuWhereverTheyBegin) {
  YUPANA_NEEDS_GPU();
  sums_anywhere<float>();
  sums_anywhere<double>();
}

template <class T>
T pairwise(const T* values, std::int64_t n) {
  return n == 1 ? values[0] : pairwise(values, n / 2) + pairwise(values + n / 2, n - n / 2);
}

TEST(DeviceArrays, TotalsOfAnyNumberOfTilesMeetInPairs) {
  YUPANA_NEEDS_GPU();
  std::vector<std::int64_t> counts = {1000, 1023, 1024, 1025, 4096, 5001, 70001};
  for (std::int64_t n = 1; n < 70; ++n) counts.push_back(n);
  for (const std::int64_t n : counts) {
    const std::vector<float> in = random_values<float>(n);
    There<float> there(in), nodes(in), result(std::vector<float>{0});
    const float* totals = there.data();
    cuda::launch_join_totals(nullptr, totals, n, nodes.data(), 3.0f, result.data());
    const std::vector<float> want{3.0f + pairwise(in.data(), n)};
    EXPECT_TRUE(same_bits(result.back(), want)) << n;
  }
}

TEST(DeviceArrays, TwoScansInOneWorkspaceDoNotMixTheirTotals) {
  YUPANA_NEEDS_GPU();
  Workspace space;
  const std::int64_t n = 500000;
  There<std::uint32_t> small(std::vector<std::uint32_t>(n, 1));
  There<std::uint64_t> large(std::vector<std::uint64_t>(n, 2));
  for (int round = 0; round < 20; ++round) {
    cuda::exclusive_scan(space, nullptr, small.data(), n, 0u, small.data(), Max{});
    cuda::inclusive_scan(space, nullptr, large.data(), n, large.data(), Max{});
  }
  EXPECT_EQ(large.back(), std::vector<std::uint64_t>(n, 2));
  std::vector<std::uint32_t> want(n, 1);
  std::fill(want.begin(), want.begin() + 20, 0);
  EXPECT_EQ(small.back(), want);
}

struct IsOdd {
  constexpr bool operator()(std::uint32_t x) const { return x % 2 == 1; }
};

TEST(DeviceArrays, PartitionKeepsTheOrderOfBothHalves) {
  YUPANA_NEEDS_GPU();
  Workspace space;
  for (const std::int64_t n : {0, 1, 31, 32, 33, 511, 512, 4095, 4096, 4097, 100003, 1 << 20}) {
    for (const std::uint32_t modulus : {1u, 2u, 1000u}) {
      std::vector<std::uint32_t> in = random_values<std::uint32_t>(n);
      for (std::uint32_t& x : in) x = modulus == 1 ? 2 * x : (modulus == 2 ? x : x | 1);
      std::vector<std::uint32_t> want = in;
      const auto middle = std::stable_partition(want.begin(), want.end(), IsOdd{});
      There<std::uint32_t> from(in), to(in);
      DeviceArray<std::int64_t> counts(cuda::partition_counts(n));
      const auto count = [&] {
        std::int64_t count = -1;
        check(cudaMemcpy(
                  &count, counts.data() + counts.size() - 1, sizeof(count), cudaMemcpyDeviceToHost),
              "copy");
        return count;
      };
      cuda::partition<true>(space, nullptr, from.data(), n, to.data(), counts.data(), IsOdd{});
      EXPECT_EQ(to.back(), want) << n;
      EXPECT_EQ(count(), middle - want.begin()) << n;
      There<std::uint32_t> kept(in);
      cuda::partition<false>(space, nullptr, from.data(), n, kept.data(), counts.data(), IsOdd{});
      std::vector<std::uint32_t> got = kept.back();
      EXPECT_TRUE(std::equal(want.begin(), middle, got.begin())) << n;
      EXPECT_TRUE(std::equal(in.begin() + count(), in.end(), got.begin() + count())) << n;
    }
  }
}

__global__ void ones_kernel(std::uint8_t* values, std::int64_t n) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    values[i] = 1;
  }
}
// Counts values that are not those of their place.
__global__ void check_scan_kernel(const std::uint8_t* values,
                                  std::int64_t n,
                                  unsigned long long* wrong) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    if (values[i] != static_cast<std::uint8_t>(i + 1)) atomicAdd(wrong, 1ull);
  }
}
__global__ void check_sorted_kernel(const std::uint8_t* values,
                                    std::int64_t n,
                                    unsigned long long* wrong) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i + 1 < n; i += step) {
    if (values[i] > values[i + 1]) atomicAdd(wrong, 1ull);
  }
}

TEST(DeviceArrays, GoBeyondTwoToThe31Elements) {
  YUPANA_NEEDS_GPU();
  const std::int64_t n = (std::int64_t{1} << 31) + 7;
  if (yupana::cuda::free_device_memory() < std::uint64_t{40} << 30) {
    GTEST_SKIP() << "no GPU: needs 40 GiB of its memory";
  }
  Workspace space;
  DeviceArray<std::uint8_t> values(n);
  DeviceArray<unsigned long long> wrong(1);
  ones_kernel<<<2048, 256>>>(values.data(), n);
  check(cudaMemset(wrong.data(), 0, wrong.bytes()), "clear");
  cuda::inclusive_scan(space, nullptr, values.data(), n, values.data(), Plus{});
  check_scan_kernel<<<2048, 256>>>(values.data(), n, wrong.data());
  // 1, 2, ... 255, 0, 1, ...: every value of a byte, sorted.
  cuda::merge_sort_by_key(space, nullptr, Columns<std::uint8_t>{values.data(), nullptr}, n);
  check_sorted_kernel<<<2048, 256>>>(values.data(), n, wrong.data());
  DeviceArray<std::uint8_t> total(1);
  const std::uint8_t* sorted = values.data();
  cuda::reduce(space, nullptr, sorted, n, std::uint8_t{0}, total.data(), Max{});
  unsigned long long count = 1;
  std::uint8_t greatest = 0;
  check(cudaMemcpy(&count, wrong.data(), sizeof(count), cudaMemcpyDeviceToHost), "copy");
  check(cudaMemcpy(&greatest, total.data(), 1, cudaMemcpyDeviceToHost), "copy");
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(greatest, 255);
}

}  // namespace
}  // namespace yupana::arrays
