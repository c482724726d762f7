// From sums to counts: the formulas of pair_sums.hpp, cell by cell.
#include <algorithm>

#include "yupana/genotype/pair_counts_backends.hpp"
#include "yupana/genotype/pair_sums.hpp"
#include "yupana/genotype/pair_sums_cells.cuh"

namespace yupana::genotype::cuda {
namespace {

using namespace yupana::cuda;

constexpr std::int64_t piece_cells = std::int64_t{1} << 24;

/// Counts of the cells of some rows of the triangle, one row after the other.
struct Piece {
  Range rows;
  std::uint32_t* ibs1;
  std::uint32_t* ibs0;
  std::uint32_t* shared;
  std::uint32_t* hethet;
  std::uint32_t* het;
};

__global__ void piece_kernel(const SumMatrices sums, const Piece piece) {
  for (std::int64_t i = piece.rows.begin + blockIdx.y; i < piece.rows.end; i += gridDim.y) {
    const std::int64_t first = triangle_cells_before(i) - triangle_cells_before(piece.rows.begin);
    for (std::int64_t j = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; j <= i;
         j += std::int64_t{gridDim.x} * blockDim.x) {
      const CellCounts counts = cell_counts(sums, i, j);
      piece.ibs1[first + j] = counts.ibs1;
      piece.ibs0[first + j] = counts.ibs0;
      if (piece.shared != nullptr) piece.shared[first + j] = counts.shared;
      if (piece.hethet != nullptr) {
        piece.hethet[first + j] = counts.hethet;
        piece.het[first + j] = counts.het;
      }
    }
  }
}

void add_words(Context& context,
               CountTriangle& to,
               std::int64_t cell,
               const std::uint32_t* from,
               std::int64_t count) {
  context.parallel_for(count, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) add_to(to, cell + i, from[i]);
  });
}

}  // namespace

void PairSums::move_to(Context& context, PairCounts& counts) {
  const DeviceScope scope(device_);
  const SumMatrices sums = matrices();
  CountTriangle* const triangles[] = {
      &counts.ibs1, &counts.ibs0, &counts.shared, &counts.hethet, &counts.het};
  const int kinds = counts.shared.empty() ? 2 : counts.hethet.empty() ? 3 : 5;
  const std::int64_t cells = std::min(triangle_cells(rows_.end) - triangle_cells(rows_.begin),
                                      std::max(piece_cells, rows_.end));
  DeviceArray<std::uint32_t> words(cells * kinds);
  PinnedArray<std::uint32_t> landed(cells * kinds);
  for (std::int64_t next = rows_.begin; next < rows_.end;) {
    context.check_cancelled();
    const Range rows = triangle_band(next, rows_.end, cells);
    const std::int64_t count = triangle_cells(rows.end) - triangle_cells(rows.begin);
    const auto part = [&](int kind) {
      return kind < kinds ? words.data() + kind * cells : nullptr;
    };
    const dim3 grid(8, static_cast<unsigned>(std::min<std::int64_t>(rows.size(), 4096)));
    piece_kernel<<<grid, 256, 0, work_>>>(sums,
                                          {rows, part(0), part(1), part(2), part(3), part(4)});
    check_launch("turn sums into counts");
    for (int kind = 0; kind < kinds; ++kind) {
      const auto bytes = static_cast<std::size_t>(count) * sizeof(std::uint32_t);
      check(cudaMemcpyAsync(
                landed.data() + kind * cells, part(kind), bytes, cudaMemcpyDeviceToHost, work_),
            "copy counts from the GPU");
      context.count_moved(bytes);
    }
    work_.wait();
    for (int kind = 0; kind < kinds; ++kind) {
      add_words(context,
                *triangles[kind],
                counts.ibs1.offset(rows.begin),
                landed.data() + kind * cells,
                count);
    }
    next = rows.end;
  }
  std::vector<unsigned long long> complete(static_cast<std::size_t>(complete_rows_.size()));
  std::vector<unsigned long long> pairwise(static_cast<std::size_t>(pairwise_rows_.size()));
  check(cudaMemcpy(
            complete.data(), complete_rows_.data(), complete_rows_.bytes(), cudaMemcpyDeviceToHost),
        "copy calls of samples from the GPU");
  check(cudaMemcpy(
            pairwise.data(), pairwise_rows_.data(), pairwise_rows_.bytes(), cudaMemcpyDeviceToHost),
        "copy calls of samples from the GPU");
  const auto padded = static_cast<std::size_t>(sums.padded_samples);
  for (std::size_t i = 0; i < static_cast<std::size_t>(samples_); ++i) {
    const auto c = [&](int plane) {
      return complete[static_cast<std::size_t>(plane) * padded + i];
    };
    const auto p = [&](int plane) {
      return pairwise[static_cast<std::size_t>(plane) * padded + i];
    };
    counts.called[i] += static_cast<std::uint64_t>(complete_sites_) + p(0);
    counts.homozygous[i] += c(plane_v(PlaneKind::complete)) + p(plane_v(PlaneKind::pairwise));
    counts.heterozygous[i] += c(plane_w(PlaneKind::complete)) + p(plane_w(PlaneKind::pairwise));
  }
  clear();
}

}  // namespace yupana::genotype::cuda
