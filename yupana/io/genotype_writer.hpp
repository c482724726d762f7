#pragma once

#include <string>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/genotype/source.hpp"

namespace yupana::io {

/// Writes everything a source delivers, from its current site on, as PREFIX.bed, .bim and .fam of
/// PLINK 1, added to `outputs`, which the caller commits. Sites have no names in a source: they
/// are called snp1, snp2, ... and spread over chromosomes 1 to 22 in order, at positions 1, 2, ...
/// of each, with alleles A1 = A and A2 = G. `families` (one a sample; empty: the identifier again)
/// are the FIDs.
///   work: one pass; memory: one block; errors: usage where source.sites() is not exact
void write_bed(Context& context,
               genotype::Source& source,
               const std::string& prefix,
               const std::vector<std::string>& families,
               OutputFiles& outputs);

/// The same as PREFIX.pgen, .pvar and .psam of PLINK 2, with REF = A2 and ALT = A1. Each record is
/// stored in the form that takes least: plain, as lists of samples outside a category, or a bit a
/// sample and a list; none as differences from another. The same bytes for any number of threads.
///   memory: one block, and 5 bytes a site
void write_pgen(Context& context,
                genotype::Source& source,
                const std::string& prefix,
                const std::vector<std::string>& families,
                OutputFiles& outputs);

/// The same as VCF 4.2 with unphased GT, REF = A2 and ALT = A1, so that x counts ALT alleles;
/// compressed as BGZF if the path ends in .gz. The same bytes for any number of threads.
void write_vcf(Context& context,
               genotype::Source& source,
               const std::string& path,
               OutputFiles& outputs);

}  // namespace yupana::io
