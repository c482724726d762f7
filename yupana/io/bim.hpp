#pragma once

#include <string>
#include <vector>

#include "yupana/core/tiles.hpp"
#include "yupana/genotype/chromosome.hpp"
#include "yupana/genotype/source.hpp"

namespace yupana::io {

/// What a .bim file says of the sites: how many there are, and which are wanted.
struct BimSites {
  std::int64_t sites = 0;
  std::vector<Range> kept;  ///< stretches of consecutive kept sites
  genotype::SiteAccount account;
};

/// Reads a .bim (six columns: chromosome, name, centimorgans, position, A1, A2), plain or gzip;
/// blank lines are ignored as PLINK does.
BimSites read_bim(const std::string& path, const genotype::ChromosomeFilter& chromosomes);

}  // namespace yupana::io
