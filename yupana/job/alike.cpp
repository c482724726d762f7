// The filters that compare samples or sites with each other: --king-cutoff, --indep-pairwise.

#include <malloc.h>

#include <algorithm>

#include "yupana/core/array.hpp"
#include "yupana/core/counted.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/metric.hpp"
#include "yupana/genotype/unrelated.hpp"
#include "yupana/job/count.hpp"
#include "yupana/job/input.hpp"
#include "yupana/job/plan.hpp"

namespace yupana::job {
namespace {

/// Adds the pairs of a band of rows whose kinship is above the cutoff.
void add_pairs(Context& context,
               const genotype::PairCounts& counts,
               double cutoff,
               genotype::RelatedPairs& pairs) {
  constexpr std::int64_t step = 64;  // rows at a time
  const Range band = counts.rows;
  context.in_order(
      divide_up(band.size(), step),
      [&](std::int64_t piece) {
        genotype::RelatedPairs some;
        Array<double> row(counts.samples);
        const std::int64_t begin = band.begin + piece * step;
        for (std::int64_t i = begin; i < std::min(begin + step, band.end); ++i) {
          genotype::metric_lower_row(counts, {.metric = genotype::Metric::king}, i, row.data());
          for (std::int64_t j = 0; j < i; ++j) {
            if (row[j] > cutoff) some.emplace_back(i, j);
          }
        }
        return some;
      },
      [&](const genotype::RelatedPairs& some) {
        pairs.insert(pairs.end(), some.begin(), some.end());
      });
}

/// --king-cutoff: counts all pairs, in bands of rows where memory is short.
void leave_out_related(Context& context, const InputParams& params, Input& input) {
  if (context.comm() != nullptr) {
    throw usage_error(
        "--king-cutoff counts pairs in one process; write the unrelated samples with 'yupana "
        "filter' without mpirun first");
  }
  PlanParams sizes = plan_sizes(context, input, params);
  sizes.hethet = true;
  const Plan plan = make_plan(context, sizes);
  genotype::RelatedPairs pairs;
  input.cohort.leave_out_haploid(true);
  for (const Range band : plan.bands) {
    add_pairs(context, count_pairs(context, input, plan, band), *params.king_cutoff, pairs);
  }
  const genotype::RelatedSamples related =
      genotype::related_samples(sizes.samples, pairs, params.king_largest);
  if (related.unsolved > 0) {
    context.note(
        fmt::format("--king-cutoff largest: {} of more than 200 samples, or too entangled, lost "
                    "samples by PLINK 2's rule; fewer may do",
                    counted(related.unsolved, "group")));
  }
  input.cohort.leave_out("related (--king-cutoff)", related.left_out);
  input.cohort.leave_out_haploid(false);
  input.cohort.rewind();
  input.kinship_bytes = plan.total_bytes;
  input.kinship_passes = passes_of(plan);
}

/// Returns freed blocks to the system: the bits of sites are small blocks of every thread, which
/// the allocator would keep next to what comes.
void trim_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

/// --indep-pairwise: the first pass over the sites, by every rank over all of them.
void prune(Context& context, const genotype::LdPruneParams& params, Input& input) {
  genotype::Cohort& cohort = input.cohort;
  const auto report = [&](const std::string& site, bool stays) {
    (stays ? input.pruned_in : input.pruned_out).append(site).append(1, '\n');
  };
  cohort.take_part(0, 1);
  cohort.choose_sites(genotype::ld_prune(context, cohort, params, report, &input.pruning_bytes));
  input.pruning_bytes += input.pruned_in.capacity() + input.pruned_out.capacity();
  trim_memory();
  cohort.take_part(context.rank(), context.ranks());
  cohort.rewind();
}

}  // namespace

void leave_out_alike(Context& context, const InputParams& params, Input& input) {
  if (params.king_cutoff) leave_out_related(context, params, input);
  if (params.indep_pairwise.window > 0) prune(context, params.indep_pairwise, input);
}

}  // namespace yupana::job
