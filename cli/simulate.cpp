#include "yupana/genotype/simulate.hpp"

#include <algorithm>
#include <string>

#include "cli/command.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/job/simulate.hpp"

namespace yupana::cli {
namespace {

/// How the populations lie to each other, after their number.
const char* arranged(genotype::Structure structure) {
  if (structure == genotype::Structure::line) return " along a line";
  if (structure == genotype::Structure::ring) return " around a ring";
  return "";
}

/// Refuses the endings of genotypes that 'simulate' does not write.
void check_ending(const std::string& out) {
  for (const char* ending : {".npy", ".bcf", ".bgen", ".ped", ".tped", ".zarr"}) {
    if (!out.ends_with(ending)) continue;
    throw usage_error(
        "-o {}: simulate writes .bed, .pgen, .vcf or .vcf.gz (--format), no {}; leave the ending "
        "out{}",
        out,
        ending,
        ending == std::string_view(".npy")
            ? ", and make one of what is written by 'yupana filter NAME.bed -o NAME.npy'"
            : "");
  }
}

/// The prefix that `-o` gives, or the name of the file to write.
std::string prefix_of(const std::string& out, const std::string& format) {
  check_ending(out);
  for (const char* other : {"bed", "pgen", "vcf", "vcf.gz"}) {
    const std::string ending = std::string(".") + other;
    if (!out.ends_with(ending) || out.size() == ending.size()) continue;
    if (other == format) return out.substr(0, out.size() - ending.size());
    throw usage_error(
        "-o {}: this writes a .{}; take --format {}, or leave the ending out", out, format, other);
  }
  return out;
}

/// What no range of an option says.
void check_numbers(const genotype::SimulateParams& cohort) {
  if (cohort.fst >= 1) {
    throw usage_error("--fst: expected a number from 0 to below 1, got {}", cohort.fst);
  }
  if (cohort.family_size == 2) {
    throw usage_error(
        "--family-size: expected 1, or 3 and more for two parents and their children, got 2");
  }
}

Answer simulate(Context& context, const Call& call, job::SimulateJobParams& job) {
  check_numbers(job.cohort);
  job.out = prefix_of(call.out, job.format);
  const std::vector<std::string> files = job::run_simulate(context, job);
  Answer answer;
  // Populations beyond the samples have none.
  const auto populations = std::min<std::int64_t>(job.cohort.populations, job.cohort.samples);
  answer.text = fmt::format("simulated {} x {} in {}{}\n",
                            counted(job.cohort.samples, "sample"),
                            counted(job.cohort.sites, "site"),
                            counted(populations, "population"),
                            arranged(job.cohort.structure));
  answer.json = {{"command", "simulate"},
                 {"samples", job.cohort.samples},
                 {"sites", job.cohort.sites},
                 {"populations", populations},
                 {"stages", stages_json(context)}};
  answer.add_files(files);
  return answer;
}

}  // namespace

void add_simulate(Command& program) {
  auto params = std::make_shared<job::SimulateJobParams>();
  Command command = add_command(
      program,
      {.name = "simulate",
       .purpose = "A cohort with population structure (Balding-Nichols), as .bed, .pgen or VCF, "
                  "with its labels.",
       .example = "yupana simulate --samples 600 --sites 50k --populations 12 --structure line "
                  "--fst 0.3 -o cohort",
       .out = "PREFIX, the beginning of the files to write, as cohort",
       .processor_only = true,
       .ignored = {"--gpu-memory"}},
      [params](Context& context, const Call& call) { return simulate(context, call, *params); });
  genotype::SimulateParams& cohort = params->cohort;
  command.count("--samples", cohort.samples, "individuals").required();
  command.count("--sites", cohort.sites, "sites").required();
  command.number("--populations", cohort.populations, "populations of equal size", 1);
  command.choice("--structure",
                 cohort.structure,
                 {{"island", genotype::Structure::island},
                  {"line", genotype::Structure::line},
                  {"ring", genotype::Structure::ring}},
                 "island: all equally related; line, ring: isolation by distance along it");
  command.number("--fst", cohort.fst, "F_ST between those farthest apart, below 1", 0);
  command.number("--missing", cohort.missing, "share of missing calls", 0, 1);
  command.number(
      "--family-size",
      cohort.family_size,
      "3 and more: as many samples are two parents and their children, with a pedigree in "
      ".fam and .psam; 1: unrelated",
      1);
  command.seed(cohort.seed, "other seeds give other cohorts");
  command.choice(
      "--format", params->format, {"bed", "pgen", "vcf", "vcf.gz"}, "bed, pgen, vcf, vcf.gz");
}

}  // namespace yupana::cli
