#include "yupana/job/fermat_sizes.hpp"

#include <algorithm>
#include <array>

#include "yupana/analysis/clustering.hpp"
#include "yupana/core/counted.hpp"
#include "yupana/core/disk.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/matrix_reader.hpp"
#include "yupana/io/npy_layout.hpp"

namespace yupana::job {
namespace {

/// Bytes of a pair of samples where `alpha` is closed and nothing drawn: the distances with their
/// copy, or with the weights that took the copy's place where they have its type, and the tiles of
/// a closure; or with lengths and their roots.
double matrix_only_cell(const FermatJobParams& params, double alpha, int cell) {
  const graph::Precision precision = params.fermat.precision;
  const bool integers =
      cell == whole_cell && alpha == 2 &&
      (precision == graph::Precision::automatic || precision == graph::Precision::integer);
  const int weight = precision == graph::Precision::float64 ? 8 : 4;
  const bool in_place = integers || (weight == fractional_cell && cell == weight);
  const double closing = in_place ? cell + 1.375 * weight : 2 * cell + weight;
  const int root = integers ? 8 : weight;
  return params.fermat.root ? std::max<double>(closing, cell + weight + root) : closing;
}

double alphas_of(const FermatJobParams& params) {
  return static_cast<double>(params.automatic_alpha ? 1 : params.alphas.size());
}

/// True if lengths take 8 bytes: where the run names float64, and for roots of integers.
bool wide_lengths(const FermatJobParams& params, int cell) {
  if (params.fermat.precision == graph::Precision::float64) return true;
  const auto& alphas = params.alphas;
  const bool integers =
      cell == whole_cell && std::find(alphas.begin(), alphas.end(), 2.0) != alphas.end();
  return params.fermat.root && integers;
}

}  // namespace

std::uint64_t fermat_bytes(const FermatJobParams& params,
                           std::int64_t samples,
                           int cell,
                           std::uint64_t memory) {
  const auto n = static_cast<double>(samples);
  if (params.matrix_only) {
    // Power 0 stands for any: --alpha auto leaves the list of alphas empty.
    double most = params.automatic_alpha ? matrix_only_cell(params, 0, cell) : 0;
    for (const double alpha : params.alphas) {
      most = std::max(most, matrix_only_cell(params, alpha, cell));
    }
    return static_cast<std::uint64_t>(n * n * most);
  }
  const int wide = wide_lengths(params, cell) ? 4 : 0;
  const double neighbors = params.fermat.neighbors == 0 ? 0 : cell == whole_cell ? 8 : 4;
  const auto clustering = static_cast<double>(analysis::linkage_bytes(samples, memory));
  const double further = 3 * (alphas_of(params) - 1);
  const double analyzing = n * n * (cell + 8.2 + neighbors + wide + further) + clustering + 5e6;
  const double side = std::min(n, 512.0);
  const double drawing = n * n * (cell + 2) + 23e6 + 14 * side * side * (alphas_of(params) + 1);
  return static_cast<std::uint64_t>(std::max(analyzing, drawing));
}

std::uint64_t fermat_output_bytes(const FermatJobParams& params, std::int64_t samples, int cell) {
  const auto n = static_cast<double>(samples);
  const double alphas = alphas_of(params);
  const double length = wide_lengths(params, cell) ? 8 : 4;
  const double matrices = n * n * (8 + length * alphas);
  if (params.matrix_only) return static_cast<std::uint64_t>(matrices);
  // Graphs of each alpha; tables and pictures. Measured at 2000 and 4000 samples.
  constexpr double graphs = 2500, tables = 1200, page = 2e6;
  return static_cast<std::uint64_t>(matrices + n * (graphs * alphas + tables) + page);
}

std::int64_t samples_of_distances(const std::string& path, int& cell) {
  const io::InputFile file(path);
  std::string head(static_cast<std::size_t>(std::min<std::int64_t>(file.size(), 64 << 10)), '\0');
  file.read_at(0, head.data(), head.size());
  if (!io::is_npy(head)) return -1;
  const io::NpyLayout layout = io::npy_layout(path, head);
  if (layout.shape.size() != 2) return -1;
  cell = layout.kind == 'f' && layout.width == 8 ? fractional_cell : whole_cell;
  return layout.shape[0];
}

void check_fermat_fits(const Context& context,
                       const FermatJobParams& params,
                       std::int64_t samples,
                       int cell) {
  const std::uint64_t bytes =
      program_bytes(1) + fermat_bytes(params, samples, cell, context.memory());
  if (bytes > context.memory()) {
    const bool ranks = context.comm() != nullptr;
    throw resource_error(
        "memory: the matrices of {} need {}, --memory allows {}; raise --memory{}, or {}",
        counted(samples, "sample"),
        needed_bytes(bytes),
        allowed_bytes(context.memory()),
        params.matrix_only ? "" : ", write matrices alone (--matrix-only)",
        ranks ? "start from genotypes with --matrix-only: --from-distances needs the matrices on "
                "the first rank"
              : "take fewer samples");
  }
  if (!params.out.empty()) check_disk(params.out, fermat_output_bytes(params, samples, cell));
}

Plan plan_of_distances(Context& context, const FermatJobParams& params) {
  int cell = fractional_cell;
  Plan plan;
  plan.sizes.samples = samples_of_distances(params.distances, cell);
  if (plan.sizes.samples < 0) {
    plan.sizes.samples = std::visit([](const auto& values) { return values.size(); },
                                    io::read_distances(context, params.distances).values);
  }
  plan.sizes.after_bytes = fermat_bytes(params, plan.sizes.samples, cell, context.memory());
  plan.total_bytes = program_bytes(1) + plan.sizes.after_bytes;
  add_disk(plan, params.out, fermat_output_bytes(params, plan.sizes.samples, cell));
  return plan;
}

}  // namespace yupana::job
