#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/random.hpp"
#include "yupana/genotype/planes.hpp"

namespace yupana::testing {

/// A small matrix of genotypes, one row a sample: 0, 1, 2 or -1 for a missing call.
struct Genotypes {
  Genotypes(std::int64_t samples_, std::int64_t sites_)
      : samples(samples_), sites(sites_), values(static_cast<std::size_t>(samples_ * sites_)) {}
  int& at(std::int64_t sample, std::int64_t site) {
    return values[static_cast<std::size_t>(sample * sites + site)];
  }
  int at(std::int64_t sample, std::int64_t site) const {
    return values[static_cast<std::size_t>(sample * sites + site)];
  }

  std::int64_t samples, sites;
  std::vector<int> values;
};

inline Genotypes random_genotypes(std::int64_t samples,
                                  std::int64_t sites,
                                  double missing,
                                  std::uint64_t seed) {
  Genotypes genotypes(samples, sites);
  RandomSequence random(seed);
  for (int& x : genotypes.values) {
    const double draw = random.uniform();
    x = draw < missing ? -1 : static_cast<int>(random.word() % 3);
  }
  return genotypes;
}

/// Sites [first, last) as planes; plane 2 is made if a call is missing there, or on request.
inline genotype::PlaneBlock pack_planes(const Genotypes& genotypes,
                                        std::int64_t first,
                                        std::int64_t last,
                                        int planes = 0) {
  using namespace genotype;
  for (std::int64_t i = 0; planes == 0 && i < genotypes.samples; ++i) {
    for (std::int64_t k = first; k < last; ++k) {
      if (genotypes.at(i, k) < 0) planes = 3;
    }
  }
  PlaneBlock block(genotypes.samples, last - first, planes == 0 ? 2 : planes);
  block.bytes = Array<std::uint8_t>::zeros(block.bytes.size());
  for (std::int64_t i = 0; i < genotypes.samples; ++i) {
    for (std::int64_t k = first; k < last; ++k) {
      const int x = genotypes.at(i, k);
      const std::int64_t site = k - first;
      const auto set = [&](int plane) {
        block.row(i)[(site / chunk_sites * block.planes + plane) * chunk_bytes +
                     site % chunk_sites / 8] |= static_cast<std::uint8_t>(1 << site % 8);
      };
      if (x >= 1) set(0);
      if (x == 1) set(1);
      if (x >= 0 && block.planes == 3) set(2);
    }
  }
  return block;
}

inline genotype::PlaneBlock pack_planes(const Genotypes& genotypes) {
  return pack_planes(genotypes, 0, genotypes.sites);
}

}  // namespace yupana::testing
