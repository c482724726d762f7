#include "yupana/genotype/metric.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/site_counts.hpp"

namespace yupana::genotype {
namespace {

struct NamedMetric {
  std::string_view name;
  Metric metric;
};

constexpr std::array<NamedMetric, 8> named_metrics = {{{"sqeuclidean", Metric::squared_euclidean},
                                                       {"euclidean", Metric::euclidean},
                                                       {"manhattan", Metric::manhattan},
                                                       {"ibs", Metric::ibs},
                                                       {"1-ibs", Metric::one_minus_ibs},
                                                       {"hamming", Metric::hamming},
                                                       {"king", Metric::king},
                                                       {"normalized", Metric::normalized}}};

/// One metric over one set of counts.
class Formula {
 public:
  Formula(const PairCounts& counts, const MetricParams& params) : counts_(counts), params_(params) {
    check_metric(counts, params);
  }

  double operator()(std::int64_t i, std::int64_t j) const {
    if (i == j) return diagonal();
    return i > j ? pair(i, j) : pair(j, i);
  }

  /// out[j - columns.begin] = (i, j) for columns up to the diagonal.
  void lower_cells(std::int64_t i, Range columns, double* out) const {
    const std::int64_t left = std::min(columns.end, i) - columns.begin;
    const bool plain = counts_.sites > 0 && counts_.shared.empty() &&
                       counts_.ibs1.high_words().empty() && counts_.ibs0.high_words().empty();
    if (!plain || !plain_cells(i, columns.begin, left, out)) {
      for (std::int64_t k = 0; k < left; ++k) out[k] = pair(i, columns.begin + k);
    }
    if (columns.end > i) out[i - columns.begin] = diagonal();
  }

 private:
  double diagonal() const {
    if (params_.metric == Metric::ibs) return 1;
    return params_.metric == Metric::king ? 0.5 : 0;
  }

  double pair(std::int64_t i, std::int64_t j) const {
    const std::uint64_t one = counts_.ibs1.at(i, j), two = counts_.ibs0.at(i, j);
    const std::uint64_t shared = counts_.shared_at(i, j);
    if (shared == 0) return std::numeric_limits<double>::quiet_NaN();
    switch (params_.metric) {
      case Metric::squared_euclidean:
        return scaled(one + 4 * two, shared);
      case Metric::euclidean:
        return std::sqrt(scaled(one + 4 * two, shared));
      case Metric::manhattan:
        return scaled(one + 2 * two, shared);
      case Metric::ibs:
        return 1 - number(one + 2 * two) / number(2 * shared);
      case Metric::one_minus_ibs:
        return number(one + 2 * two) / number(2 * shared);
      case Metric::hamming:
        return scaled(one + two, shared);
      case Metric::king:
        return king(i, j, one, two);
      case Metric::normalized:
        return normalized(i, j, one + 4 * two);
    }
    return 0;
  }

  /// The same as pair() of all, in loops without branches; false for a metric that has none. Counts
  /// are numbers at once, for their sums are exact.
  bool plain_cells(std::int64_t i, std::int64_t begin, std::int64_t count, double* out) const {
    const std::uint32_t* const ones = &counts_.ibs1.low_words()[counts_.ibs1.offset(i) + begin];
    const std::uint32_t* const twos = &counts_.ibs0.low_words()[counts_.ibs0.offset(i) + begin];
    const double called = 2 * number(static_cast<std::uint64_t>(counts_.sites));
    const auto fill = [&](const auto& value) {
      for (std::int64_t k = 0; k < count; ++k) out[k] = value(number(ones[k]), number(twos[k]), k);
      return true;
    };
    switch (params_.metric) {
      case Metric::squared_euclidean:
        return fill([](double one, double two, auto) { return one + 4 * two; });
      case Metric::euclidean:
        return fill([](double one, double two, auto) { return std::sqrt(one + 4 * two); });
      case Metric::manhattan:
        return fill([](double one, double two, auto) { return one + 2 * two; });
      case Metric::ibs:
        return fill([=](double one, double two, auto) { return 1 - (one + 2 * two) / called; });
      case Metric::one_minus_ibs:
        return fill([=](double one, double two, auto) { return (one + 2 * two) / called; });
      case Metric::hamming:
        return fill([](double one, double two, auto) { return one + two; });
      case Metric::king:
        return fill([het_i = het(i), hets = counts_.heterozygous.data() + begin](
                        double one, double two, std::int64_t k) {
          return 0.5 - (one + 4 * two) / number(4 * std::min(het_i, hets[k]));
        });
      case Metric::normalized:
        return false;
    }
    return false;
  }

  static double number(std::uint64_t count) { return static_cast<double>(count); }

  double scaled(std::uint64_t count, std::uint64_t shared) const {
    const auto sites = static_cast<std::uint64_t>(counts_.sites);
    if (!params_.rescale || shared == sites) return number(count);
    return number(count) * number(sites) / number(shared);
  }

  /// Manichaikul et al. 2010, equation 11: the smaller count of heterozygous sites below.
  double king(std::int64_t i, std::int64_t j, std::uint64_t one, std::uint64_t two) const {
    const std::uint64_t het_i = counts_.het_at(i, j);
    const std::uint64_t het_j = one + 2 * counts_.hethet_at(i, j) - het_i;
    return 0.5 - number(one + 4 * two) / number(4 * std::min(het_i, het_j));
  }

  /// |x_i/s_i - x_j/s_j|^2, the product from 2 x_i.x_j = |x_i|^2 + |x_j|^2 - d^2, exact in
  /// integers.
  double normalized(std::int64_t i, std::int64_t j, std::uint64_t squared) const {
    const std::uint64_t norm_i = norm(i), norm_j = norm(j);
    const double s_i = number(sum(i)), s_j = number(sum(j));
    const double product = number(norm_i + norm_j - squared);
    const double value =
        number(norm_i) / (s_i * s_i) + number(norm_j) / (s_j * s_j) - product / (s_i * s_j);
    return std::max(value, 0.0);  // rounding can leave equal directions just below zero
  }

  std::uint64_t het(std::int64_t i) const { return counts_.heterozygous[static_cast<size_t>(i)]; }
  std::uint64_t hom(std::int64_t i) const { return counts_.homozygous[static_cast<size_t>(i)]; }
  std::uint64_t sum(std::int64_t i) const { return het(i) + 2 * hom(i); }
  std::uint64_t norm(std::int64_t i) const { return het(i) + 4 * hom(i); }

  const PairCounts& counts_;
  MetricParams params_;
};

void check_whole(const PairCounts& counts, std::string_view caller) {
  if (counts.rows.begin == 0 && counts.rows.end == counts.samples) return;
  throw usage_error("{}: expected counts of all {} rows, got rows [{}, {}); count every row",
                    caller,
                    counts.samples,
                    counts.rows.begin,
                    counts.rows.end);
}

/// body(i, columns up to the diagonal) for all of a lower triangle, in squares that keep rows and
/// their mirror images in cache.
template <class Body>
void for_lower_triangle(Context& context, std::int64_t n, const Body& body) {
  constexpr std::int64_t edge = 64;
  const std::int64_t side = divide_up(n, edge);
  context.parallel_for(triangle_cells(side), 8, [&](std::int64_t index) {
    context.check_cancelled();
    const Tile tile = triangle_tile(index, side, 8);
    for (std::int64_t i = tile.row * edge; i < std::min(n, (tile.row + 1) * edge); ++i) {
      body(i, Range{tile.column * edge, std::min(i + 1, (tile.column + 1) * edge)});
    }
  });
}

/// The expected |x - x'| of a site as a multiple of 2^-30; 0 where no call says the frequency.
std::uint64_t weight_of(const SiteCounts& counts) {
  if (counts.called() == 0) return 0;
  const double alleles = 2 * static_cast<double>(counts.called());
  const double p = static_cast<double>(2 * counts.homozygous_a1 + counts.heterozygous) / alleles;
  const double pq = p * (1 - p);
  return static_cast<std::uint64_t>(std::llround((4 * pq * (1 - 2 * pq) + 4 * pq * pq) * 0x1p30));
}

/// j < i, row by row.
std::int64_t pair_cell(std::int64_t i, std::int64_t j) { return triangle_cells(i) - i + j; }

}  // namespace

Metric metric_from_name(std::string_view name) {
  for (const NamedMetric& named : named_metrics) {
    if (named.name == name) return named.metric;
  }
  throw usage_error("metric: '{}' is unknown; use one of {}", name, joined(metric_names(), ", "));
}

std::string_view metric_name(Metric metric) {
  for (const NamedMetric& named : named_metrics) {
    if (named.metric == metric) return named.name;
  }
  return {};
}

std::vector<std::string_view> metric_names() {
  std::vector<std::string_view> all;
  for (const NamedMetric& named : named_metrics) all.push_back(named.name);
  return all;
}

void check_metric(const PairCounts& counts,
                  const MetricParams& params,
                  std::span<const std::string> sample_names) {
  if (params.metric == Metric::king && !counts.knows_hethet()) {
    throw usage_error(
        "king: calls are missing and heterozygous pairs were not counted; count with hethet "
        "(PairCountsParams)");
  }
  if (params.metric != Metric::normalized) return;
  if (!counts.shared.empty()) {
    throw input_error(
        "normalized: defined without missing calls only; fill them with --missing mode, or drop "
        "their sites with --geno 0");
  }
  for (std::size_t i = 0; i < counts.heterozygous.size(); ++i) {
    if (counts.heterozygous[i] + counts.homozygous[i] > 0) continue;
    throw input_error(
        "normalized: sample {} has genotype 0 at every site, so its sum is zero; leave it out with "
        "--remove",
        i < sample_names.size() ? sample_names[i] : std::to_string(i + 1));
  }
}

void metric_lower_row(const PairCounts& counts,
                      const MetricParams& params,
                      std::int64_t i,
                      double* row) {
  Formula(counts, params).lower_cells(i, {0, i + 1}, row);
}

void metric_row(const PairCounts& counts, const MetricParams& params, std::int64_t i, double* row) {
  check_whole(counts, metric_name(params.metric));
  const Formula formula(counts, params);
  for (std::int64_t j = 0; j < counts.samples; ++j) row[j] = formula(i, j);
}

SquareMatrix<double> distances(Context& context,
                               const PairCounts& counts,
                               const MetricParams& params) {
  check_whole(counts, metric_name(params.metric));
  const Formula formula(counts, params);
  SquareMatrix<double> result(counts.samples);
  for_lower_triangle(context, counts.samples, [&](std::int64_t i, Range columns) {
    formula.lower_cells(i, columns, &result(i, columns.begin));
    for (std::int64_t j = columns.begin; j < columns.end; ++j) result(j, i) = result(i, j);
  });
  if (const std::int64_t pairs = pairs_without_shared_site(context, counts); pairs > 0) {
    context.note(fmt::format("{} is NaN where a pair shares no called site: {} of {}",
                             metric_name(params.metric),
                             pairs,
                             counted(triangle_cells(counts.samples - 1), "pair")));
  }
  return result;
}

SquareMatrix<std::int32_t> integer_squared_distances(Context& context, const PairCounts& counts) {
  check_whole(counts, "integer distances");
  if (!counts.shared.empty()) {
    throw usage_error(
        "integer distances: calls are missing, which scales distances to fractions; fill them with "
        "--missing mode");
  }
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  SquareMatrix<std::int32_t> result(counts.samples);
  std::atomic<bool> fits{true};
  for_lower_triangle(context, counts.samples, [&](std::int64_t i, Range columns) {
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      const std::uint64_t squared = counts.ibs1.at(i, j) + 4 * counts.ibs0.at(i, j);
      if (squared > most) fits.store(false, std::memory_order_relaxed);
      result(i, j) = result(j, i) = static_cast<std::int32_t>(squared);
    }
  });
  if (!fits) {
    throw resource_error(
        "integer distances: a squared distance over {} sites passes 2^31 - 1; use floating-point "
        "distances",
        counts.sites);
  }
  return result;
}

std::int64_t pairs_without_shared_site(Context& context, const PairCounts& counts) {
  if (counts.shared.empty() && counts.sites > 0) return 0;
  std::atomic<std::int64_t> pairs{0};
  context.parallel_for(counts.rows.size(), 64, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t some = 0;
    for (std::int64_t i = counts.rows.begin + begin; i < counts.rows.begin + end; ++i) {
      for (std::int64_t j = 0; j < i; ++j) some += counts.shared_at(i, j) == 0;
    }
    pairs += some;
  });
  return pairs;
}

MissingWeights::MissingWeights(Context& context,
                               std::int64_t samples,
                               std::vector<std::int64_t> counted)
    : context_(context),
      samples_(samples),
      counted_(std::move(counted)),
      missing_(static_cast<std::size_t>(samples)) {}

std::uint64_t MissingWeights::bytes(std::int64_t samples) {
  return static_cast<std::uint64_t>(pair_cell(samples, 0)) * sizeof(std::uint64_t);
}

void MissingWeights::add(const CallBlock& block) {
  const std::int64_t sites = block.codes.sites;
  std::vector<SiteCounts> counts(static_cast<std::size_t>(sites));
  const std::vector<std::int64_t>& counted = counted_.empty() ? block.samples : counted_;
  site_counts(context_.backend(), block.codes, SampleMask(block.codes.samples, counted), counts);
  std::vector<std::uint64_t> weights;
  for (const SiteCounts& site : counts) {
    weights.push_back(weight_of(site));
    total_ += weights.back();
  }
  if (block.complete) return;
  if (both_.empty()) both_ = Array<std::uint64_t>::zeros(pair_cell(samples_, 0));
  std::vector<std::vector<std::int32_t>> missed(weights.size());  // samples, of each site
  context_.parallel_for(sites, 64, [&](std::int64_t s) {
    for (std::int64_t i = 0; i < samples_; ++i) {
      const std::int64_t place = block.samples[static_cast<std::size_t>(i)];
      if (block.codes.at(s, place) != missing_call) continue;
      missed[static_cast<std::size_t>(s)].push_back(static_cast<std::int32_t>(i));
    }
  });
  std::vector<std::vector<std::int32_t>> sites_of(missing_.size());  // that a sample misses
  for (std::size_t s = 0; s < missed.size(); ++s) {
    for (const std::int32_t i : missed[s]) {
      sites_of[static_cast<std::size_t>(i)].push_back(static_cast<std::int32_t>(s));
    }
  }
  context_.parallel_for(samples_, 16, [&](std::int64_t i) {
    std::uint64_t* const row = both_.data() + pair_cell(i, 0);
    for (const std::int32_t s : sites_of[static_cast<std::size_t>(i)]) {
      const auto site = static_cast<std::size_t>(s);
      missing_[static_cast<std::size_t>(i)] += weights[site];
      for (const std::int32_t j : missed[site]) {
        if (j >= i) break;
        row[j] += weights[site];
      }
    }
  });
}

void MissingWeights::sum_over(Comm& comm) {
  std::uint64_t incomplete = both_.empty() ? 0 : 1;
  comm.sum(&incomplete, 1);
  comm.sum(&total_, 1);
  comm.sum(missing_.data(), std::ssize(missing_));
  if (incomplete == 0) return;
  if (both_.empty()) both_ = Array<std::uint64_t>::zeros(pair_cell(samples_, 0));
  comm.sum(both_.data(), both_.size());
}

double MissingWeights::factor(std::int64_t i, std::int64_t j) const {
  if (both_.empty()) return 1;
  const std::uint64_t both = both_.data()[pair_cell(std::max(i, j), std::min(i, j))];
  const std::uint64_t missed =
      missing_[static_cast<std::size_t>(i)] + missing_[static_cast<std::size_t>(j)] - both;
  if (missed == total_) return std::numeric_limits<double>::infinity();
  return static_cast<double>(total_) / static_cast<double>(total_ - missed);
}

}  // namespace yupana::genotype
