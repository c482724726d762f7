#include "yupana/genotype/kinship.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "yupana/core/tiles.hpp"
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

double share_of_a1(const SiteCounts& site) {
  return static_cast<double>(2 * site.homozygous_a1 + site.heterozygous) /
         (2 * static_cast<double>(site.called()));
}

/// p (1 - p) without the part that the sample's size takes: half the chance that two alleles
/// differ.
double unbiased(double p, std::int64_t called) {
  return p * (1 - p) / (2 * static_cast<double>(called) - 1);
}

/// Sum of |x - x'| over pairs of one sample of each.
std::uint64_t differences(const SiteCounts& a, const SiteCounts& b) {
  const std::int64_t one = a.heterozygous * (b.homozygous_a1 + b.homozygous_a2) +
                           (a.homozygous_a1 + a.homozygous_a2) * b.heterozygous;
  const std::int64_t two = a.homozygous_a1 * b.homozygous_a2 + a.homozygous_a2 * b.homozygous_a1;
  return static_cast<std::uint64_t>(one + 2 * two);
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

PopulationCounter::PopulationCounter(Context& context,
                                     std::vector<std::int32_t> of,
                                     std::int64_t classes)
    : context_(context),
      of_(std::move(of)),
      classes_(classes),
      counts_(static_cast<std::size_t>(classes)),
      sums_(static_cast<std::size_t>(triangle_cells(classes))) {}

void PopulationCounter::add(const CallBlock& block) {
  std::vector<std::vector<std::int64_t>> members(static_cast<std::size_t>(classes_));
  for (std::size_t i = 0; i < of_.size(); ++i) {
    if (of_[i] >= 0) members[static_cast<std::size_t>(of_[i])].push_back(block.samples[i]);
  }
  context_.parallel_for(classes_, 1, [&](std::size_t k) {
    counts_[k].resize(static_cast<std::size_t>(block.codes.sites));
    const SampleMask mask(block.codes.samples, members[k]);
    site_counts(context_.backend(), block.codes, mask, counts_[k]);
  });
  context_.parallel_for(classes_, 1, [&](std::int64_t a) {
    for (std::int64_t b = 0; b <= a; ++b) add_pair(a, b, block.codes.sites);
  });
}

void PopulationCounter::add_pair(std::int64_t a, std::int64_t b, std::int64_t sites) {
  Sums& sums = sums_[static_cast<std::size_t>(triangle_cells(a) + b)];
  const std::vector<SiteCounts>& of_a = counts_[static_cast<std::size_t>(a)];
  const std::vector<SiteCounts>& of_b = counts_[static_cast<std::size_t>(b)];
  for (std::size_t s = 0; s < static_cast<std::size_t>(sites); ++s) {
    const std::int64_t n = of_a[s].called(), m = of_b[s].called();
    if (a == b) {
      sums.differences += differences(of_a[s], of_a[s]) / 2;
      sums.all += static_cast<std::uint64_t>(n * (n - 1) / 2);
      continue;
    }
    sums.differences += differences(of_a[s], of_b[s]);
    sums.all += static_cast<std::uint64_t>(n * m);
    if (n == 0 || m == 0) continue;
    const double p = share_of_a1(of_a[s]), q = share_of_a1(of_b[s]);
    sums.within += (p - q) * (p - q) - unbiased(p, n) - unbiased(q, m);
    sums.between += p * (1 - q) + q * (1 - p);
  }
}

PopulationPairs PopulationCounter::pairs() const {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto cells = static_cast<std::size_t>(classes_ * classes_);
  PopulationPairs pairs{std::vector<std::int64_t>(static_cast<std::size_t>(classes_)),
                        std::vector<double>(cells),
                        std::vector<double>(cells)};
  for (const std::int32_t k : of_) {
    if (k >= 0) ++pairs.sizes[static_cast<std::size_t>(k)];
  }
  for (std::int64_t a = 0; a < classes_; ++a) {
    for (std::int64_t b = 0; b <= a; ++b) {
      const Sums& sums = sums_[static_cast<std::size_t>(triangle_cells(a) + b)];
      const double fst = a == b ? 0 : sums.between > 0 ? sums.within / sums.between : nan;
      const double ibs = sums.all > 0 ? 1 - static_cast<double>(sums.differences) /
                                                (2 * static_cast<double>(sums.all))
                                      : nan;
      for (const std::int64_t cell : {pairs.cell(a, b), pairs.cell(b, a)}) {
        pairs.fst[static_cast<std::size_t>(cell)] = fst;
        pairs.ibs[static_cast<std::size_t>(cell)] = ibs;
      }
    }
  }
  return pairs;
}

}  // namespace yupana::genotype
