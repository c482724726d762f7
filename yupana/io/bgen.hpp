#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "yupana/core/context.hpp"
#include "yupana/genotype/source.hpp"
#include "yupana/io/fam.hpp"
#include "yupana/io/variant_sites.hpp"

namespace yupana::io {

/// A BGEN data set and how its dosages become hard calls.
struct BgenParams {
  std::string path;
  std::string sample;                ///< its .sample; empty: the names in the file
  bool ref_last = false;             ///< REF is the last allele of a variant, not the first
  double hard_call_threshold = 0.1;  ///< PLINK 2's --hard-call-threshold
};

/// The .sample of a .bgen: PREFIX.sample (.zst, .gz) where it is there, otherwise empty.
std::string bgen_sample_file(const std::string& path);

/// Hard calls of a BGEN file, version 1.2 or 1.3 (layout 2), as a stream of sites: x = number of
/// ALT alleles, by the rule of HardCalls; of probabilities of 1 to 32 bits, unphased or phased, of
/// diploid samples and haploid ones, which count twice. Sites of several ALT alleles, and those
/// that the rules leave out, as a VCF reader treats them. `names`: read_oxford_samples(); none
/// where the file has its own.
///   work: one pass over the variants' names when opened, then one over the probabilities of kept
///   sites, unpacked in parallel
///   memory: 1 MiB of the file a thread or one variant, and of each thread one variant unpacked; 8
///   bytes for every stretch of kept sites
///   determinism: the same blocks for any number of threads
///   errors: usage for a threshold outside 0 to 0.5; bad_input for a .sample of other samples, for
///   no names, and for a variant that contradicts itself, with its number
/// The context must outlive the source.
std::unique_ptr<genotype::Source> open_bgen(Context& context,
                                            const BgenParams& params,
                                            const SampleNames& names,
                                            const SiteRules& rules = {});

/// Bytes that a source holds of its file: the batch being decoded.
std::uint64_t bgen_reader_bytes(std::int64_t samples, std::int64_t sites, int threads);

}  // namespace yupana::io
