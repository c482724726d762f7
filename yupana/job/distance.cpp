#include "yupana/job/distance.hpp"

#include <algorithm>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/error.hpp"

namespace yupana::job {
namespace {

using genotype::Metric;
using genotype::MetricParams;
using genotype::PairCounts;

/// Only the .npy matrix can be written band by band.
bool needs_all_counts(const DistanceOutputs& outputs) {
  return outputs.plink || outputs.tsv || outputs.phylip || outputs.pairs;
}

Plan plan_of(Context& context, const Input& input, const DistanceJobParams& params) {
  PlanParams sizes;
  sizes.samples = static_cast<std::int64_t>(input.cohort.samples().size());
  sizes.sites = input.cohort.sites();
  sizes.missing = params.input.cohort.missing == genotype::Missing::pairwise;
  sizes.hethet = params.metric.metric == Metric::king;
  sizes.one_band = needs_all_counts(params.outputs);
  take_ranks(sizes, input, params.input);
  return make_plan(context, sizes);
}

io::RowProducer metric_rows(const PairCounts& counts, const MetricParams& metric) {
  return [&counts, metric](std::int64_t i, double* row) {
    genotype::metric_row(counts, metric, i, row);
  };
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

/// "FAMILY<TAB>IID" where a .fam gave families: what PLINK's .id files hold.
std::vector<std::string> plink_samples(const Input& input) {
  std::vector<std::string> samples = input.cohort.samples();
  for (std::size_t i = 0; i < samples.size() && !input.families.empty(); ++i) {
    samples[i] = input.families[i] + "\t" + input.individuals[i];
  }
  return samples;
}

/// The files that are made from the counts of the whole triangle at once.
void add_whole_files(Context& context,
                     const Input& input,
                     const DistanceJobParams& params,
                     const PairCounts& counts,
                     OutputFiles& files,
                     DistanceJobResult& result) {
  const DistanceOutputs& outputs = params.outputs;
  const std::vector<std::string>& names = input.cohort.samples();
  const io::RowProducer rows = metric_rows(counts, params.metric);
  if (outputs.tsv) io::write_tsv(context, files.add(params.out + ".dist.tsv"), names, rows);
  if (outputs.phylip) io::write_phylip(context, files.add(params.out + ".dist.phy"), names, rows);
  if (outputs.pairs) {
    result.pairs_listed =
        io::write_pairs(context, files.add(params.out + ".pairs.tsv"), names, *outputs.pairs, rows);
  }
  for (const io::PlinkContent content : outputs.plink_contents) {
    io::write_plink(context,
                    files,
                    params.out,
                    content,
                    *outputs.plink,
                    plink_samples(input),
                    metric_rows(counts, {.metric = plink_metric(content)}));
  }
}

/// Bytes for rows on their way into a file: what counts and blocks leave.
std::int64_t write_buffer(const Context& context, const Plan& plan, const PairCounts& counts) {
  constexpr std::int64_t most = std::int64_t{256} << 20, least = std::int64_t{4} << 20;
  const bool missing = !counts.shared.empty();
  const std::uint64_t held =
      program_bytes + plan.block_bytes +
      genotype::PairCounter::bytes(counts.rows, missing, missing && plan.sizes.hethet);
  const auto left = static_cast<std::int64_t>(context.memory() - std::min(context.memory(), held));
  return std::clamp(left, least, most);
}

void note_unshared(Context& context, std::int64_t pairs) {
  if (pairs == 0) return;
  context.note(
      fmt::format("{} pairs of samples share no called site; their distance is nan", pairs));
}

void add_over_ranks(const Input& input, std::int64_t& value) {
  auto bits = static_cast<std::uint64_t>(value);
  if (input.comm != nullptr) input.comm->sum(&bits, 1);
  value = static_cast<std::int64_t>(bits);
}

}  // namespace

DistanceJobResult run_distances(Context& context, const DistanceJobParams& params) {
  Input input = open_input(context, params.input);
  const Plan plan = plan_of(context, input, params);
  cut_pairs(input, plan.pair_groups);
  const std::int64_t n = plan.sizes.samples;
  if (n == 1) context.note("one sample: its distance to itself is all there is");

  OutputFiles files;
  const bool first = input.comm == nullptr || input.comm->rank() == 0;
  DistanceJobResult result;
  result.samples = n;
  result.passes = passes_of(plan);
  std::optional<io::NpyMatrix> npy, shared;
  const auto matrix = [&](const char* ending) -> AtomicFile& {
    return files.add(params.out + ending, input.comm);
  };
  if (params.outputs.npy) npy.emplace(matrix(".dist.npy"), n, params.outputs.type);
  if (params.outputs.shared) shared.emplace(matrix(".shared.npy"), n, io::NpyType::int64);
  for (const Range band : plan.bands) {
    const PairCounts counts = count_pairs(context, input, plan, band, params.checkpoint);
    result.sites = counts.sites;
    if (counts.sites == 0) whole_summary(context, input, params.input.cohort.missing);  // throws
    genotype::check_metric(counts, params.metric, input.cohort.samples());
    result.pairs_without_sites += genotype::pairs_without_shared_site(counts);
    Stage stage(context, "write");
    const std::int64_t buffer = write_buffer(context, plan, counts);
    if (npy) npy->write_band(context, counts.rows, lower_rows(counts, params.metric), buffer);
    if (shared) shared->write_band(context, counts.rows, shared_lower_rows(counts), buffer);
    if (plan.sizes.one_band && first) {
      add_whole_files(context, input, params, counts, files, result);
    }
  }
  result.cohort = whole_summary(context, input, params.input.cohort.missing);
  add_over_ranks(input, result.pairs_without_sites);
  note_unshared(context, result.pairs_without_sites);
  if (!params.outputs.plink && first) {
    io::write_ids(files.add(params.out + ".ids"), input.cohort.samples());
  }
  context.check_cancelled();
  files.commit();
  remove_checkpoint(input.comm, plan, params.checkpoint);
  for (const AtomicFile& file : files.files()) result.files.push_back(file.path());
  return result;
}

Plan plan_distances(Context& context, const DistanceJobParams& params) {
  const Input input = open_input(context, params.input);
  Plan plan = plan_of(context, input, params);
  estimate_time(context, plan);
  return plan;
}

}  // namespace yupana::job
