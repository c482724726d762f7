#include "yupana/genotype/populations.hpp"

#include <limits>

#include "yupana/core/tiles.hpp"

namespace yupana::genotype {
namespace {

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
