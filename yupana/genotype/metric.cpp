#include "yupana/genotype/metric.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "yupana/core/error.hpp"

namespace yupana::genotype {
namespace {

struct Named {
  Metric metric;
  std::string_view name;
};

constexpr std::array<Named, 8> table = {{{Metric::squared_euclidean, "sqeuclidean"},
                                         {Metric::euclidean, "euclidean"},
                                         {Metric::manhattan, "manhattan"},
                                         {Metric::ibs, "ibs"},
                                         {Metric::one_minus_ibs, "1-ibs"},
                                         {Metric::hamming, "hamming"},
                                         {Metric::king, "king"},
                                         {Metric::normalized, "normalized"}}};

/// Value of an individual with itself.
double diagonal(Metric metric) {
  if (metric == Metric::ibs) return 1;
  return metric == Metric::king ? 0.5 : 0;
}

/// PLINK 2's KING-robust kinship, over the shared sites: with a = sites heterozygous in i and
/// homozygous in j, b the reverse,  1/2 - (4 IBS0 + a + b) / (4 (hethet + min(a, b))).
double king(const PairCounts& counts, std::int64_t i, std::int64_t j) {
  const auto ibs1 = static_cast<double>(counts.ibs1.at(i, j));
  const auto ibs0 = static_cast<double>(counts.ibs0.at(i, j));
  const auto hethet = static_cast<double>(counts.hethet_at(i, j));
  const double a = static_cast<double>(counts.het_at(i, j)) - hethet;
  const double b = ibs1 - a;
  return 0.5 - (4 * ibs0 + ibs1) / (4 * (hethet + std::min(a, b)));
}

double normalized(const PairCounts& counts, std::int64_t i, std::int64_t j) {
  const auto sum = [&](std::int64_t s, double weight) {
    const auto k = static_cast<std::size_t>(s);
    return static_cast<double>(counts.heterozygous[k]) +
           weight * static_cast<double>(counts.homozygous[k]);
  };
  const double d2 =
      static_cast<double>(counts.ibs1.at(i, j)) + 4 * static_cast<double>(counts.ibs0.at(i, j));
  const double xx = sum(i, 4), yy = sum(j, 4), sx = sum(i, 2), sy = sum(j, 2);
  return xx / (sx * sx) + yy / (sy * sy) - (xx + yy - d2) / (sx * sy);
}

/// i > j.
double value(const PairCounts& counts, const MetricParams& params, std::int64_t i, std::int64_t j) {
  const auto shared = static_cast<double>(counts.shared_at(i, j));
  if (shared == 0) return std::numeric_limits<double>::quiet_NaN();
  if (params.metric == Metric::king) return king(counts, i, j);
  if (params.metric == Metric::normalized) return normalized(counts, i, j);
  const auto ibs1 = static_cast<double>(counts.ibs1.at(i, j));
  const auto ibs0 = static_cast<double>(counts.ibs0.at(i, j));
  const auto sites = static_cast<double>(counts.sites);
  const auto scaled = [&](double distance) {
    return params.rescale && shared != sites ? distance * sites / shared : distance;
  };
  switch (params.metric) {
    case Metric::euclidean:
      return std::sqrt(scaled(ibs1 + 4 * ibs0));
    case Metric::manhattan:
      return scaled(ibs1 + 2 * ibs0);
    case Metric::ibs:
      return 1 - (ibs1 + 2 * ibs0) / (2 * shared);
    case Metric::one_minus_ibs:
      return (ibs1 + 2 * ibs0) / (2 * shared);
    case Metric::hamming:
      return scaled(ibs1 + ibs0);
    default:
      return scaled(ibs1 + 4 * ibs0);
  }
}

}  // namespace

Metric metric_from_name(std::string_view name) {
  std::string known;
  for (const Named& entry : table) {
    if (entry.name == name) return entry.metric;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw Error(ErrorCode::usage, fmt::format("metric '{}' is unknown; there are: {}", name, known));
}

std::string_view metric_name(Metric metric) {
  for (const Named& entry : table) {
    if (entry.metric == metric) return entry.name;
  }
  return "unknown";
}

std::vector<std::string_view> metric_names() {
  std::vector<std::string_view> names;
  for (const Named& entry : table) names.push_back(entry.name);
  return names;
}

void check_metric(const PairCounts& counts,
                  const MetricParams& params,
                  const std::vector<std::string>& names) {
  if (params.metric == Metric::king && !counts.knows_hethet()) {
    throw Error(ErrorCode::usage,
                "king: counts of sites heterozygous in both are wanted; ask for hethet");
  }
  if (params.metric != Metric::normalized) return;
  if (!counts.shared.empty()) {
    throw Error(ErrorCode::bad_input,
                "normalized: defined for complete genotypes only, and calls are missing; use "
                "--missing mode or --geno 0");
  }
  for (std::size_t i = 0; i < counts.heterozygous.size(); ++i) {
    if (counts.heterozygous[i] + counts.homozygous[i] > 0) continue;
    throw Error(
        ErrorCode::bad_input,
        fmt::format(
            "normalized: sample {} has no A1 (alternate) allele at any site, so it cannot be "
            "divided by its sum; leave it out with --remove",
            i < names.size() ? names[i] : std::to_string(i)));
  }
}

void metric_lower_row(const PairCounts& counts,
                      const MetricParams& params,
                      std::int64_t i,
                      double* row) {
  for (std::int64_t j = 0; j < i; ++j) row[j] = value(counts, params, i, j);
  row[i] = diagonal(params.metric);
}

void metric_row(const PairCounts& counts, const MetricParams& params, std::int64_t i, double* row) {
  metric_lower_row(counts, params, i, row);
  for (std::int64_t j = i + 1; j < counts.samples; ++j) row[j] = value(counts, params, j, i);
}

SquareMatrix<double> distances(Context& context,
                               const PairCounts& counts,
                               const MetricParams& params) {
  check_metric(counts, params, {});
  SquareMatrix<double> result(counts.samples);
  context.parallel_for(counts.samples, 8, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t i = begin; i < end; ++i) metric_row(counts, params, i, result.row(i));
  });
  const std::int64_t empty = pairs_without_shared_site(counts);
  if (empty > 0) {
    context.note(
        fmt::format("{} pairs of samples share no called site; their value is nan", empty));
  }
  return result;
}

SquareMatrix<std::int32_t> integer_squared_distances(Context& context, const PairCounts& counts) {
  if (!counts.shared.empty()) {
    throw Error(ErrorCode::usage, "integer_squared_distances: calls are missing; use distances()");
  }
  if (counts.sites > std::numeric_limits<std::int32_t>::max() / 4) {
    throw Error(ErrorCode::out_of_resources,
                fmt::format("integer_squared_distances: {} sites can pass 2^31; use distances()",
                            counts.sites));
  }
  SquareMatrix<std::int32_t> result(counts.samples);
  context.parallel_for(counts.samples, 8, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = 0; j < counts.samples; ++j) {
        const std::int64_t a = std::max(i, j), b = std::min(i, j);
        result(i, j) = static_cast<std::int32_t>(counts.ibs1.at(a, b) + 4 * counts.ibs0.at(a, b));
      }
    }
  });
  return result;
}

std::int64_t pairs_without_shared_site(const PairCounts& counts) {
  std::int64_t pairs = 0;
  if (counts.shared.empty() && counts.sites > 0) return 0;
  for (std::int64_t i = counts.rows.begin; i < counts.rows.end; ++i) {
    for (std::int64_t j = 0; j < i; ++j) pairs += counts.shared_at(i, j) == 0;
  }
  return pairs;
}

}  // namespace yupana::genotype
