#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "yupana/core/context.hpp"
#include "yupana/genotype/chromosome.hpp"
#include "yupana/genotype/source.hpp"

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

struct VcfParams {
  std::string path = {};    ///< VCF, VCF.gz (bgzip or gzip) or BCF; "-" is standard input
  std::string region = {};  ///< "chr1" or "chr1:10,000-20,000" (1-based, closed); needs an index
  HalfCall half_call = HalfCall::missing;
  Polyploid polyploid = Polyploid::error;
  genotype::ChromosomeFilter chromosomes = {};  ///< contigs to take
};

/// From its name (missing, haploid, reference, error) or first letter; throws usage.
HalfCall half_call_from_name(std::string_view name);
/// From its name (error, missing) or first letter; throws usage.
Polyploid polyploid_from_name(std::string_view name);

/// The genotypes of a VCF, VCF.gz or BCF file, as a stream of sites.
///   x = number of ALT alleles: 0/0 -> 0, 0/1 -> 1, 1/1 -> 2; '|' and '/' alike; of FORMAT only GT
/// Haploid calls count as homozygous (1 -> 2); ./. and a GT left out are missing. Kept are sites
/// of one REF base and one different ALT base (A, C, G, T or an IUPAC letter, either case); every
/// other site is skipped and counted in account().skipped: no ALT allele (monomorphic), several
/// ALT alleles, indels, symbolic ALT, several bases, no GT in FORMAT, contigs that the filter
/// leaves out. A file with header only is a source of no sites.
///   work: one pass, decompression by htslib; memory: two batches of text, 64-bit sizes throughout
///   the same blocks for any number of threads and any backend; reference decodes call by call
///   throws bad_input, with the line, for: not VCF or BCF; no samples; duplicate identifiers;
///   wrong number of columns; a GT that is no genotype; an allele the site does not have; GT in no
///   record at all; a compressed file that is damaged or cut short; a region without index
/// The context must outlive the source.
std::unique_ptr<genotype::Source> open_vcf(Context& context, const VcfParams& params);

}  // namespace yupana::io
