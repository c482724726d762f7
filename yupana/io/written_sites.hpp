#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"
#include "yupana/genotype/source.hpp"

namespace yupana::io {

// What writers of genotypes give sites, which have no names in a source.
constexpr std::int64_t written_chromosomes = 22;
constexpr char written_a1 = 'A';
constexpr char written_a2 = 'G';

/// Where a site is put: chromosome c of 22 holds the sites from floor(c sites / 22) on.
struct SitePlace {
  std::int64_t chromosome;
  std::int64_t position;
};

class SitePlaces {
 public:
  explicit SitePlaces(std::int64_t sites) : sites_(sites) {}

  /// For site = 0, 1, 2, ... in turn.
  SitePlace next() {
    while (next_ >= end_of(chromosome_)) first_ = end_of(chromosome_++);
    return {chromosome_ + 1, next_++ - first_ + 1};
  }

 private:
  std::int64_t end_of(std::int64_t chromosome) const {
    return static_cast<std::int64_t>(static_cast<__int128>(chromosome + 1) * sites_ /
                                     written_chromosomes);
  }
  std::int64_t sites_;
  std::int64_t next_ = 0;
  std::int64_t chromosome_ = 0;
  std::int64_t first_ = 0;
};

/// Calls each(block) for all the source delivers.
template <class Each>
void for_each_block(Context& context,
                    genotype::Source& source,
                    const std::string& stage_name,
                    const Each& each) {
  const std::int64_t samples = std::ssize(source.samples());
  constexpr std::int64_t block_bytes = 1 << 20;
  genotype::SiteBlock block(
      samples,
      std::clamp<std::int64_t>(block_bytes / genotype::SiteBlock(samples, 0).stride, 16, 4096));
  Stage stage(context, stage_name, static_cast<double>(source.sites()), "sites");
  std::int64_t sites = 0;
  while (source.read(block)) {
    each(block);
    sites += block.sites;
    stage.advance(static_cast<double>(block.sites));
  }
  if (sites != source.sites()) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: {} sites announced, {} delivered; the source must know how many "
                            "it has",
                            stage_name,
                            source.sites(),
                            sites));
  }
}

/// Throws usage where there are families, but not one a sample.
inline void check_families(const genotype::Source& source,
                           const std::vector<std::string>& families,
                           std::string_view caller) {
  if (families.empty() || families.size() == source.samples().size()) return;
  throw Error(ErrorCode::usage,
              fmt::format("{}: expected {} families, one a sample, got {}",
                          caller,
                          source.samples().size(),
                          families.size()));
}

}  // namespace yupana::io
