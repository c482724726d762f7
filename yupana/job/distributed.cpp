#include <algorithm>
#include <cmath>
#include <optional>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/genotype/metric.hpp"
#include "yupana/graph/distributed_fermat.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/job/analyze.hpp"
#include "yupana/job/count.hpp"
#include "yupana/job/describe.hpp"
#include "yupana/job/distances.hpp"
#include "yupana/job/fermat.hpp"
#include "yupana/job/load.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

using graph::AnyDistributedMatrix;
using graph::DistributedSymmetricMatrix;

/// d^2 of the rows of a band that this rank counted goes to the tiles of all.
template <class T>
void take_band(Context& context,
               const genotype::PairCounts& counts,
               const std::vector<RankRows>& rows,
               DistributedSymmetricMatrix<T>& distances) {
  std::vector<Range> shares;
  for (const RankRows& of : rows) shares.push_back(of.kept);
  scatter_rows(context, distances, shares, [&](std::int64_t i, T* row) {
    if constexpr (std::is_integral_v<T>) {
      for (std::int64_t j = 0; j < i; ++j) {
        row[j] = static_cast<T>(counts.ibs1.at(i, j) + 4 * counts.ibs0.at(i, j));
      }
      row[i] = 0;
    } else {
      Array<double> squared(i + 1);
      genotype::metric_lower_row(
          counts, {.metric = genotype::Metric::squared_euclidean}, i, squared.data());
      std::transform(
          squared.begin(), squared.end(), row, [](double d) { return static_cast<T>(d); });
    }
  });
}

/// Counts in as many passes as the plan has, their distances in tiles of all ranks.
AnyDistributedMatrix make_distances(Context& context,
                                    const FermatJobParams& params,
                                    Input& input,
                                    const Plan& plan) {
  std::optional<AnyDistributedMatrix> distances;
  const std::int64_t n = plan.sizes.samples;
  for (const Range band : plan.bands) {
    const genotype::PairCounts counts = count_pairs(context, input, plan, band, params.checkpoint);
    if (counts.sites == 0) whole_summary(context, input, params.input.cohort.missing);  // throws
    refuse_unshared(
        input.name,
        genotype::pairs_without_shared_site(context, counts),
        input.cohort.samples(),
        counts.rows,
        [&](std::int64_t i, std::int64_t j) { return counts.shared_at(i, j) > 0; },
        context.comm());
    Stage stage(context, "metric");
    // Which calls are missing is a matter of the sites, which every band counts alike.
    if (!distances && has_integer_squares(counts)) {
      distances.emplace(DistributedSymmetricMatrix<std::int32_t>(*context.comm(), n));
    } else if (!distances) {
      distances.emplace(DistributedSymmetricMatrix<double>(*context.comm(), n));
    }
    const std::vector<RankRows> rows = rank_rows(plan, band);
    std::visit([&](auto& tiles) { take_band(context, counts, rows, tiles); }, *distances);
  }
  return std::move(*distances);
}

/// Every rank writes rows of its own; `value` makes of a cell what the file holds.
template <class Value>
void write_rows(Context& context,
                AnyDistributedMatrix& tiles,
                AtomicFile& file,
                io::NpyType type,
                const Value& value) {
  Stage stage(context, "write " + file.path());
  std::visit(
      [&](auto& spread) {
        const std::int64_t n = spread.size();
        io::NpyMatrix npy(file, n, type);
        const auto shares = graph::split_rows(n, spread.comm().size());
        gather_rows(context, spread, shares, [&](Range rows, auto values) {
          npy.write_rows(context, rows, [&](std::int64_t i, double* row) {
            for (std::int64_t j = 0; j < n; ++j) {
              row[j] = value(static_cast<double>(values(i - rows.begin, j)));
            }
          });
        });
      },
      tiles);
}

/// Paths of one alpha, with their findings and file.
void write_alpha(Context& context,
                 const FermatJobParams& params,
                 AnyDistributedMatrix& distances,
                 double alpha,
                 OutputFiles& files,
                 FermatJobResult& result) {
  graph::FermatParams fermat = params.fermat;
  fermat.alpha = alpha;
  graph::DistributedFermatResult closed =
      graph::fermat(context, distances, Entries::squares, fermat);
  const AlphaFindings findings = findings_of(closed);
  result.alphas.push_back(findings);
  for (std::string& notice : notices_of(params, findings, result.samples > 2)) {
    result.notices.push_back(std::move(notice));
  }
  const bool several = params.alphas.size() > 1;
  AtomicFile& file = files.add(fermat_file(params, several, alpha, ".fermat.npy"), context.comm());
  const bool whole = closed.lengths.index() == 0;
  write_rows(context, closed.lengths, file, length_type(findings), [whole](double length) {
    return whole ? written_length(static_cast<std::int32_t>(length)) : length;
  });
}

}  // namespace

bool can_distribute(const Context& context, const FermatJobParams& params) {
  return context.ranks() > 1 && params.distances.empty() && !params.automatic_alpha &&
         !params.relationships && params.fermat.neighbors == 0 && params.fermat.landmarks == 0 &&
         context.backend() != Backend::reference;
}

std::string needs_first_rank(const FermatJobParams& params) {
  if (!params.distances.empty()) return "--from-distances";
  if (params.relationships) return "--relationships";
  if (params.automatic_alpha) return "--alpha auto";
  if (params.fermat.neighbors > 0) return "--knn";
  return params.fermat.landmarks > 0 ? "--landmarks" : "";
}

Plan plan_distributed(Context& context, const Input& input, const FermatJobParams& params) {
  PlanParams sizes = plan_sizes(context, input, params.input);
  const std::int64_t n = sizes.samples;
  sizes.later_bytes =
      (sizes.missing ? DistributedSymmetricMatrix<double>::max_bytes(n, sizes.ranks)
                     : DistributedSymmetricMatrix<std::int32_t>::max_bytes(n, sizes.ranks)) +
      graph::transfer_bytes<double>(n);
  Plan plan = make_plan(context, sizes);
  // The counts are gone when the closure starts, and the codes with them.
  plan.sizes.later_bytes += graph::distributed_fermat_bytes(n, sizes.ranks, params.fermat);
  const std::uint64_t closing = program_bytes(context, sizes.ranks) + plan.sizes.later_bytes;
  if (closing > context.memory()) {
    throw resource_error(
        "memory: the matrices of {} samples, spread over {} ranks, need {} on each, --memory "
        "allows {}; raise --memory or start more ranks",
        n,
        sizes.ranks,
        needed_bytes(closing),
        allowed_bytes(context.memory()));
  }
  plan.total_bytes = std::max(plan.total_bytes, closing);
  FermatJobParams matrices = params;
  matrices.matrix_only = true;
  add_disk(plan, params.out, fermat_output_bytes(matrices, sizes_of_cohort(sizes, sizes.missing)));
  return plan;
}

FermatJobResult run_distributed(Context& context, const FermatJobParams& params, Input& input) {
  const Plan plan = plan_distributed(context, input, params);
  cut_pairs(context, input, plan.pair_groups);
  if (!params.matrix_only) {
    context.note(
        "the first rank cannot hold the matrices that embedding, tree and report are made from: "
        "they are spread over the ranks, and only distances, lengths, names and record are "
        "written (--matrix-only); for the rest raise --memory");
  }
  FermatJobResult result;
  result.samples = plan.sizes.samples;
  if (result.samples == 1) result.notices.push_back("One individual: every distance is zero.");
  check_disk(params.out, plan.output_bytes);
  OutputFiles files;
  const bool first = context.rank() == 0;
  if (first) io::write_ids(files.add(params.out + ".ids"), input.cohort.samples());
  AnyDistributedMatrix distances = make_distances(context, params, input, plan);
  result.cohort = whole_summary(context, input, params.input.cohort.missing);
  AtomicFile& file = files.add(params.out + ".dist.npy", context.comm());
  write_rows(context, distances, file, io::NpyType::float64, [](double squared) {
    return std::sqrt(squared);
  });
  for (const double alpha : params.alphas) {
    write_alpha(context, params, distances, alpha, files, result);
  }
  if (first) {
    files.add(params.out + ".json")
        .write(fermat_record(params, params.alphas.size() > 1, false, result));
  }
  commit_files(context, files, result.files, params.out, optional_endings);
  remove_checkpoint(context, plan, params.checkpoint);
  return result;
}

}  // namespace yupana::job
