#include "yupana/job/analyze.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "yupana/analysis/heat_map.hpp"
#include "yupana/analysis/histogram.hpp"
#include "yupana/job/describe.hpp"

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

template <class T>
float cell_of(T value, const Power& power) {
  if (!is_length(value)) return std::numeric_limits<float>::infinity();
  return static_cast<float>(power.of(static_cast<double>(value)));
}

/// Unit of the distances in which d^alpha and F fit the floats of pictures and scores: that of the
/// lengths, or the largest distance where its power would not fit.
double shown_scale(const graph::FermatResult& closed, const FermatInput& input) {
  double largest = std::visit(
      [](const auto& m) {
        using T = std::remove_cvref_t<decltype(m(0, 0))>;
        T greatest = 0;
        for (std::int64_t cell = 0; cell < m.size() * m.size(); ++cell) {
          if (m.data()[cell] < graph::unreachable<T>) greatest = std::max(greatest, m.data()[cell]);
        }
        return static_cast<double>(greatest);
      },
      input.distances);
  if (input.squared) largest = std::sqrt(largest);
  constexpr double float_exponent = 37;
  if (largest == 0) return closed.scale;
  const double exponent = closed.alpha * std::log10(largest / closed.scale);
  return std::abs(exponent) > float_exponent ? largest : closed.scale;
}

/// Copies a matrix with `extents`, its constructor's arguments.
template <class M, class... Extents>
M copy_of(const M& matrix, std::int64_t count, Extents... extents) {
  M copy(extents...);
  std::copy_n(matrix.data(), count, copy.data());
  return copy;
}

Matrix<double> copy_of(const Matrix<double>& m) {
  return copy_of(m, m.rows() * m.cols(), m.rows(), m.cols());
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

MatrixAnalysis analyze_matrix(Context& context,
                              const std::string& name,
                              const std::string& unit,
                              const SquareMatrix<float>& distances,
                              const analysis::Labels& labels,
                              const FermatJobParams& params) {
  Stage stage(context, "analyze " + name);
  MatrixAnalysis result;
  const MatrixView<const float> view = distances.view();
  result.findings.name = name;
  // Individuals that no path joins have no place in one picture; a notice names the matrix.
  result.findings.finite = all_finite(context, distances);
  if (result.findings.finite) {
    result.mds = analysis::mds(context, view, false, {.dimensions = params.dimensions});
    result.findings.share = result.mds.share;
  }
  const std::vector<analysis::Merge> average =
      analysis::linkage(context, view, analysis::Linkage::average);
  result.merges = params.linkage == analysis::Linkage::average
                      ? average
                      : analysis::linkage(context, view, params.linkage);
  if (!labels.empty() && result.findings.finite) {
    result.findings.scores = analysis::label_scores(context, view, labels, &average);
  }
  std::vector<std::int64_t> order = analysis::leaf_order(average);
  SquareMatrix<float> cells = analysis::reduced(context, view, order, heat_map_cells);
  result.heat_map = {name, std::move(cells), distances.size(), std::move(order), unit};
  analysis::Histogram histogram = analysis::histogram(context, view, histogram_bins);
  result.histogram = {name, histogram.low, histogram.high, std::move(histogram.counts), unit};
  return result;
}

MatrixAnalysis renamed(const MatrixAnalysis& other,
                       const std::string& name,
                       const std::string& unit) {
  const analysis::MdsResult& mds = other.mds;
  const report::HeatMap& map = other.heat_map;
  const std::int64_t side = map.cells.size();
  MatrixAnalysis result{other.findings,
                        {copy_of(mds.points), mds.eigenvalues, mds.share, mds.trace},
                        other.merges,
                        {name, copy_of(map.cells, side * side, side), map.individuals, map.order},
                        other.histogram};
  result.findings.name = result.histogram.name = name;
  result.heat_map.unit = result.histogram.unit = unit;
  return result;
}

FermatAnalysis::FermatAnalysis(Context& context,
                               const FermatJobParams& params,
                               const FermatInput& input)
    : context_(context), params_(params), input_(input), unit_(distance_unit(params)) {
  distances_ = analyze(
      "distance d", unit_, powered(context, input.distances, distance_power(input.squared)));
}

MatrixAnalysis FermatAnalysis::analyze(const std::string& name,
                                       const std::string& unit,
                                       const SquareMatrix<float>& matrix) {
  MatrixAnalysis result =
      analyze_matrix(context_, name, unit, matrix, input_.labels.classes, params_);
  align(result.mds);
  return result;
}

void FermatAnalysis::align(analysis::MdsResult& embedding) {
  Matrix<double>& points = embedding.points;
  if (embedding.eigenvalues.empty()) return;
  if (axes_.cols() == 0) axes_ = copy_of(points);
  for (std::int64_t k = 0; k < std::min(axes_.cols(), points.cols()); ++k) {
    double product = 0;
    for (std::int64_t i = 0; i < points.rows(); ++i) product += axes_(i, k) * points(i, k);
    if (product >= 0) continue;
    for (std::int64_t i = 0; i < points.rows(); ++i) points(i, k) = -points(i, k);
  }
}

MatrixAnalysis FermatAnalysis::analyze_lengths(const std::string& name,
                                               const std::string& unit,
                                               const graph::FermatResult& paths,
                                               const Power& power,
                                               const Power& other_power,
                                               const MatrixAnalysis& other) {
  if (paths.kept_edges == 1 &&
      same_powers(context_, paths.lengths, power, input_.distances, other_power)) {
    return renamed(other, name, unit);
  }
  return analyze(name, unit, powered(context_, paths.lengths, power));
}

AlphaAnalysis FermatAnalysis::alpha(const graph::FermatResult& paths, AlphaFindings& findings) {
  const LengthUnit& unit = findings.unit;
  const std::string a = number_text(unit.alpha);
  const std::string estimate = params_.fermat.landmarks > 0 ? ", estimate" : "";
  findings.scale = shown_scale(paths, input_);
  // F^(1/alpha) compares with d, F with d^alpha: only these pairs share a scale.
  const Power weights = unit.weights(input_.squared, findings.scale);
  const std::string powered_name = powered_unit(params_, unit.alpha, findings.scale);
  AlphaAnalysis result;
  result.roots = analyze_lengths(fmt::format("Fermat F^(1/{}){}", a, estimate),
                                 unit_,
                                 paths,
                                 unit.roots(),
                                 distance_power(input_.squared),
                                 distances_);
  result.weights = analyze("d^" + a, powered_name, powered(context_, input_.distances, weights));
  result.lengths = analyze_lengths(fmt::format("Fermat F, \u03b1 = {}{}", a, estimate),
                                   powered_name,
                                   paths,
                                   unit.lengths(findings.scale),
                                   weights,
                                   result.weights);
  result.edges = edges(paths, unit.edges(input_.squared));
  return result;
}

std::vector<analysis::Edge> FermatAnalysis::edges(const graph::FermatResult& paths,
                                                  const Power& power) {
  Stage stage(context_, "graphs");
  const auto weight = [&](std::int64_t i, std::int64_t j) {
    return std::visit([&](const auto& m) { return power.of(static_cast<double>(m(i, j))); },
                      input_.distances);
  };
  return std::visit(
      [&](const auto& m) { return analysis::fermat_edges(context_, m.view(), weight); },
      paths.lengths);
}

RetentionCurve FermatAnalysis::curve(const std::vector<double>& alphas) {
  Stage stage(context_, "retention curve");
  std::set<double> shown = {1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32};
  shown.insert(alphas.begin(), alphas.end());
  RetentionCurve curve;
  curve.alphas.assign(shown.begin(), shown.end());
  curve.kept_edges =
      graph::kept_edges(context_, input_.distances, input_.squared, curve.alphas, curve.sample);
  return curve;
}

}  // namespace yupana::job
