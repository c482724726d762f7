#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/choices.hpp"
#include "cli/combinations.hpp"
#include "cli/command.hpp"
#include "cli/genotype_options.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/job/distance.hpp"

namespace yupana::cli {
namespace {

struct DistOptions {
  job::DistanceJobParams job;
  std::string metric{genotype::metric_name(genotype::MetricParams{}.metric)};
  std::vector<std::string> formats{"npy"};
  std::vector<std::string> distance;  ///< PLINK's modifiers
  bool plink = false;                 ///< --distance was given, with modifiers or none
  double below = std::numeric_limits<double>::quiet_NaN();
  double above = std::numeric_limits<double>::quiet_NaN();
  bool plan = false;
  const CLI::App* app = nullptr;  ///< the command line
};

const Choices<io::NpyType> type_names{{"float64", io::NpyType::float64},
                                      {"float32", io::NpyType::float32},
                                      {"int32", io::NpyType::int32},
                                      {"int64", io::NpyType::int64}};

/// PLINK's `--distance` words: contents are taken out, the rest is the layout.
void apply_plink(DistOptions& options, Context& context) {
  std::vector<std::string> layout;
  bool flat = false;
  auto& contents = options.job.outputs.plink_contents;
  for (const std::string& word : options.distance) {
    if (word == "flat-missing") {
      flat = true;
    } else if (word == "allele-ct") {
      contents.push_back(io::PlinkContent::allele_count);
    } else if (word == "ibs") {
      contents.push_back(io::PlinkContent::ibs);
    } else if (word == "1-ibs") {
      contents.push_back(io::PlinkContent::one_minus_ibs);
    } else {
      layout.push_back(word);
    }
  }
  if (contents.empty()) contents.push_back(io::PlinkContent::allele_count);
  options.job.outputs.plink = io::plink_layout(layout);
  options.job.outputs.npy = false;
  if (!flat && options.job.input.cohort.missing == genotype::Missing::pairwise) {
    context.note("missing calls are scaled by shared sites, as PLINK does with flat-missing");
  }
}

void apply_formats(DistOptions& options) {
  job::DistanceOutputs& outputs = options.job.outputs;
  outputs.npy = false;
  for (const std::string& format : options.formats) {
    if (format == "npy") outputs.npy = true;
    if (format == "tsv") outputs.tsv = true;
    if (format == "phylip") outputs.phylip = true;
  }
  if (options.below == options.below || options.above == options.above) {
    io::PairFilter filter;
    if (options.below == options.below) filter.below = options.below;
    if (options.above == options.above) filter.above = options.above;
    outputs.pairs = filter;
  }
}

/// A limit of --pairs-below or --pairs-above: a number, or infinity.
void check_limit(const char* name, double limit, bool is_given) {
  if (!is_given || limit == limit) return;
  throw Error(ErrorCode::usage, fmt::format("{}: expected a number, got nan", name));
}

/// Options that have no effect with the others of the command line.
void check_options(const DistOptions& options, const CommonOptions& common) {
  const CLI::App& app = *options.app;
  check_genotype_options(app, options.job.input);
  check_run_options(app, common);
  refuse_together(app,
                  {"--metric", "--format", "--dtype", "--pairs-below", "--pairs-above"},
                  "--distance",
                  "its words say what is written (ibs, 1-ibs, allele-ct)");
  const auto& formats = options.formats;
  if (given(app, "--dtype") && std::find(formats.begin(), formats.end(), "npy") == formats.end()) {
    throw Error(ErrorCode::usage,
                fmt::format("--dtype has no effect with --format {}: it is for npy; leave it out",
                            fmt::join(formats, ",")));
  }
  check_limit("--pairs-below", options.below, given(app, "--pairs-below"));
  check_limit("--pairs-above", options.above, given(app, "--pairs-above"));
  if (options.below <= options.above) {
    throw Error(ErrorCode::usage,
                fmt::format("--pairs-below {:g} and --pairs-above {:g} list no pair: a pair is "
                            "listed where above < value < below; raise --pairs-below",
                            options.below,
                            options.above));
  }
}

Answer plan_answer(const job::Plan& plan) {
  return {job::describe(plan), job::plan_json(plan), true};
}

Answer dist(Context& context, const CommonOptions& common, DistOptions options) {
  if (options.job.input.path.empty()) {
    throw Error(ErrorCode::usage, "dist: an input file is wanted; see 'yupana dist --help'");
  }
  check_options(options, common);
  options.job.metric.metric = genotype::metric_from_name(options.metric);
  apply_formats(options);
  if (options.plink) apply_plink(options, context);
  options.job.input.comm = common.comm;
  options.job.out = common.out;
  if (options.plan) return plan_answer(job::plan_distances(context, options.job));
  if (common.out.empty()) {
    throw Error(ErrorCode::usage,
                "dist: -o PREFIX is wanted: the files are PREFIX.dist.npy, PREFIX.ids");
  }
  const job::DistanceJobResult result = job::run_distances(context, options.job);
  Answer answer;
  answer.text = account_text(result.cohort);
  for (const std::string& file : result.files) answer.text += "wrote    " + file + "\n";
  answer.json = {{"command", "dist"},
                 {"metric", options.metric},
                 {"samples", result.samples},
                 {"sites", result.sites},
                 {"account", account_json(result.cohort)},
                 {"pairs_without_sites", result.pairs_without_sites},
                 {"passes", result.passes},
                 {"stages", stages_json(context)},
                 {"peak_memory", peak_memory()},
                 {"files", result.files}};
  return answer;
}

std::string joined_names() {
  std::string names;
  for (const std::string_view name : genotype::metric_names())
    names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

}  // namespace

void add_dist(CLI::App& program) {
  auto options = std::make_shared<DistOptions>();
  CLI::App& app = add_command(
      program,
      "dist",
      "Distances between all pairs of individuals, exact, from genotypes.",
      "yupana dist cohort.vcf.gz -o out/run --metric manhattan --missing pairwise",
      [options](Context& context, const CommonOptions& common) {
        return dist(context, common, *options);
      },
      Runs::anywhere,
      Ranks::many);
  options->app = &app;
  add_genotype_options(app, options->job.input);
  add_rank_options(app, options->job.input);
  add_checkpoint_options(app, options->job.checkpoint);
  app.add_option("--metric", options->metric, joined_names())->capture_default_str();
  app.add_option("--format", options->formats, "npy, tsv, phylip")
      ->delimiter(',')
      ->check(one_of({"npy", "tsv", "phylip"}))
      ->default_str("npy");
  add_choice(app, "--dtype", options->job.outputs.type, type_names, "of the .npy");
  app.add_flag(
      "--shared", options->job.outputs.shared, "also write shared-site counts: PREFIX.shared.npy");
  app.add_option(
      "--pairs-below", options->below, "list pairs with a smaller value: PREFIX.pairs.tsv");
  app.add_option(
      "--pairs-above", options->above, "list pairs with a larger value: PREFIX.pairs.tsv");
  app.add_option_function<std::vector<std::string>>(
         "--distance",
         [options](const std::vector<std::string>& words) {
           options->plink = true;
           options->distance = words;
           std::erase(options->distance, "");  // the parser's word for none
         },
         "PLINK's files and words: square, square0, triangle; bin, bin4, gz; ibs, 1-ibs, "
         "allele-ct; flat-missing")
      ->expected(0, 10);
  app.add_flag("--plan", options->plan, "print memory, passes, output and free disk; do nothing");
}

}  // namespace yupana::cli
