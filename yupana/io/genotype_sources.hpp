#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "yupana/core/context.hpp"
#include "yupana/genotype/source.hpp"
#include "yupana/io/sample_lists.hpp"
#include "yupana/io/variant_sites.hpp"
#include "yupana/io/vcf.hpp"

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

/// Columns that a source of .npy holds decoded, and numbers before that.
std::uint64_t npy_reader_bytes(std::int64_t samples, std::int64_t sites);

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

struct NpyGenotypesParams {
  std::string path;
  /// Take the nearest of 0, 1, 2 (halves go up) for values in [0, 2.5): imputed means occur.
  bool round = false;
};

/// Genotypes of a .npy matrix, samples in rows and sites in columns, C or Fortran order, of signed
/// or unsigned integers or floats of 1 to 8 bytes in either byte order, as a stream of sites.
///   values: 0, 1 and 2 are genotypes; negative ones and NaN are missing calls; any other value is
///   refused with row and column, from 1
/// Samples are named by PATH with .ids instead of .npy, one a line, if that file is there;
/// otherwise 1, 2, ...
///   work: one pass in stretches of columns; memory: 16 MiB, or 64 columns if that is more
///   throws bad_input for: a header that cannot be read; another shape or type; a file of another
///   size than the header says; values that are no genotype; names that are too many, too few or
///   repeated
std::unique_ptr<genotype::Source> open_npy_genotypes(const NpyGenotypesParams& params);

/// True for a folder that holds a VCF-Zarr store, by its array call_genotype.
bool is_zarr_store(const std::string& path);

/// The genotypes of a VCF-Zarr store in a folder (Zarr of version 2 or 3; as bio2zarr and sgkit
/// write it) as a stream of sites: x = number of ALT alleles, calls as a VCF reader takes them, of
/// one or two alleles. Arrays call_genotype, variant_position, variant_contig, contig_id,
/// variant_allele and sample_id are read, variant_id where there is one.
///   work: one pass over positions and alleles when opened, then one over the chunks of calls that
///   hold kept sites, in parallel
///   memory: the rows of a chunk's sites for all samples, and a chunk unpacked for each thread
///   determinism: the same blocks for any number of threads
///   errors: bad_input for arrays that are missing, damaged, or do not fit each other; for a call
///   of an allele that the site does not have
/// The context must outlive the source.
std::unique_ptr<genotype::Source> open_zarr(Context& context,
                                            const std::string& path,
                                            HalfCall half_call,
                                            const SiteRules& rules = {});

/// Bytes that a source of these samples holds of a store.
std::uint64_t zarr_reader_bytes(const std::string& path, std::int64_t samples, int threads);

}  // namespace yupana::io
