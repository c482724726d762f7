// Transforms by the code for every instruction set of this processor.
#include "tests/support/instruction_sets.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <complex>
#include <cstdint>
#include <set>
#include <vector>

#include "tests/spectral/long_double_dft.hpp"
#include "yupana/spectral/fft.hpp"
#include "yupana/spectral/fft_rows.hpp"

namespace yupana::spectral {
namespace {

using Wanted = std::vector<LongDoubleDft::Value>;

/// How many lanes the sets have that body() ran with.
template <class T, class Body>
std::set<std::int64_t> with_each_set(const Body& body) {
  std::set<std::int64_t> lanes;
  on_each_instruction_set([&] {
    cpu::choose_row_functions_for_test<T>();
    lanes.insert(cpu::row_functions<T>().lanes);
    body();
  });
  cpu::choose_row_functions_for_test<T>();
  return lanes;
}

/// Lengths that fit registers, take one pass or several, primes, and long ones.
std::vector<std::int64_t> lengths() {
  std::vector<std::int64_t> all;
  for (std::int64_t n = 1; n <= 300; ++n) all.push_back(n);
  for (const std::int64_t n : {500, 512, 900, 1000, 1009, 1024, 1500, 2000, 2048, 4096}) {
    all.push_back(n);
  }
  for (const std::int64_t n : {6561, 10000, 16384, 32768}) all.push_back(n);
  return all;
}

template <class T>
void expect_complex(Context& context,
                    const std::vector<std::complex<float>>& x,
                    const Wanted& wanted) {
  const auto n = static_cast<std::int64_t>(x.size());
  const std::vector<std::complex<T>> in(x.begin(), x.end());
  const FftPlan<T> plan(n);
  std::vector<std::complex<T>> spectrum(x.size()), back(x.size());
  plan.execute(context, in.data(), spectrum.data());
  EXPECT_LE(relative_error(spectrum, wanted), error_bound<T>(n)) << n;
  plan.execute(context, spectrum.data(), back.data(), Direction::inverse);
  EXPECT_LE(relative_error(back, in), 2 * error_bound<T>(n)) << n;
}

template <class T>
void expect_real(Context& context,
                 const std::vector<std::complex<float>>& x,
                 const Wanted& wanted) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<T> in(x.size()), back(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) in[j] = x[j].real();
  Wanted half(x.size() / 2 + 1);
  for (std::size_t k = 0; k < half.size(); ++k) {
    half[k] = 0.5L * (wanted[k] + std::conj(wanted[(x.size() - k) % x.size()]));
  }
  const RealFftPlan<T> plan(n);
  std::vector<std::complex<T>> spectrum(half.size());
  plan.forward(context, in.data(), spectrum.data());
  EXPECT_LE(relative_error(spectrum, half), error_bound<T>(n)) << n;
  plan.inverse(context, spectrum.data(), back.data());
  EXPECT_LE(relative_error(back, in), 2 * error_bound<T>(n)) << n;
}

/// Signals side by side, one a lane, the last lanes empty.
template <class T>
void expect_batch(Context& context,
                  const std::vector<std::complex<float>>& x,
                  const Wanted& wanted) {
  const auto n = static_cast<std::int64_t>(x.size());
  const std::int64_t batch = 2 * cpu::row_functions<T>().lanes + 3;
  std::vector<std::complex<T>> in;
  for (std::int64_t b = 0; b < batch; ++b) in.insert(in.end(), x.begin(), x.end());
  std::vector<std::complex<T>> out(in.size());
  FftPlan<T>(n).execute(context,
                        Signals<const std::complex<T>>(in.data(), n, batch),
                        Signals<std::complex<T>>(out.data(), n, batch));
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::vector<std::complex<T>> one(out.begin() + b * n, out.begin() + (b + 1) * n);
    EXPECT_LE(relative_error(one, wanted), error_bound<T>(n)) << n << " of signal " << b;
  }
}

template <class T>
class FftOnEverySet : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(FftOnEverySet, Floats);

TYPED_TEST(FftOnEverySet, ComplexRealAndBatchesKeepTheirBound) {
  using T = TypeParam;
  Context context(on("cpu"));
  std::vector<std::vector<std::complex<float>>> signals;
  std::vector<Wanted> wanted;
  for (const std::int64_t n : lengths()) {
    signals.push_back(noise<float>(n, static_cast<std::uint64_t>(n)));
    wanted.push_back(LongDoubleDft(n)({signals.back().begin(), signals.back().end()}));
  }
  const std::set<std::int64_t> lanes = with_each_set<T>([&] {
    for (std::size_t i = 0; i < signals.size(); ++i) {
      expect_complex<T>(context, signals[i], wanted[i]);
      expect_real<T>(context, signals[i], wanted[i]);
      if (signals[i].size() <= 1024) expect_batch<T>(context, signals[i], wanted[i]);
    }
  });
  if (!HWY_ARCH_X86) return;
  // AVX2 and AVX-512 have code of their own next to that for any processor.
  const std::int64_t own = hwy::SupportedTargets() & (HWY_AVX2 | HWY_AVX3);
  EXPECT_EQ(std::ssize(lanes), 1 + std::popcount(static_cast<std::uint64_t>(own)));
}

}  // namespace
}  // namespace yupana::spectral
