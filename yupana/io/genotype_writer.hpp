#pragma once

#include <string>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/genotype/source.hpp"
#include "yupana/io/sample_table.hpp"

namespace yupana::io {

/// Writes everything a source delivers, from its current site on, as PREFIX.bed, .bim and .fam of
/// PLINK 1, added to `outputs`, which the caller commits. Sites are named as the source names them,
/// otherwise by numbered_site(); then source.sites() must be exact. `table` has a row a sample.
///   work: one pass; memory: one block; errors: usage for a table of other samples; bad_input for
///   names with blanks
void write_bed(Context& context,
               genotype::Source& source,
               const std::string& prefix,
               const SampleTable& table,
               OutputFiles& outputs);

/// The same as PREFIX.pgen, .pvar and .psam of PLINK 2, with REF = A2 and ALT = A1. Each record is
/// stored in the form that takes least: plain, as lists of samples outside a category, or a bit a
/// sample and a list; none as differences from another. The same bytes for any number of threads.
///   memory: one block, and 5 bytes a site; errors: usage where source.sites() is not exact
void write_pgen(Context& context,
                genotype::Source& source,
                const std::string& prefix,
                const SampleTable& table,
                OutputFiles& outputs);

/// The same as VCF 4.2 with unphased GT, REF = A2 and ALT = A1, so that x counts ALT alleles;
/// calls of Y, MT and, where the source knows them, males on X have one allele, as PLINK 2 writes
/// them; a heterozygous one stays. Compressed as BGZF if the path ends in .gz. The same bytes for
/// any number of threads.
void write_vcf(Context& context,
               genotype::Source& source,
               const std::string& path,
               OutputFiles& outputs);

/// The genotypes alone as a .npy matrix, samples in rows and sites in columns, int8 in Fortran
/// order (a site is contiguous): x, and -1 where a call is missing. PATH with .ids for .npy names
/// the samples, one a line; PATH.bim the sites, as PLINK 1.
void write_genotypes_npy(Context& context,
                         genotype::Source& source,
                         const std::string& path,
                         OutputFiles& outputs);

}  // namespace yupana::io
