#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "yupana/core/context.hpp"
#include "yupana/genotype/source.hpp"
#include "yupana/io/variant_sites.hpp"

namespace yupana::io {

/// The two files of a PLINK 1 data set in text.
struct PlinkTextFiles {
  std::string calls;   ///< .ped, a line a sample; .tped, a line a site; may be compressed
  std::string others;  ///< .map of a .ped, .tfam of a .tped; may be compressed
  bool transposed = false;
  /// Whose first columns are those of a .fam.
  const std::string& samples() const { return transposed ? others : calls; }
  /// Whose first columns are those of a .map.
  const std::string& variants() const { return transposed ? calls : others; }
};

/// True for a name that ends in .ped or .tped, perhaps with .gz or .zst after it.
bool is_plink_text(const std::string& path);

/// The files of such a name: PREFIX.map next to PREFIX.ped, PREFIX.tfam next to PREFIX.tped, or
/// their .gz where only that is there.
PlinkTextFiles plink_text_files(const std::string& path);

/// Bytes that such a source holds: every kept call in two bits, and its alleles.
std::uint64_t plink_text_bytes(std::int64_t samples, std::int64_t sites);

/// The genotypes of PLINK's text files as a stream of sites in file order. As PLINK 1.9, A1 is the
/// allele that is rarer among the founders, of equal ones that rarer among all, else the second to
/// appear; x counts it. Alleles are any texts, '0' and '.' missing ones. Files are read whole when
/// opened: alleles are known at the end. Sites are skipped as those of a .bim. Sample names:
/// read_fam() of files.samples().
///   work: two passes over the text, one thread; memory: plink_text_bytes
///   throws bad_input with the line for: another number of columns, one missing allele of two, a
///   third allele; out_of_resources where the calls do not fit memory
std::unique_ptr<genotype::Source> open_plink_text(Context& context,
                                                  const PlinkTextFiles& files,
                                                  const SiteRules& rules = {});

}  // namespace yupana::io
