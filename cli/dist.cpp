#include <algorithm>
#include <limits>
#include <optional>

#include "cli/command.hpp"
#include "cli/genotype_options.hpp"
#include "cli/out_folder.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/job/distances.hpp"

namespace yupana::cli {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct DistOptions {
  job::DistanceJobParams job;
  std::string metric{genotype::metric_name(genotype::MetricParams{}.metric)};
  std::vector<std::string> formats{"npy"};
  std::vector<std::string> distance;  ///< PLINK's modifiers
  bool plink = false;                 ///< --distance was given, with modifiers or none
  std::optional<double> below, above;
  bool kinships = false;        ///< --make-king-table
  std::optional<double> least;  ///< --king-table-filter
  bool no_matrix = false;
  bool plan = false;
};

std::optional<io::PlinkContent> content_of(const std::string& word) {
  if (word == "allele-ct") return io::PlinkContent::allele_count;
  if (word == "ibs") return io::PlinkContent::ibs;
  if (word == "1-ibs") return io::PlinkContent::one_minus_ibs;
  return {};
}

/// Those of PLINK's `--distance` words that are neither contents nor flat-missing; throws usage
/// where they are no layout, or a content is named twice.
std::vector<std::string> layout_words(std::vector<std::string> words) {
  for (const std::string& word : words) {
    if (!content_of(word) || std::count(words.begin(), words.end(), word) == 1) continue;
    throw usage_error(
        "--distance: expected ibs, 1-ibs and allele-ct once each, got '{}' again; "
        "leave it out",
        word);
  }
  std::erase_if(words, [](const std::string& word) {
    return word == "flat-missing" || content_of(word).has_value();
  });
  io::plink_layout(words);
  return words;
}

void apply_plink(DistOptions& options) {
  auto& contents = options.job.outputs.plink_contents;
  bool flat = false;
  for (const std::string& word : options.distance) {
    flat |= word == "flat-missing";
    if (const auto content = content_of(word)) contents.push_back(*content);
  }
  if (contents.empty()) contents.push_back(io::PlinkContent::allele_count);
  options.job.outputs.plink = io::plink_layout(layout_words(options.distance));
  options.job.outputs.npy = false;
  options.job.outputs.flat_missing = flat;
}

void apply_formats(DistOptions& options) {
  job::DistanceOutputs& outputs = options.job.outputs;
  outputs.npy = false;
  for (const std::string& format : options.formats) {
    if (format == "npy") outputs.npy = true;
    if (format == "tsv") outputs.tsv = true;
    if (format == "phylip") outputs.phylip = true;
  }
  if (options.below || options.above) {
    outputs.pairs = io::PairFilter{.below = options.below, .above = options.above};
  }
  if (options.no_matrix) outputs.npy = false;
}

/// Options that have no effect with the values of others.
void check_options(const Call& call, const DistOptions& options) {
  check_genotype_options(call, options.job.input);
  const auto& formats = options.formats;
  if (std::find(formats.begin(), formats.end(), "npy") == formats.end()) {
    call.command.refuse({"--dtype"},
                        fmt::format("with --format {}: it is for npy", joined(formats, ",")));
  }
  const bool integers = options.job.outputs.type == io::NpyType::int32 ||
                        options.job.outputs.type == io::NpyType::int64;
  constexpr std::string_view fractions[] = {"1-ibs", "euclidean", "ibs", "king", "normalized"};
  if (integers && std::ranges::find(fractions, options.metric) != std::end(fractions)) {
    throw usage_error(
        "--dtype: expected float64 or float32 with --metric {}, whose values are fractions, "
        "got an integer type",
        options.metric);
  }
  const bool similarity = options.metric == "ibs" || options.metric == "king";
  if (similarity && options.job.outputs.tree) {
    throw usage_error("--tree: expected a metric that is a distance, got --metric {}; take 1-ibs",
                      options.metric);
  }
  if (options.below && options.above && *options.below <= *options.above) {
    throw usage_error(
        "--pairs-below {:g} and --pairs-above {:g} list no pair: a pair is listed where above < "
        "value < below; raise --pairs-below",
        *options.below,
        *options.above);
  }
}

/// The name of what was written, or a list of several: PLINK's words choose others than --metric.
nlohmann::json metrics_of(const job::DistanceJobParams& job) {
  std::vector<std::string_view> names;
  for (const io::PlinkContent content : job.outputs.plink_contents) {
    names.push_back(genotype::metric_name(job::plink_metric(content)));
  }
  if (names.size() > 1) return names;
  return names.empty() ? genotype::metric_name(job.metric.metric) : names[0];
}

Answer dist(Context& context, const Call& call, DistOptions options) {
  check_options(call, options);
  options.job.outputs.bootstrap.seed = options.job.input.cohort.seed;
  options.job.metric.metric = genotype::metric_from_name(options.metric);
  apply_formats(options);
  if (options.plink) apply_plink(options);
  if (options.kinships) {
    options.job.metric.metric = genotype::Metric::king;
    options.job.outputs.kinships = options.least.value_or(-infinity);
    options.job.outputs.npy = false;
  }
  if (options.plan) {
    options.job.out = call.out;
    return plan_answer(call.command.name(), job::plan_distances(context, options.job));
  }
  options.job.out = required_out(call, prefix_out);
  const CheckpointFolder checkpoint(options.job.checkpoint, context.comm());
  const job::DistanceJobResult result =
      checkpoint.run([&] { return job::run_distances(context, options.job); });
  auto support = nlohmann::ordered_json::object();
  std::string supported =
      add_support(support, options.job.outputs.bootstrap, result.bootstrap_blocks);
  if (options.job.outputs.pairs) supported += fmt::format("pairs    {} listed\n", result.pairs);
  Answer answer = cohort_answer(context, call, result.cohort, result.files, supported);
  answer.json.update(support);
  answer.json["metric"] = metrics_of(options.job);
  answer.json["pairs_without_sites"] = result.pairs_without_sites;
  answer.json["passes"] = result.passes;
  if (options.job.outputs.pairs) answer.json["pairs"] = result.pairs;
  if (options.kinships) {
    answer.text += add_relationships(answer.json, result.relationships, result.names);
  }
  return answer;
}

/// Pairs of Dup/MZ by name, the first ten for people.
std::string add_duplicates(nlohmann::ordered_json& json,
                           const genotype::RelationshipCounts& counts,
                           const std::vector<std::string>& names) {
  json["duplicates"] = nlohmann::ordered_json::array();
  std::vector<std::string> parts;
  for (const auto& [i, j] : counts.duplicates) {
    const std::string& one = names[static_cast<std::size_t>(j)];
    const std::string& other = names[static_cast<std::size_t>(i)];
    json["duplicates"].push_back({one, other});
    if (parts.size() < 10) parts.push_back(one + " = " + other);
  }
  if (parts.empty()) return {};
  const std::size_t more = counts.duplicates.size() - parts.size();
  return fmt::format(
      "twins    {}{}\n", joined(parts, ", "), more > 0 ? fmt::format(", and {} more", more) : "");
}

}  // namespace

void add_dist(Command& program) {
  auto options = std::make_shared<DistOptions>();
  Command command = add_command(
      program,
      {.name = "dist",
       .purpose = "Distances between all pairs of individuals, exact, from genotypes.",
       .example = "yupana dist cohort.vcf.gz -o out/run --metric manhattan --missing pairwise",
       .needed_out = prefix_out,
       .ranks = true,
       .endings = {".dist.npy",
                   ".shared.npy",
                   ".dist.tsv",
                   ".dist.phy",
                   ".pairs.tsv",
                   ".pairs.parquet",
                   ".kin0",
                   ".kin0.parquet",
                   ".nwk",
                   ".ids",
                   ".dist",
                   ".mibs",
                   ".mdist",
                   ".npy",
                   ".tsv"}},
      [options](Context& context, const Call& call) { return dist(context, call, *options); });
  job::DistanceOutputs& outputs = options->job.outputs;
  add_genotype_options(command, options->job.input, options->job.checkpoint, "", {"--bootstrap"});
  const auto metrics = genotype::metric_names();
  command.choice(
      "--metric", options->metric, Names(metrics.begin(), metrics.end()), joined(metrics, ", "));
  command
      .words(
          "--format",
          [options](const Names& words) {
            options->formats = cut_at_commas(words);
            for (const std::string& word : options->formats) {
              if (word == "npy" || word == "tsv" || word == "phylip") continue;
              throw usage_error("--format: expected npy, tsv or phylip, got '{}'", word);
            }
          },
          "npy, tsv, phylip")
      .shows("npy");
  command.choice("--dtype",
                 outputs.type,
                 {{"float64", io::NpyType::float64},
                  {"float32", io::NpyType::float32},
                  {"int32", io::NpyType::int32},
                  {"int64", io::NpyType::int64}},
                 "of the .npy");
  command.flag("--shared", outputs.shared, "also write shared-site counts: PREFIX.shared.npy");
  command.number("--pairs-below",
                 options->below,
                 "list pairs with a smaller value: PREFIX.pairs.tsv; memory bounds only what is "
                 "counted at a time",
                 -infinity,
                 infinity);
  command.number("--pairs-above",
                 options->above,
                 "list pairs with a larger value: PREFIX.pairs.tsv",
                 -infinity,
                 infinity);
  command.choice(
      "--pairs-format",
      outputs.pair_format,
      {{"tsv", io::PairFormat::tsv}, {"parquet", io::PairFormat::parquet}},
      "of the list (PREFIX.pairs.tsv or .pairs.parquet) and of --make-king-table (PREFIX.kin0 "
      "or .kin0.parquet)");
  command.flag("--no-matrix",
               options->no_matrix,
               "write no matrix: the list of pairs, the shared-site counts or the tree alone");
  command
      .words(
          "--distance",
          [options](const Names& words) {
            options->plink = true;
            options->distance = words;
            layout_words(words);
          },
          "PLINK's files and words: square, square0, triangle; bin, bin4, gz; ibs, 1-ibs, "
          "allele-ct; missing calls are corrected by the expected differences at their sites, with "
          "flat-missing by their number")
      .takes(0, 10);
  command.choice("--tree", outputs.tree, tree_methods(), "also write a tree: PREFIX.nwk; by");
  add_bootstrap(command, outputs.bootstrap);
  command.needs({"--bootstrap"}, {"--tree"});
  command.needs({"--pairs-format"}, {"--pairs-below", "--pairs-above", "--make-king-table"});
  command.needs({"--no-matrix"}, {"--pairs-below", "--pairs-above", "--shared", "--tree"});
  command.excludes({"--format", "--dtype"}, "--no-matrix");
  command.flag("--make-king-table",
               options->kinships,
               "write PLINK 2's table of KING-robust kinships, PREFIX.kin0, and no matrix: sites, "
               "het-het, IBS0, kinship and relationship of each pair; memory bounds only what is "
               "counted at a time");
  command.number("--king-table-filter",
                 options->least,
                 "list only pairs of at least this kinship: 0.0442 for third-degree relatives and "
                 "closer",
                 -infinity,
                 infinity);
  command.flag("--king-table-ibd",
               outputs.ibd,
               "the table has four columns more, PLINK 1.9's Z0, Z1, Z2 and PI_HAT of --genome: "
               "shares of the genome with no, one and two alleles by descent");
  command.needs({"--king-table-filter", "--king-table-ibd"}, {"--make-king-table"});
  // What PLINK's words and tables have no choice of.
  const Names own_files = {
      "--metric", "--format", "--dtype", "--pairs-below", "--pairs-above", "--no-matrix"};
  const std::string alone = "it writes its table alone";
  command.excludes(own_files, "--make-king-table", alone);
  command.excludes({"--shared", "--tree", "--distance"}, "--make-king-table", alone);
  add_plan_flag(command, options->plan);
  const std::string words = "its words say what is written (ibs, 1-ibs, allele-ct)";
  command.excludes(own_files, "--distance", words);
  command.excludes({"--tree"}, "--distance", words);
}

std::string add_relationships(nlohmann::ordered_json& json,
                              const genotype::RelationshipCounts& counts,
                              const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  json["relationships"] = nlohmann::ordered_json::object();
  for (std::size_t r = 0; r < counts.pairs.size(); ++r) {
    const std::string_view name = genotype::relationship_names[r];
    json["relationships"][std::string(name)] = counts.pairs[r];
    if (counts.pairs[r] > 0) parts.push_back(fmt::format("{} {}", name, counts.pairs[r]));
  }
  const std::string text = parts.empty() ? "none listed" : joined(parts, ", ");
  return fmt::format("pairs    {}\n", text) + add_duplicates(json, counts, names);
}

}  // namespace yupana::cli
