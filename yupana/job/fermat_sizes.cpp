#include <algorithm>
#include <cmath>

#include "yupana/analysis/clustering.hpp"
#include "yupana/analysis/mds.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/job/fermat.hpp"
#include "yupana/job/load.hpp"

namespace yupana::job {
namespace {

double alphas_of(const FermatJobParams& params) {
  return static_cast<double>(params.automatic_alpha ? 1 : params.alphas.size());
}

/// Whether float cannot be trusted to hold the powers of distances of which only their type is
/// known: those of genotypes span less.
bool spans_much(const FermatJobParams& params, double alpha) {
  if (params.fermat.precision != graph::Precision::automatic) return false;
  return alpha > (params.distances.empty() ? 12 : 8);
}

/// Bytes of the numbers that one alpha takes, at the most.
struct AlphaBytes {
  bool integers = false;  ///< weights in int32
  int weight = 4, length = 4;
};

AlphaBytes bytes_of(const FermatJobParams& params, double alpha, const DistanceSizes& given) {
  const graph::Precision precision = params.fermat.precision;
  const bool squared = params.distances.empty() || params.squared;
  const double power = squared ? alpha / 2 : alpha;
  const bool whole = given.whole && power == std::floor(power);
  // A path in a sparse graph may pass all its edges.
  const auto edges = static_cast<double>(params.fermat.neighbors > 0 ? given.samples : 1);
  AlphaBytes bytes;
  if (precision == graph::Precision::automatic) {
    bytes.integers = whole && std::pow(given.largest, power) * edges < 0x1p30;
    if (!bytes.integers && (whole || spans_much(params, alpha))) bytes.weight = 8;
  } else {
    bytes.integers = precision == graph::Precision::integer;
    if (precision == graph::Precision::float64) bytes.weight = 8;
  }
  bytes.length = params.fermat.root && bytes.integers ? 8 : bytes.weight;
  return bytes;
}

/// What a closure holds: the distances with their copy, or with the weights that took the copy's
/// place where they have its type, and the tiles of a closure and rows on their way to a file; or
/// with lengths and their roots.
double closing_bytes(const FermatJobParams& params, double alpha, const DistanceSizes& given) {
  const auto [integers, weight, length] = bytes_of(params, alpha, given);
  const auto pairs = std::pow(static_cast<double>(given.samples), 2);
  const bool in_place = weight == given.cell && integers == given.whole;
  const double closing = in_place ? given.cell + 1.375 * weight : 2 * given.cell + weight;
  const double rooting = params.fermat.root ? given.cell + weight + length : 0;
  return pairs * std::max(closing, rooting) + std::min(4e6, 2 * pairs);
}

/// What a search along nearest neighbours, or from landmarks, holds: distances, weights, and what
/// it makes of them.
double searching_bytes(const FermatJobParams& params, double alpha, const DistanceSizes& given) {
  const auto n = static_cast<double>(given.samples);
  const double weight = bytes_of(params, alpha, given).weight;
  const auto k = std::min(static_cast<double>(params.fermat.neighbors), n - 1);
  const auto landmarks = std::min(static_cast<double>(params.fermat.landmarks), n);
  if (k <= 0) return n * n * (given.cell + weight) + 16 * landmarks * n;
  // As many edges as if neighbours chose each other at random; they share more.
  const double edges = n * k * (2 - k / n);
  return n * n * (given.cell + 2 * weight + 4) + edges * (8 + weight);
}

/// What --alpha auto holds while it looks for one: the distances, those of its sample, and their
/// closure in double.
double choosing_bytes(const FermatJobParams& params, const DistanceSizes& given) {
  if (!params.automatic_alpha) return 0;
  const auto n = static_cast<double>(given.samples);
  const double sample = std::min(n, static_cast<double>(automatic_alpha_sample));
  return n * n * given.cell + sample * sample * 8 * 2.375 + std::min(8e6, 4 * sample * sample);
}

void check_matrices_fit(const Context& context,
                        const FermatJobParams& params,
                        const DistanceSizes& given) {
  const std::uint64_t bytes = program_bytes(context) + fermat_bytes(params, given);
  if (bytes <= context.memory()) return;
  const bool ranks = context.comm() != nullptr;
  throw resource_error(
      "memory: the matrices of {} need {}, --memory allows {}; raise --memory to {}{}, or {}",
      counted(given.samples, "sample"),
      needed_bytes(bytes),
      allowed_bytes(context.memory()),
      memory_option(static_cast<double>(bytes)),
      params.matrix_only ? "" : ", write matrices alone (--matrix-only)",
      ranks ? "start from genotypes with --matrix-only: --from-distances needs the matrices on "
              "the first rank"
            : "take fewer samples");
}

/// The largest over the alphas. Power 0 stands for any: --alpha auto leaves the list empty.
template <class Of>
double most_of(const FermatJobParams& params, const Of& of) {
  double most = params.automatic_alpha ? of(0.0) : 0;
  for (const double alpha : params.alphas) most = std::max<double>(most, of(alpha));
  return most;
}

/// What finding lengths holds, along all edges or as the options have it.
double finding_bytes(const FermatJobParams& params, const DistanceSizes& given) {
  return most_of(params, [&](double alpha) {
    return std::max(closing_bytes(params, alpha, given), searching_bytes(params, alpha, given));
  });
}

/// Of a pair in the matrices that are analyzed.
double analyzed_cell(const FermatJobParams& params, const DistanceSizes& given) {
  const double length =
      most_of(params, [&](double alpha) { return bytes_of(params, alpha, given).length; });
  const double shown =
      most_of(params, [&](double alpha) { return spans_much(params, alpha) ? 8 : 4; });
  return given.cell + length + shown + 0.2;
}

/// Those of --from-distances from its first bytes (.npy); without samples of other formats.
DistanceSizes sizes_of_distances(const std::string& path) {
  const io::InputFile file(path);
  const std::string head = io::head_of(file, 64 << 10);
  if (!io::is_npy(head)) return {};
  const io::NpyLayout layout = io::npy_layout(path, head);
  if (layout.shape.size() != 2) return {};
  const bool whole = layout.kind != 'f';
  return {.samples = layout.shape[0], .cell = whole || layout.width == 4 ? 4 : 8, .whole = whole};
}

}  // namespace

DistanceSizes sizes_of_cohort(const PlanParams& sizes, bool missing) {
  DistanceSizes given{.samples = sizes.samples};
  if (missing) return given;
  given.cell = 4;
  given.whole = true;
  if (sizes.sites >= 0) given.largest = 4 * static_cast<double>(sizes.sites);
  return given;
}

std::uint64_t fermat_bytes(const FermatJobParams& params, const DistanceSizes& given) {
  const auto n = static_cast<double>(given.samples);
  const auto most = [&](const auto& of) {
    return most_of(params, [&](double alpha) { return of(params, alpha, given); });
  };
  const double text = static_cast<double>(given.text_bytes) + n * n * given.cell;
  const double closing = std::max({text, most(closing_bytes), choosing_bytes(params, given)});
  if (params.matrix_only) return static_cast<std::uint64_t>(closing);
  const double searching = std::max(closing, finding_bytes(params, given));
  // Of a matrix that was analyzed a heat map, coordinates and tree are kept; three an alpha.
  const double pixels = std::pow(std::min(n, 512.0), 2);
  const double coordinates = n * std::min(static_cast<double>(params.dimensions), n);
  const double kept = 4 * pixels + 8 * coordinates + 50 * n;
  const double matrices = 3 * alphas_of(params) + 1;
  const auto working =
      static_cast<double>(std::max(analysis::linkage_bytes(given.samples),
                                   analysis::mds_bytes(given.samples, params.dimensions)));
  return static_cast<std::uint64_t>(
      std::max({searching + (matrices - 2) * kept,
                n * n * analyzed_cell(params, given) + working + (matrices + 1) * kept,
                n * n * given.cell + matrices * (kept + pixels + 5 * coordinates) + 3000 * n + 26e6,
                n * n * given.cell + matrices * (kept + 4 * pixels + 16 * coordinates) + 2e6}));
}

std::uint64_t replicate_bytes(const FermatJobParams& params, const DistanceSizes& given) {
  const double linking = static_cast<double>(given.samples) * static_cast<double>(given.samples) *
                             analyzed_cell(params, given) +
                         static_cast<double>(analysis::linkage_bytes(given.samples));
  return static_cast<std::uint64_t>(std::max(finding_bytes(params, given), linking));
}

std::uint64_t fermat_output_bytes(const FermatJobParams& params, const DistanceSizes& given) {
  const auto n = static_cast<double>(given.samples);
  const double alphas = alphas_of(params);
  double matrices = 8 * n * n;
  const auto add = [&](double alpha) {
    matrices += n * n * bytes_of(params, alpha, given).length;
    return 0;
  };
  most_of(params, add);
  if (params.matrix_only) return static_cast<std::uint64_t>(matrices);
  // Graphs of each alpha; pictures; of every analyzed matrix the coordinates, as text and in the
  // page, and there its heat map, in base 64. Measured at 300 to 2000 samples with 1 and 6 alphas.
  constexpr double graphs = 2240, pictures = 1100, coordinate = 19, page = 4e5;
  const double analyzed = 3 * alphas + 1, pixels = std::pow(std::min(n, 512.0), 2);
  const double coordinates = n * std::min(static_cast<double>(params.dimensions), n);
  return static_cast<std::uint64_t>(matrices + n * (graphs * alphas + pictures) + page +
                                    analyzed * (coordinate * coordinates + 4.0 / 3 * pixels));
}

DistanceSizes sizes_of_matrix(const io::MatrixSize& size) {
  return {.samples = size.n, .cell = size.cell, .whole = size.whole, .text_bytes = size.text_bytes};
}

void check_fermat_fits(const Context& context,
                       const FermatJobParams& params,
                       const DistanceSizes& given) {
  check_matrices_fit(context, params, given);
  if (!params.out.empty()) check_disk(params.out, fermat_output_bytes(params, given));
}

Plan plan_of_distances(Context& context, const FermatJobParams& params) {
  DistanceSizes given = sizes_of_distances(params.distances);
  if (given.samples < 0) {
    io::read_distances(context, params.distances, [&](const io::MatrixSize& size) {
      given = sizes_of_matrix(size);
      check_matrices_fit(context, params, given);
    });
  }
  check_matrices_fit(context, params, given);
  Plan plan;
  plan.sizes.samples = given.samples;
  plan.sizes.after_bytes = fermat_bytes(params, given);
  plan.total_bytes = program_bytes(context) + plan.sizes.after_bytes;
  add_disk(plan, params.out, fermat_output_bytes(params, given));
  return plan;
}

}  // namespace yupana::job
