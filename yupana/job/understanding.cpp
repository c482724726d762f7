#include "yupana/job/understanding.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "yupana/analysis/heat_map.hpp"
#include "yupana/analysis/histogram.hpp"

namespace yupana::job {
namespace {

constexpr std::int64_t heat_map_cells = 512;
constexpr std::int64_t histogram_bins = 64;

template <class T>
bool is_length(T value) {
  if constexpr (std::is_floating_point_v<T>) return value < std::numeric_limits<T>::infinity();
  return value < graph::unreachable<T>;
}

bool all_finite(Context& context, const SquareMatrix<float>& matrix) {
  std::atomic<bool> infinite{false};
  const std::int64_t n = matrix.size();
  context.parallel_for(n, 64, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t found = 0;
    for (std::int64_t cell = begin * n; cell < end * n; ++cell) {
      found += !is_length(matrix.data()[cell]);
    }
    if (found > 0) infinite = true;
  });
  return !infinite;
}

double power_of(double value, double exponent) {
  if (exponent == 1) return value;
  if (exponent == 0.5) return std::sqrt(value);
  if (exponent == 2) return value * value;
  return std::pow(value, exponent);
}

template <class T>
float cell_of(T value, const Power& power) {
  if (!is_length(value)) return std::numeric_limits<float>::infinity();
  return static_cast<float>(power.outer *
                            power_of(power.inner * static_cast<double>(value), power.exponent));
}

}  // namespace

SquareMatrix<float> powered(Context& context, const graph::AnyMatrix& matrix, const Power& power) {
  return std::visit(
      [&](const auto& source) {
        const std::int64_t n = source.size();
        SquareMatrix<float> result(n);
        context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t cell = begin * n; cell < end * n; ++cell) {
            result.data()[cell] = cell_of(source.data()[cell], power);
          }
        });
        return result;
      },
      matrix);
}

bool same_powers(Context& context,
                 const graph::AnyMatrix& a,
                 const Power& power_a,
                 const graph::AnyMatrix& b,
                 const Power& power_b) {
  return std::visit(
      [&](const auto& left, const auto& right) {
        const std::int64_t n = left.size();
        if (right.size() != n) return false;
        std::atomic<bool> same{true};
        context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end && same; ++i) {
            std::int64_t different = 0;
            for (std::int64_t j = 0; j < n; ++j) {
              const auto here = std::bit_cast<std::uint32_t>(cell_of(left(i, j), power_a));
              const auto there = std::bit_cast<std::uint32_t>(cell_of(right(i, j), power_b));
              different += here != there;
            }
            if (different > 0) same = false;
          }
        });
        return same.load();
      },
      a,
      b);
}

double shown_scale(const graph::FermatResult& closed,
                   const graph::AnyMatrix& distances,
                   bool squared) {
  double largest = std::visit(
      [](const auto& m) {
        using T = std::remove_cvref_t<decltype(m(0, 0))>;
        T most = 0;
        for (std::int64_t cell = 0; cell < m.size() * m.size(); ++cell) {
          if (m.data()[cell] < graph::unreachable<T>) most = std::max(most, m.data()[cell]);
        }
        return static_cast<double>(most);
      },
      distances);
  if (squared) largest = std::sqrt(largest);
  constexpr double float_exponent = 37;
  if (largest == 0) return closed.scale;
  const double exponent = closed.alpha * std::log10(largest / closed.scale);
  return std::abs(exponent) > float_exponent ? largest : closed.scale;
}

Understanding understand(Context& context,
                         const std::string& name,
                         const SquareMatrix<float>& distances,
                         const analysis::Labels& labels,
                         const FermatJobParams& params) {
  Stage stage(context, "understand " + name);
  Understanding result;
  const MatrixView<const float> view = distances.view();
  result.findings.name = name;
  // Individuals that no path joins have no place in one picture: the caller says so in a notice.
  const bool joined = all_finite(context, distances);
  result.findings.finite = joined;
  if (joined) {
    result.mds = analysis::mds(context, view, false, {.dimensions = params.dimensions});
    result.findings.share = result.mds.share;
  }
  const std::vector<analysis::Merge> average =
      analysis::linkage(context, view, analysis::Linkage::average);
  result.merges = params.linkage == analysis::Linkage::average
                      ? average
                      : analysis::linkage(context, view, params.linkage);
  if (!labels.empty() && joined)
    result.findings.scores = analysis::label_scores(context, view, labels, &average);
  std::vector<std::int64_t> order = analysis::leaf_order(average);
  result.heat_map.name = name;
  result.heat_map.cells = analysis::reduced(context, view, order, heat_map_cells);
  result.heat_map.individuals = distances.size();
  result.heat_map.order = std::move(order);
  analysis::Histogram histogram = analysis::histogram(context, view, histogram_bins);
  result.histogram = {name, histogram.low, histogram.high, std::move(histogram.counts)};
  return result;
}

Understanding renamed(const Understanding& understood, const std::string& name) {
  Understanding result;
  result.findings = understood.findings;
  const Matrix<double>& points = understood.mds.points;
  result.mds = {Matrix<double>(points.rows(), points.cols()),
                understood.mds.eigenvalues,
                understood.mds.share,
                understood.mds.trace};
  std::copy_n(points.data(), points.rows() * points.cols(), result.mds.points.data());
  result.merges = understood.merges;
  const SquareMatrix<float>& cells = understood.heat_map.cells;
  result.heat_map = {name,
                     SquareMatrix<float>(cells.size()),
                     understood.heat_map.individuals,
                     understood.heat_map.order};
  std::copy_n(cells.data(), cells.size() * cells.size(), result.heat_map.cells.data());
  result.histogram = understood.histogram;
  result.findings.name = result.histogram.name = name;
  return result;
}

}  // namespace yupana::job
