#include "yupana/spectral/fft.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "spectra.hpp"
#include "tests/support/text_files.hpp"

namespace yupana::spectral {
namespace {

template <class T>
class Fft : public ::testing::Test {
 public:
  Context cpu{on("cpu")};
  Context reference{on("reference")};
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Fft, Types);

/// Every length to 512, and beyond it primes, neighbours of powers of two, products of the radices.
std::set<std::int64_t> lengths() {
  std::set<std::int64_t> all;
  for (std::int64_t n = 1; n <= 512; ++n) all.insert(n);
  for (std::int64_t n : {521, 641, 761, 997, 1511, 2003, 2999, 4093}) all.insert(n);
  for (std::int64_t n = 1024; n <= 4096; n *= 2) all.insert({n - 1, n, n + 1});
  for (std::int64_t n : {720,
                         1000,
                         1001,
                         1155,
                         1260,
                         1331,
                         1680,
                         2187,
                         2197,
                         2310,
                         2401,
                         2520,
                         3003,
                         3125,
                         3600,
                         3960}) {
    all.insert(n);
  }
  return all;
}

TYPED_TEST(Fft, ReferenceOfFourValuesIsAsByHand) {
  using C = std::complex<TypeParam>;
  const std::vector<C> x = {{1, 0}, {2, -1}, {0, -1}, {-1, 2}};

  const auto got = transformed(this->reference, x);

  const std::vector<C> want = {{2, 0}, {-2, -2}, {0, -2}, {4, 4}};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_LT(std::abs(got[k] - want[k]), 1e-6) << k;
}

TYPED_TEST(Fft, EqualsTheLongDoubleSumsAtEveryLength) {
  using T = TypeParam;
  for (const std::int64_t n : lengths()) {
    const auto x = noise<T>(n, static_cast<std::uint64_t>(n));
    const auto want = transformed(this->reference, x);
    EXPECT_LE(relative_error(transformed(this->cpu, x), want), error_bound<T>(n)) << n;
  }
}

TYPED_TEST(Fft, InverseUndoesForwardAtEveryLength) {
  using T = TypeParam;
  auto all = lengths();
  all.insert({1 << 14, 1 << 17, 65537, 100000, 262144 + 1, 3 << 18, 1 << 20});
  for (const std::int64_t n : all) {
    const auto x = noise<T>(n, 7);
    const auto back = transformed(this->cpu, transformed(this->cpu, x), Direction::inverse);
    EXPECT_LE(relative_error(back, x), 2 * error_bound<T>(n)) << n;
  }
}

TYPED_TEST(Fft, LongTransformsEqualTheSumsAtSampledFrequencies) {
  using T = TypeParam;
  // Around the switches: in the cache, all threads, deep buffers, Bluestein's lengths.
  for (const std::int64_t n : {720,
                               1000,
                               5000,
                               8192,
                               10000,
                               12288,
                               16383,
                               16384,
                               16385,
                               30030,
                               65536,
                               131071,
                               131072,
                               1 << 18,
                               1 << 20}) {
    const auto x = noise<T>(n, 3);
    const auto got = transformed(this->cpu, x);
    long double energy = 0;
    for (const auto& value : got) energy += std::norm(std::complex<long double>(value));
    for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, n / 3, n / 2, n - 1}) {
      std::complex<long double> sum = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        const auto turn =
            static_cast<long double>(static_cast<std::int64_t>(static_cast<__int128>(j) * k % n)) /
            static_cast<long double>(n);
        sum += std::complex<long double>(x[static_cast<std::size_t>(j)]) *
               std::polar(1.0L, -2 * std::acos(-1.0L) * turn);
      }
      const long double rms = std::sqrt(energy / static_cast<long double>(n));
      EXPECT_LE(std::abs(std::complex<long double>(got[static_cast<std::size_t>(k)]) - sum) / rms,
                4 * error_bound<T>(n))
          << n << " " << k;
    }
  }
}

TYPED_TEST(Fft, KeepsTheEnergy) {
  using T = TypeParam;
  for (const std::int64_t n : {60, 1021, 4096, 1 << 16}) {
    const auto x = noise<T>(n, 5);
    long double before = 0, after = 0;
    for (const auto& value : x) before += std::norm(std::complex<long double>(value));
    for (const auto& value : transformed(this->cpu, x)) {
      after += std::norm(std::complex<long double>(value));
    }
    EXPECT_LE(std::fabs(after / static_cast<long double>(n) / before - 1), 2 * error_bound<T>(n));
  }
}

TYPED_TEST(Fft, IsLinearAndTurnsAShiftIntoPhases) {
  using T = TypeParam;
  using C = std::complex<T>;
  for (const std::int64_t n : {48, 211, 1024, 2310}) {
    const auto x = noise<T>(n, 1), y = noise<T>(n, 2);
    const C a(T(0.75), T(-0.5));
    auto sum = x, shifted = x;
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] = a * x[j] + y[j];
    std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
    const auto fx = transformed(this->cpu, x), fy = transformed(this->cpu, y);
    auto want_sum = fx, want_shifted = fx;
    for (std::size_t k = 0; k < fx.size(); ++k) {
      want_sum[k] = a * fx[k] + fy[k];
      want_shifted[k] =
          C(std::complex<double>(fx[k]) *
            std::polar(1.0, 2 * std::acos(-1.0) * static_cast<double>(k) / static_cast<double>(n)));
    }
    EXPECT_LE(relative_error(transformed(this->cpu, sum), want_sum), 4 * error_bound<T>(n)) << n;
    EXPECT_LE(relative_error(transformed(this->cpu, shifted), want_shifted), 4 * error_bound<T>(n))
        << n;
  }
}

TYPED_TEST(Fft, BatchesAndStridesEqualSignalsOneByOne) {
  using T = TypeParam;
  using C = std::complex<T>;
  struct Shape {
    std::int64_t length, batch, stride, distance;
  };
  for (const Shape s : {Shape{8, 40, 1, 8},
                        {15, 33, 1, 17},
                        {64, 16, 16, 1},
                        {64, 17, 17, 1},
                        {100, 21, 3, 301},
                        {127, 5, 1, 130},
                        {1024, 9, 1, 1024},
                        {2048, 3, 2, 4096},
                        {512, 100, 100, 1},
                        {1, 50, 1, 1},
                        {97, 20, 20, 1}}) {
    const std::int64_t size = (s.length - 1) * s.stride + (s.batch - 1) * s.distance + 1;
    const auto x = noise<T>(size, 11);
    for (const Direction direction : {Direction::forward, Direction::inverse}) {
      std::vector<C> out(x.size(), C(9)), want(x.size(), C(9)), in_place = x, wanted_there = x;
      const Signals<const C> in(x.data(), s.length, s.batch, s.stride, s.distance);
      Signals<C> to(out.data(), s.length, s.batch, s.stride, s.distance);
      fft(this->cpu, in, to, direction);
      to.data = want.data();
      fft(this->reference, in, to, direction);
      EXPECT_LE(relative_error(out, want), error_bound<T>(s.length)) << s.length << " " << s.batch;
      to.data = in_place.data();
      fft(this->cpu, to, to, direction);
      to.data = wanted_there.data();
      fft(this->reference, to, to, direction);
      EXPECT_LE(relative_error(in_place, wanted_there), error_bound<T>(s.length)) << s.length;
    }
  }
}

TYPED_TEST(Fft, RealTransformIsHalfOfTheComplexOne) {
  using T = TypeParam;
  using C = std::complex<T>;
  auto all = lengths();
  all.insert({1 << 15, 1 << 17, 100000, 100001});
  for (const std::int64_t n : all) {
    const auto x = real_noise<T>(n, 13);
    std::vector<C> half(static_cast<std::size_t>(n / 2 + 1)), values(x.begin(), x.end());
    fft_real(this->cpu, Signals<const T>(x.data(), n), {half.data(), n / 2 + 1});
    auto want = transformed(this->cpu, values);
    want.resize(half.size());
    EXPECT_LE(relative_error(half, want), 2 * error_bound<T>(n)) << n;
    std::vector<T> back(x.size());
    inverse_fft_real(this->cpu, Signals<const C>(half.data(), n / 2 + 1), {back.data(), n});
    EXPECT_LE(relative_error(back, x), 2 * error_bound<T>(n)) << n;
  }
}

TYPED_TEST(Fft, RealBatchesAndStridesEqualTheReference) {
  using T = TypeParam;
  using C = std::complex<T>;
  for (const std::int64_t n : {1, 2, 3, 12, 25, 64, 202}) {
    for (const std::int64_t stride : {1, 3}) {
      const std::int64_t batch = 7, h = n / 2 + 1;
      const auto x = real_noise<T>(batch * n * stride, 17);
      std::vector<C> got(static_cast<std::size_t>(batch * h)), want = got;
      const Signals<const T> in(x.data(), n, batch, stride, n * stride);
      fft_real(this->cpu, in, {got.data(), h, batch});
      fft_real(this->reference, in, {want.data(), h, batch});
      EXPECT_LE(relative_error(got, want), error_bound<T>(n)) << n;
      // Imaginary parts where a real signal has none are left out of account.
      got[0] += C(0, 5);
      if (n % 2 == 0) got[static_cast<std::size_t>(n / 2)] += C(0, 5);
      std::vector<T> back(x.size()), wanted(x.size());
      const Signals<const C> half(got.data(), h, batch);
      inverse_fft_real(this->cpu, half, {back.data(), n, batch, stride, n * stride});
      inverse_fft_real(this->reference, half, {wanted.data(), n, batch, stride, n * stride});
      EXPECT_LE(relative_error(back, wanted), error_bound<T>(n)) << n;
    }
  }
}

TYPED_TEST(Fft, TwoDimensionsAreRowsThenColumns) {
  using T = TypeParam;
  using C = std::complex<T>;
  for (const auto& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                   {1, 9},
                                   {9, 1},
                                   {3, 5},
                                   {16, 16},
                                   {17, 40},
                                   {64, 33},
                                   {128, 100}}) {
    const auto x = noise<T>(rows * cols, 19);
    std::vector<C> got(x.size()), want(x.size()), back(x.size());
    fft_2d(this->cpu, MatrixView<const C>(x.data(), rows, cols), {got.data(), rows, cols});
    fft_2d(this->reference, MatrixView<const C>(x.data(), rows, cols), {want.data(), rows, cols});
    EXPECT_LE(relative_error(got, want), 2 * error_bound<T>(rows * cols)) << rows << " " << cols;
    fft_2d(this->cpu,
           MatrixView<const C>(got.data(), rows, cols),
           {back.data(), rows, cols},
           Direction::inverse);
    EXPECT_LE(relative_error(back, x), 2 * error_bound<T>(rows * cols));

    const auto r = real_noise<T>(rows * cols, 23);
    const std::int64_t h = cols / 2 + 1;
    std::vector<C> half(static_cast<std::size_t>(rows * h)), want_half = half;
    fft_real_2d(this->cpu, MatrixView<const T>(r.data(), rows, cols), {half.data(), rows, h});
    fft_real_2d(
        this->reference, MatrixView<const T>(r.data(), rows, cols), {want_half.data(), rows, h});
    EXPECT_LE(relative_error(half, want_half), 2 * error_bound<T>(rows * cols));
    std::vector<T> real_back(r.size());
    inverse_fft_real_2d(
        this->cpu, MatrixView<const C>(half.data(), rows, h), {real_back.data(), rows, cols});
    EXPECT_LE(relative_error(real_back, r), 2 * error_bound<T>(rows * cols));
  }
}

TYPED_TEST(Fft, BitsDoNotDependOnThreads) {
  using T = TypeParam;
  using C = std::complex<T>;
  for (const std::int64_t n : {64, 1000, 1024, 16384, 1 << 18, 65537, 3 * 5 * 7 * 1024}) {
    const auto x = noise<T>(n, 29);
    const auto r = real_noise<T>(n, 31);
    std::vector<C> first, first_half;
    for (const int threads : {1, 2, 7}) {
      Context context(on("cpu", threads));
      const auto got = transformed(context, x);
      std::vector<C> half(static_cast<std::size_t>(n / 2 + 1));
      fft_real(context, Signals<const T>(r.data(), n), {half.data(), n / 2 + 1});
      if (first.empty()) {
        first = got;
        first_half = half;
      }
      EXPECT_EQ(std::memcmp(got.data(), first.data(), got.size() * sizeof(C)), 0) << n;
      EXPECT_EQ(std::memcmp(half.data(), first_half.data(), half.size() * sizeof(C)), 0) << n;
    }
  }
}

TYPED_TEST(Fft, PlansRefuseOtherLengthsAndOverlaps) {
  using T = TypeParam;
  using C = std::complex<T>;
  std::vector<C> x(64), y(64);
  std::vector<T> r(64);
  const FftPlan<T> plan(16);
  const RealFftPlan<T> real_plan(16);
  test::expect_refusal([] { const FftPlan<T> none(0); }, "length 0");
  test::expect_refusal([] { const RealFftPlan<T> none(-1); }, "length -1");
  test::expect_refusal(
      [&] { plan.execute(this->cpu, Signals<const C>(x.data(), 8), Signals<C>(y.data(), 8)); },
      "length 8 on a plan for 16");
  test::expect_refusal(
      [&] {
        real_plan.forward(this->cpu, Signals<const T>(r.data(), 8), {y.data(), 5});
      },
      "length 8 on a plan for 16");
  test::expect_refusal([&] { plan.execute(this->cpu, x.data(), x.data() + 15); }, "overlap");
  test::expect_refusal(
      [&] { real_plan.inverse(this->cpu, y.data(), reinterpret_cast<T*>(y.data() + 8)); },
      "overlap");
  EXPECT_NO_THROW(plan.execute(this->cpu, x.data(), x.data() + 16));
}

TYPED_TEST(Fft, RefusesShapesThatMeanNothing) {
  using T = TypeParam;
  using C = std::complex<T>;
  std::vector<C> x(64), y(64);
  std::vector<T> r(64);
  const auto run = [&](Signals<const C> in, Signals<C> out) { fft(this->cpu, in, out); };
  test::expect_refusal([&] { run({x.data(), 0}, {y.data(), 0}); }, "at least 1 value, got 0");
  test::expect_refusal([&] { run({x.data(), -3}, {y.data(), -3}); }, "at least 1 value, got -3");
  test::expect_refusal(
      [&] {
        run({x.data(), 4, -1}, {y.data(), 4, -1});
      },
      "0 signals or more, got -1");
  test::expect_refusal([&] { run({x.data(), 4}, {y.data(), 5}); }, "values out as in, 4, got 5");
  test::expect_refusal(
      [&] {
        run({x.data(), 4, 2}, {y.data(), 4, 3});
      },
      "signals out as in, 2, got 3");
  test::expect_refusal(
      [&] {
        run({x.data(), 4, 2, 0, 4}, {y.data(), 4, 2});
      },
      "at least 1, got 0 and 4");
  test::expect_refusal([&] { run({x.data(), 8}, {x.data() + 4, 8}); }, "overlap");
  test::expect_refusal(
      [&] {
        const FftParams params{FftLibrary::cufft};
        fft(this->cpu, {x.data(), 8}, {y.data(), 8}, Direction::forward, params);
      },
      "cuFFT works on a GPU");
  test::expect_refusal(
      [&] {
        fft_real(this->cpu, Signals<const T>(r.data(), 8), {y.data(), 4});
      },
      "not 4");
  test::expect_refusal(
      [&] {
        fft_2d(this->cpu, MatrixView<const C>(x.data(), 0, 4), {y.data(), 0, 4});
      },
      "0 x 4");
  test::expect_refusal(
      [&] {
        fft_2d(this->cpu, MatrixView<const C>(x.data(), 2, 4), {y.data(), 3, 4});
      },
      "rows out as in, 2, got 3");
  EXPECT_NO_THROW(run({x.data(), 4, 0}, {y.data(), 4, 0}));
}

}  // namespace
}  // namespace yupana::spectral
