#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yupana/core/comm.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"
#include "yupana/genotype/chromosome.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/ld_prune.hpp"
#include "yupana/io/sample_lists.hpp"
#include "yupana/io/variant_lists.hpp"

namespace yupana::job {

/// The kinds of genotype inputs.
enum class InputKind { plink, text, pgen, bgen, vcf, zarr, npy, simulated, array };

/// A genotype input as users name it, with the filters of the run.
struct InputParams {
  /// .bed, .ped, .tped, .pgen, .bgen, .vcf, .vcf.gz, .bcf, .npy, a VCF-Zarr store, a PLINK prefix,
  /// or simulate:SAMPLESxSITES[,key=value...]
  std::string path;
  std::optional<InputKind> kind;  ///< --bfile, --bgen, ...; nothing: by the name
  bool names_file = false;        ///< --bed, --pgen: the path may have any ending
  std::string bim;                ///< for a .bed of another name; empty: same prefix
  std::string fam;
  std::string pvar;  ///< for a .pgen of another name
  std::string psam;
  std::string sample;                                  ///< for a .bgen of another name
  bool ref_last = false;                               ///< .bgen: REF is the last allele
  double hard_call_threshold = 0.1;                    ///< .bgen: --hard-call-threshold
  std::string chromosomes;                             ///< --chr: "1-4,22,X"; empty: autosomes
  bool all_chromosomes = false;                        ///< --all-chr
  std::int64_t autosomes = genotype::human_autosomes;  ///< --chr-set
  std::string region;                                  ///< PLINK, VCF, BCF: "chr1:1000-2000"
  std::optional<std::int64_t> from_bp, to_bp;          ///< of the one chromosome of --chr
  std::string half_call = "missing";                   ///< missing, haploid, reference or error
  std::string polyploid = "error";    ///< calls of more than two alleles: error or missing
  std::string multiallelic = "skip";  ///< VCF, .pgen: skip, split or collapse
  bool snps_only = false;             ///< --snps-only: leave out alleles of several characters
  bool just_acgt = false;             ///< --snps-only just-acgt: and of other letters
  bool filtered = false;              ///< --var-filter: leave out sites that failed a filter ...
  std::vector<std::string> ignored_filters;  ///< ... other than these
  std::optional<double> min_qual;            ///< --var-min-qual
  bool round = false;                        ///< .npy: round imputed means to the nearest genotype
  std::string keep_file;                     ///< --keep
  std::string remove_file;                   ///< --remove
  std::string keep_fam_file;                 ///< --keep-fam: families in its first column
  std::string remove_fam_file;               ///< --remove-fam
  io::VariantListParams extract;             ///< --extract
  io::VariantListParams exclude;             ///< --exclude
  genotype::CohortParams cohort;
  std::optional<double> king_cutoff;       ///< --king-cutoff: the largest kinship that stays
  bool king_largest = false;               ///< of the largest set without larger kinship
  genotype::LdPruneParams indep_pairwise;  ///< --indep-pairwise
  int pair_groups = 0;  ///< of the ranks (--pair-groups); 0: as the plan finds best
};

/// The kind of the input at params.path.
///   errors: bad_input for a name of no kind
InputKind input_kind(const InputParams& params);

/// An option that reads genotypes or filters them, and the inputs it has an effect on.
struct InputOption {
  const char* name;                    ///< as on the command line
  std::vector<InputKind> kinds;        ///< with an effect; empty: all
  bool (*is_set)(const InputParams&);  ///< true where it is not the default
};
/// Every option that has no effect on some kind of input.
const std::vector<InputOption>& input_options();
/// Why an option has no effect on this input: "on 'x.npy': it is for VCF and BCF".
std::string no_effect(const InputOption& option, const InputParams& params, InputKind kind);
/// Throws usage for the first option that is set without an effect, that contradicts another, or
/// that takes a second pass over what can be read once.
void refuse_idle_options(const InputParams& params, InputKind kind);
/// Throws usage where the input is a stream of VCF or BCF, which can be read once; `option` takes
/// two passes.
void refuse_second_pass(const InputParams& params, std::string_view option);

/// An opened input: the cohort, and what PLINK files say of its samples.
struct Input {
  genotype::Cohort cohort;
  io::SampleNames names;  ///< of the kept samples
  /// Files with sizes and times, and filters, in lines: what a checkpoint must match.
  std::string fingerprint;
  int pair_groups = 1;  ///< of the ranks: rank r counts the pairs of group r mod pair_groups
  /// The ranks that count the pairs of this one, each over other sites: all but for cut_pairs().
  std::shared_ptr<Comm> same_pairs = nullptr;
  /// What files say of every sample of the input, read again; none where they say its name alone.
  std::function<io::SampleTable()> sample_table = {};
  /// What the reader holds of the calls, where it holds them all.
  std::uint64_t held_bytes = 0;
  /// Is passed each block of sites once, by the first pass that counts pairs.
  std::function<void(const genotype::CallBlock&)> observe = {};
  /// What --king-cutoff held, and its passes over the input.
  std::uint64_t kinship_bytes = 0;
  std::int64_t kinship_passes = 0;
  std::uint64_t pruning_bytes = 0;  ///< what --indep-pairwise held
  /// Names of the sites that --indep-pairwise kept and dropped, one a line.
  std::string pruned_in = {}, pruned_out = {};
  std::string name = {};  ///< in messages
  int site_groups() const { return same_pairs == nullptr ? 1 : same_pairs->size(); }
};

/// With ranks, this one's part of the sites: every rank counts all pairs. Collective.
Input open_input(Context& context, const InputParams& params);

/// The same for a run that may need more memory than the kinships of --king-cutoff: where these do
/// not fit, `plan` is called with all samples, so that it names what the run needs.
template <class PlanRun>
Input open_input(Context& context, const InputParams& params, const PlanRun& plan) {
  try {
    return open_input(context, params);
  } catch (const Error& error) {
    if (!params.king_cutoff || error.code() != ErrorCode::out_of_resources) throw;
    InputParams all = params;
    all.king_cutoff.reset();
    plan(open_input(context, all));
    throw;
  }
}

/// --king-cutoff and --indep-pairwise, over a cohort whose other filters are set. open_input() has
/// done it. Collective, before the first read.
void leave_out_alike(Context& context, const InputParams& params, Input& input);

/// Ranks r, r + groups, ... count group r of the pairs, and cut the sites among themselves; so that
/// `groups` ranks that follow on each other, most often of one machine, read the same sites.
/// `groups` divides the ranks. Collective, before the first read.
void cut_pairs(Context& context, Input& input, int groups);

/// The accounts of every rank's part as that of the whole, with the notes and faults that only the
/// whole shows; of a process alone its own. Collective, after the last read.
genotype::CohortSummary whole_summary(Context& context,
                                      const Input& input,
                                      genotype::Missing missing);

/// The samples that a --keep or --remove file names; a note counts names that the input does not
/// have.
std::vector<std::string> listed_samples(Context& context,
                                        const char* option,
                                        const std::string& path,
                                        const io::SampleNames& names);

/// The samples that --keep-fam or --remove-fam leaves out: families are in the first column of the
/// file; those that no sample has are passed over, as in PLINK, with a note.
genotype::LeftOut left_out_families(Context& context,
                                    const char* option,
                                    const std::string& path,
                                    const io::SampleNames& names);

/// PLINK and GCTA cut lines at blanks. Throws bad_input where `file`, a list of theirs, would hold
/// a name with one.
void refuse_blanks(const io::SampleNames& names, const std::string& file);
/// Notes that `file`, a table between tabs, holds one.
void note_blanks(Context& context, const io::SampleNames& names, const std::string& file);

/// Throws for a packed file, or a prefix of packed PLINK files: it must be unpacked first; and for
/// a prefix of files that are named whole.
void refuse_near_name(const std::string& path);

}  // namespace yupana::job
