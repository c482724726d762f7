#include "yupana/job/distances.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "yupana/core/comm.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/pair_table.hpp"
#include "yupana/job/input.hpp"
#include "yupana/job/phylogeny.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

using genotype::Metric;
using genotype::MetricParams;
using genotype::PairCounts;

/// Only .npy matrices and tables of pairs can be written band by band, the latter by one process.
bool needs_all_counts(const Context& context, const DistanceOutputs& outputs) {
  const bool ranks = context.comm() != nullptr;
  return outputs.plink || outputs.tsv || outputs.phylip || outputs.tree ||
         ((outputs.pairs || outputs.kinships) && ranks);
}

int bytes_of(io::NpyType type) {
  return type == io::NpyType::float64 || type == io::NpyType::int64 ? 8 : 4;
}

/// Bytes of a number of a PLINK matrix, by PlinkEncoding: a digit and a tab of text, nothing known
/// of gzip.
constexpr double plink_cell[] = {2, 0, 8, 4};

/// Bytes of the matrices that a run writes: text as the least it can take.
std::uint64_t output_bytes(const DistanceOutputs& outputs, std::int64_t samples) {
  double cell = 0;
  if (outputs.npy) cell += bytes_of(outputs.type);
  if (outputs.shared) cell += 8;
  if (outputs.tsv) cell += 2;
  if (outputs.phylip) cell += 2;
  if (outputs.plink) {
    const double part = outputs.plink->shape == io::PlinkShape::triangle ? 0.5 : 1;
    const auto files = static_cast<double>(outputs.plink_contents.size());
    cell += files * part * plink_cell[static_cast<std::size_t>(outputs.plink->encoding)];
  }
  const auto n = static_cast<double>(samples);
  return static_cast<std::uint64_t>(n * n * cell);
}

/// Bytes of the table of all kinships, at the least: two names of samples and
/// "1 0 0 nan NA" a line.
std::uint64_t table_bytes(const Input& input) {
  constexpr double fields = 6 + 9;
  double names = 0;
  for (const std::string& row : io::id_rows(input.names)) names += static_cast<double>(row.size());
  const auto n = static_cast<double>(input.cohort.samples().size());
  return static_cast<std::uint64_t>((n - 1) * (names + n / 2 * fields));
}

/// Whether the files can take more than output_bytes.
bool output_may_grow(const DistanceOutputs& outputs) {
  const bool binary = !outputs.plink || outputs.plink->encoding == io::PlinkEncoding::float64 ||
                      outputs.plink->encoding == io::PlinkEncoding::float32;
  return outputs.tsv || outputs.phylip || outputs.pairs || outputs.kinships || !binary;
}

/// What a replicate's distances and tree take, as the tree of the counts does.
std::uint64_t bytes_of_tree(const DistanceOutputs& outputs, std::int64_t samples) {
  const auto n = static_cast<std::uint64_t>(samples);
  return n * n * 8 + tree_bytes(samples, *outputs.tree);
}

/// Whether incomplete pairs of PLINK's matrices are scaled by the weights of their sites.
bool weighs_missing(const DistanceJobParams& params) {
  return params.outputs.plink && !params.outputs.flat_missing &&
         params.input.cohort.missing == genotype::Missing::pairwise;
}

Plan plan_of(Context& context, const Input& input, const DistanceJobParams& params) {
  PlanParams sizes = plan_sizes(context, input, params.input);
  if (weighs_missing(params)) {
    // Each rank has weights of its sites alone, and needs them for every pair.
    if (sizes.pair_groups > 1) {
      throw usage_error(
          "--pair-groups {}: the correction of --distance for missing calls takes 1; leave it out, "
          "or add flat-missing",
          sizes.pair_groups);
    }
    sizes.pair_groups = 1;
    sizes.later_bytes = genotype::MissingWeights::bytes(sizes.samples);
  }
  sizes.hethet = params.metric.metric == Metric::king;
  sizes.one_band = needs_all_counts(context, params.outputs);
  if (params.outputs.npy) sizes.cell_bytes = bytes_of(params.outputs.type);
  if (params.outputs.shared) sizes.cell_bytes = 8;
  constexpr std::uint64_t waiting_lines = 1 << 20;
  if (params.outputs.pairs || params.outputs.kinships) sizes.later_bytes += waiting_lines;
  const bool parquet = params.outputs.pair_format == io::PairFormat::parquet;
  if (params.outputs.pairs && parquet) {
    sizes.later_bytes += io::PairTable::parquet_bytes(input.cohort.samples());
  }
  if (params.outputs.kinships && parquet) {
    sizes.later_bytes += io::KinshipTable::parquet_bytes(io::id_rows(input.names));
  }
  if (params.outputs.tree) {
    const std::uint64_t tree = sizes.unblocked_bytes = bytes_of_tree(params.outputs, sizes.samples);
    add_bootstrap(context, sizes, params.outputs.bootstrap, tree, tree);
  }
  Plan plan = make_plan(context, sizes);
  const bool table = params.outputs.kinships && std::isinf(*params.outputs.kinships) && !parquet;
  add_disk(
      plan, params.out, table ? table_bytes(input) : output_bytes(params.outputs, sizes.samples));
  plan.output_may_grow = output_may_grow(params.outputs);
  return plan;
}

/// Columns [0, i] of row i, from the rows a band holds.
io::RowProducer lower_rows(const PairCounts& counts, const MetricParams& metric) {
  return [&counts, metric](std::int64_t i, double* row) {
    genotype::metric_lower_row(counts, metric, i, row);
  };
}

io::RowProducer shared_lower_rows(const PairCounts& counts) {
  return [&counts](std::int64_t i, double* row) {
    for (std::int64_t j = 0; j <= i; ++j) row[j] = static_cast<double>(counts.shared_at(i, j));
  };
}

void check_metric(const Input& input, const DistanceJobParams& params, const PairCounts& counts) {
  with_input_name(input.name, "normalized: ", [&] {
    genotype::check_metric(counts, params.metric, input.cohort.samples());
  });
}

analysis::Phylogeny tree_of_counts(Context& context,
                                   const DistanceJobParams& params,
                                   const Input& input,
                                   const PairCounts& counts) {
  const std::vector<std::string>& names = input.cohort.samples();
  refuse_unshared(input.name,
                  genotype::pairs_without_shared_site(context, counts),
                  names,
                  {0, counts.samples},
                  [&](std::int64_t i, std::int64_t j) { return counts.shared_at(i, j) > 0; });
  check_metric(input, params, counts);
  return tree_of(
      context, genotype::distances(context, counts, params.metric), *params.outputs.tree);
}

/// Draws the replicates of the tree, if any, and writes it. The account of the input is over: it is
/// read anew. Returns the number of blocks that replicates were drawn from.
std::int64_t write_tree(Context& context,
                        Input& input,
                        const DistanceJobParams& params,
                        const analysis::Phylogeny& tree,
                        AtomicFile& file) {
  const std::vector<std::string>& names = input.cohort.samples();
  std::vector<double> support;
  std::int64_t blocks = 0;
  if (params.outputs.bootstrap.replicates > 0) {
    analysis::SplitCounts splits(tree);
    const auto take = [&](std::int64_t, const PairCounts& counts) {
      try {
        splits.add(tree_of_counts(context, params, input, counts));
      } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        throw input_error("--bootstrap: among the sites of a replicate: {}", error.what());
      }
    };
    const std::uint64_t held = bytes_of_tree(params.outputs, std::ssize(names));
    blocks = genotype::bootstrap_counts(context,
                                        input.cohort,
                                        params.outputs.bootstrap,
                                        bootstrap_memory(context, held, tree.leaves),
                                        take);
    support = splits.percent();
  }
  file.write(analysis::newick(tree, names, support) + "\n");
  return blocks;
}

/// Pairs of the band whose kinship is 0 / 0: no site is called in both, or both are the same
/// homozygote at each.
std::int64_t pairs_without_kinship(Context& context, const PairCounts& counts) {
  const std::vector<std::uint64_t>& het = counts.heterozygous;
  if (counts.shared.empty() && std::find(het.begin(), het.end(), 0) == het.end()) return 0;
  std::atomic<std::int64_t> pairs{0};
  context.parallel_for(counts.rows.size(), 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> row(static_cast<std::size_t>(counts.samples));
    for (std::int64_t i = counts.rows.begin + begin; i < counts.rows.begin + end; ++i) {
      genotype::metric_lower_row(counts, {.metric = Metric::king}, i, row.data());
      pairs += std::count_if(row.begin(), row.begin() + i, [](double x) { return std::isnan(x); });
    }
  });
  return pairs;
}

std::string_view measure_of(Metric metric) {
  if (metric == Metric::king) return "kinship";
  return metric == Metric::ibs ? "identity by state" : "distance";
}

/// `what`: see measure_of().
void note_unknown(Context& context, std::int64_t pairs, std::string_view what) {
  if (pairs == 0) return;
  context.note(fmt::format("{} of samples {} no called site{}; {} {} is nan",
                           counted(pairs, "pair"),
                           pairs == 1 ? "shares" : "share",
                           what == "kinship" ? ", or the same homozygous calls alone" : "",
                           pairs == 1 ? "its" : "their",
                           what));
}

std::int64_t sum_over_ranks(Comm* comm, std::int64_t value) {
  auto bits = static_cast<std::uint64_t>(value);
  if (comm != nullptr) comm->sum(&bits, 1);
  return static_cast<std::int64_t>(bits);
}

}  // namespace

Metric plink_metric(io::PlinkContent content) {
  switch (content) {
    case io::PlinkContent::allele_count:
      return Metric::manhattan;
    case io::PlinkContent::ibs:
      return Metric::ibs;
    case io::PlinkContent::one_minus_ibs:
      return Metric::one_minus_ibs;
  }
  return Metric::manhattan;
}

bool has_integer_squares(const genotype::PairCounts& counts) {
  constexpr std::int64_t largest_integer_sites = std::int64_t{1} << 27;  // 4 m below 2^29
  return counts.shared.empty() && counts.sites < largest_integer_sites;
}

void refuse_unshared(const std::string& input,
                     std::int64_t pairs,
                     const std::vector<std::string>& names,
                     Range rows,
                     const std::function<bool(std::int64_t, std::int64_t)>& shares,
                     Comm* comm) {
  const std::int64_t all = sum_over_ranks(comm, pairs);
  if (all == 0) return;
  using Pair = std::array<std::int64_t, 2>;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  Pair own = {none, 0};
  for (std::int64_t i = rows.begin; i < rows.end && own[0] == none; ++i) {
    for (std::int64_t j = 0; j < i && own[0] == none; ++j) {
      if (!shares(i, j)) own = {i, j};
    }
  }
  Pair first = own;
  if (comm != nullptr) {
    const std::vector<Pair> of_ranks = all_gather(*comm, own);
    first = *std::min_element(of_ranks.begin(), of_ranks.end());  // a row is one rank's
  }
  throw bad_file(
      input,
      "{} of samples without a called site in common (first: {} and {}); drop such samples with "
      "--mind, or use --missing mode",
      counted(all, "pair"),
      names[static_cast<std::size_t>(first[1])],
      names[static_cast<std::size_t>(first[0])]);
}

DistanceJobResult run_distances(Context& context, const DistanceJobParams& params) {
  check_bootstrap(context, params.outputs.bootstrap, params.input);
  const auto plan_run = [&](const Input& all) { return plan_of(context, all, params); };
  Input input = open_input(context, params.input, plan_run);
  const Plan plan = plan_run(input);
  cut_pairs(context, input, plan.pair_groups);
  const std::int64_t n = plan.sizes.samples;
  check_disk(params.out, plan.output_bytes);
  if (params.outputs.plink) refuse_blanks(input.names, "PLINK's .id");
  if (n == 1) {
    const DistanceOutputs& out = params.outputs;
    const bool matrix = out.npy || out.tsv || out.phylip || out.plink || out.tree;
    context.note(matrix && !out.kinships
                     ? fmt::format("one sample: its {} to itself is all there is",
                                   measure_of(params.metric.metric))
                     : "one sample: there is no pair");
  }

  OutputFiles files;
  const bool first = context.rank() == 0;
  DistanceJobResult result;
  result.passes = passes_of(plan);
  note_passes(context, plan);
  std::int64_t without_kinship = 0;
  std::optional<io::NpyMatrix> npy, shared;
  analysis::Phylogeny tree;
  std::optional<genotype::MissingWeights> weights;
  std::optional<genotype::ExpectedIbs> expected;
  if (weighs_missing(params)) {
    genotype::MissingWeights& all = weights.emplace(context, n, input.cohort.counted());
    input.observe = [&all](const genotype::CallBlock& block) { all.add(block); };
  }
  if (params.outputs.ibd) {
    if (context.comm() != nullptr) {
      throw usage_error("--king-table-ibd: expected one process, got mpirun; leave it out");
    }
    genotype::ExpectedIbs& all = expected.emplace(context.backend(), input.cohort.counted());
    input.observe = [&all](const genotype::CallBlock& block) { all.add(block); };
  }
  const auto matrix = [&](const char* ending) -> AtomicFile& {
    return files.add(params.out + ending, context.comm());
  };
  if (params.outputs.npy) npy.emplace(matrix(".dist.npy"), n, params.outputs.type);
  if (params.outputs.shared) shared.emplace(matrix(".shared.npy"), n, io::NpyType::int64);
  const bool parquet = params.outputs.pair_format == io::PairFormat::parquet;
  std::optional<io::KinshipTable> kinships;
  if (params.outputs.kinships && first) {
    if (!parquet) note_blanks(context, input.names, params.out + ".kin0");
    kinships.emplace(files.add(params.out + (parquet ? ".kin0.parquet" : ".kin0")),
                     io::id_rows(input.names),
                     io::id_columns(input.names),
                     params.outputs.ibd,
                     params.outputs.pair_format);
  }
  std::optional<io::PairTable> pairs;
  if (params.outputs.pairs && first) {
    pairs.emplace(files.add(params.out + (parquet ? ".pairs.parquet" : ".pairs.tsv")),
                  input.cohort.samples(),
                  *params.outputs.pairs,
                  params.outputs.pair_format);
  }
  for (const Range band : plan.bands) {
    const PairCounts counts = count_pairs(context, input, plan, band, params.checkpoint);
    if (counts.sites == 0) whole_summary(context, input, params.input.cohort.missing);  // throws
    check_metric(input, params, counts);
    result.pairs_without_sites += genotype::pairs_without_shared_site(context, counts);
    if (params.metric.metric == Metric::king)
      without_kinship += pairs_without_kinship(context, counts);
    Stage stage(context, "write");
    const auto buffer = static_cast<std::int64_t>(plan.write_bytes);
    if (npy) npy->write_band(context, counts.rows, lower_rows(counts, params.metric), buffer);
    if (shared) shared->write_band(context, counts.rows, shared_lower_rows(counts), buffer);
    if (pairs) pairs->write_band(context, counts.rows, lower_rows(counts, params.metric));
    if (kinships) {
      kinships->write_band(
          context, counts, *params.outputs.kinships, expected ? &*expected : nullptr);
    }
    if (weights && context.comm() != nullptr) weights->sum_over(*context.comm());
    if (plan.sizes.one_band && first) {
      add_whole_files(context, input, params, counts, weights ? &*weights : nullptr, files);
      if (params.outputs.tree) {
        tree = tree_of_counts(context, params, input, counts);
      }
    }
  }
  if (pairs) result.pairs = pairs->finish();
  if (kinships) result.relationships = kinships->finish();
  result.cohort = whole_summary(context, input, params.input.cohort.missing);
  result.names = input.cohort.samples();
  result.pairs_without_sites = sum_over_ranks(context.comm(), result.pairs_without_sites);
  const bool kinship = params.metric.metric == Metric::king;
  note_unknown(
      context,
      kinship ? sum_over_ranks(context.comm(), without_kinship) : result.pairs_without_sites,
      measure_of(params.metric.metric));
  if (!params.outputs.plink && !params.outputs.kinships && first) {
    io::write_ids(files.add(params.out + ".ids"), input.cohort.samples());
  }
  if (params.outputs.tree && first) {
    result.bootstrap_blocks =
        write_tree(context, input, params, tree, files.add(params.out + ".nwk"));
  }
  commit_files(
      context,
      files,
      result.files,
      params.out,
      {".dist.npy",  ".shared.npy",   ".dist.tsv", ".dist.phy", ".pairs.tsv", ".pairs.parquet",
       ".kin0",      ".kin0.parquet", ".nwk",      ".dist",     ".dist.bin",  ".dist.gz",
       ".dist.id",   ".mibs",         ".mibs.bin", ".mibs.gz",  ".mibs.id",   ".mdist",
       ".mdist.bin", ".mdist.gz",     ".mdist.id"});
  remove_checkpoint(context, plan, params.checkpoint);
  return result;
}

Plan plan_distances(Context& context, const DistanceJobParams& params) {
  const auto plan_run = [&](const Input& all) { return plan_of(context, all, params); };
  return plan_run(open_input(context, params.input, plan_run));
}

}  // namespace yupana::job
