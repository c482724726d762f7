#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "yupana/core/context.hpp"
#include "yupana/genotype/chromosome.hpp"
#include "yupana/genotype/source.hpp"
#include "yupana/io/variant_lists.hpp"

namespace yupana::io {

/// What a diploid call with one allele missing ("./1") means. Names as PLINK 2's --vcf-half-call.
enum class HalfCall {
  missing,    ///< a missing call
  haploid,    ///< the called allele twice: 0 or 2
  reference,  ///< the missing allele is REF: 0 or 1
  error,      ///< refuse the input, naming line and sample
};

/// What a call of more than two alleles means. Names as PLINK 2's --polyploid-mode.
enum class Polyploid {
  error,    ///< refuse the input, naming line and sample
  missing,  ///< a missing call
};

/// Of the rules of records, --var-min-qual compares as float32, as BCF stores it.
struct VcfParams : RecordRules {
  std::string path = {};  ///< VCF, VCF.gz (bgzip or gzip) or BCF; "-" is standard input
  /// Sites of one contig and interval of POS; an index (.tbi, .csi) spares reading the rest.
  std::optional<genotype::Region> region = {};
  HalfCall half_call = HalfCall::missing;
  Polyploid polyploid = Polyploid::error;
  genotype::ChromosomeFilter chromosomes = {};  ///< contigs to take
  VariantLists variants = {};
};

/// From its name (missing, haploid, reference, error) or first letter; throws usage.
HalfCall half_call_from_name(std::string_view name);
/// From its name (error, missing) or first letter; throws usage.
Polyploid polyploid_from_name(std::string_view name);
/// From its name (skip, split, collapse); throws usage.
Multiallelic multiallelic_from_name(std::string_view name);

/// The genotypes of a VCF, VCF.gz or BCF file, as a stream of sites.
///   x = number of ALT alleles: 0/0 -> 0, 0/1 -> 1, 1/1 -> 2; '|' and '/' alike; of FORMAT only GT,
///   and DS for blocks with dosages
/// Haploid calls count as homozygous (1 -> 2); ./. and a GT left out are missing. As in PLINK 2,
/// every site with at most one ALT allele is kept: SNPs, insertions and deletions, substitutions of
/// several bases, symbolic alleles, and sites without ALT (x = 0). Skipped and counted in
/// account().skipped are sites with several ALT alleles (unless `multiallelic` takes them; a note
/// says how many), without GT in FORMAT, and those that the rules leave out. A header without
/// ##fileformat is accepted with a note. A file with header only is a source of no sites.
///   work: one pass, decompression by htslib; memory: two batches of text, 64-bit sizes throughout
///   the same blocks for any number of threads and any backend; reference decodes call by call
///   throws bad_input, with the line, for: not VCF or BCF; a ##fileformat of no version; no
///   samples; duplicate identifiers; wrong number of columns; a space in CHROM to ALT; several
///   alleles in REF or an empty one in ALT; a GT that is no genotype; an allele the site does not
///   have; GT in no record at all; a compressed file that is damaged or cut short; a region on an
///   unknown contig
/// The context must outlive the source.
std::unique_ptr<genotype::Source> open_vcf(Context& context, const VcfParams& params);

/// Bytes that a source holds of its file: the batch of records being decoded, the one read ahead,
/// and blocks of compressed ones unpacked before they are read.
std::uint64_t vcf_reader_bytes(int threads, bool compressed);

}  // namespace yupana::io
