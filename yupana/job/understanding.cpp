#include "yupana/job/understanding.hpp"

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

bool all_finite(const SquareMatrix<float>& matrix) {
  const float* end = matrix.data() + matrix.size() * matrix.size();
  float largest = 0;
  for (const float* value = matrix.data(); value != end; ++value)
    largest = std::max(largest, *value);
  return largest < std::numeric_limits<float>::infinity();
}

double power_of(double value, double exponent) {
  if (exponent == 1) return value;
  if (exponent == 0.5) return std::sqrt(value);
  if (exponent == 2) return value * value;
  return std::pow(value, exponent);
}

}  // namespace

SquareMatrix<float> powered(
    Context& context, const graph::AnyMatrix& matrix, double exponent, double inner, double outer) {
  return std::visit(
      [&](const auto& source) {
        const std::int64_t n = source.size();
        SquareMatrix<float> result(n);
        context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t cell = begin * n; cell < end * n; ++cell) {
            const auto value = source.data()[cell];
            result.data()[cell] =
                is_length(value)
                    ? static_cast<float>(outer *
                                         power_of(inner * static_cast<double>(value), exponent))
                    : std::numeric_limits<float>::infinity();
          }
        });
        return result;
      },
      matrix);
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
  const bool joined = all_finite(distances);
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

}  // namespace yupana::job
