#include <fmt/core.h>

#include <algorithm>

#include "bench/genotype/distances_bench.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/genotype/pair_sums.hpp"

namespace yupana::bench {
namespace {

using namespace yupana::cuda;
using genotype::cuda::BitMethod;
using genotype::cuda::DevicePlanes;
using genotype::cuda::PairSums;
using genotype::cuda::PairSumsParams;
using genotype::cuda::PlaneKind;
using genotype::cuda::PlaneMemory;
using genotype::cuda::SumMatrices;

__device__ std::uint32_t random_word(std::uint64_t at, std::uint32_t stream) {
  std::uint64_t z = (at * 8 + stream + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return static_cast<std::uint32_t>(z >> 32);
}

/// Genotypes 0, 1, 2 with frequencies 1/2, 1/4, 1/4; where calls may be missing one in 128 is. The
/// order of sites within a row of 128 bytes is of no interest.
__global__ void fill_kernel(DevicePlanes planes, std::uint64_t seed) {
  constexpr int row_words = static_cast<int>(genotype::cuda::product_bytes / 4);
  const std::int64_t table = planes.steps * planes.rows * row_words;
  auto* const words = reinterpret_cast<std::uint32_t*>(const_cast<std::uint8_t*>(planes.bytes));
  for (std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; at < table;
       at += std::int64_t{gridDim.x} * blockDim.x) {
    // The 16-byte pieces of a row are swizzled: rows hold the same site at different places.
    const std::int64_t row = at / row_words % planes.rows;
    const std::uint64_t site = seed + static_cast<std::uint64_t>(at ^ (row % 8 * 4));
    std::uint32_t p = ~0u;
    if (planes.planes == 5) {
      p = 0;
      for (int i = 0; i < 7; ++i) p |= random_word(site, static_cast<std::uint32_t>(i) + 3);
    }
    const std::uint32_t u = random_word(site, 0) & p, w = u & random_word(site, 1);
    if (planes.planes == 3) {
      words[at] = u;
      words[at + table] = u & ~w;
      words[at + 2 * table] = w;
    } else {
      words[at] = p;
      words[at + table] = p & ~w;
      words[at + 2 * table] = p & ~u;
      words[at + 3 * table] = u & ~w;
      words[at + 4 * table] = w;
    }
  }
}

/// A warp compares the sums of one pair with plain population counts.
__global__ void check_kernel(DevicePlanes planes, SumMatrices sums, int* wrong) {
  const std::int64_t draw = random_word(blockIdx.x, 9), n = planes.rows;
  const std::int64_t a = draw % n, b = draw / n % n, i = max(a, b), j = min(a, b);
  const auto product = [&](int plane) {
    std::uint32_t count = 0;
    for (int step = 0; step < planes.steps; ++step) {
      const int lane = threadIdx.x;
      const std::int64_t table = plane * std::int64_t{planes.steps} + step;
      const auto* x = reinterpret_cast<const std::uint32_t*>(planes.tile(table, i));
      const auto* y = reinterpret_cast<const std::uint32_t*>(planes.tile(table, j));
      count += __popc(x[lane ^ (i % 8 * 4)] & y[lane ^ (j % 8 * 4)]);
    }
    return __reduce_add_sync(~0u, count);
  };
  const std::int64_t cell = i * sums.band.end + j;
  bool right = true;
  if (planes.planes == 3) {
    right = sums.s[cell] == product(0) + product(1) && sums.w[cell] == product(2);
  } else {
    right = sums.p[cell] == product(0) && sums.h[cell] == product(1) &&
            sums.z[cell] == product(2) + product(3) && sums.wm[cell] == product(4);
  }
  if (threadIdx.x == 0 && !right) atomicAdd(wrong, 1);
}

struct Bench {
  const BenchParams& params;
  std::string device;
  double ceiling;  // T bit operations/s

  void emit(const std::string& what,
            const std::string& impl,
            double rate,
            int products,
            bool good) const {
    Measurement result{"distances", what, impl, rate, "T pair-SNP/s", std::nullopt, good, device};
    if (ceiling > 0) result.share_of_limit = rate * products / ceiling;
    params.emit(result);
  }
};

double rate_of(std::int64_t n, std::int64_t m, double seconds) {
  return pair_sites_per_second(n, m, seconds) * 1e-3;
}

std::string case_of(std::int64_t n, std::int64_t m, bool missing, const char* where) {
  return fmt::format("n={} m={}, {}, {}", n, m, missing ? "1 % missing" : "no missing", where);
}

DevicePlanes random_device_planes(
    PlaneMemory& memory, std::int64_t n, std::int64_t m, PlaneKind kind, std::uint64_t seed) {
  const DevicePlanes planes = memory.shape(n, m, kind);
  fill_kernel<<<2048, 256>>>(planes, seed << 40);
  check_launch("make random planes");
  check(cudaDeviceSynchronize(), "make random planes");
  return planes;
}

/// After one block: some pairs' sums against plain population counts.
bool sums_are_right(const DevicePlanes& planes, PairSums& sums) {
  DeviceArray<int> wrong(1);
  const cudaStream_t stream = sums.stream();
  check(cudaMemsetAsync(wrong.data(), 0, sizeof(int), stream), "clear");
  check_kernel<<<1024, 32, 0, stream>>>(planes, sums.matrices(), wrong.data());
  check_launch("verify sums");
  int errors = 1;
  check(cudaMemcpyAsync(&errors, wrong.data(), sizeof(int), cudaMemcpyDeviceToHost, stream),
        "read");
  sums.wait();
  return errors == 0;
}

void measure(const Bench& bench, std::int64_t n, std::int64_t m, bool missing, BitMethod method) {
  const PlaneKind kind = missing ? PlaneKind::pairwise : PlaneKind::complete;
  PlaneMemory memory;
  const DevicePlanes planes = random_device_planes(memory, n, m, kind, 1);
  PairSums sums(0, {.samples = n, .rows = {0, n}, .method = method});
  sums.add(planes, kind, m);  // also a warm-up
  const bool good = sums_are_right(planes, sums);
  std::vector<double> seconds;
  for (int repeat = 0; repeat < (bench.params.quick ? 1 : 7); ++repeat) {
    const Event begin(true), end(true);
    begin.record(sums.stream());
    sums.add(planes, kind, m);
    end.record(sums.stream());
    end.wait();
    seconds.push_back(seconds_between(begin, end));
  }
  std::nth_element(seconds.begin(), seconds.begin() + std::ssize(seconds) / 2, seconds.end());
  const char* const impl =
      method == BitMethod::mma_rows ? "yupana cuda, mma.sync (compute capability 8.0)"
      : method == BitMethod::mma    ? "yupana cuda, mma.sync in 96 KiB of shared memory"
                                    : "yupana cuda, the method the device takes";
  bench.emit(case_of(n, m, missing, "planes on the device"),
             impl,
             rate_of(n, m, seconds[seconds.size() / 2]),
             missing ? 5 : 3,
             good);
}

/// Codes in page-locked memory, streamed: the same gigabyte again and again.
void measure_streamed(const Bench& bench) {
  const std::int64_t n = bench.params.quick ? 300 : 4000;
  const std::int64_t sites = bench.params.quick ? 8192 : 1 << 20,
                     rounds = bench.params.quick ? 2 : 76;
  const std::int64_t stride = round_up(divide_up(n, 4), 64), bytes = stride * sites;
  PinnedArray<std::uint8_t> codes(bytes);
  // 00, 10 and 11: no missing call
  for (std::int64_t i = 0; i < bytes; ++i)
    codes.data()[i] = static_cast<std::uint8_t>(i % 7 * 0x2b & 0xee) | 0x22;
  PairSums sums(0, {.samples = n, .rows = {0, n}});
  sums.add_pinned(codes.data(), stride, sites, true);
  sums.wait();
  DeviceArray<std::uint8_t> landing(bytes);
  check(cudaMemcpy(landing.data(), codes.data(), landing.bytes(), cudaMemcpyHostToDevice), "copy");
  PlaneMemory memory;
  const DevicePlanes planes = memory.shape(n, sites, PlaneKind::complete);
  genotype::cuda::planes_from_codes(
      landing.data(), stride, sites, nullptr, n, PlaneKind::complete, planes, sums.stream());
  const bool good = sums_are_right(planes, sums);
  const auto transfer = [&] {
    for (std::int64_t round = 0; round < rounds; ++round) {
      check(cudaMemcpyAsync(landing.data(),
                            codes.data(),
                            static_cast<std::size_t>(bytes),
                            cudaMemcpyHostToDevice,
                            sums.stream()),
            "copy");
    }
    sums.wait();
  };
  const double copying = median_seconds(1, transfer);
  const double seconds = median_seconds(1, [&] {
    for (std::int64_t round = 0; round < rounds; ++round) {
      sums.add_pinned(codes.data(), stride, sites, true);
    }
    sums.wait();
  });
  const std::string what = case_of(n, sites * rounds, false, "streamed from page-locked memory");
  const double rate = rate_of(n, sites * rounds, seconds);
  const std::string impl = "yupana cuda, codes transposed on the device";
  bench.params.emit(
      {"distances", what, impl, rate, "T pair-SNP/s", copying / seconds, good, bench.device});
  bench.params.emit({"distances", what, impl, seconds, "s", copying / seconds, good, bench.device});
  Measurement transfer_line = limit_line("distances", what, "the transfer alone", copying, "s");
  transfer_line.share_of_limit = 1.0;
  transfer_line.device = bench.device;
  bench.params.emit(transfer_line);
}

/// Every sum below the diagonal and its place, in one number.
__global__ void fingerprint_kernel(SumMatrices sums,
                                   std::int64_t samples,
                                   unsigned long long* result) {
  const std::int64_t n = sums.band.end;
  unsigned long long mine = 0;
  for (std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; at < samples * n;
       at += std::int64_t{gridDim.x} * blockDim.x) {
    if (at % n >= at / n) continue;
    const auto both = static_cast<std::uint64_t>(sums.s[at]) << 32 | sums.w[at];
    const auto cell = static_cast<std::uint64_t>(at);
    mine += static_cast<unsigned long long>(random_word(both + cell * 0x9e3779b97f4a7c15ull, 1))
                << 32 |
            random_word(both ^ cell * 0xd1b54a32d192ed03ull, 2);
  }
  atomicAdd(result, mine);
}

unsigned long long fingerprint(PairSums& sums, std::int64_t samples) {
  DeviceArray<unsigned long long> result(1);
  const cudaStream_t stream = sums.stream();
  check(cudaMemsetAsync(result.data(), 0, result.bytes(), stream), "clear");
  fingerprint_kernel<<<2048, 256, 0, stream>>>(sums.matrices(), samples, result.data());
  check_launch("compare sums");
  unsigned long long value = 0;
  check(cudaMemcpyAsync(&value, result.data(), result.bytes(), cudaMemcpyDeviceToHost, stream),
        "read");
  sums.wait();
  return value;
}

/// Blocks made on the devices, each its share of them, and the sums brought together at the end.
class Generated {
 public:
  explicit Generated(const Bench& bench) : bench_(bench) {}

  void measure(const std::vector<int>& devices, const std::string& counted) {
    std::vector<std::unique_ptr<PairSums>> sums;
    std::vector<PlaneMemory> memory(devices.size());
    std::vector<DevicePlanes> planes(devices.size());
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const DeviceScope scope(devices[d]);
      planes[d] = random_device_planes(memory[d], n_, block_, PlaneKind::complete, d);
      sums.push_back(
          std::make_unique<PairSums>(devices[d], PairSumsParams{.samples = n_, .rows = {0, n_}}));
    }
    sums[0]->add(planes[0], PlaneKind::complete, block_);
    bool good = sums_are_right(planes[0], *sums[0]);
    connect(devices);
    const double seconds = median_seconds(1, [&] {
      for (std::int64_t b = 0; b < blocks_; ++b) {
        const std::size_t d = static_cast<std::size_t>(b) % devices.size();
        const DeviceScope scope(devices[d]);
        fill_kernel<<<2048, 256, 0, sums[d]->stream()>>>(planes[d],
                                                         static_cast<std::uint64_t>(b) << 40);
        sums[d]->add(planes[d], PlaneKind::complete, block_);
      }
      for (std::size_t d = 1; d < devices.size(); ++d) sums[0]->take_from(*sums[d]);
      sums[0]->wait();
    });
    const unsigned long long found = fingerprint(*sums[0], n_);
    if (devices.size() == 1) alone_ = found;
    good = good && found == alone_;
    const std::string what = case_of(n_, block_ * blocks_, false, "blocks made on the device");
    const std::string impl = counted + ", making the blocks included";
    const double rate =
        rate_of(n_, block_ * blocks_, seconds) / static_cast<double>(devices.size());
    bench_.emit(what, impl, rate, 3, good);
    bench_.params.emit({"distances", what, impl, seconds, "s", std::nullopt, good, bench_.device});
  }

 private:
  const Bench& bench_;
  const std::int64_t n_ = bench_.params.quick ? 500 : 30000;
  const std::int64_t block_ = bench_.params.quick ? 4096 : 131072;
  const std::int64_t blocks_ = bench_.params.quick ? 4 : 232;
  unsigned long long alone_ = 0;  ///< the sums of one device
};

}  // namespace

void distances_cuda(Context& context, const BenchParams& params) {
  const DeviceScope scope(context.devices().front());
  const DeviceInfo info = device_list().at(static_cast<std::size_t>(context.devices().front()));
  const Bench bench{params, info.name, tensor_ceiling()};
  const auto scaling = [&] {
    Generated generated(bench);
    for_device_counts(context, [&](const std::vector<int>& devices, const std::string& impl) {
      generated.measure(devices, impl);
    });
  };
  if (params.scaling) return scaling();
  const bool quick = params.quick;
  const BitMethod best = BitMethod::automatic;
  const std::int64_t n = quick ? 700 : 16384, m = quick ? 5000 : 262144;
  measure(bench, n, m, false, best);
  measure(bench, n, m, true, best);
  measure(bench, quick ? 300 : 1024, quick ? 5000 : 1 << 22, false, best);
  measure(bench, quick ? 300 : 4096, quick ? 5000 : 1 << 20, false, best);
  measure(bench, quick ? 300 : 256, quick ? 5000 : 1 << 22, false, best);
  for (const BitMethod method : genotype::cuda::compiled_methods()) {
    if (method == BitMethod::wgmma) continue;  // above
    measure(bench, quick ? 300 : 4096, quick ? 5000 : 262144, false, method);
  }
  if (params.peers) distances_cuda_peers(params, bench.device);
  measure_streamed(bench);
  scaling();
}

}  // namespace yupana::bench
