#include "cli/genotype_options.hpp"

#include <fmt/format.h>

#include <map>

#include "cli/command.hpp"

namespace yupana::cli {
namespace {

const std::map<std::string, genotype::Missing> missing_names{
    {"pairwise", genotype::Missing::pairwise},
    {"mode", genotype::Missing::mode},
    {"error", genotype::Missing::error}};

void add_inputs(CLI::App& app, job::InputParams& input) {
  app.add_option("input",
                 input.path,
                 ".bed, .vcf, .vcf.gz, .bcf, .npy, a PLINK prefix, or simulate:SAMPLESxSITES")
      ->group("Input");
  app.add_option("--bfile", input.path, "PLINK prefix of .bed, .bim, .fam")->group("Input");
  app.add_option("--bed", input.path, "a .bed file")->group("Input");
  app.add_option("--bim", input.bim, "its .bim, where the name differs")->group("Input");
  app.add_option("--fam", input.fam, "its .fam, where the name differs")->group("Input");
  app.add_option("--vcf", input.path, "a VCF or BCF file")->group("Input");
  app.add_option("--region", input.region, "part of an indexed VCF or BCF: chr1:1000-2000")
      ->group("Input");
  app.add_option(
         "--half-call", input.half_call, "calls such as ./1: missing, haploid, reference, error")
      ->capture_default_str()
      ->group("Input");
  app.add_option("--polyploid", input.polyploid, "calls of more than two alleles: error, missing")
      ->capture_default_str()
      ->group("Input");
  app.add_flag("--round", input.round, ".npy: round other values to the nearest genotype")
      ->group("Input");
}

void add_filters(CLI::App& app, job::InputParams& input) {
  const CLI::Range share(0.0, 1.0);
  genotype::CohortParams& cohort = input.cohort;
  app.add_option("--keep", input.keep_file, "file of sample identifiers to keep")->group("Filters");
  app.add_option("--remove", input.remove_file, "file of sample identifiers to leave out")
      ->group("Filters");
  app.add_option("--chr", input.chromosomes, "chromosomes to read: 1-4,22,X; default: autosomes")
      ->group("Filters");
  app.add_flag("--all-chr", input.all_chromosomes, "read every chromosome")->group("Filters");
  app.add_option("--maf", cohort.min_maf, "leave out sites with a lower minor-allele frequency")
      ->check(CLI::Range(0.0, 0.5))
      ->group("Filters");
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
  app.add_option("--missing", cohort.missing, "missing calls: pairwise, mode or error")
      ->transform(CLI::CheckedTransformer(missing_names).description(""))
      ->default_str("pairwise")
      ->group("Filters");
}

}  // namespace

void add_genotype_options(CLI::App& app, job::InputParams& input) {
  add_inputs(app, input);
  add_filters(app, input);
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
      ->check(CLI::NonNegativeNumber)
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
