#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/genotype/site_names.hpp"
#include "yupana/genotype/source.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/sample_lists.hpp"

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

/// Sites of a block that is written at a time.
inline std::int64_t written_block_sites(std::int64_t samples) {
  constexpr std::int64_t block_bytes = 1 << 20;
  return std::clamp<std::int64_t>(block_bytes / genotype::SiteBlock(samples, 0).stride, 16, 4096);
}

/// Bytes of the sites that are written at a time, `sites` in all: two bits a call, a call of VCF
/// takes 4 bytes, compressed half of one more, of a .npy one, and a .pgen its records and 5 bytes
/// of every site; and what threads beyond the second hold that compress. format: bed, pgen, vcf,
/// vcf.gz or npy.
inline double written_block_bytes(std::string_view format,
                                  std::int64_t samples,
                                  std::int64_t sites,
                                  int threads) {
  const double calls = static_cast<double>(samples) *
                       static_cast<double>(std::min(sites, written_block_sites(samples)));
  if (format == "bed") return calls / 4;
  if (format == "pgen") return calls / 2 + 5 * static_cast<double>(sites);
  if (format == "npy") return 1.25 * calls;
  if (format == "vcf") return 4.25 * calls;
  // A block and libdeflate's tables; measured with 32 threads.
  constexpr double packed_text = 0xff00, compressor = 320e3;
  const double at_once = std::min(static_cast<double>(threads), 4 * calls / packed_text);
  return 4.75 * calls + compressor * std::max(0.0, at_once - 2);
}

/// An allele of a .pvar or VCF: that which PLINK 1's files do not name, 0, is a dot there.
inline std::string_view written_allele(std::string_view allele) {
  return allele == "0" ? "." : allele;
}

/// The last position that PLINK 1.9 and 2 read in a .bim or .pvar.
inline constexpr std::int64_t max_plink_position = 2'147'483'646;

/// Throws bad_input for a site that PLINK's tables of variants do not hold.
inline void check_plink_site(const genotype::SiteName& site, std::string_view path) {
  if (site.name.size() > max_plink_name) {
    throw bad_file(path,
                   "the site at {}:{} has a name of {} bytes, and PLINK reads names of up to {}; "
                   "write .vcf or .vcf.gz, or leave the site out with --exclude bed1",
                   printable(site.chromosome),
                   site.position,
                   site.name.size(),
                   max_plink_name);
  }
  if (site.position <= max_plink_position) return;
  throw bad_file(path,
                 "site {} of chromosome {} is at position {}, and PLINK reads positions up to {}; "
                 "write .vcf or .vcf.gz, or leave the site out with --exclude",
                 printable(site.name),
                 printable(site.chromosome),
                 site.position,
                 max_plink_position);
}

/// Calls each(block) for all the source delivers, with the names of the sites.
template <class Each>
void for_each_block(Context& context,
                    genotype::Source& source,
                    const std::string& stage_name,
                    const Each& each) {
  const std::int64_t samples = std::ssize(source.samples());
  genotype::SiteBlock block(samples, written_block_sites(samples));
  const double announced = static_cast<double>(std::max<std::int64_t>(source.sites(), 0));
  Stage stage(context, stage_name, announced, "sites");
  source.name_sites();
  for (std::int64_t sites = 0; source.read(block); sites += block.sites) {
    genotype::name_numbered_sites(block, sites, source.sites());
    each(block);
    stage.advance(static_cast<double>(block.sites));
    block.names.clear();
  }
}

/// Throws usage where a table has not one row a sample.
inline void check_table(const genotype::Source& source,
                        const SampleTable& table,
                        std::string_view caller) {
  if (table.rows.size() == source.samples().size()) return;
  throw usage_error("{}: expected a table of {} samples, got {}",
                    caller,
                    source.samples().size(),
                    table.rows.size());
}

}  // namespace yupana::io
