#pragma once

#include <optional>
#include <string>
#include <vector>

#include "yupana/core/tiles.hpp"
#include "yupana/genotype/chromosome.hpp"
#include "yupana/genotype/region.hpp"
#include "yupana/genotype/source.hpp"
#include "yupana/io/alleles.hpp"

namespace yupana::io {

/// Which sites of a .bim are wanted.
struct BimRules {
  genotype::ChromosomeFilter chromosomes = {};
  std::optional<genotype::Region> region = {};
  SnpsOnly snps_only = SnpsOnly::off;
};

/// The sites of a .bim file: how many there are, and which are wanted.
struct BimSites {
  std::int64_t sites = 0;
  std::vector<Range> kept;  ///< stretches of consecutive kept sites
  genotype::SiteAccount account;
};

/// Reads a .bim (six columns: chromosome, name, centimorgans, position, A1, A2), plain or gzip;
/// blank lines are ignored as PLINK does.
///   errors: bad_input with the line for fewer columns or a position that is no number; for a
///   region on a contig that the file does not have
BimSites read_bim(const std::string& path, const BimRules& rules);

}  // namespace yupana::io
