#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstdint>

/// Only files of the CUDA build include this.
/// Private to the family: one pass over memory, as the host describes it to the kernels.
namespace yupana::spectral::cuda {

/// Where columns lie: value l of column c at offset i0 s0 + i1 s1 + i2 s2 + l stride, for
/// c = i0 + n0 (i1 + n1 i2).
struct Layout {
  std::int64_t n0 = 1, n1 = 1;
  std::int64_t s0 = 0, s1 = 0, s2 = 0;
  std::int64_t stride = 1;

  /// Columns side by side, values of each `columns` apart; a block of them after the other.
  static Layout rows(std::int64_t columns, std::int64_t length, std::int64_t blocks = 1) {
    Layout layout;
    layout.n0 = columns;
    layout.n1 = blocks;
    layout.s0 = 1;
    layout.s1 = columns * length;
    layout.stride = columns;
    return layout;
  }
  /// Columns one after the other.
  static Layout signals(std::int64_t count, std::int64_t length) {
    Layout layout;
    layout.n0 = count;
    layout.s0 = length;
    return layout;
  }
};

/// Roots of unity of one order by the product of two table entries: root^e =
/// high[e >> shift] low[e mod 2^shift].
template <class Element>
struct RootPair {
  const Element* high = nullptr;
  const Element* low = nullptr;
  std::int64_t order = 1;
  int shift = 0;
};

enum class Twiddle { none, after, before };

/// Transforms of `columns` columns of one length. In between the passes of one long transform,
/// value k of column c is multiplied by root^(k i0).
template <class F>
struct Pass {
  using Element = typename F::Element;
  const Element* in = nullptr;
  Element* out = nullptr;
  std::int64_t columns = 0;
  Layout from, to;
  const Element* roots = nullptr;  ///< of the length, all
  RootPair<Element> inter_pass_twiddles;
  Twiddle twiddle = Twiddle::none;
  bool encode = false;   ///< read through Field::encode
  bool decode = false;   ///< write through Field::decode
  bool reverse = false;  ///< value k goes where -k belongs: the inverse transform
  typename F::Scale scale{};
  std::int64_t limit = INT64_MAX;      ///< elements in `in`; beyond them it reads zeros
  std::int64_t out_limit = INT64_MAX;  ///< elements in `out`; nothing is written beyond them
};

/// A length made of 2, 3, 5 and 7 as the radices of its stages.
struct Radices {
  int length = 1;
  int count = 0;
  std::array<int, 12> radix{};
};

/// Of length 2^log_length, 4 to longest_pass_of<F>. Kernels may start before earlier ones of the
/// stream end: they wait for them themselves.
template <class F>
void run_pass(const Pass<F>& pass, int log_length, cudaStream_t stream);
inline constexpr int shortest_pass = 4, longest_pass = 12;
/// Of exact products two passes are faster than one of 2^12: its tiles are 32 bytes wide.
template <class F>
inline constexpr int longest_pass_of = F::powers_from_table ? 11 : longest_pass;

/// Of any length up to longest_mixed made of 2, 3, 5 and 7.
template <class F>
void run_mixed_pass(const Pass<F>& pass, const Radices& radices, cudaStream_t stream);
inline constexpr int longest_mixed = 1024;
/// Of signals one after the other whose radices the compiler knows: see fixed_radices_cuda.cuh.
constexpr bool has_fixed_radices(std::int64_t length) {
  return length == 360 || length == 720 || length == 1000;
}

/// The stages of a length up to longest_mixed made of 2, 3, 5 and 7, as run_mixed_pass() takes
/// them: as few as can be, four at most.
Radices radices_of(int length);

}  // namespace yupana::spectral::cuda
