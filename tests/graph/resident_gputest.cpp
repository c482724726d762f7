// Matrices that are in the memory of a GPU: closed there, as those of the host.
#include <gtest/gtest.h>

#include "tests/support/gpu.hpp"

#ifdef YUPANA_CUDA
#include <cmath>
#include <regex>

#include "tests/graph/graphs.hpp"
#include "tests/support/there.hpp"
#include "yupana/graph/fermat.hpp"

namespace yupana::graph {
namespace {

template <class T>
std::vector<T> values_of(const SquareMatrix<T>& m) {
  return {m.data(), m.data() + m.size() * m.size()};
}

template <class T>
SquareMatrix<T> whole_graph(std::int64_t n, bool directed, double missing) {
  auto w = random_graph<T>(n, {.largest = 60, .missing = missing, .directed = directed});
  for (std::int64_t i = 0; i < n * n; ++i) {
    T& x = w.data()[i];
    if (x != unreachable<T>) x = static_cast<T>(1 + std::floor(x));
  }
  for (std::int64_t i = 0; i < n; ++i) w(i, i) = 0;
  return w;
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Of several faults the devices may name different ones.
std::string without_numbers(const std::string& text) {
  return std::regex_replace(text, std::regex("[0-9.]+"), "#");
}

template <class T>
class GpuMatrices : public testing::Test {
 protected:
  Context host{{.device = "cpu"}};
};
using Types = testing::Types<std::int32_t, float, double>;
TYPED_TEST_SUITE(GpuMatrices, Types);

TYPED_TEST(GpuMatrices, AreClosedAndWalkedThereAsOnTheHost) {
  using T = TypeParam;
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"}), closing({.device = "cuda:0"});
  for (const std::int64_t n : {1, 2, 31, 32, 33, 65, 513, 700}) {
    for (const bool directed : {false, true}) {
      for (const double missing : {0.0, 0.9}) {
        SCOPED_TRACE(fmt::format("{} vertices, {}, {}", n, directed, missing));
        const SquareMatrix<T> w = whole_graph<T>(n, directed, missing);
        SquareMatrix<T> expected = copy_of(w);
        shortest_paths(this->host, expected.view());
        There<T> weights(w.data(), n * n), closure(w.data(), n * n);
        shortest_paths(closing, MatrixView<T>(closure.data(), n, n));
        ASSERT_EQ(closure.back(), values_of(expected));
        There<std::int32_t> found(std::vector<std::int32_t>(static_cast<std::size_t>(n * n)));
        const MatrixView<const T> from(weights.data(), n, n), lengths(closure.data(), n, n);
        fill_predecessors<T>(gpu, from, lengths, MatrixView(found.data(), n, n));
        const auto before = predecessors<T>(this->host, w.view(), expected.view());
        ASSERT_EQ(found.back(), values_of(before));
        const auto way = cuda::path<T, T>(from, lengths, 0, n - 1);
        EXPECT_EQ(way, path<T>(std::as_const(w).view(), std::as_const(expected).view(), 0, n - 1));
      }
    }
  }
  EXPECT_EQ(closing.bytes_moved(), 0u);
}

TYPED_TEST(GpuMatrices, HaveTheFermatDistancesOfTheHost) {
  using T = TypeParam;
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  for (const std::int64_t n : {0, 1, 2, 33, 600}) {
    const bool gaps = n == 600 && !std::is_integral_v<T>;
    const SquareMatrix<T> d = whole_graph<T>(n, false, gaps ? 0.995 : 0);
    There<T> distances(d.data(), n * n);
    for (const double alpha : {1.0, 2.0, 3.0}) {
      for (const bool root : {false, true}) {
        SCOPED_TRACE(fmt::format("{} vertices, alpha {}, root {}", n, alpha, root));
        FermatParams params;
        params.alpha = alpha;
        params.root = root;
        const FermatResult expected = fermat(this->host, copy_of(d), Entries::distances, params);
        const auto found =
            cuda::fermat<T>(gpu, 0, {distances.data(), n, n}, Entries::distances, params);
        EXPECT_EQ(found.facts.kept_edges, expected.kept_edges);
        EXPECT_EQ(found.facts.unreachable_pairs, expected.unreachable_pairs);
        EXPECT_EQ(found.facts.components, expected.components);
        std::visit(
            [&](const auto& lengths) {
              using To = std::remove_cvref_t<decltype(lengths(0, 0))>;
              ASSERT_EQ(found.lengths.type, DeviceMatrix::type_of<To>);
              std::vector<To> here(static_cast<std::size_t>(n * n));
              yupana::cuda::check(cudaMemcpy(here.data(),
                                             found.lengths.memory.get(),
                                             here.size() * sizeof(To),
                                             cudaMemcpyDeviceToHost),
                                  "copy");
              for (std::size_t i = 0; i < here.size(); ++i) {
                const To want = lengths.data()[i];
                const bool exact = !root || want == unreachable<To>;
                ASSERT_LE(exact ? here[i] != want : std::abs(here[i] - want), 1e-5 * want) << i;
              }
            },
            expected.lengths);
      }
    }
  }
}

TEST(GpuMatrices, NameWhatIsWrongWithThem) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"}), cpu({.device = "cpu"});
  const auto closing = [&](std::int64_t cell, double value, PathMethod method) {
    SquareMatrix<double> w = whole_graph<double>(40, false, 0);
    w.data()[cell] = value;
    There<double> there(w.data(), 1600);
    return refusal([&] { shortest_paths(gpu, MatrixView(there.data(), 40, 40), {method}); });
  };
  const PathMethod any = PathMethod::automatic;
  EXPECT_NE(closing(43, NAN, any).find("from 1 to 3 is nan"), std::string::npos);
  EXPECT_NE(closing(1561, -INFINITY, any).find("from 39 to 1 is -inf"), std::string::npos);
  const auto of_host = [&](std::int64_t cell, double value, PathMethod method) {
    SquareMatrix<double> w = whole_graph<double>(40, false, 0);
    w.data()[cell] = value;
    return refusal([&] { shortest_paths(cpu, MatrixView(w.data(), 40, 40), {method}); });
  };
  EXPECT_EQ(closing(41, -1, any), of_host(41, -1, any));
  EXPECT_EQ(without_numbers(closing(43, -200, any)), without_numbers(of_host(43, -200, any)));
  EXPECT_EQ(closing(43, 77, PathMethod::symmetric), of_host(43, 77, PathMethod::symmetric));
  EXPECT_EQ(closing(41, 5, any), "");
  const auto powers = [&](std::int64_t cell, double value) {
    SquareMatrix<double> d = whole_graph<double>(40, false, 0);
    d.data()[cell] = value;
    There<double> there(d.data(), 1600);
    return refusal([&] {
      cuda::fermat<double>(gpu, 0, {there.data(), 40, 40}, Entries::distances);
    });
  };
  for (const auto& [cell, value] : {std::pair{41, 1.0},
                                    std::pair{43, std::nan("")},
                                    std::pair{43, -2.0},
                                    std::pair{43, 99.0}}) {
    SquareMatrix<double> d = whole_graph<double>(40, false, 0);
    d.data()[cell] = value;
    const std::string said = refusal([&] { fermat(cpu, std::move(d), Entries::distances); });
    EXPECT_NE(said, "");
    EXPECT_EQ(without_numbers(powers(cell, value)), without_numbers(said));
  }
  There<std::int32_t> whole(std::vector<std::int32_t>{0, 1 << 30, 1 << 30, 0});
  const MatrixView<std::int32_t> two(whole.data(), 2, 2);
  EXPECT_NE(
      refusal([&] { cuda::fermat<std::int32_t>(gpu, 0, two, Entries::distances); }).find("float64"),
      std::string::npos);
  EXPECT_NE(refusal([&] { shortest_paths(gpu, two); }).find("use float64"), std::string::npos);
}

}  // namespace
}  // namespace yupana::graph
#endif
