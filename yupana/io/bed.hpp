#pragma once

#include <memory>
#include <string>

#include "yupana/genotype/source.hpp"
#include "yupana/io/variant_sites.hpp"

namespace yupana::io {

/// The three files of a PLINK 1 data set.
struct BedFiles {
  std::string bed;
  std::string bim;  ///< may be compressed
  std::string fam;  ///< may be compressed
};

/// The files of a prefix or of a path that ends in .bed: PREFIX.bed and next to it PREFIX.bim and
/// PREFIX.fam, or their .gz where only that is there. `whole`: a file of the very path comes first.
BedFiles bed_files(const std::string& path, bool whole = false);

/// The genotypes of a PLINK 1 .bed file as a stream of sites: x = number of A1 alleles.
/// Sites that the rules leave out and, as in PLINK, sites at negative positions are skipped without
/// being read and counted in account(). Sample names: read_fam().
///   work: one pass over .bim when opened, then one over the kept rows; memory: 1 MiB, and 16 bytes
///   for every stretch of kept sites
///   throws bad_input for: a wrong signature; a sample-major file; a .bed whose size is not that
///   of .bim x .fam; lines of .bim or .fam that cannot be read, with their number
std::unique_ptr<genotype::Source> open_bed(const BedFiles& files, const SiteRules& rules = {});

}  // namespace yupana::io
