#include "bench/genotype/distances_bench.hpp"

#include <fmt/core.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "bench/genotype/packed_genotypes.hpp"
#include "yupana/core/random.hpp"

namespace yupana::bench {

using genotype::PackedGenotypes;
using genotype::PairCounter;
using genotype::PairCounts;
using genotype::PlaneBlock;

genotype::PlaneBlock random_planes(std::int64_t samples, std::int64_t sites, bool missing) {
  using genotype::chunk_sites;
  PlaneBlock block(samples, sites, missing ? 3 : 2);
  const Random u_bits(1, 0), w_bits(1, 1), p_bits(1, 2);
  constexpr std::int64_t words = chunk_sites / 64;
  for (std::int64_t i = 0; i < samples; ++i) {
    for (std::int64_t k = 0; k < block.chunks * words; ++k) {
      const auto at = static_cast<std::uint64_t>(i * block.chunks * words + k);
      const std::int64_t left = std::clamp<std::int64_t>(sites - k * 64, 0, 64);
      std::uint64_t called = left == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
      const std::uint64_t draw = p_bits.word(at);
      // One missing call in 64 % of the words of 64: 1 %.
      if (missing && draw % 100 < 64) called &= ~(std::uint64_t{1} << (draw >> 58));
      const std::uint64_t u = u_bits.word(at) & called, w = u & w_bits.word(at);
      std::uint8_t* const to =
          block.row(i) + k / words * block.planes * genotype::chunk_bytes + k % words * 8;
      std::memcpy(to, &u, 8);
      std::memcpy(to + genotype::chunk_bytes, &w, 8);
      if (missing) std::memcpy(to + 2 * genotype::chunk_bytes, &called, 8);
    }
  }
  return block;
}

double pair_sites_per_second(std::int64_t samples, std::int64_t sites, double seconds) {
  return static_cast<double>(samples * (samples - 1) / 2) * static_cast<double>(sites) * 1e-9 /
         seconds;
}

std::string case_name(std::int64_t samples, std::int64_t sites, bool missing, int threads) {
  return fmt::format("n={} m={}, {}, {}",
                     samples,
                     sites,
                     missing ? "1 % missing" : "no missing",
                     threads_text(threads));
}

bool counts_are_right(std::int64_t samples,
                      std::int64_t sites,
                      const PairCounts& counts,
                      const std::function<int(std::int64_t, std::int64_t)>& genotype) {
  const Random random(7);
  for (std::uint64_t pair = 0; pair < 64; ++pair) {
    const auto draw = random.word(pair);
    const auto n = static_cast<std::uint64_t>(samples);
    const auto a = static_cast<std::int64_t>(draw % n), b = static_cast<std::int64_t>(draw / n % n);
    const std::int64_t i = std::max(a, b), j = std::min(a, b);
    std::uint64_t ibs1 = 0, ibs0 = 0, shared = 0;
    for (std::int64_t k = 0; k < sites; ++k) {
      const int x = genotype(i, k), y = genotype(j, k);
      if (x < 0 || y < 0) continue;
      shared += 1;
      ibs1 += std::abs(x - y) == 1;
      ibs0 += std::abs(x - y) == 2;
    }
    if (counts.ibs1.at(i, j) != ibs1 || counts.ibs0.at(i, j) != ibs0) return false;
    if (counts.shared_at(i, j) != shared) return false;
  }
  return true;
}

namespace {

/// Genotype from the planes, site by site: -1 missing.
int genotype_of(const PlaneBlock& block, std::int64_t sample, std::int64_t site) {
  const std::int64_t chunk = site / genotype::chunk_sites, bit = site % genotype::chunk_sites;
  const auto at = [&](int plane) {
    return block.chunk(sample, chunk, plane)[bit / 8] >> (bit % 8) & 1;
  };
  if (block.planes == 3 && at(2) == 0) return -1;
  return 2 * at(0) - at(1);
}

void measure(const Context& parent,
             const BenchParams& params,
             const PlaneBlock& block,
             int threads) {
  Context context(with_threads(parent, threads));
  PairCounts counts;
  const Timing timing = time_runs(params.quick ? 1 : 3, [&] {
    PairCounter counter(context, block.samples);
    counter.add(block);
    counts = counter.take();
  });
  const bool missing = block.planes == 3;
  Measurement result;
  result.bench = "distances";
  result.what = case_name(block.samples, block.sites, missing, threads);
  result.impl = impl_name(context) + ", planes in memory";
  result.value = pair_sites_per_second(block.samples, block.sites, timing.median);
  result.timing = timing;
  result.unit = "G pair-SNP/s";
  const double ceiling = distances_ceiling(missing);
  if (ceiling > 0) result.share_of_limit = result.value / (ceiling * threads);
  result.verified = counts_are_right(
      block.samples, block.sites, counts, [&](std::int64_t sample, std::int64_t site) {
        return genotype_of(block, sample, site);
      });
  params.emit(result);
}

/// The published kernel on one core: it visits pairs in tiles of 16 x 16 samples and 1,024 words.
void measure_two_bit_method(const BenchParams& params, std::int64_t n, std::int64_t m) {
  const PlaneBlock block = random_planes(n, m, false);
  const PackedGenotypes packed = genotype::pack_two_bits(block);
  std::vector<std::uint64_t> squared;
  const Timing timing = time_runs(params.quick ? 1 : 3, [&] {
    squared.assign(static_cast<std::size_t>(n * n), 0);
    for (std::int64_t k = 0; k < packed.words; k += 1024) {
      const std::int64_t words = std::min<std::int64_t>(1024, packed.words - k);
      for (std::int64_t tile = 0; tile < triangle_tiles(n, 16); ++tile) {
        const Tile at = triangle_tile(tile, divide_up(n, 16), 8);
        for (std::int64_t i = at.row * 16; i < std::min(n, at.row * 16 + 16); ++i) {
          for (std::int64_t j = at.column * 16; j < std::min(i, at.column * 16 + 16); ++j) {
            squared[static_cast<std::size_t>(i * n + j)] +=
                genotype::packed_squared_distance(packed.row(i) + k, packed.row(j) + k, words);
          }
        }
      }
    }
  });
  Context context({"cpu", 1});
  PairCounter counter(context, n);
  counter.add(block);
  bool same = true;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      const PairCounts& counts = counter.counts();
      same = same && squared[static_cast<std::size_t>(i * n + j)] ==
                         counts.ibs1.at(i, j) + 4 * counts.ibs0.at(i, j);
    }
  }
  params.emit(timed_line("distances",
                         case_name(n, m, false, 1),
                         "published 2-bit XOR + POPCNT method, scalar, codes in memory",
                         pair_sites_per_second(n, m, timing.median),
                         "G pair-SNP/s",
                         same,
                         timing));
}

}  // namespace

void distances(Context& context, const BenchParams& params) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return distances_cuda(context, params);
#endif
  const auto both_threads = [&](const PlaneBlock& block) {
    for (const int threads : thread_counts(context)) measure(context, params, block, threads);
  };
  const std::int64_t n = params.quick ? 70 : 4096, m = params.quick ? 2000 : 262144;
  for (const bool missing : {false, true}) {
    const PlaneBlock block = random_planes(n, m, missing);
    both_threads(block);
    const bool simd = context.backend() == Backend::cpu;
    if (missing || !simd || (hwy::SupportedTargets() & HWY_AVX2) == 0) continue;
    hwy::SetSupportedTargetsForTest(HWY_AVX2);
    measure(context, params, block, 1);
    hwy::SetSupportedTargetsForTest(0);
  }
  distances_from_rows(context, params);
  measure_two_bit_method(params, params.quick ? 20 : 512, params.quick ? 2000 : 65536);
  both_threads(random_planes(params.quick ? 40 : 2000, params.quick ? 1500 : 200000, false));
  both_threads(random_planes(params.quick ? 40 : 2000, params.quick ? 1500 : 200000, true));
  both_threads(random_planes(16, params.quick ? 30000 : 1 << 24, false));
  if (params.peers) distances_peers(context, params);
}

}  // namespace yupana::bench
