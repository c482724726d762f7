#include "yupana/job/analyze.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "yupana/analysis/histogram.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/graph/fermat_weights.hpp"
#include "yupana/job/describe.hpp"
#include "yupana/job/phylogeny.hpp"

namespace yupana::job {
namespace {

constexpr std::int64_t heat_map_cells = 512;
constexpr std::int64_t histogram_bins = 64;

template <class T>
bool is_length(T value) {
  if constexpr (std::is_floating_point_v<T>) return value < std::numeric_limits<T>::infinity();
  return value < graph::unreachable<T>;
}

template <class T>
bool all_finite(Context& context, const SquareMatrix<T>& matrix) {
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

template <class To, class T>
To cell_of(T value, const Power& power) {
  if (!is_length(value)) return std::numeric_limits<To>::infinity();
  return static_cast<To>(power.of(static_cast<double>(value)));
}

/// Smallest and largest entry above zero, paths that are none apart; {0, 0} of none.
struct Extent {
  double least = 0, most = 0;
};

Extent extent_of(const graph::AnyMatrix& matrix) {
  const graph::WeightRange range = std::visit(
      [](const auto& m) { return graph::weight_range(m.data(), m.size() * m.size()); }, matrix);
  return {std::min(range.smallest, range.largest), range.largest};
}

/// How the power alpha of distances, given in units of `scale`, is shown: in these units, or in
/// those of the largest where its power would leave the range of float; and in double where float
/// would still lose the smallest.
Shown shown(Extent distances, double alpha, double scale) {
  constexpr double float_exponent = 37;
  if (distances.most == 0) return {scale, false};
  const auto exponent = [&](double d) { return alpha * (std::log10(d) - std::log10(scale)); };
  if (std::abs(exponent(distances.most)) > float_exponent) scale = distances.most;
  return {scale, exponent(distances.least) < -float_exponent};
}

/// Whether the shown floats are the numbers that are written: their trees are the same then.
bool shows_as_written(const graph::AnyMatrix& lengths, const Power& power, double most, bool wide) {
  constexpr double whole_floats = 1 << 24;
  if (power.exponent != 1 || power.inner != 1 || power.outer != 1) return false;
  if (std::holds_alternative<SquareMatrix<double>>(lengths)) return wide;
  return std::holds_alternative<SquareMatrix<float>>(lengths) || most <= whole_floats;
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

template <class To>
SquareMatrix<To> powered(Context& context, const graph::AnyMatrix& matrix, const Power& power) {
  return std::visit(
      [&](const auto& source) {
        const std::int64_t n = source.size();
        SquareMatrix<To> result(n);
        context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t cell = begin * n; cell < end * n; ++cell) {
            result.data()[cell] = cell_of<To>(source.data()[cell], power);
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
              const auto here = std::bit_cast<std::uint32_t>(cell_of<float>(left(i, j), power_a));
              const auto there = std::bit_cast<std::uint32_t>(cell_of<float>(right(i, j), power_b));
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

template <class T>
MatrixAnalysis analyze_matrix(Context& context,
                              const std::string& name,
                              const std::string& unit,
                              const SquareMatrix<T>& distances,
                              const analysis::Labels& labels,
                              const FermatJobParams& params) {
  Stage stage(context, "analyze " + name);
  MatrixAnalysis result;
  const MatrixView<const T> view = distances.view();
  result.findings.name = name;
  // Individuals that no path joins have no place in one picture; a notice names the matrix.
  result.findings.finite = all_finite(context, distances);
  if (result.findings.finite) {
    result.mds =
        analysis::mds(context, view, Entries::distances, {.dimensions = params.dimensions});
    result.findings.share = result.mds.share;
  }
  const std::vector<analysis::Merge> average =
      analysis::linkage(context, view, analysis::Linkage::average);
  const analysis::Linkage drawn = analysis::linkage_of(params.tree);
  result.merges =
      drawn == analysis::Linkage::average ? average : analysis::linkage(context, view, drawn);
  if (!labels.empty() && result.findings.finite && !analysis::all_alone(labels)) {
    result.findings.scores = analysis::label_scores(context, view, labels, &average);
  }
  std::vector<std::int64_t> order = analysis::leaf_order(average);
  SquareMatrix<float> cells = analysis::reduced(context, view, order, heat_map_cells);
  result.heat_map = {name, std::move(cells), distances.size(), std::move(order), unit};
  analysis::Histogram histogram = analysis::histogram(context, view, histogram_bins);
  result.histogram = {name, histogram.low, histogram.high, std::move(histogram.counts), unit};
  return result;
}

template SquareMatrix<float> powered(Context&, const graph::AnyMatrix&, const Power&);
template MatrixAnalysis analyze_matrix(Context&,
                                       const std::string&,
                                       const std::string&,
                                       const SquareMatrix<float>&,
                                       const analysis::Labels&,
                                       const FermatJobParams&);

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
    : context_(context), params_(params), input_(input) {
  const Extent entries = extent_of(input.distances);
  // The inverse of a subnormal unit is infinite.
  constexpr double least_unit = std::numeric_limits<double>::min();
  if (entries.most > 0 && entries.most < least_unit) {
    throw bad_file(params.distances,
                   "expected the largest number to be at least {:.2g}, below which doubles lose "
                   "digits, got {}; scale the distances",
                   least_unit,
                   entries.most);
  }
  const Power power = distance_power(input.entries);
  least_ = power.of(entries.least);
  most_ = power.of(entries.most);
  shown_ = shown({least_, most_}, 1, 1);
  unit_ = powered_unit(params, 1, shown_.scale);
  distances_ = analyze("distance d", unit_, input.distances, distances_shown(), shown_.wide);
}

Power FermatAnalysis::distances_shown() const {
  Power power = distance_power(input_.entries);
  power.outer = 1 / shown_.scale;
  return power;
}

MatrixAnalysis FermatAnalysis::analyze(const std::string& name,
                                       const std::string& unit,
                                       const graph::AnyMatrix& matrix,
                                       const Power& power,
                                       bool wide) {
  const auto with = [&](const auto& cells) {
    return analyze_matrix(context_, name, unit, cells, input_.labels.classes, params_);
  };
  MatrixAnalysis result = wide ? with(powered<double>(context_, matrix, power))
                               : with(powered<float>(context_, matrix, power));
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
                                               bool wide,
                                               const Power& other_power,
                                               const MatrixAnalysis& other) {
  if (paths.kept_edges == 1 &&
      same_powers(context_, paths.lengths, power, input_.distances, other_power)) {
    return renamed(other, name, unit);
  }
  return analyze(name, unit, paths.lengths, power, wide);
}

AlphaAnalysis FermatAnalysis::alpha(const graph::FermatResult& paths, AlphaFindings& findings) {
  const LengthUnit& unit = findings.unit;
  const std::string a = number_text(unit.alpha);
  const std::string estimate = params_.fermat.landmarks > 0 ? ", estimate" : "";
  const Extent entries = extent_of(paths.lengths);
  Power roots = unit.roots();
  const Shown weights_shown = shown({least_, most_}, unit.alpha, paths.scale);
  const Shown lengths_shown =
      shown({roots.of(entries.least), roots.of(entries.most)}, unit.alpha, weights_shown.scale);
  findings.shown_distance_scale = shown_.scale;
  findings.shown_weight_scale = weights_shown.scale;
  findings.shown_scale = lengths_shown.scale;
  // F^(1/alpha) compares with d, F with d^alpha: only these pairs share a scale.
  roots.outer /= shown_.scale;
  const Power weights = unit.weights(input_.entries, findings.shown_weight_scale);
  const Power lengths = unit.lengths(findings.shown_scale);
  AlphaAnalysis result;
  result.roots = analyze_lengths(fmt::format("Fermat F^(1/{}){}", a, estimate),
                                 unit_,
                                 paths,
                                 roots,
                                 shown_.wide,
                                 distances_shown(),
                                 distances_);
  result.weights = analyze("d^" + a,
                           powered_unit(params_, unit.alpha, findings.shown_weight_scale),
                           input_.distances,
                           weights,
                           weights_shown.wide);
  result.lengths = analyze_lengths(fmt::format("Fermat F, \u03b1 = {}{}", a, estimate),
                                   powered_unit(params_, unit.alpha, findings.shown_scale),
                                   paths,
                                   lengths,
                                   lengths_shown.wide,
                                   weights,
                                   result.weights);
  MatrixAnalysis& written = unit.rooted ? result.roots : result.lengths;
  if (!shows_as_written(paths.lengths,
                        unit.rooted ? roots : lengths,
                        entries.most,
                        unit.rooted ? shown_.wide : lengths_shown.wide)) {
    written.merges = merges_of(paths.lengths);
  }
  result.tree = analysis::is_linkage(params_.tree) ? analysis::phylogeny_of(written.merges)
                                                   : tree_of(context_, paths.lengths, params_.tree);
  result.edges = edges(paths, unit.edges(input_.entries));
  return result;
}

std::vector<analysis::Merge> FermatAnalysis::merges_of(const graph::AnyMatrix& lengths) {
  Stage stage(context_, "tree");
  const analysis::Linkage drawn = analysis::linkage_of(params_.tree);
  return std::visit([&](const auto& m) { return analysis::linkage(context_, m.view(), drawn); },
                    lengths);
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
      graph::kept_edges(context_, input_.distances, input_.entries, curve.alphas, curve.sample);
  // Shares that are not known are no points of the curve.
  for (std::size_t i = curve.alphas.size(); i-- > 0;) {
    if (!std::isnan(curve.kept_edges[i])) continue;
    curve.alphas.erase(curve.alphas.begin() + static_cast<std::ptrdiff_t>(i));
    curve.kept_edges.erase(curve.kept_edges.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return curve;
}

}  // namespace yupana::job
