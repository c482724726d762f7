#include "yupana/genotype/missing_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "yupana/core/tiles.hpp"
#include "yupana/genotype/site_counts.hpp"

namespace yupana::genotype {
namespace {

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
