#include "cli/genotype_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/choices.hpp"
#include "cli/combinations.hpp"

namespace yupana::cli {
namespace {

const Choices<genotype::Missing> missing_names{{"pairwise", genotype::Missing::pairwise},
                                               {"mode", genotype::Missing::mode},
                                               {"error", genotype::Missing::error}};

/// PLINK's names of species, with their autosomes.
struct Species {
  const char* option;
  std::int64_t autosomes;
};
constexpr Species species[] = {
    {"--cow", 29}, {"--dog", 38}, {"--horse", 31}, {"--mouse", 19}, {"--sheep", 26}};

/// An option that takes the path of an input of one kind.
void add_path(CLI::App& app,
              job::InputParams& input,
              const char* name,
              job::InputKind kind,
              const char* help) {
  app.add_option_function<std::string>(
         name,
         [&input, kind](const std::string& path) {
           input.path = path;
           input.kind = kind;
         },
         help)
      ->group("Input");
}

void add_inputs(CLI::App& app, job::InputParams& input) {
  app.add_option("input",
                 input.path,
                 ".bed, .vcf, .vcf.gz, .bcf, .npy, a PLINK prefix, or simulate:SAMPLESxSITES")
      ->group("Input");
  add_path(app, input, "--bfile", job::InputKind::plink, "PLINK prefix of .bed, .bim, .fam");
  add_path(app, input, "--bed", job::InputKind::plink, "a .bed file");
  app.add_option("--bim", input.bim, "its .bim, where the name differs")->group("Input");
  app.add_option("--fam", input.fam, "its .fam, where the name differs")->group("Input");
  add_path(app, input, "--vcf", job::InputKind::vcf, "a VCF or BCF file");
  app.add_option("--region",
                 input.region,
                 "sites of one contig and interval, chr1:1000-2000, of PLINK files, VCF or BCF; an "
                 "index (.tbi, .csi) spares reading the rest")
      ->group("Input");
  app.add_option(
         "--half-call", input.half_call, "calls such as ./1: missing, haploid, reference, error")
      ->capture_default_str()
      ->group("Input");
  app.add_option("--polyploid", input.polyploid, "calls of more than two alleles: error, missing")
      ->capture_default_str()
      ->check(one_of({"error", "missing"}))
      ->group("Input");
  app.add_option("--multiallelic",
                 input.multiallelic,
                 "VCF sites of several ALT alleles: skip; split into a site for each; collapse, "
                 "which counts every ALT alike, as PLINK 2's --make-king does")
      ->capture_default_str()
      ->check(one_of({"skip", "split", "collapse"}))
      ->group("Input");
  app.add_flag("--round", input.round, ".npy: round other values to the nearest genotype")
      ->group("Input");
}

/// PLINK's filters of variants by what files say of them.
void add_variant_filters(CLI::App& app, job::InputParams& input) {
  app.add_option_function<std::vector<std::string>>(
         "--snps-only",
         [&input](const std::vector<std::string>& words) {
           input.snps_only = true;
           input.just_acgt = std::find(words.begin(), words.end(), "just-acgt") != words.end();
         },
         "leave out variants with an allele of several characters (default: all biallelic variants "
         "are kept, insertions and deletions too); with just-acgt also other letters")
      ->expected(0, 1)
      ->check(one_of({"just-acgt"}))
      ->group("Filters");
  app.add_option_function<std::vector<std::string>>(
         "--var-filter",
         [&input](const std::vector<std::string>& words) {
           input.filtered = true;
           input.ignored_filters = words;
           std::erase(input.ignored_filters, "");  // the parser's word for none
         },
         "leave out VCF sites whose FILTER is neither PASS nor '.'; the filters named after it are "
         "ignored")
      ->expected(0, 1000)
      ->group("Filters");
  app.add_option_function<double>(
         "--var-min-qual",
         [&input](const double& qual) {
           if (!(qual == qual))
             throw CLI::ValidationError("--var-min-qual: expected a number, got nan");
           input.min_qual = qual;
         },
         "leave out VCF sites with a lower QUAL or none")
      ->type_name("FLOAT")
      ->group("Filters");
}

/// Chromosomes and the species they are counted for.
void add_chromosomes(CLI::App& app, job::InputParams& input) {
  app.add_option(
         "--chr", input.chromosomes, "chromosomes to read: 1-4,22,X; default: all but X, Y and MT")
      ->group("Filters");
  app.add_flag("--all-chr", input.all_chromosomes, "read every chromosome")->group("Filters");
  app.add_option("--chr-set,--autosome-num",
                 input.autosomes,
                 "autosomes of the species; X, Y, XY and MT are the numbers after them")
      ->capture_default_str()
      ->check(CLI::Range(1, 9995))
      ->group("Filters");
  for (const Species& animal : species) {
    app.add_flag_callback(
           animal.option,
           [&input, animal] { input.autosomes = animal.autosomes; },
           fmt::format("--chr-set {}", animal.autosomes))
        ->group("Filters");
  }
}

void add_filters(CLI::App& app, job::InputParams& input) {
  const CLI::Validator share = number_in(0, 1);
  genotype::CohortParams& cohort = input.cohort;
  app.add_option("--keep",
                 input.keep_file,
                 "file of samples to keep, one a line: IID, or FID and IID; others are noted")
      ->group("Filters");
  app.add_option("--remove", input.remove_file, "file of samples to leave out")->group("Filters");
  add_chromosomes(app, input);
  add_variant_filters(app, input);
  app.add_option("--maf",
                 cohort.min_maf,
                 "leave out sites with a lower minor-allele frequency, over founders: samples "
                 "without parents in the .fam")
      ->check(number_in(0, 0.5))
      ->group("Filters");
  app.add_flag("--nonfounders", cohort.nonfounders, "--maf counts every sample")->group("Filters");
  app.add_option("--geno", cohort.max_site_missing, "leave out sites with more missing calls")
      ->check(share)
      ->group("Filters");
  app.add_option("--mind", cohort.max_sample_missing, "leave out samples with more missing calls")
      ->check(share)
      ->group("Filters");
  app.add_option("--thin", cohort.thin, "keep each site with this probability")
      ->check(share)
      ->group("Filters");
  add_seed(app, cohort.seed, "of --thin")->group("Filters");
  add_choice(app, "--missing", cohort.missing, missing_names, "missing calls")->group("Filters");
}

}  // namespace

void add_genotype_options(CLI::App& app, job::InputParams& input) {
  add_inputs(app, input);
  add_filters(app, input);
}

void check_genotype_options(const CLI::App& app, const job::InputParams& input) {
  allow_one(app, {"input", "--bfile", "--bed", "--vcf"});
  allow_one(app, {"--chr-set", "--cow", "--dog", "--horse", "--mouse", "--sheep"});
  allow_one(app, {"--all-chr", "--chr"});
  refuse_together(app, {"--all-chr"}, "--region", "a region names its chromosome");
  require_partner(app, "--nonfounders", {"--maf"});
  require_partner(app, "--seed", {"--thin"});
  const job::InputKind kind = job::input_kind(input);
  for (job::InputOption option : job::input_options()) {
    const auto& kinds = option.kinds;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    if (given(app, option.name)) throw job::no_effect(option, input, kind);
    if (option.name != std::string_view("--chr-set")) continue;
    for (const Species& animal : species) {
      option.name = animal.option;
      if (given(app, animal.option)) throw job::no_effect(option, input, kind);
    }
  }
}

void check_run_options(const CLI::App& app, const CommonOptions& common) {
  require_partner(app, "--checkpoint-interval", {"--checkpoint"});
  if (given(app, "--pair-groups") && common.comm == nullptr) {
    throw Error(ErrorCode::usage,
                "--pair-groups has no effect without mpirun: one process counts every pair; leave "
                "it out");
  }
}

void refuse_genotype_options(const CLI::App& app, const std::string& other) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string group = option->get_group();
    if (option->count() == 0) continue;
    if (group != "Input" && group != "Filters" && group != "Long runs") continue;
    throw Error(ErrorCode::usage,
                fmt::format("{} has no effect together with {}: it is for genotypes; leave one of "
                            "them out",
                            option->get_name(),
                            other));
  }
}

void add_rank_options(CLI::App& app, job::InputParams& input) {
  app.add_option("--pair-groups",
                 input.pair_groups,
                 "under mpirun: groups of ranks, each with pairs of its own, whose ranks share the "
                 "sites; a divisor of the ranks; default: what memory and reading allow")
      ->check(CLI::PositiveNumber)
      ->group("Long runs");
}

void add_checkpoint_options(CLI::App& app, job::CheckpointParams& checkpoint) {
  app.add_option("--checkpoint", checkpoint.folder, "folder to save counts in; a rerun goes on")
      ->group("Long runs");
  app.add_option("--checkpoint-interval", checkpoint.interval, "seconds between two saves")
      ->capture_default_str()
      ->check(number_in(0, 1e9))
      ->group("Long runs");
}

std::string account_text(const genotype::CohortSummary& summary) {
  std::string text =
      fmt::format("samples  {} of {} kept", summary.samples_kept, summary.samples_read);
  for (const auto& [reason, count] : summary.samples_dropped) {
    text += fmt::format("; {} {}", count, reason);
  }
  text += fmt::format("\nsites    {} of {} kept", summary.sites.kept, summary.sites.read);
  for (const auto& [reason, count] : summary.sites.skipped)
    text += fmt::format("; {} {}", count, reason);
  return text + fmt::format("\nmissing  {:.4g} % of the calls\n", 100 * summary.missing_rate());
}

nlohmann::ordered_json account_json(const genotype::CohortSummary& summary) {
  return {{"samples_read", summary.samples_read},
          {"samples_kept", summary.samples_kept},
          {"samples_dropped", summary.samples_dropped},
          {"sites_read", summary.sites.read},
          {"sites_kept", summary.sites.kept},
          {"sites_skipped", summary.sites.skipped},
          {"missing_rate", summary.missing_rate()}};
}

}  // namespace yupana::cli
