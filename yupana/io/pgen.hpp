#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "yupana/core/context.hpp"
#include "yupana/genotype/source.hpp"
#include "yupana/io/variant_sites.hpp"

namespace yupana::io {

/// The files of a PLINK 2 data set.
struct PgenFiles {
  std::string pgen;  ///< with PGEN.pgi next to it where its index is separate
  std::string pvar;  ///< or .bim; may be compressed
  std::string psam;  ///< or .fam; may be compressed
};

/// The files of a prefix or of a path that ends in .pgen: PREFIX.pgen, and the first that is there
/// of PREFIX.pvar, .bim and of .psam, .fam, each plain, .zst or .gz. `whole`: a file of the very
/// path comes first.
PgenFiles pgen_files(const std::string& path, bool whole = false);

/// The hard calls of a PLINK 2 .pgen as a stream of sites: x = number of ALT alleles. Every storage
/// mode and type of record that is defined; phases are passed over, and dosages but for blocks that
/// have them; a missing hard call is missing whatever its dosage. Sites of several ALT alleles, and
/// those that the rules leave out, as a VCF reader treats them; sites at negative positions are
/// skipped. Sample names: read_psam().
///   work: one pass over .pvar when opened, then one over the records of kept sites, and of those
///   that they are stored as differences from; decoded in parallel
///   memory: types and lengths of 65,536 variants, 1 MiB of records a thread or one record, rows as
///   many as the block's; 16 bytes for every stretch of kept sites and every kept site of several
///   ALT alleles
///   determinism: the same blocks for any number of threads
///   errors: bad_input for files of different data sets, and for a record that contradicts itself,
///   with its variant
/// The context must outlive the source.
std::unique_ptr<genotype::Source> open_pgen(Context& context,
                                            const PgenFiles& files,
                                            const SiteRules& rules = {});

/// Bytes that a source holds of its file where it delivers so many sites: where the records of a
/// block of variants are, and the batch being decoded.
std::uint64_t pgen_reader_bytes(std::int64_t samples, std::int64_t sites, int threads);

}  // namespace yupana::io
