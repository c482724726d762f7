// Arrays that are in the memory of a GPU: transformed and multiplied there, as those of the host.
#include <gtest/gtest.h>

#include "tests/support/gpu.hpp"

#ifdef YUPANA_CUDA
#include "tests/spectral/matrices.hpp"
#include "tests/spectral/spectra.hpp"
#include "tests/support/there.hpp"
#include "yupana/core/error.hpp"
#include "yupana/spectral/polymul.hpp"

namespace yupana::spectral {
namespace {

template <class T>
class GpuArrays : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(GpuArrays, Types);

// Every length twice: by a new plan and by the one that was kept.
TYPED_TEST(GpuArrays, AreTransformedThereWithinTheBound) {
  using T = TypeParam;
  using C = std::complex<T>;
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  for (const std::int64_t n : {1, 2, 7, 16, 1000, 1009, 4096, 1009, 7}) {
    SCOPED_TRACE(n);
    const auto x = noise<T>(3 * n, static_cast<std::uint64_t>(n));
    There<C> in(x), out(std::vector<C>(x.size()));
    fft(gpu, Signals<const C>(in.data(), n, 3), Signals<C>(out.data(), n, 3));
    EXPECT_LE(relative_error(out.back(), by_cpu(x, n, Direction::forward)), 2 * error_bound<T>(n));
    const auto y = real_noise<T>(3 * n, static_cast<std::uint64_t>(n));
    const std::int64_t half = n / 2 + 1;
    std::vector<C> want(static_cast<std::size_t>(3 * half));
    fft_real(workers(), Signals<const T>(y.data(), n, 3), Signals<C>(want.data(), half, 3));
    for (const std::int64_t shift : {0, 1}) {  // the second begins between two complex numbers
      There<T> real(y, shift), back(y);
      There<C> spectra(std::vector<C>(want.size()));
      fft_real(gpu, Signals<const T>(real.data(), n, 3), Signals<C>(spectra.data(), half, 3));
      EXPECT_LE(relative_error(spectra.back(), want), 4 * error_bound<T>(n));
      inverse_fft_real(
          gpu, Signals<const C>(spectra.data(), half, 3), Signals<T>(back.data(), n, 3));
      EXPECT_LE(relative_error(back.back(), y), 4 * error_bound<T>(n));
    }
    std::vector<C> plane(x.size());
    fft_2d(workers(),
           MatrixView<const C>(x.data(), 3, n),
           MatrixView<C>(plane.data(), 3, n),
           Direction::forward);
    fft_2d(gpu,
           MatrixView<const C>(in.data(), 3, n),
           MatrixView<C>(out.data(), 3, n),
           Direction::forward);
    EXPECT_LE(relative_error(out.back(), plane), 4 * error_bound<T>(3 * n));
  }
  EXPECT_EQ(gpu.bytes_moved(), 0u);
}

TYPED_TEST(GpuArrays, AreMultipliedAsMatricesThere) {
  using T = TypeParam;
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  for (const auto& [m, k, n] : {Shape{1, 1, 1}, {3, 0, 2}, {127, 257, 65}}) {
    const auto a = small_integers<T>(m * k, 1), b = small_integers<T>(k * n, 2);
    There<T> x(a), y(b), z(std::vector<T>(static_cast<std::size_t>(m * n), T(77)));
    matmul(gpu,
           MatrixView<const T>(x.data(), m, k),
           MatrixView<const T>(y.data(), k, n),
           MatrixView<T>(z.data(), m, n));
    EXPECT_EQ(z.back(), matrix_product<T>(workers(), a, b, {m, k, n}));
  }
}

TEST(GpuArrays, AreMultipliedAsPolynomialsThere) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  for (const std::int64_t n : {1, 5, 1009, 40'000}) {
    std::vector<std::int64_t> a, b;
    for (const double x : small_integers<double>(n, 3)) a.push_back(static_cast<std::int64_t>(x));
    for (const double x : small_integers<double>(7, 4)) b.push_back(static_cast<std::int64_t>(x));
    There<std::int64_t> x(a), y(b), z(std::vector<std::int64_t>(a.size() + 6));
    const auto span_of = [](auto& there, std::size_t size) {
      return std::span(there.data(), size);
    };
    polymul_exact(gpu, span_of(x, a.size()), span_of(y, 7), span_of(z, a.size() + 6));
    const auto want = polymul_exact(workers(), a, b);
    EXPECT_TRUE(std::equal(want.begin(), want.end(), z.back().begin()));
    There<double> p(std::vector<double>(a.begin(), a.end()));
    There<double> q(std::vector<double>(b.begin(), b.end()));
    There<double> r(std::vector<double>(a.size() + 6));
    polymul(gpu, span_of(p, a.size()), span_of(q, 7), span_of(r, a.size() + 6));
    const auto got = r.back();
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], static_cast<double>(want[static_cast<std::int64_t>(i)]), 1e-8) << i;
    }
  }
  There<double> bad(std::vector<double>{1, 2, NAN}), out(std::vector<double>(5));
  const std::span<const double> factor(bad.data(), 3);
  EXPECT_THROW(polymul(gpu, factor, factor, {out.data(), 5}), Error);
  EXPECT_THROW(polymul(gpu, factor, factor, {out.data(), 4}), Error);
}

}  // namespace
}  // namespace yupana::spectral
#endif
