#include "yupana/genotype/ibd.hpp"

#include <limits>

#include "yupana/genotype/site_counts.hpp"

namespace yupana::genotype {
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
