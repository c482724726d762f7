#include <gtest/gtest.h>

#include <cstring>

#include "tests/spectral/spectra.hpp"
#include "tests/support/gpu.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/spectral/polymul.hpp"

namespace yupana::spectral {
namespace {

// Every length of one pass and its neighbours; where a second and a third pass begin; lengths of
// 2, 3, 5 and 7 in one, two and three passes; primes and others for Bluestein's convolution.
const std::vector<std::int64_t> lengths = {
    1,     2,      3,      4,      5,       6,       7,       8,       9,      10,    11,
    15,    16,     17,     31,     32,      33,      63,      64,      65,     97,    100,
    127,   128,    129,    210,    255,     256,     257,     343,     509,    511,   512,
    513,   1000,   1009,   1023,   1024,    1025,    2047,    2048,    2049,   3000,  4095,
    4096,  4097,   8191,   8192,   8193,    10000,   16384,   32768,   65535,  65536, 65537,
    99991, 131072, 262144, 524288, 1000000, 1048575, 1048576, 1048577, 2097152};

template <class T>
void check_lengths() {
  Context context(on("cuda"));
  for (const std::int64_t n : lengths) {
    for (const std::int64_t batch : {1, 3}) {
      if (batch > 1 && n > 70'000) continue;
      for (const Direction direction : {Direction::forward, Direction::inverse}) {
        const auto x = noise<T>(n * batch, static_cast<std::uint64_t>(n));
        std::vector<std::complex<T>> y(x.size(), std::complex<T>(NAN, NAN));
        fft(context,
            Signals<const std::complex<T>>(x.data(), n, batch),
            Signals<std::complex<T>>(y.data(), n, batch),
            direction);
        // The oracle is in double: its own error counts for double only.
        EXPECT_LE(relative_error(y, by_cpu(x, n, direction)),
                  error_bound<T>(n) * (sizeof(T) == 8 ? 2 : 1))
            << "n = " << n << ", batch = " << batch;
      }
    }
  }
}

TEST(FftOnGpu, AgreesWithTheCpuForFloatsOfAnyLength) {
  YUPANA_NEEDS_GPU();
  check_lengths<float>();
}
TEST(FftOnGpu, AgreesWithTheCpuForDoublesOfAnyLength) {
  YUPANA_NEEDS_GPU();
  check_lengths<double>();
}

// Radices that the compiler knows, many signals and a last block that is not full; in place, too.
template <class T>
void check_many_signals() {
  Context context(on("cuda"));
  constexpr std::int64_t batch = 1001;
  for (const std::int64_t n : {360, 720, 1000}) {
    for (const Direction direction : {Direction::forward, Direction::inverse}) {
      const auto x = noise<T>(n * batch, static_cast<std::uint64_t>(n));
      auto in_place = x;
      std::vector<std::complex<T>> y(x.size(), std::complex<T>(NAN, NAN));
      fft(context,
          Signals<const std::complex<T>>(x.data(), n, batch),
          Signals<std::complex<T>>(y.data(), n, batch),
          direction);
      fft(context,
          Signals<const std::complex<T>>(in_place.data(), n, batch),
          Signals<std::complex<T>>(in_place.data(), n, batch),
          direction);
      EXPECT_LE(relative_error(y, by_cpu(x, n, direction)),
                error_bound<T>(n) * (sizeof(T) == 8 ? 2 : 1))
          << "n = " << n;
      EXPECT_EQ(std::memcmp(y.data(), in_place.data(), y.size() * sizeof(y[0])), 0);
    }
  }
}

TEST(FftOnGpu, ManyShortSignalsAgreeWithTheCpu) {
  YUPANA_NEEDS_GPU();
  check_many_signals<float>();
  check_many_signals<double>();
}

// Two passes over columns of 2^10 to 2^12 values, three over columns of 2^8 and 2^9; one signal and
// several.
TEST(FftOnGpu, LongFloatsAgreeWithTheCpuInTwoAndThreePasses) {
  YUPANA_NEEDS_GPU();
  Context context(on("cuda"));
  for (const auto& [log, batch] :
       {std::pair{20, 1}, {20, 5}, {21, 2}, {22, 3}, {23, 1}, {24, 2}, {25, 2}, {26, 1}, {27, 1}}) {
    const std::int64_t n = std::int64_t{1} << log;
    const auto x = noise<float>(n * batch, static_cast<std::uint64_t>(log));
    std::vector<std::complex<float>> y(x.size(), std::complex<float>(NAN, NAN));
    const Signals<std::complex<float>> spectra(y.data(), n, batch);
    fft(context, Signals<const std::complex<float>>(x.data(), n, batch), spectra);
    EXPECT_LE(relative_error(y, by_cpu(x, n, Direction::forward)), error_bound<float>(n))
        << "2^" << log << ", batch = " << batch;
    fft(context, spectra, spectra, Direction::inverse);
    EXPECT_LE(relative_error(y, x), 2 * error_bound<float>(n))
        << "2^" << log << ", batch = " << batch << ", there and back";
  }
}

TEST(FftOnGpu, ManyShortSignalsFillTilesOfEveryWidth) {
  YUPANA_NEEDS_GPU();
  Context context(on("cuda"));
  for (const std::int64_t n : {4, 16, 32, 64, 100, 128, 256, 512, 1024, 2048, 4096}) {
    const std::int64_t batch = 1'500'001 / n;
    const auto x = noise<float>(n * batch, 3);
    auto y = x;
    const Signals<std::complex<float>> signals(y.data(), n, batch);
    fft(context, signals, signals);
    EXPECT_LE(relative_error(y, by_cpu(x, n, Direction::forward)), error_bound<float>(n)) << n;
  }
}

TEST(FftOnGpu, StridesAndDistancesAreKept) {
  YUPANA_NEEDS_GPU();
  Context here(on("cuda")), there(on("cpu"));
  const auto x = noise<double>(7 * 300, 4);
  for (const auto& [stride, distance] : {std::pair{7, 1}, std::pair{1, 400}, std::pair{2, 500}}) {
    std::vector<std::complex<double>> a(2100), b(2100);
    const Signals<const std::complex<double>> in(x.data(), 243, 3, stride, distance);
    fft(here, in, Signals<std::complex<double>>(a.data(), 243, 3, stride, distance));
    fft(there, in, Signals<std::complex<double>>(b.data(), 243, 3, stride, distance));
    EXPECT_LE(relative_error(a, b), 2 * error_bound<double>(243));
  }
}

TEST(FftOnGpu, TheSameBitsEveryRun) {
  YUPANA_NEEDS_GPU();
  Context context(on("cuda"));
  for (const std::int64_t n : {4096, 65536, 1'000'000, 1'000'003, 4'194'304}) {
    const auto x = noise<float>(n, 5);
    std::vector<std::complex<float>> first(x.size()), second(x.size());
    const Signals<const std::complex<float>> in(x.data(), n);
    fft(context, in, Signals<std::complex<float>>(first.data(), n));
    fft(context, in, Signals<std::complex<float>>(second.data(), n));
    EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(first[0])), 0) << n;
  }
}

template <class T>
void check_real() {
  Context here(on("cuda")), there(on("cpu"));
  for (const std::int64_t n : {1, 2, 3, 4, 5, 16, 31, 32, 34, 1000, 1009, 2018, 65536, 100'000}) {
    const std::int64_t batch = 3, half = n / 2 + 1;
    const auto x = real_noise<T>(n * batch, 6);
    std::vector<std::complex<T>> a(static_cast<std::size_t>(half * batch)), b = a;
    const Signals<const T> in(x.data(), n, batch);
    fft_real(here, in, Signals<std::complex<T>>(a.data(), half, batch));
    fft_real(there, in, Signals<std::complex<T>>(b.data(), half, batch));
    EXPECT_LE(relative_error(a, b), 2 * error_bound<T>(n)) << n;
    std::vector<T> back(x.size());
    inverse_fft_real(here,
                     Signals<const std::complex<T>>(a.data(), half, batch),
                     Signals<T>(back.data(), n, batch));
    EXPECT_LE(relative_error(back, x), 2 * error_bound<T>(n)) << n;
  }
}
TEST(FftOnGpu, RealSignalsGoToHalfSpectraAndBack) {
  YUPANA_NEEDS_GPU();
  check_real<float>();
  check_real<double>();
}

TEST(FftOnGpu, MatricesAlongBothSides) {
  YUPANA_NEEDS_GPU();
  Context here(on("cuda")), there(on("cpu"));
  for (const auto& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{1, 7},
                                   {5, 3},
                                   {64, 128},
                                   {100, 33},
                                   {1009, 20},
                                   {8192, 6},
                                   {300, 512}}) {
    const auto x = noise<double>(rows * cols, 7);
    std::vector<std::complex<double>> a(x.size()), b(x.size());
    const MatrixView<const std::complex<double>> in(x.data(), rows, cols);
    for (const Direction direction : {Direction::forward, Direction::inverse}) {
      fft_2d(here, in, MatrixView<std::complex<double>>(a.data(), rows, cols), direction);
      fft_2d(there, in, MatrixView<std::complex<double>>(b.data(), rows, cols), direction);
      EXPECT_LE(relative_error(a, b), 2 * error_bound<double>(rows * cols)) << rows << " " << cols;
    }
    const auto r = real_noise<double>(rows * cols, 8);
    std::vector<std::complex<double>> half(static_cast<std::size_t>(rows * (cols / 2 + 1)));
    const MatrixView<std::complex<double>> spectrum(half.data(), rows, cols / 2 + 1);
    fft_real_2d(here, MatrixView<const double>(r.data(), rows, cols), spectrum);
    std::vector<double> back(r.size());
    inverse_fft_real_2d(here, spectrum, MatrixView<double>(back.data(), rows, cols));
    EXPECT_LE(relative_error(back, r), 2 * error_bound<double>(rows * cols));
  }
}

std::vector<std::int64_t> integers(std::int64_t n, std::int64_t most, std::uint64_t seed) {
  std::vector<std::int64_t> values;
  const Random random(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto range = static_cast<std::uint64_t>(2 * most + 1);
    values.push_back(static_cast<std::int64_t>(random.word(static_cast<std::uint64_t>(i)) % range) -
                     most);
  }
  return values;
}

void check_product(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  Context here(on("cuda"));
  const auto got = polymul_exact(here, a, b), want = polymul_exact(workers(), a, b);
  ASSERT_EQ(got.size(), want.size());
  EXPECT_EQ(std::memcmp(got.data(), want.data(), want.bytes()), 0) << a.size() << " " << b.size();
}

// One block alone up to 2^13 coefficients, then one pass over columns.
TEST(PolymulOnGpu, IsExactAroundEveryChangeOfShape) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {1,
                               2,
                               3,
                               255,
                               256,
                               257,
                               509,
                               2048,
                               2049,
                               4096,
                               4097,
                               8192,
                               8193,
                               16384,
                               16385,
                               40'000,
                               262'145}) {
    check_product(integers(n, 1 << 20, 1), integers(n, 1 << 20, 2));
  }
  check_product(integers(1, 1000, 1), integers(100'000, 1'000'000, 2));
  check_product(integers(3000, 1000, 3), integers(70'001, 1'000'000, 4));
}

// Two rows of 2^13 values take 204,992 bytes of shared memory, and longest tiles with the next one
// under way as much.
TEST(PolymulOnGpu, ProductsExceededTheSharedMemoryOfOtherGpus) {
  YUPANA_NEEDS_GPU();
  for (const auto& limits : {smallest_gpu, small_a100}) {
    const LimitedGpu limited(limits);
    for (const std::int64_t n :
         {200, 2049, 4000, 4096, 4097, 10'000, 20'000, 70'000, 1'100'000, 4'100'000}) {
      // Two primes tell results apart, or do not.
      for (const double bound : {1e15, 4e18}) {
        const auto most = static_cast<std::int64_t>(std::sqrt(bound / static_cast<double>(n)));
        check_product(integers(n, most, 1), integers(n, most, 2));
      }
    }
  }
}

TEST(PolymulOnGpu, CoefficientsMayReachTheLastBit) {
  YUPANA_NEEDS_GPU();
  constexpr std::int64_t most = INT64_MAX;
  for (const std::int64_t a : {most, -most, most - 1, most >> 1, -(most >> 1) - 1}) {
    check_product({a, 0, -a}, {1});
    check_product({1, 0, 0, -1}, {a});
  }
  check_product(integers(1000, (1 << 26) - 1, 5), integers(1000, (1 << 27) - 1, 6));
}

// Two primes tell results apart up to half their product; one more takes the other modulus.
TEST(PolymulOnGpu, ResultsAtTheEdgeOfTwoPrimesAreExact) {
  YUPANA_NEEDS_GPU();
  constexpr std::int64_t half = std::int64_t{1811939329} * 2013265921 / 2;
  for (const std::int64_t a : {half, half - 1, half + 1}) {
    check_product({a, 0, 0, -a}, {1});
    check_product({-1, 0, 1}, {a});
    check_product({INT64_C(0), -a, a}, {-1});
  }
  // Multiples of a prime vanish in one residue.
  for (const std::int64_t p : {1811939329, 2013265921}) {
    check_product(integers(300, 3, 7), {p, -p, 2 * p, 1});
  }
  check_product(integers(1'100'000, 1000, 8), integers(1'100'000, 1000, 9));
  check_product(integers(1'100'000, 1'400'000, 8), integers(1'100'000, 1'400'000, 9));
}

// 2^24 values: two passes over columns, modulo two primes and modulo one.
TEST(PolymulOnGpu, LongProductsAreExactInTwoPassesOverColumns) {
  YUPANA_NEEDS_GPU();
  const auto a = integers(8'400'000, 1000, 10);
  check_product(a, integers(5, 1000, 11));
  check_product(a, integers(5, std::int64_t{1} << 50, 12));
}

TEST(PolymulOnGpu, RealProductsKeepTheirBound) {
  YUPANA_NEEDS_GPU();
  Context here(on("cuda")), there(on("cpu"));
  for (const std::int64_t n : {1, 2, 100, 5000, 300'000}) {
    const auto a = real_noise<double>(n, 9), b = real_noise<double>(n + 3, 10);
    const RealProduct got = polymul(here, a, b), want = polymul(there, a, b);
    ASSERT_EQ(got.coefficients.size(), want.coefficients.size());
    for (std::int64_t k = 0; k < want.coefficients.size(); ++k) {
      ASSERT_NEAR(got.coefficients[k], want.coefficients[k], got.error_bound + want.error_bound);
    }
  }
}

}  // namespace
}  // namespace yupana::spectral
