#include "yupana/genotype/kinship.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "yupana/genotype/metric.hpp"
#include "yupana/genotype/site_counts.hpp"

namespace yupana::genotype {

Kinship kinship_of(const PairCounts& counts, std::int64_t i, std::int64_t j, double kinship) {
  return {counts.shared_at(i, j),
          counts.hethet_at(i, j),
          counts.ibs0.at(i, j),
          kinship,
          counts.ibs1.at(i, j)};
}

Relationship relationship_of(const Kinship& pair) {
  if (std::isnan(pair.kinship)) return Relationship::unknown;
  constexpr std::array<double, 4> bounds = {
      0.35355339059327379, 0.17677669529663689, 0.088388347648318447, 0.044194173824159223};
  constexpr std::array<Relationship, 5> degrees = {Relationship::duplicate,
                                                   Relationship::siblings,
                                                   Relationship::second,
                                                   Relationship::third,
                                                   Relationship::unrelated};
  const auto* const bound = std::find_if(
      bounds.begin(), bounds.end(), [&](double least) { return pair.kinship > least; });
  const Relationship degree = degrees[static_cast<std::size_t>(bound - bounds.begin())];
  const bool first = degree == Relationship::siblings;
  return first && pair.share(pair.ibs0) < 0.005 ? Relationship::parent_child : degree;
}

RelationshipCounts& RelationshipCounts::operator+=(const RelationshipCounts& other) {
  for (std::size_t r = 0; r < pairs.size(); ++r) pairs[r] += other.pairs[r];
  duplicates.insert(duplicates.end(), other.duplicates.begin(), other.duplicates.end());
  std::sort(duplicates.begin(), duplicates.end());
  return *this;
}

RelationshipCounts count_relationships(Context& context, const PairCounts& counts) {
  RelationshipCounts all;
  std::mutex adding;
  context.parallel_for(counts.rows.size(), 16, [&](std::int64_t begin, std::int64_t end) {
    RelationshipCounts found;
    std::vector<double> row(static_cast<std::size_t>(counts.samples));
    for (std::int64_t i = counts.rows.begin + begin; i < counts.rows.begin + end; ++i) {
      metric_lower_row(counts, {.metric = Metric::king}, i, row.data());
      for (std::int64_t j = 0; j < i; ++j) {
        const double kinship = row[static_cast<std::size_t>(j)];
        found.add(relationship_of(kinship_of(counts, i, j, kinship)), i, j);
      }
    }
    const std::lock_guard lock(adding);
    all += found;
  });
  return all;
}

namespace {

/// Shares below 0 or above 1 take the nearest that is possible, as in PLINK.
IbdShares bounded(IbdShares shares) {
  if (shares.none > 1) return {1, 0, 0};
  if (shares.one > 1) return {0, 1, 0};
  if (shares.both > 1) return {0, 0, 1};
  const auto drop = [](double& negative, double& a, double& b) {
    if (negative >= 0) return;
    const double sum = a + b;
    a /= sum;
    b /= sum;
    negative = 0;
  };
  drop(shares.none, shares.one, shares.both);
  drop(shares.one, shares.none, shares.both);
  drop(shares.both, shares.none, shares.one);
  return shares;
}

}  // namespace

void ExpectedIbs::add(const CallBlock& block) {
  std::vector<SiteCounts> counts(static_cast<std::size_t>(block.codes.sites));
  const std::vector<std::int64_t>& counted = counted_.empty() ? block.samples : counted_;
  site_counts(backend_, block.codes, SampleMask(block.codes.samples, counted), counts);
  for (const SiteCounts& site : counts) {
    // Copies of the two alleles, x and y of n: products of draws without replacement.
    const double n = 2 * static_cast<double>(site.called());
    const auto x = static_cast<double>(2 * site.homozygous_a1 + site.heterozygous);
    const double y = n - x;
    if (n < 4 || x == 0 || y == 0) continue;
    ++sites_;
    const double two = n * (n - 1), three = two * (n - 2), four = three * (n - 3);
    const double xx = x * (x - 1), xxx = xx * (x - 2), yy = y * (y - 1), yyy = yy * (y - 2);
    ibs0_ibd0_ += 2 * xx * yy / four;
    ibs1_ibd0_ += 4 * (xxx * y + x * yyy) / four;
    ibs2_ibd0_ += (xxx * (x - 3) + yyy * (y - 3) + 4 * xx * yy) / four;
    ibs1_ibd1_ += 2 * (xx * y + x * yy) / three;
    ibs2_ibd1_ += (xxx + yyy + xx * y + x * yy) / three;
  }
}

IbdShares ExpectedIbs::shares(std::uint64_t sites, std::uint64_t ibs0, std::uint64_t ibs1) const {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (sites == 0 || sites_ == 0 || ibs0_ibd0_ == 0 || ibs1_ibd1_ == 0) return {nan, nan, nan};
  const double scale = static_cast<double>(sites) / static_cast<double>(sites_);
  const auto two = static_cast<double>(sites - ibs0 - ibs1);
  IbdShares shares;
  shares.none = static_cast<double>(ibs0) / (ibs0_ibd0_ * scale);
  shares.one =
      (static_cast<double>(ibs1) - shares.none * ibs1_ibd0_ * scale) / (ibs1_ibd1_ * scale);
  shares.both = (two - (shares.none * ibs2_ibd0_ + shares.one * ibs2_ibd1_) * scale) /
                static_cast<double>(sites);
  return bounded(shares);
}

}  // namespace yupana::genotype
