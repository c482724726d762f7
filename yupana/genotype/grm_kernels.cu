#include <algorithm>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/genotype/device_planes.hpp"
#include "yupana/genotype/grm_backends.hpp"
#include "yupana/genotype/grm_kernels.hpp"

namespace yupana::genotype::cuda {
namespace {

using namespace yupana::cuda;

constexpr int word_samples = 16;  // of 32 bits of codes
constexpr int tile_rows = 128;
constexpr int pieces = static_cast<int>(product_bytes / 16);
constexpr int threads = 256;
constexpr int slice_sites = 512;  // whose own terms a thread sums

/// A thread makes 16 bytes of a row of every plane.
__global__ void __launch_bounds__(tile_rows* pieces) operands_kernel(const SiteCodes codes,
                                                                     const std::int32_t* sites,
                                                                     const std::uint32_t* digits,
                                                                     const DevicePlanes planes) {
  constexpr std::uint32_t copies_of_codes = 0x12;  // two bits a code: 2, 0, 1, 0
  const std::int64_t row = std::int64_t{blockIdx.y} * tile_rows + threadIdx.x;
  const int piece = threadIdx.y;
  const std::int64_t first = std::int64_t{blockIdx.x} * product_bytes + 16 * piece;
  const bool there = row < codes.samples;
  std::uint32_t words[weight_digits + 1][4] = {};
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const std::uint32_t word = there ? codes.word(sites[first + k], row) : ~0u;
    const std::uint32_t code = word >> (2 * (row % word_samples)) & 3;
    const std::uint32_t x = copies_of_codes >> (2 * code) & 3;
    const std::uint32_t products = digits[first + k] * x;  // no digit carries: 2 * 127 < 256
    words[0][k / 4] |= x << (8 * (k % 4));
#pragma unroll
    for (int d = 0; d < weight_digits; ++d) {
      words[1 + d][k / 4] |= (products >> (8 * d) & 255) << (8 * (k % 4));
    }
  }
#pragma unroll
  for (int p = 0; p <= weight_digits; ++p) {
    *piece_of(planes, p, blockIdx.x, row, piece) =
        make_uint4(words[p][0], words[p][1], words[p][2], words[p][3]);
  }
}

__global__ void __launch_bounds__(threads)
    empty_kernel(std::uint32_t* digit_sums, int shift, const Band band, std::int64_t* sums) {
  for (std::int64_t row = blockIdx.x; row < band.rows(); row += gridDim.x) {
    const std::int64_t begin = row * band.columns();
    for (std::int64_t j = threadIdx.x; j <= band.begin + row; j += threads) {
      std::int64_t sum = 0;
#pragma unroll
      for (int d = 0; d < weight_digits; ++d) {
        std::uint32_t* const digit = digit_sums + d * band.cells() + begin + j;
        sum += static_cast<std::int64_t>(*digit) << (7 * d);
        *digit = 0;
      }
      sums[begin + j] += sum << (shift + 1);
    }
    // What products of whole squares added past the diagonal.
    const std::int64_t next = band.begin + row + 1;
    const std::int64_t end = (next + product_edge - 1) / product_edge * product_edge;
    for (std::int64_t j = next + threadIdx.x; j < end; j += threads) {
      for (int d = 0; d < weight_digits; ++d) digit_sums[d * band.cells() + begin + j] = 0;
    }
  }
}

__device__ void add(std::int64_t* to, std::int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}

__global__ void __launch_bounds__(threads)
    own_kernel(const SiteCodes codes, const std::int64_t* terms, std::int64_t* own) {
  const std::int64_t sample = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (sample >= codes.samples) return;
  for (std::int64_t slice = blockIdx.y; slice * slice_sites < codes.sites; slice += gridDim.y) {
    const std::int64_t begin = slice * slice_sites;
    const std::int64_t end = min(begin + slice_sites, codes.sites);
    std::int64_t sum = 0, missing = 0;
    for (std::int64_t site = begin; site < end; ++site) {
      const auto code =
          static_cast<int>(codes.word(site, sample) >> (2 * (sample % word_samples)) & 3);
      sum += terms[4 * site + code];
      missing += code == missing_call;
    }
    add(own + 2 * sample, sum);
    add(own + 2 * sample + 1, missing);
  }
}

/// A thread makes one word: of 32 sites those at which the call of a sample is missing.
__global__ void __launch_bounds__(threads)
    masks_kernel(const SiteCodes codes, std::uint32_t* masks) {
  const std::int64_t words = mask_words(codes.sites);
  const std::int64_t sample = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (sample >= codes.samples) return;
  for (std::int64_t w = blockIdx.y; w < words; w += gridDim.y) {
    std::uint32_t mask = 0;
    for (int k = 0; k < 32 && 32 * w + k < codes.sites; ++k) {
      const std::uint32_t word = codes.word(32 * w + k, sample);
      const std::uint32_t code = word >> (2 * (sample % word_samples)) & 3;
      mask |= static_cast<std::uint32_t>(code == missing_call) << k;
    }
    masks[sample * words + w] = mask;
  }
}

/// The corrections for the missing calls of one sample, the owner, with 16 columns.
struct Corrections {
  std::int64_t sums[word_samples] = {};
  std::uint32_t both[word_samples] = {};

  __device__ void add_site(const SiteCodes& codes,
                           const std::int32_t* of_codes,
                           std::int64_t site,
                           std::int64_t column) {
    const std::uint32_t word = codes.word(site, column);
    std::int32_t of_code[4];
#pragma unroll
    for (int c = 0; c < 4; ++c) of_code[c] = of_codes[4 * site + c];
#pragma unroll
    for (int i = 0; i < word_samples; ++i) {
      const bool low = word >> (2 * i) & 1, high = word >> (2 * i + 1) & 1;
      sums[i] += high ? (low ? of_code[3] : of_code[2]) : (low ? of_code[1] : of_code[0]);
      both[i] += low && !high;
    }
  }
};

constexpr int correct_threads = 128;

__global__ void __launch_bounds__(correct_threads) correct_kernel(const SiteCodes codes,
                                                                  const std::int32_t* of_codes,
                                                                  const std::uint32_t* masks,
                                                                  const Range rows,
                                                                  const GrmCells cells) {
  const int lane = threadIdx.x % 32;
  const std::int64_t owner = blockIdx.x, words = mask_words(codes.sites);
  const std::int64_t first =
      word_samples * (std::int64_t{blockIdx.y} * correct_threads + threadIdx.x);
  const bool there = first < rows.end;
  Corrections corrections;
  for (std::int64_t w = 0; w < words; w += 32) {
    const std::uint32_t mine = w + lane < words ? masks[owner * words + w + lane] : 0;
    for (unsigned left = __ballot_sync(~0u, mine != 0); left != 0; left &= left - 1) {
      const int from = __ffs(static_cast<int>(left)) - 1;
      std::uint32_t mask = __shfl_sync(~0u, mine, from);
      for (; mask != 0 && there; mask &= mask - 1) {
        const std::int64_t site = 32 * (w + from) + __ffs(static_cast<int>(mask)) - 1;
        corrections.add_site(codes, of_codes, site, first);
      }
    }
  }
  if (!there) return;
  const std::int64_t columns = cells.band.columns(), top = cells.band.begin;
  for (int i = 0; i < word_samples && first + i < rows.end; ++i) {
    const std::int64_t column = first + i, twice = 2 * corrections.sums[i];
    if (owner >= rows.begin && column <= owner) {
      const std::int64_t cell = (owner - top) * columns + column;
      add(cells.sums + cell, twice);
      cells.missing_both[cell] += corrections.both[i];
    }
    if (column >= rows.begin && column >= owner) {
      add(cells.sums + (column - top) * columns + owner, twice);
    }
  }
}

template <class T>
__global__ void __launch_bounds__(threads)
    pack_kernel(const T* from, const Band band, const Range rows, T* to) {
  for (std::int64_t row = rows.begin + blockIdx.x; row < rows.end; row += gridDim.x) {
    const T* const line = from + (row - band.begin) * band.columns();
    T* const packed = to + (row * (row + 1) - rows.begin * (rows.begin + 1)) / 2;
    for (std::int64_t j = threadIdx.x; j <= row; j += threads) packed[j] = line[j];
  }
}

unsigned up_to(std::int64_t blocks, std::int64_t most) {
  return static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, most));
}

template <class T>
void pack(const T* from, const Band& band, Range rows, T* to, cudaStream_t stream) {
  if (rows.size() == 0) return;
  pack_kernel<T><<<up_to(rows.size(), 1 << 16), threads, 0, stream>>>(from, band, rows, to);
  check_launch("pack sums");
}

}  // namespace

void make_operands(const SiteCodes& codes,
                   const std::int32_t* sites,
                   const std::uint32_t* digits,
                   const DevicePlanes& planes,
                   cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(planes.steps),
                  static_cast<unsigned>(planes.rows / tile_rows));
  operands_kernel<<<grid, dim3(tile_rows, pieces), 0, stream>>>(codes, sites, digits, planes);
  check_launch("make products' operands");
}

void empty_digits(std::uint32_t* digit_sums,
                  int shift,
                  const Band& band,
                  std::int64_t* sums,
                  cudaStream_t stream) {
  if (band.rows() == 0) return;
  empty_kernel<<<up_to(band.rows(), 1 << 16), threads, 0, stream>>>(digit_sums, shift, band, sums);
  check_launch("empty sums of digits");
}

void add_own_sums(const SiteCodes& codes,
                  const std::int64_t* of_codes,
                  std::int64_t* own,
                  cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(divide_up(codes.samples, threads)),
                  up_to(divide_up(codes.sites, slice_sites), 1024));
  own_kernel<<<grid, threads, 0, stream>>>(codes, of_codes, own);
  check_launch("sum of_codes of samples");
}

void correct_missing(const SiteCodes& codes,
                     const std::int32_t* corrections,
                     std::uint32_t* masks,
                     Range rows,
                     const GrmCells& cells,
                     cudaStream_t stream) {
  const dim3 mask_grid(static_cast<unsigned>(divide_up(codes.samples, threads)),
                       up_to(mask_words(codes.sites), 4096));
  masks_kernel<<<mask_grid, threads, 0, stream>>>(codes, masks);
  check_launch("find missing calls");
  const dim3 grid(static_cast<unsigned>(rows.end),
                  static_cast<unsigned>(divide_up(rows.end, word_samples * correct_threads)));
  correct_kernel<<<grid, correct_threads, 0, stream>>>(codes, corrections, masks, rows, cells);
  check_launch("correct missing calls");
}

void pack_rows(
    const std::int64_t* from, const Band& band, Range rows, std::int64_t* to, cudaStream_t stream) {
  pack(from, band, rows, to, stream);
}
void pack_rows(const std::uint32_t* from,
               const Band& band,
               Range rows,
               std::uint32_t* to,
               cudaStream_t stream) {
  pack(from, band, rows, to, stream);
}

}  // namespace yupana::genotype::cuda
