#include "yupana/spectral/fft_plan.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "spectra.hpp"
#include "yupana/core/error.hpp"
#include "yupana/spectral/fft.hpp"
#include "yupana/spectral/plan_cache.hpp"
#include "yupana/spectral/signal_plan.hpp"

namespace yupana::spectral::cpu {
namespace {

/// Distance in units of the last place of `want` as a double.
double ulps(double got, long double want) {
  const double near = std::fabs(static_cast<double>(want));
  const double unit = std::nextafter(near, HUGE_VAL) - near;
  return static_cast<double>(std::fabs(got - want)) / unit;
}

TEST(FftPlan, RootsAreWithinAnUlpAndATenth) {
  const long double turn = -2 * std::acos(-1.0L);
  double worst = 0;
  for (const std::int64_t n : {3, 8, 12, 100, 1000, 1024, 4096, 65537, 1000003, 1 << 24}) {
    const std::int64_t step = std::max<std::int64_t>(1, n / 5000);
    for (std::int64_t k = 0; k < n; k += step) {
      const auto w = unit_root(k, n);
      // The long double angle is good to 4e-19, 0.06 ulp of parts above 1/32.
      const long double angle = turn * static_cast<long double>(k) / static_cast<long double>(n);
      const long double re = std::cos(angle), im = std::sin(angle);
      if (std::fabs(re) > 0.03125L) worst = std::max(worst, ulps(w.real(), re));
      if (std::fabs(im) > 0.03125L) worst = std::max(worst, ulps(w.imag(), im));
    }
  }
  EXPECT_LE(worst, 1.1);
}

TEST(FftPlan, RootsOnTheAxesAreExact) {
  for (const std::int64_t n : {4, 12, 1 << 20}) {
    EXPECT_EQ(unit_root(0, n), std::complex<double>(1, 0));
    EXPECT_EQ(unit_root(n / 4, n), std::complex<double>(0, -1));
    EXPECT_EQ(unit_root(n / 2, n), std::complex<double>(-1, 0));
    EXPECT_EQ(unit_root(3 * (n / 4), n), std::complex<double>(0, 1));
  }
}

TEST(FftPlan, TablesHoldEveryRoot) {
  for (const std::int64_t n : {60, 1009, 4096}) {
    for (const std::int64_t low : {1, 16, 60}) {
      const RootTable table(n, low);
      for (std::int64_t k = 0; k < n; ++k) {
        ASSERT_LT(std::abs(table(k) - unit_root(k, n)), 4e-16) << n << " " << low << " " << k;
      }
    }
  }
}

TEST(FftPlan, RadicesMultiplyToTheLengthAndRowsGoEverywhere) {
  for (std::int64_t n = 1; n <= 5000; ++n) {
    if (!is_smooth(n)) continue;
    for (const int max_radix : {8, 16}) {
      std::int64_t product = 1;
      for (const int radix : radices_of(n, max_radix)) {
        product *= radix;
        ASSERT_LE(radix % 2 == 0 ? radix : 1, max_radix) << n;
      }
      ASSERT_EQ(product, n);
    }
    if (n > 600) continue;
    const RowPlan<double> plan(n);
    const std::int64_t last = plan.passes.back().radix;
    std::vector<int> seen(static_cast<std::size_t>(n), 0);
    for (const std::int64_t first : plan.to) {
      for (std::int64_t q = 0; q < last; ++q)
        ++seen[static_cast<std::size_t>(first + q * (n / last))];
    }
    ASSERT_EQ(std::accumulate(seen.begin(), seen.end(), 0), n);
    for (const int times : seen) ASSERT_EQ(times, 1) << n;
  }
}

TEST(FftPlan, SplitsAreFactors) {
  for (const std::int64_t n : {33, 1000, 4096, 1 << 20, 1 << 24}) {
    if (!is_smooth(n)) continue;
    const Split split = split_of(n, 16, 16);
    ASSERT_EQ(split.rows * split.columns, n);
  }
  EXPECT_EQ(split_of(1 << 24, 8, 16).rows, 4096);
}

TEST(FftPlan, TablesOfAPrimeLengthAreTheSameOnAnyThreads) {
  constexpr std::int64_t length = 40009;
  std::vector<std::complex<double>> values(length), alone(length), together(length);
  for (std::int64_t j = 0; j < length; ++j)
    values[static_cast<std::size_t>(j)] = {1.0 / (j + 1), 0};
  const auto transformed = [&](Context* context, std::vector<std::complex<double>>& out) {
    Transform<double> transform(context, length);
    transform.run(nullptr,
                  reinterpret_cast<const double*>(values.data()),
                  reinterpret_cast<double*>(out.data()),
                  Direction::forward);
  };
  transformed(nullptr, alone);
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    transformed(&context, together);
    EXPECT_EQ(alone, together) << threads << " threads";
  }
}

TEST(FftPlan, MakingThatIsCancelledEndsAndLeavesNothing) {
  constexpr std::int64_t length = 40009;
  SignalPlan<double> plan(length);
  RealSignalPlan<double> real(length);
  const std::uint64_t before = real.bytes();
  std::vector<std::complex<double>> values(length);
  std::vector<double> numbers(length);
  Context context({.device = "cpu", .threads = 2});
  context.cancel();
  EXPECT_THROW((Transform<double>(&context, length)), Error);
  EXPECT_THROW(plan.run_one(context, values.data(), values.data(), Direction::forward), Error);
  EXPECT_THROW(
      real.forward_one(&context, {numbers.data(), length}, {values.data(), length / 2 + 1}), Error);
  EXPECT_EQ(plan.bytes(), sizeof(plan));
  EXPECT_EQ(real.bytes(), before);
  Context other({.device = "cpu", .threads = 2});  // the plans stay of use
  numbers[0] = 1;
  values[0] = 1;
  plan.run_one(other, values.data(), values.data(), Direction::forward);
  EXPECT_NEAR(values[length - 1].real(), 1, 1e-12);
  real.forward_one(&other, {numbers.data(), length}, {values.data(), length / 2 + 1});
  EXPECT_NEAR(values[length / 2].real(), 1, 1e-12);
}

/// A plan of as many bytes as its length says, which counts the plans that were made.
struct Counted {
  explicit Counted(std::int64_t length_) : length(length_) { ++made; }
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(length) + grown; }
  std::int64_t length;
  std::uint64_t grown = 0;
  static inline int made = 0;
};

TEST(PlanCache, KeepsTheLastUsedWithinItsBytes) {
  PlanCache<Counted> cache(100);
  const auto use = [&](std::int64_t length) {
    const int before = Counted::made;
    cache.with(length, [&](Counted& plan) { EXPECT_EQ(plan.length, length); });
    return Counted::made > before;
  };
  EXPECT_TRUE(use(40));
  EXPECT_TRUE(use(50));
  EXPECT_EQ(cache.bytes(), 90u);
  EXPECT_FALSE(use(40));  // now 50 is the oldest
  EXPECT_TRUE(use(60));
  EXPECT_EQ(cache.bytes(), 100u);
  EXPECT_FALSE(use(40));
  EXPECT_TRUE(use(50));
  EXPECT_EQ(cache.bytes(), 90u);
}

TEST(PlanCache, DropsAPlanThatIsOrGrowsTooLarge) {
  PlanCache<Counted> cache(100);
  cache.with(101, [](Counted&) {});
  EXPECT_EQ(cache.bytes(), 0u);
  cache.with(10, [](Counted& plan) { plan.grown = 50; });
  EXPECT_EQ(cache.bytes(), 60u);
  cache.with(10, [](Counted& plan) { plan.grown = 200; });
  EXPECT_EQ(cache.bytes(), 0u);
}

TEST(PlanCache, KeepsFewPlansHoweverSmall) {
  PlanCache<Counted> cache(1 << 20);
  for (std::int64_t length = 1; length <= 1000; ++length) cache.with(length, [](Counted&) {});
  EXPECT_LE(cache.bytes(), 64u * 1000);
  const int before = Counted::made;
  cache.with(1000, [](Counted&) {});
  EXPECT_EQ(Counted::made, before);
}

}  // namespace
}  // namespace yupana::spectral::cpu

namespace yupana::spectral {
namespace {

template <class T>
class FftPlans : public ::testing::Test {
 public:
  Context cpu{on("cpu")};
  Context reference{on("reference")};
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FftPlans, Types);

TYPED_TEST(FftPlans, PlansGiveTheBitsOfTheCall) {
  using T = TypeParam;
  using C = std::complex<T>;
  for (const std::int64_t n :
       {1, 16, 32, 60, 64, 101, 128, 256, 768, 1000, 1024, 4096, 16384, 65537}) {
    const FftPlan<T> plan(n);
    const RealFftPlan<T> real_plan(n);
    const std::int64_t batch = n <= 1024 ? 9 : 1, h = n / 2 + 1;
    const auto x = noise<T>(n * batch, 37);
    const auto r = real_noise<T>(n, 41);
    for (const Direction direction : {Direction::forward, Direction::inverse}) {
      const auto want = transformed(this->cpu, std::vector<C>(x.begin(), x.begin() + n), direction);
      for (int again = 0; again < 2; ++again) {
        std::vector<C> got(want.size()), in_place(x.begin(), x.begin() + n);
        plan.execute(this->cpu, x.data(), got.data(), direction);
        EXPECT_EQ(std::memcmp(got.data(), want.data(), got.size() * sizeof(C)), 0) << n;
        plan.execute(this->cpu, in_place.data(), in_place.data(), direction);
        EXPECT_EQ(std::memcmp(in_place.data(), want.data(), want.size() * sizeof(C)), 0) << n;
      }
      std::vector<C> many(x.size()), wanted_many(x.size());
      const Signals<const C> in(x.data(), n, batch);
      plan.execute(this->cpu, in, {many.data(), n, batch}, direction);
      fft(this->cpu, in, {wanted_many.data(), n, batch}, direction);
      EXPECT_EQ(std::memcmp(many.data(), wanted_many.data(), many.size() * sizeof(C)), 0) << n;
    }
    std::vector<C> half(static_cast<std::size_t>(h)), wanted_half = half;
    std::vector<T> back(r.size()), wanted_back = back;
    real_plan.forward(this->cpu, r.data(), half.data());
    fft_real(this->cpu, Signals<const T>(r.data(), n), {wanted_half.data(), h});
    EXPECT_EQ(std::memcmp(half.data(), wanted_half.data(), half.size() * sizeof(C)), 0) << n;
    real_plan.inverse(this->cpu, half.data(), back.data());
    inverse_fft_real(this->cpu, Signals<const C>(half.data(), h), {wanted_back.data(), n});
    EXPECT_EQ(std::memcmp(back.data(), wanted_back.data(), back.size() * sizeof(T)), 0) << n;
    EXPECT_GT(plan.bytes(), 0u);
    std::vector<C> by_sums(x.begin(), x.begin() + n);
    if (n > 1024) continue;
    plan.execute(this->reference, x.data(), by_sums.data());
    EXPECT_LE(relative_error(
                  by_sums, transformed(this->reference, std::vector<C>(x.begin(), x.begin() + n))),
              0)
        << n;
  }
}

TYPED_TEST(FftPlans, LongSignalsHaveTheSameBitsWhereverTheResultLies) {
  using T = TypeParam;
  using C = std::complex<T>;
  // Too large for the cache: vectors divide both factors of the first, none of the second.
  for (const std::int64_t n : {std::int64_t{1} << 21, std::int64_t{1500} * 1500}) {
    const auto noisy = noise<T>(n, 47);
    Array<C> x(n), first(n), out(n + 1);
    std::copy(noisy.begin(), noisy.end(), x.begin());
    const FftPlan<T> plan(n);
    plan.execute(this->cpu, x.data(), first.data());
    for (const int threads : {1, 3}) {
      Context context(on("cpu", threads));
      for (const bool on_lines : {true, false}) {
        C* const to = out.data() + (on_lines ? 0 : 1);
        plan.execute(context, x.data(), to);
        EXPECT_EQ(std::memcmp(to, first.data(), first.bytes()), 0) << n << " " << on_lines;
        std::copy(x.begin(), x.end(), to);
        plan.execute(context, to, to);
        EXPECT_EQ(std::memcmp(to, first.data(), first.bytes()), 0) << n << " " << on_lines;
        plan.execute(context, first.data(), to, Direction::inverse);
        EXPECT_LE(relative_error(std::vector<C>(to, to + n), noisy), 2 * error_bound<T>(n)) << n;
      }
    }
  }
}

TYPED_TEST(FftPlans, ThreadsShareAPlanAndTheCallsCache) {
  using T = TypeParam;
  using C = std::complex<T>;
  const std::vector<std::int64_t> sizes = {97, 512, 2048, 3000, 20000};
  std::vector<std::vector<C>> want;
  std::vector<FftPlan<T>> plans;
  for (const std::int64_t n : sizes) {
    want.push_back(transformed(this->cpu, noise<T>(n, 43)));
    plans.emplace_back(n);
  }
  std::vector<std::thread> threads;
  std::atomic<int> differ{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Context context(on("cpu", 1 + t % 2));
      for (std::size_t k = 0; k < 5 * sizes.size(); ++k) {
        const std::size_t i = (k + static_cast<std::size_t>(t)) % sizes.size();
        const auto x = noise<T>(sizes[i], 43);
        std::vector<C> got(x.size());
        plans[i].execute(context, x.data(), got.data());
        differ += std::memcmp(got.data(), want[i].data(), got.size() * sizeof(C)) != 0;
        got = transformed(context, x);
        differ += std::memcmp(got.data(), want[i].data(), got.size() * sizeof(C)) != 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(differ, 0);
}

}  // namespace
}  // namespace yupana::spectral
