#include <algorithm>

#include "python/bindings/device_planes.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::python::device {
namespace {

using genotype::cuda::DevicePlanes;
using genotype::cuda::PlaneKind;
using genotype::cuda::product_sites;
using yupana::cuda::check;
using yupana::cuda::check_launch;

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr std::int64_t most_blocks = 4096;

__global__ void summary_kernel(const std::int8_t* calls,
                               std::int64_t n,
                               GenotypesSummary* summary) {
  bool missing = false;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * threads) {
    const int x = calls[i];
    missing |= x < 0;
    if (x > 2) atomicMin(&summary->bad, static_cast<unsigned long long>(i));
  }
  if (missing) summary->missing = 1;
}

/// A warp turns 1,024 sites of a sample, 32 at a time: votes of its lanes are the planes' words.
template <PlaneKind kind>
__global__ void __launch_bounds__(threads) planes_kernel(const Genotypes from,
                                                         std::int64_t first,
                                                         std::int64_t sites,
                                                         const DevicePlanes planes) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t row = std::int64_t{blockIdx.y} * warps + static_cast<int>(threadIdx.x) / 32;
  const std::int64_t step = blockIdx.x;
  if (row >= planes.rows) return;
  const bool there = row < from.samples;
  const std::int8_t* const calls = from.calls + (there ? row : 0) * from.sites + first;
  unsigned v = 0, w = 0, z = 0;  // of the 32 sites that the lane's word is about
#pragma unroll 8
  for (int g = 0; g < 32; ++g) {
    const std::int64_t site = step * product_sites + 32 * g + lane;
    const int x = there && site < sites ? calls[site] : -1;
    const unsigned two = __ballot_sync(~0u, x == 2), one = __ballot_sync(~0u, x == 1);
    const unsigned none = __ballot_sync(~0u, x == 0);
    if (lane == g) v = two, w = one, z = none;
  }
  const auto put = [&](int plane, unsigned word) {
    const std::int64_t table = plane * std::int64_t{planes.steps} + step;
    auto* const bytes = const_cast<std::uint8_t*>(planes.tile(table, row));
    const int place = (lane / 4) ^ static_cast<int>(row % 8);
    reinterpret_cast<unsigned*>(bytes)[4 * place + lane % 4] = word;
  };
  if constexpr (kind == PlaneKind::complete) {
    put(0, v | w);
    put(1, v);
    put(2, w);
  } else {
    put(0, z | v | w);
    put(1, z | v);
    put(2, z);
    put(3, v);
    put(4, w);
  }
}

}  // namespace

GenotypesSummary summarize_genotypes(const Genotypes& genotypes) {
  GenotypesSummary summary{~0ull, 0};
  const std::int64_t n = genotypes.samples * genotypes.sites;
  if (n == 0) return summary;
  yupana::cuda::DeviceArray<GenotypesSummary> there(1);
  yupana::cuda::upload("check genotypes", there.data(), &summary, 1);
  const auto blocks = static_cast<unsigned>(std::min(divide_up(n, threads), most_blocks));
  summary_kernel<<<blocks, threads>>>(genotypes.calls, n, there.data());
  check_launch("check genotypes");
  check(cudaMemcpy(&summary, there.data(), sizeof(summary), cudaMemcpyDeviceToHost),
        "check genotypes");
  return summary;
}

void planes_from_calls(const Genotypes& genotypes,
                       std::int64_t first,
                       std::int64_t sites,
                       PlaneKind kind,
                       const DevicePlanes& planes,
                       cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(planes.steps),
                  static_cast<unsigned>(divide_up(planes.rows, warps)));
  if (kind == PlaneKind::complete) {
    planes_kernel<PlaneKind::complete>
        <<<grid, threads, 0, stream>>>(genotypes, first, sites, planes);
  } else {
    planes_kernel<PlaneKind::pairwise>
        <<<grid, threads, 0, stream>>>(genotypes, first, sites, planes);
  }
  check_launch("turn genotypes into bit planes");
}

}  // namespace yupana::python::device
