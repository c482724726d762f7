// Which sites of a chromosome are correlated, on the context's GPUs: the sums of pairs are products
// of bit planes whose rows are sites, and a bit a pair says whether its r2 is too large. Every pair
// of a window is compared, where the CPU leaves out those of sites that were dropped: windows of
// thousands of sites are what this is for.
#include <algorithm>
#include <memory>
#include <vector>

#include "yupana/core/cuda/gpu_memory.hpp"
#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/cuda/side_by_side.hpp"
#include "yupana/genotype/bit_products.hpp"
#include "yupana/genotype/device_planes.hpp"
#include "yupana/genotype/ld_pairs.hpp"

namespace yupana::genotype::cuda {
namespace {

using namespace yupana::cuda;

enum Plane { homozygous, twos, called, plane_count };  // as LdPlanes

// Sums over the samples: of a pair's row and column the planes of these names.
enum Sum {
  twos_both,
  twos_homozygous,
  homozygous_both,
  called_both,  // where calls are missing, this and the others, too
  called_homozygous,
  called_twos,
  homozygous_called,
  twos_called,
  all_sums
};
constexpr int sums_of(bool complete) { return complete ? called_both : all_sums; }

constexpr std::int64_t step_bytes = product_sites / 4;  // of codes
constexpr std::int64_t most_rows = 4096;                // at a time, unless columns are more

struct PairSumsOf {
  const std::uint32_t* sums;
  std::int64_t cells;                ///< of each sum
  const unsigned long long* of_row;  ///< set bits of planes 0 and 1 where no call is missing
  std::int64_t rows;                 ///< of these, padded
  std::int64_t samples;

  __device__ std::int64_t sum(int which, std::int64_t cell) const {
    return sums[which * cells + cell];
  }
};

__device__ std::uint32_t even_bits(std::uint32_t x) {
  x &= 0x55555555;
  x = (x | x >> 1) & 0x33333333;
  x = (x | x >> 2) & 0x0f0f0f0f;
  x = (x | x >> 4) & 0x00ff00ff;
  return (x | x >> 8) & 0xffff;
}

/// A thread makes 16 bytes of a row of every plane.
__global__ void planes_kernel(const std::uint8_t* codes, std::int64_t sites, DevicePlanes planes) {
  constexpr int pieces = static_cast<int>(product_bytes / 16);
  const std::int64_t cells = planes.steps * planes.rows * pieces;
  for (std::int64_t cell = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; cell < cells;
       cell += std::int64_t{gridDim.x} * blockDim.x) {
    const int piece = static_cast<int>(cell % pieces);
    const std::int64_t row = cell / pieces % planes.rows, step = cell / pieces / planes.rows;
    std::uint32_t words[plane_count][4] = {};
    if (row < sites) {
      const auto* const from = reinterpret_cast<const uint2*>(
          codes + (row * planes.steps + step) * step_bytes + 32 * piece);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const uint2 two = from[k];
        const auto pack = [](std::uint32_t low, std::uint32_t high) {
          return even_bits(low) | even_bits(high) << 16;
        };
        words[homozygous][k] = pack(~(two.x ^ two.x >> 1), ~(two.y ^ two.y >> 1));
        words[twos][k] = pack(~(two.x | two.x >> 1), ~(two.y | two.y >> 1));
        words[called][k] = pack(~(two.x & ~(two.x >> 1)), ~(two.y & ~(two.y >> 1)));
      }
    }
#pragma unroll
    for (int p = 0; p < plane_count; ++p) {
      *piece_of(planes, p, step, row, piece) =
          make_uint4(words[p][0], words[p][1], words[p][2], words[p][3]);
    }
  }
}

/// As LdWindow compares two sites.
template <bool complete>
__device__ bool correlated(
    const PairSumsOf& of, std::int64_t row, std::int64_t column, std::int64_t cell, double most) {
  const std::int64_t product = 4 * of.sum(twos_both, cell) - 2 * of.sum(twos_homozygous, cell) +
                               of.sum(homozygous_both, cell);
  std::int64_t n = of.samples, row_squares, row_sum, column_squares, column_sum;
  if constexpr (complete) {
    const auto bits = [&](int plane, std::int64_t site) {
      return static_cast<std::int64_t>(of.of_row[plane * of.rows + site]);
    };
    row_squares = bits(homozygous, row);
    row_sum = 2 * bits(twos, row) - row_squares;
    column_squares = bits(homozygous, column);
    column_sum = 2 * bits(twos, column) - column_squares;
  } else {
    n = of.sum(called_both, cell);
    row_squares = of.sum(homozygous_called, cell);
    row_sum = 2 * of.sum(twos_called, cell) - row_squares;
    column_squares = of.sum(called_homozygous, cell);
    column_sum = 2 * of.sum(called_twos, cell) - column_squares;
  }
  const auto covariance = static_cast<double>(n * product - column_sum * row_sum);
  const auto column_variance = static_cast<double>(n * column_squares - column_sum * column_sum);
  const auto row_variance = static_cast<double>(n * row_squares - row_sum * row_sum);
  return covariance * covariance > most * column_variance * row_variance;
}

/// A warp makes one word: of 32 columns those correlated with a row that they are before.
template <bool complete>
__global__ void bits_kernel(PairSumsOf of,
                            Band band,
                            std::int64_t first_row,
                            std::int64_t sites,
                            double most,
                            std::uint32_t* to) {
  const int lane = threadIdx.x % 32;
  const std::int64_t words = (sites + 31) / 32;
  const std::int64_t warp = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * blockDim.x / 32;
  for (std::int64_t at = warp; at < (sites - first_row) * words; at += warps) {
    const std::int64_t row = first_row + at / words, column = at % words * 32 + lane;
    const std::int64_t cell = (row - band.begin) * band.columns() + column;
    const bool bit = column < row && correlated<complete>(of, row, column, cell, most);
    const std::uint32_t word = __ballot_sync(~0u, bit);
    if (lane == 0) to[at] = word;
  }
}

/// Sites [first, rows.end) of those that are held, of which `rows` are compared with those
/// before.
struct Batch {
  std::int64_t first;
  Range rows;

  std::int64_t sites() const { return rows.end - first; }
  Band band() const {
    return {(rows.begin - first) / product_edge * product_edge, round_up(sites(), product_edge)};
  }
  /// Of device memory.
  std::uint64_t bytes(std::int64_t steps, bool complete) const {
    const std::int64_t padded = round_up(sites(), product_edge);
    const std::int64_t planes = plane_count * steps * padded * product_bytes;
    return static_cast<std::uint64_t>(sites() * steps * step_bytes + planes + 16 * padded +
                                      (std::int64_t{1} << 20) +
                                      sums_of(complete) * band().cells() * std::int64_t{4} +
                                      rows.size() * divide_up(sites(), 32) * 4);
  }
};

template <class T>
T* zeros_in(DeviceArray<T>& array, std::int64_t size, cudaStream_t stream) {
  T* const data = room_of(array, size);
  check(cudaMemsetAsync(data, 0, static_cast<std::size_t>(size) * sizeof(T), stream), "clear sums");
  return data;
}

/// The memory of one device.
class PairsOfDevice {
 public:
  PairsOfDevice(int device, std::int64_t samples)
      : device_(device), samples_(samples), steps_(divide_up(samples, product_sites)) {}

  /// Words of the batch's rows, `codes` being those of its first site.
  std::shared_ptr<const Array<std::uint32_t>> bits(const std::uint8_t* codes,
                                                   const Batch& batch,
                                                   bool complete,
                                                   double most) {
    const std::int64_t sites = batch.sites(), row = batch.rows.begin - batch.first;
    const std::int64_t bytes = sites * steps_ * step_bytes;
    upload("copy sites to the GPU", room_of(codes_, bytes), codes, bytes);
    DevicePlanes planes = {
        nullptr, round_up(sites, product_edge), plane_count, static_cast<int>(steps_)};
    planes.bytes = room_of(planes_, planes.size());
    planes_kernel<<<blocks(planes.size() / plane_count / 16), threads, 0, stream_>>>(
        codes_.data(), sites, planes);
    check_launch("turn sites into bit planes");
    const Band band = batch.band();
    const PairSumsOf of = {
        multiply(planes, band, complete), band.cells(), own_.data(), planes.rows, samples_};
    auto words = std::make_shared<Array<std::uint32_t>>(batch.rows.size() * divide_up(sites, 32));
    const auto kernel = complete ? bits_kernel<true> : bits_kernel<false>;
    kernel<<<blocks(32 * words->size()), threads, 0, stream_>>>(
        of, band, row, sites, most, room_of(words_, words->size()));
    check_launch("compare sites");
    stream_.wait();
    check(cudaMemcpy(words->data(), words_.data(), words->bytes(), cudaMemcpyDeviceToHost),
          "copy correlations");
    return words;
  }
  int device() const { return device_; }

 private:
  static constexpr int threads = 256;
  static unsigned blocks(std::int64_t work) {
    return static_cast<unsigned>(std::clamp<std::int64_t>(divide_up(work, threads), 1, 1 << 16));
  }

  const std::uint32_t* multiply(const DevicePlanes& planes, const Band& band, bool complete) {
    const std::int64_t cells = band.cells();
    std::uint32_t* const sums = zeros_in(sums_, sums_of(complete) * cells, stream_);
    const auto product = [&](int row, int column, int sum) {
      return Product{row, column, 1, sums + sum * cells};
    };
    BitProducts products(band);
    const Product of_both[] = {product(twos, twos, twos_both),
                               product(twos, homozygous, twos_homozygous),
                               product(homozygous, twos, twos_homozygous),
                               product(homozygous, homozygous, homozygous_both)};
    products.add(planes, of_both, stream_);
    if (complete) {
      add_row_sums(planes, 0, 2, zeros_in(own_, 2 * planes.rows, stream_), stream_);
    } else {
      const Product of_called[] = {product(called, called, called_both),
                                   product(called, homozygous, called_homozygous),
                                   product(called, twos, called_twos),
                                   product(homozygous, called, homozygous_called),
                                   product(twos, called, twos_called)};
      products.add(planes, of_called, stream_);
    }
    stream_.wait();  // the order of work is freed
    return sums;
  }

  int device_;
  std::int64_t samples_, steps_;
  Stream stream_;
  DeviceArray<std::uint8_t> codes_, planes_;
  DeviceArray<std::uint32_t> sums_, words_;
  DeviceArray<unsigned long long> own_;
};

/// The sites of a chromosome that a window may still hold, and those to come.
class PairsOnDevices : public LdPairs {
 public:
  PairsOnDevices(Context& context, const LdPruneParams& params, std::int64_t samples)
      : context_(context), params_(params), steps_(divide_up(samples, product_sites)) {
    for (const int device : context.devices()) {
      const DeviceScope scope(device);
      devices_.push_back(std::make_unique<PairsOfDevice>(device, samples));
    }
  }

  std::int64_t stride() const override { return steps_ * step_bytes; }
  void begin_chromosome() override {
    first_ = 0;
    positions_.clear();
  }

  std::vector<LdNear> add(const Array<std::uint8_t>& codes,
                          const std::vector<std::int64_t>& positions,
                          bool complete) override {
    append(codes, positions, complete);
    const std::vector<Batch> batches = cut(std::ssize(positions));
    std::vector<LdNear> near(positions.size());
    const double most = params_.max_r2 * (1 + ld_tolerance);
    run_side_by_side(devices_.size(), [&](std::size_t d) {
      const DeviceScope scope(devices_[d]->device());
      for (std::size_t b = d; b < batches.size(); b += devices_.size()) {
        context_.check_cancelled();
        const Batch& batch = batches[b];
        const auto words =
            devices_[d]->bits(codes_.data() + batch.first * stride(), batch, complete_, most);
        const std::int64_t row_words = divide_up(batch.sites(), 32);
        for (std::int64_t row = batch.rows.begin; row < batch.rows.end; ++row) {
          near[static_cast<std::size_t>(row - (held() - std::ssize(positions)))] = {
              words, (row - batch.rows.begin) * row_words, first_ + batch.first};
        }
      }
    });
    return near;
  }

 private:
  std::int64_t held() const { return std::ssize(positions_); }

  /// Leaves of the sites before those that the next ones may be in a window with.
  void append(const Array<std::uint8_t>& codes,
              const std::vector<std::int64_t>& positions,
              bool complete) {
    const std::int64_t gone = positions.empty() ? 0 : first_near(held(), positions.front());
    const std::int64_t kept = held() - gone, added = std::ssize(positions);
    Array<std::uint8_t> all((kept + added) * stride());
    std::copy_n(codes_.data() + gone * stride(), kept * stride(), all.data());
    std::copy_n(codes.data(), added * stride(), all.data() + kept * stride());
    codes_ = std::move(all);
    positions_.erase(positions_.begin(), positions_.begin() + gone);
    positions_.insert(positions_.end(), positions.begin(), positions.end());
    first_ += gone;
    complete_ = complete && (kept == 0 || complete_);
  }
  /// The first held site that a site at this place is in a window with.
  std::int64_t first_near(std::int64_t site, std::int64_t position) const {
    if (!params_.in_base_pairs) return std::max<std::int64_t>(0, site - params_.window + 1);
    const auto before =
        std::lower_bound(positions_.begin(), positions_.begin() + site, position - params_.window);
    return before - positions_.begin();
  }

  std::vector<Batch> cut(std::int64_t added) const {
    std::vector<Batch> batches;
    for (std::int64_t row = held() - added; row < held(); row = batches.back().rows.end) {
      const std::int64_t first = first_near(row, positions_[static_cast<std::size_t>(row)]);
      std::int64_t rows = std::max(most_rows, row - first);
      const auto batch = [&] { return Batch{first, {row, std::min(row + rows, held())}}; };
      while (batch().bytes(steps_, complete_) > context_.gpu_memory()) {
        if (rows <= product_edge) {
          throw gpu_memory_error(
              fmt::format("--indep-pairwise with windows of {} sites", row - first),
              static_cast<double>(batch().bytes(steps_, complete_)),
              context_.gpu_memory());
        }
        rows = std::max(rows / 2, product_edge);
      }
      batches.push_back(batch());
    }
    return batches;
  }

  Context& context_;
  LdPruneParams params_;
  std::int64_t steps_;
  std::vector<std::unique_ptr<PairsOfDevice>> devices_;
  Array<std::uint8_t> codes_;
  std::vector<std::int64_t> positions_;
  std::int64_t first_ = 0;  ///< index in the chromosome of the first that is held
  bool complete_ = true;
};

}  // namespace

std::unique_ptr<LdPairs> ld_pairs(Context& context,
                                  const LdPruneParams& params,
                                  std::int64_t founders) {
  return std::make_unique<PairsOnDevices>(context, params, founders);
}

}  // namespace yupana::genotype::cuda
