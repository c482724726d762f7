#include "yupana/spectral/fft_axes.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "spectra.hpp"
#include "yupana/core/error.hpp"

namespace yupana::spectral {
namespace {

using Axes = std::vector<std::int64_t>;

template <class T>
class FftAxes : public ::testing::Test {
 public:
  Context cpu{on("cpu")};
  Context reference{on("reference")};
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FftAxes, Types);

std::int64_t size_of(const Axes& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

/// Every signal along one axis, gathered and transformed alone.
template <class T>
std::vector<std::complex<T>> one_by_one(Context& context,
                                        std::vector<std::complex<T>> x,
                                        const Axes& extents,
                                        std::int64_t axis,
                                        Direction direction) {
  const std::int64_t n = extents[static_cast<std::size_t>(axis)];
  const std::int64_t inner = size_of({extents.begin() + axis + 1, extents.end()});
  std::vector<std::complex<T>> signal(static_cast<std::size_t>(n));
  for (std::int64_t first = 0; first < std::ssize(x); ++first) {
    if (first / inner % n != 0) continue;
    const auto at = [&](std::int64_t j) -> std::complex<T>& {
      return x[static_cast<std::size_t>(first + j * inner)];
    };
    for (std::int64_t j = 0; j < n; ++j) signal[static_cast<std::size_t>(j)] = at(j);
    signal = transformed(context, signal, direction);
    for (std::int64_t j = 0; j < n; ++j) at(j) = signal[static_cast<std::size_t>(j)];
  }
  return x;
}

struct Case {
  Axes extents, axes;
};

const std::vector<Case> cases = {{{5}, {0}},
                                 {{1, 1}, {1, 0}},
                                 {{4, 6}, {0}},
                                 {{4, 6}, {1}},
                                 {{3, 8, 5}, {1}},
                                 {{3, 8, 5}, {2, 0, 1}},
                                 {{2, 3, 4, 5}, {3, 1}},
                                 {{2, 1031, 3}, {1}},
                                 {{70, 9, 65}, {1, 2}},
                                 {{2, 300, 128}, {0, 1}}};

double bound_of(const Case& c) {
  return 1e-15 * static_cast<double>(c.axes.size()) *
         std::max(1.0, std::log2(static_cast<double>(size_of(c.extents))));
}

TYPED_TEST(FftAxes, EachAxisIsTransformedAsItsSignalsAre) {
  using C = std::complex<TypeParam>;
  for (const Direction direction : {Direction::forward, Direction::inverse}) {
    for (const Case& c : cases) {
      const auto x = noise<TypeParam>(size_of(c.extents), 1);
      std::vector<std::complex<double>> want(x.begin(), x.end());
      for (const auto axis : c.axes) {
        want = one_by_one(this->cpu, want, c.extents, axis, direction);
      }

      std::vector<C> got(x.size());
      fft_axes<TypeParam>(
          this->cpu, {x.data(), c.extents}, {got.data(), c.extents}, c.axes, direction);

      EXPECT_LT(relative_error(got, want), bound_of(c) * (sizeof(TypeParam) == 4 ? 3e8 : 1));
      std::vector<C> in_place = x;
      fft_axes<TypeParam>(
          this->cpu, {in_place.data(), c.extents}, {in_place.data(), c.extents}, c.axes, direction);
      EXPECT_EQ(in_place, got);
    }
  }
}

TYPED_TEST(FftAxes, RealValuesGiveHalfOfTheSpectrumAndComeBack) {
  using C = std::complex<TypeParam>;
  for (const Case& c : cases) {
    const auto x = real_noise<TypeParam>(size_of(c.extents), 2);
    const std::vector<std::complex<double>> wide(x.begin(), x.end());
    std::vector<std::complex<double>> whole(x.size());
    fft_axes<double>(this->cpu, {wide.data(), c.extents}, {whole.data(), c.extents}, c.axes);
    const auto last = static_cast<std::size_t>(c.axes.back());
    Axes half = c.extents;
    half[last] = half[last] / 2 + 1;
    const std::int64_t inner = size_of({half.begin() + c.axes.back() + 1, half.end()});

    std::vector<C> got(static_cast<std::size_t>(size_of(half)));
    fft_real_axes<TypeParam>(this->cpu, {x.data(), c.extents}, {got.data(), half}, c.axes);

    std::vector<std::complex<double>> want;
    for (std::int64_t i = 0; i < std::ssize(whole); ++i) {
      if (i / inner % c.extents[last] < half[last]) {
        want.push_back(whole[static_cast<std::size_t>(i)]);
      }
    }
    const double bound = bound_of(c) * (sizeof(TypeParam) == 4 ? 3e8 : 1);
    EXPECT_LT(relative_error(got, want), bound);
    const std::vector<C> kept = got;
    std::vector<TypeParam> back(x.size());
    inverse_fft_real_axes<TypeParam>(
        this->cpu, {got.data(), half}, {back.data(), c.extents}, c.axes);
    EXPECT_LT(relative_error(back, x), 2 * bound);
    EXPECT_EQ(got, kept);
  }
}

TYPED_TEST(FftAxes, TheReferenceAgrees) {
  const Axes extents = {3, 8, 5}, axes = {1, 2};
  const auto x = noise<TypeParam>(size_of(extents), 3);
  std::vector<std::complex<TypeParam>> got(x.size()), want(x.size());
  fft_axes<TypeParam>(this->cpu, {x.data(), extents}, {got.data(), extents}, axes);
  fft_axes<TypeParam>(this->reference, {x.data(), extents}, {want.data(), extents}, axes);
  EXPECT_LT(relative_error(got, want), 2 * error_bound<TypeParam>(40));
}

TYPED_TEST(FftAxes, ThreadsChangeNoBit) {
  const Axes extents = {40, 33, 64}, half = {40, 17, 64};
  const auto x = real_noise<TypeParam>(size_of(extents), 4);
  const auto transform = [&](int threads) {
    Context context(on("cpu", threads));
    std::vector<std::complex<TypeParam>> out(static_cast<std::size_t>(size_of(half)));
    fft_real_axes<TypeParam>(context, {x.data(), extents}, {out.data(), half}, {0, 1});
    return out;
  };
  const auto one = transform(1);
  EXPECT_EQ(transform(2), one);
  EXPECT_EQ(transform(7), one);
}

TEST(FftAxesEdges, NoAxesCopyAndNoValuesAreNothing) {
  Context context(on("cpu"));
  const std::vector<std::complex<double>> x = {{1, 2}, {3, 4}};
  std::vector<std::complex<double>> out(2);
  fft_axes<double>(context, {x.data(), {2}}, {out.data(), {2}}, {});
  EXPECT_EQ(out, x);
  fft_axes<double>(context, {nullptr, {0, 3}}, {nullptr, {0, 3}}, {1});
  fft_real_axes<double>(context, {nullptr, {0, 3}}, {nullptr, {0, 2}}, {1});
}

TEST(FftAxesEdges, BadAxesAndExtentsAreNamed) {
  Context context(on("cpu"));
  std::vector<std::complex<double>> x(6);
  std::vector<double> real(6);
  const auto message = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto transform = [&](const Axes& in, const Axes& out, const Axes& axes) {
    return message([&] { fft_axes<double>(context, {x.data(), in}, {x.data(), out}, axes); });
  };
  EXPECT_NE(transform({2, 3}, {2, 3}, {2}).find("axes from 0 to 1, got 2"), std::string::npos);
  EXPECT_NE(transform({2, 3}, {2, 3}, {1, 1}).find("axis 1 twice"), std::string::npos);
  EXPECT_NE(transform({2, 0}, {2, 0}, {1}).find("along axis 1, got none"), std::string::npos);
  EXPECT_NE(transform({2, 3}, {3, 2}, {1}).find("output of 2 x 3, got 3 x 2"), std::string::npos);
  const auto none = [&] {
    fft_real_axes<double>(context, {real.data(), {6}}, {x.data(), {4}}, {});
  };
  EXPECT_NE(message(none).find("expected an axis"), std::string::npos);
}

}  // namespace
}  // namespace yupana::spectral
