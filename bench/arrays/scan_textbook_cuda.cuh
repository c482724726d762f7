#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "yupana/arrays/warp_cuda.cuh"
#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/tiles.hpp"

/// The scan of the textbooks (Blelloch 1990), the version to compare with: a block sweeps up and
/// down a tree in shared memory, the blocks' folds are scanned in the same way, level over level,
/// and put before the blocks' values.
namespace yupana::bench {

using arrays::cuda::from_words;
using arrays::cuda::to_words;
using arrays::cuda::Words;
using arrays::cuda::Workspace;

/// A block of the textbook: two values a thread.
template <class T>
struct Textbook {
  static constexpr int threads = sizeof(T) <= 16 ? 512 : (sizeof(T) <= 64 ? 256 : 32);
  static constexpr int tile = 2 * threads;
  // One word in 32 left out: nodes of a level are powers of two apart.
  __device__ static int place(int i) { return i + i / 32; }
};

/// Exclusive folds within each tile, and each tile's fold. The up-sweep leaves in node i the fold
/// of its subtree; the down-sweep hands each node what stands before it. "Nothing" before the first
/// leaf is a flag, since an operator need not have a neutral element.
template <class T, class Op>
__global__ void __launch_bounds__(Textbook<T>::threads)
    sweep_kernel(const T* in, std::int64_t n, T* out, T* totals, bool inclusive, Op op) {
  using Tile = Textbook<T>;
  __shared__ Words<T> tree[Tile::tile + Tile::tile / 32];
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t first = std::int64_t{blockIdx.x} * Tile::tile;
  for (int k = 0; k < 2; ++k) {
    const int i = thread + k * Tile::threads;
    tree[Tile::place(i)] = to_words(in[std::min(first + i, n - 1)]);
  }
  const auto at = [&](int i) { return from_words<T>(tree[Tile::place(i)]); };
  int step = 1;
  for (; step < Tile::tile; step *= 2) {
    __syncthreads();
    const int right = (thread + 1) * 2 * step - 1;
    if (right < Tile::tile) tree[Tile::place(right)] = to_words(op(at(right - step), at(right)));
  }
  __syncthreads();
  if (thread == 0 && totals != nullptr) {
    memcpy(
        static_cast<void*>(totals + blockIdx.x), tree[Tile::place(Tile::tile - 1)].word, sizeof(T));
  }
  for (step = Tile::tile / 2; step > 0; step /= 2) {
    __syncthreads();
    const int right = (thread + 1) * 2 * step - 1;
    if (right >= Tile::tile) continue;
    // Only the last node of a level has nothing before it at the start: the first subtree.
    const T left = at(right - step);
    const bool nothing = right + 1 == 2 * step;
    if (!nothing) {
      const T before = at(right);
      tree[Tile::place(right - step)] = to_words(before);
      tree[Tile::place(right)] = to_words(op(before, left));
    } else {
      tree[Tile::place(right)] = to_words(left);
    }
  }
  __syncthreads();
  for (int k = 0; k < 2; ++k) {
    const int i = thread + k * Tile::threads;
    if (first + i >= n) continue;
    // Leaf 0 has nothing before it; what the tree holds there is void.
    if (inclusive) {
      const T own = in[first + i];
      out[first + i] = i == 0 ? own : op(at(i), own);
    } else if (i > 0) {
      out[first + i] = at(i);
    }
  }
}

/// Puts what stands before a tile in front of its values.
template <bool exclusive, bool seeded, class T, class Op>
__global__ void __launch_bounds__(Textbook<T>::threads)
    carry_kernel(T* out, std::int64_t n, const T* before, Words<T> init, Op op) {
  using Tile = Textbook<T>;
  const std::int64_t first = std::int64_t{blockIdx.x} * Tile::tile;
  T carry = from_words<T>(init);
  bool has_carry = seeded;
  if (blockIdx.x > 0) {
    carry = seeded ? op(carry, before[blockIdx.x - 1]) : before[blockIdx.x - 1];
    has_carry = true;
  }
  if (!has_carry) return;
  for (int i = static_cast<int>(threadIdx.x); i < Tile::tile && first + i < n; i += Tile::threads) {
    out[first + i] = exclusive && i == 0 ? carry : op(carry, out[first + i]);
  }
}

/// Inclusive folds of `values` in place; `space` follows them, level after level.
template <class T, class Op>
void textbook_totals(cudaStream_t stream, T* values, std::int64_t n, T* space, Op op) {
  using Tile = Textbook<T>;
  const std::int64_t tiles = divide_up(n, Tile::tile);
  sweep_kernel<<<static_cast<unsigned>(tiles), Tile::threads, 0, stream>>>(
      values, n, values, space, true, op);
  if (tiles == 1) return;
  textbook_totals(stream, space, tiles, space + tiles, op);
  carry_kernel<false, false><<<static_cast<unsigned>(tiles), Tile::threads, 0, stream>>>(
      values, n, static_cast<const T*>(space), Words<T>{}, op);
}

/// As the scans of yupana/arrays/scan_cuda.cuh; seeded: from init on.
template <bool exclusive, bool seeded, class T, class Op>
void textbook_scan(Workspace& space,
                   cudaStream_t stream,
                   const T* in,
                   std::int64_t n,
                   Words<T> init,
                   T* out,
                   Op op) {
  using Tile = Textbook<T>;
  if (n <= 0) return;
  const std::int64_t tiles = divide_up(n, Tile::tile);
  std::int64_t levels = 1;
  for (std::int64_t left = tiles; left > 1; left = divide_up(left, Tile::tile)) levels += left;
  auto* totals = static_cast<T*>(space.scratch(static_cast<std::uint64_t>(levels + 1) * sizeof(T)));
  sweep_kernel<<<static_cast<unsigned>(tiles), Tile::threads, 0, stream>>>(
      in, n, out, totals, !exclusive, op);
  if (tiles > 1) textbook_totals(stream, totals, tiles, totals + tiles, op);
  carry_kernel<exclusive, seeded><<<static_cast<unsigned>(tiles), Tile::threads, 0, stream>>>(
      out, n, static_cast<const T*>(totals), init, op);
  yupana::cuda::check_launch("textbook scan");
}

}  // namespace yupana::bench
