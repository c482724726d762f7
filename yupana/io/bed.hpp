#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yupana/core/tiles.hpp"
#include "yupana/genotype/chromosome.hpp"
#include "yupana/genotype/region.hpp"
#include "yupana/genotype/source.hpp"
#include "yupana/io/alleles.hpp"
#include "yupana/io/fam.hpp"

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

/// The three files of a PLINK 1 data set.
struct BedFiles {
  std::string bed;
  std::string bim;  ///< may be gzip
  std::string fam;  ///< may be gzip
};

/// The files of a prefix or of a path that ends in .bed: PREFIX.bed and next to it PREFIX.bim and
/// PREFIX.fam, or their .gz where only that is there.
BedFiles bed_files(const std::string& path);

/// The genotypes of a PLINK 1 .bed file as a stream of sites: x = number of A1 alleles.
/// Sites that the rules leave out and, as in PLINK, sites at negative positions are skipped without
/// being read and counted in account(). Sample names: read_fam().
///   work: one pass over .bim when opened, then one over the kept rows; memory: 1 MiB, and 16 bytes
///   for every stretch of kept sites
///   throws bad_input for: a wrong signature; a sample-major file; a .bed whose size is not that
///   of .bim x .fam; lines of .bim or .fam that cannot be read, with their number
std::unique_ptr<genotype::Source> open_bed(const BedFiles& files, const BimRules& rules = {});

}  // namespace yupana::io
