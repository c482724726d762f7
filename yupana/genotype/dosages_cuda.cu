// Pair counts of an array of genotypes that is in the memory of a GPU.
#include <algorithm>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/device_planes.hpp"
#include "yupana/genotype/dosages_backends.hpp"
#include "yupana/genotype/pair_counts_backends.hpp"
#include "yupana/genotype/pair_sums.hpp"

namespace yupana::genotype::cuda {
namespace {

using namespace yupana::cuda;

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr std::int64_t most_blocks = 4096;

struct CallFacts {
  unsigned long long bad = ~0ull;  ///< the first, row by row, that is above 2; all bits where none
  unsigned missing = 0;            ///< whether some call is
};

__global__ void facts_kernel(const Dosages from, CallFacts* facts) {
  bool missing = false;
  for (std::int64_t i = blockIdx.y; i < from.samples; i += gridDim.y) {
    for (std::int64_t k = std::int64_t{blockIdx.x} * threads + threadIdx.x; k < from.sites;
         k += std::int64_t{gridDim.x} * threads) {
      const int x = from.data[i * from.sample_step + k * from.site_step];
      missing |= x < 0;
      if (x > 2) atomicMin(&facts->bad, static_cast<unsigned long long>(i * from.sites + k));
    }
  }
  if (missing) facts->missing = 1;
}

/// A warp turns 1,024 sites of a sample, 32 at a time: votes of its lanes are the planes' words.
template <PlaneKind kind>
__global__ void __launch_bounds__(threads)
    planes_kernel(const Dosages from, const DevicePlanes planes) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t row = std::int64_t{blockIdx.y} * warps + static_cast<int>(threadIdx.x) / 32;
  const std::int64_t step = blockIdx.x;
  if (row >= planes.rows) return;
  const bool there = row < from.samples;
  const std::int8_t* const calls = from.data + (there ? row : 0) * from.sample_step;
  unsigned v = 0, w = 0, z = 0;  // of the 32 sites that the lane's word is about
#pragma unroll 8
  for (int g = 0; g < 32; ++g) {
    const std::int64_t site = step * product_sites + 32 * g + lane;
    const int x = there && site < from.sites ? calls[site * from.site_step] : -1;
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

/// Whether some call is missing. Throws for what no genotype is.
bool any_missing(const Dosages& dosages) {
  CallFacts facts;
  yupana::cuda::DeviceArray<CallFacts> there(1);
  yupana::cuda::upload("check genotypes", there.data(), &facts, 1);
  const std::int64_t across = std::min(divide_up(dosages.sites, threads), most_blocks);
  const std::int64_t down = std::clamp<std::int64_t>(most_blocks / across, 1, dosages.samples);
  const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(down));
  facts_kernel<<<grid, threads>>>(dosages, there.data());
  check_launch("check genotypes");
  check(cudaMemcpy(&facts, there.data(), sizeof(facts), cudaMemcpyDeviceToHost), "check genotypes");
  if (facts.bad != ~0ull) {
    const auto at = static_cast<std::int64_t>(facts.bad);
    const std::int64_t row = at / dosages.sites, column = at % dosages.sites;
    const std::int8_t* const from =
        dosages.data + row * dosages.sample_step + column * dosages.site_step;
    std::int8_t value = 0;
    check(cudaMemcpy(&value, from, 1, cudaMemcpyDeviceToHost), "check genotypes");
    throw bad_genotype(row, column, value);
  }
  if (dosages.sites > PairSums::most_sites) {
    throw input_error("genotypes: expected at most {} sites of an array on a GPU, got {}",
                      PairSums::most_sites,
                      dosages.sites);
  }
  return facts.missing != 0;
}

/// Sites whose planes take about 256 MiB.
std::int64_t sites_at_once(std::int64_t samples, PlaneKind kind) {
  const std::int64_t step = round_up(samples, product_edge) * product_bytes * planes_of(kind);
  return product_sites * std::clamp<std::int64_t>((std::int64_t{256} << 20) / step, 1, 4096);
}

}  // namespace

void add_pairs(
    Context& context, int device, const Dosages& dosages, bool hethet, PairCounts& counts) {
  if (dosages.sites == 0) return;
  const yupana::cuda::DeviceScope scope(device);
  const bool missing = any_missing(dosages);
  if (missing) store_shared(counts, hethet);
  const PlaneKind kind = missing ? PlaneKind::pairwise : PlaneKind::complete;
  PairSums sums(device, {dosages.samples, counts.rows, hethet, context.gpu_memory()});
  PlaneMemory memory;
  const auto samples = static_cast<double>(dosages.samples);
  const double pairs = samples * (samples - 1) / 2;
  Stage stage(context, "pair counts", pairs * static_cast<double>(dosages.sites), "pair-SNP");
  const std::int64_t most = sites_at_once(dosages.samples, kind);
  for (std::int64_t first = 0; first < dosages.sites; first += most) {
    Dosages piece = dosages;
    piece.data += first * dosages.site_step;
    piece.sites = std::min(most, dosages.sites - first);
    const DevicePlanes planes = memory.shape(dosages.samples, piece.sites, kind);
    const dim3 grid(static_cast<unsigned>(planes.steps),
                    static_cast<unsigned>(divide_up(planes.rows, warps)));
    const auto make =
        missing ? planes_kernel<PlaneKind::pairwise> : planes_kernel<PlaneKind::complete>;
    make<<<grid, threads, 0, sums.stream()>>>(piece, planes);
    check_launch("turn genotypes into bit planes");
    sums.add(planes, kind, piece.sites);
    sums.wait();
    stage.advance(pairs * static_cast<double>(piece.sites));
  }
  sums.move_to(context, counts);
  counts.sites = dosages.sites;
}

}  // namespace yupana::genotype::cuda
