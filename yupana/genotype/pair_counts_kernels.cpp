// The innermost loops of the pair counts, compiled once for every instruction set.
//
// Two ways to count bits. With a vector popcount (VPOPCNTDQ) a register block of pairs counts each
// comparison at once: per 512 sites and pair 2 logic operations, 2 popcounts, 2 additions. Without
// one, carry-save adders (Harley and Seal; Mula, Kurz, Lemire 2018) fold 8 comparisons into one
// before anything is counted: 2 (ternary logic) or 5 operations a comparison instead of 7 or more.

#include "yupana/genotype/pair_counts_kernels.hpp"

#include "yupana/genotype/planes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/genotype/pair_counts_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yupana::genotype::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::ScalableTag<std::uint64_t>;
using D32 = hn::ScalableTag<std::uint32_t>;
using V64 = hn::Vec<D64>;
constexpr D64 d64;

/// Vectors that hold a plane of a chunk.
constexpr int vectors = static_cast<int>(chunk_bytes / (sizeof(std::uint64_t) * hn::MaxLanes(d64)));
constexpr std::int64_t vector_bytes = chunk_bytes / vectors;

#if HWY_TARGET <= HWY_AVX3_DL
constexpr bool has_popcount = true;
constexpr KernelShape shape = {4, 2, 1, 32, 128};
#else
constexpr bool has_popcount = false;
constexpr KernelShape shape = {1, 1, vectors >= 8 ? 1 : 8 / vectors, 48, 64};
#endif

// --- Three-input logic: one instruction (vpternlog) where it exists ---------------------------

/// a & (b ^ c)
HWY_INLINE V64 and_xor(V64 a, V64 b, V64 c) {
#if HWY_TARGET <= HWY_AVX3
  return V64{_mm512_ternarylogic_epi64(a.raw, b.raw, c.raw, 0x60)};
#else
  return hn::And(a, hn::Xor(b, c));
#endif
}

/// a & ~(b ^ c)
HWY_INLINE V64 and_same(V64 a, V64 b, V64 c) {
#if HWY_TARGET <= HWY_AVX3
  return V64{_mm512_ternarylogic_epi64(a.raw, b.raw, c.raw, 0x90)};
#else
  return hn::AndNot(hn::Xor(b, c), a);
#endif
}

/// ~a & (b ^ c)
HWY_INLINE V64 xor_without(V64 a, V64 b, V64 c) {
#if HWY_TARGET <= HWY_AVX3
  return V64{_mm512_ternarylogic_epi64(a.raw, b.raw, c.raw, 0x06)};
#else
  return hn::AndNot(a, hn::Xor(b, c));
#endif
}

/// Adds b and c to the sum bits a; returns the carry bits.
HWY_INLINE V64 carry_save(V64& a, V64 b, V64 c) {
#if HWY_TARGET <= HWY_AVX3
  const V64 carry{_mm512_ternarylogic_epi64(a.raw, b.raw, c.raw, 0xE8)};
  a = V64{_mm512_ternarylogic_epi64(a.raw, b.raw, c.raw, 0x96)};
  return carry;
#else
  const V64 half = hn::Xor(a, b);
  const V64 carry = hn::Or(hn::And(a, b), hn::And(half, c));
  a = hn::Xor(half, c);
  return carry;
#endif
}

// --- Comparisons ---------------------------------------------------------------------------------

template <PassKind kind>
constexpr int fields = kind == PassKind::pairwise ? 3 : 2;
template <PassKind kind>
constexpr int planes = kind == PassKind::complete ? 2 : 3;
/// Bytes from one row of a column panel to the next.
template <PassKind kind>
constexpr std::int64_t pitch = shape.depth* planes<kind>* chunk_bytes;

HWY_INLINE V64 load(const std::uint8_t* p) {
  return hn::Load(d64, reinterpret_cast<const std::uint64_t*>(p));
}

/// One vector of sites of a pair: see(field, bits) for each field; `row` and `column` point into
/// plane 0 of a chunk. Bits are seen before the next field is made of them, so that vpternlog may
/// overwrite them: without that order each pair costs a register copy.
template <PassKind kind, class See>
HWY_INLINE void compare(const std::uint8_t* row, const std::uint8_t* column, const See& see) {
  constexpr std::int64_t w = chunk_bytes, p = 2 * chunk_bytes;
  if constexpr (kind == PassKind::complete) {
    const V64 differ = hn::Xor(load(row + w), load(column + w));
    see(0, differ);
    see(1, xor_without(differ, load(row), load(column)));
  } else if constexpr (kind == PassKind::pairwise) {
    const V64 shared = hn::And(load(row + p), load(column + p));
    see(2, shared);
    const V64 same = and_same(shared, load(row + w), load(column + w));
    see(0, same);
    see(1, and_xor(same, load(row), load(column)));
  } else {
    see(0, hn::And(load(row + w), load(column + w)));
    see(1, hn::And(load(row + w), load(column + p)));
  }
}

// --- With a vector popcount ----------------------------------------------------------------------

/// Sums over the lanes of eight vectors, in their order.
HWY_INLINE V64 sum_lanes(const V64* v) {
#if HWY_TARGET <= HWY_AVX3
  const auto pairs = [](V64 a, V64 b) {
    return hn::Add(hn::InterleaveLower(d64, a, b), hn::InterleaveUpper(d64, a, b));
  };
  const auto halves = [](V64 a, V64 b) {
    return hn::Add(hn::ConcatLowerLower(d64, b, a), hn::ConcatUpperUpper(d64, b, a));
  };
  const V64 a = halves(pairs(v[0], v[1]), pairs(v[4], v[5]));
  const V64 b = halves(pairs(v[2], v[3]), pairs(v[6], v[7]));
  return hn::Add(hn::OddEvenBlocks(b, a), hn::SwapAdjacentBlocks(hn::OddEvenBlocks(a, b)));
#else
  return v[0];
#endif
}

/// One register block: an accumulator of 64-bit lanes for each pair and field. A lane gains at
/// most 64 a chunk, so two fields share a lane afterwards.
template <PassKind kind>
HWY_INLINE void count_block(const std::uint8_t* HWY_RESTRICT rows,
                            std::int64_t row_pitch,
                            const std::uint8_t* HWY_RESTRICT columns,
                            std::int64_t chunks,
                            std::uint32_t* HWY_RESTRICT totals) {
  constexpr int pairs = shape.rows * shape.columns;
  constexpr int count = fields<kind>;
  V64 sums[pairs][count];
#pragma GCC unroll 32
  for (int i = 0; i < pairs; ++i) {
#pragma GCC unroll 4
    for (int f = 0; f < count; ++f) sums[i][f] = hn::Zero(d64);
  }
  constexpr std::int64_t chunk = planes<kind> * chunk_bytes;
  for (std::int64_t k = 0; k < chunks; ++k) {
#pragma GCC unroll 8
    for (int c = 0; c < shape.columns; ++c) {
#pragma GCC unroll 8
      for (int r = 0; r < shape.rows; ++r) {
        V64* const sum = sums[r * shape.columns + c];
        compare<kind>(
            rows + r * row_pitch + k * chunk,
            columns + c * pitch<kind> + k * chunk,
            [&](int f, V64 bits) { sum[f] = hn::Add(sum[f], hn::PopulationCount(bits)); });
      }
    }
  }
  constexpr D32 d32;
#pragma GCC unroll 2
  for (int word = 0; word < count_words(kind); ++word) {
    V64 both[pairs];
#pragma GCC unroll 32
    for (int i = 0; i < pairs; ++i) {
      both[i] = word == 0 ? hn::Or(sums[i][0], hn::ShiftLeft<32>(sums[i][1])) : sums[i][count - 1];
    }
    std::uint32_t* const to = totals + word * pairs * 2;
    const auto before = hn::Load(d32, to);
    hn::Store(hn::Add(before, hn::BitCast(d32, sum_lanes(both))), d32, to);
  }
}

// --- With carry-save adders ----------------------------------------------------------------------

// Where a vector is one word (HWY_SCALAR) a word is counted whole, elsewhere by bytes.
#if HWY_TARGET == HWY_SCALAR
using Counts = V64;
constexpr D64 d_counts;
HWY_INLINE Counts count_bits(V64 v) { return hn::PopulationCount(v); }
HWY_INLINE V64 widen(Counts counts) { return counts; }
#else
using D8 = hn::ScalableTag<std::uint8_t>;
using Counts = hn::Vec<D8>;
constexpr D8 d_counts;
HWY_INLINE Counts count_bits(V64 v) { return hn::PopulationCount(hn::BitCast(d_counts, v)); }
HWY_INLINE V64 widen(Counts counts) { return hn::SumsOf8(counts); }
#endif

/// Bits counted so far of one field: `ones` + 2 `twos` + 4 `fours` bits not yet counted, and 8
/// times the counts in the bytes of `eights`.
struct CarrySave {
  V64 ones, twos, fours;
  Counts eights;
};

/// All bits counted, in 64-bit lanes. Bytes hold: eights at most depth x vectors,
/// the other at most 8 + 16 + 32.
HWY_INLINE V64 counted(const CarrySave& s) {
  auto low = count_bits(s.fours);
  low = hn::Add(hn::Add(low, low), count_bits(s.twos));
  low = hn::Add(hn::Add(low, low), count_bits(s.ones));
  return hn::Add(widen(low), hn::ShiftLeft<3>(widen(s.eights)));
}

template <PassKind kind>
HWY_INLINE void count_pair(const std::uint8_t* HWY_RESTRICT row,
                           const std::uint8_t* HWY_RESTRICT column,
                           std::int64_t chunks,
                           std::uint32_t* HWY_RESTRICT totals) {
  constexpr int count = fields<kind>;
  CarrySave sums[count];
#pragma GCC unroll 4
  for (int f = 0; f < count; ++f) {
    sums[f] = {hn::Zero(d64), hn::Zero(d64), hn::Zero(d64), hn::Zero(d_counts)};
  }
  constexpr std::int64_t chunk = planes<kind> * chunk_bytes;
  const auto at = [](int i) { return i / vectors * chunk + i % vectors * vector_bytes; };
  for (std::int64_t k = 0; k < chunks; k += shape.step) {
    V64 twos[2][count], fours[2][count], seen[2][count];
#pragma GCC unroll 8
    for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 2
      for (int half = 0; half < 2; ++half) {
        const std::int64_t offset = at(2 * i + half);
        compare<kind>(
            row + offset, column + offset, [&](int f, V64 bits) { seen[half][f] = bits; });
      }
#pragma GCC unroll 4
      for (int f = 0; f < count; ++f) {
        twos[i % 2][f] = carry_save(sums[f].ones, seen[0][f], seen[1][f]);
        if (i % 2 == 1) fours[i / 2][f] = carry_save(sums[f].twos, twos[0][f], twos[1][f]);
      }
    }
    row += shape.step * chunk;
    column += shape.step * chunk;
#pragma GCC unroll 4
    for (int f = 0; f < count; ++f) {
      const V64 eights = carry_save(sums[f].fours, fours[0][f], fours[1][f]);
      sums[f].eights = hn::Add(sums[f].eights, count_bits(eights));
    }
  }
  const V64 first = hn::Or(counted(sums[0]), hn::ShiftLeft<32>(counted(sums[1])));
  auto* const words = reinterpret_cast<std::uint64_t*>(totals);
  words[0] += hn::GetLane(hn::SumOfLanes(d64, first));
  if constexpr (count == 3) words[1] += hn::GetLane(hn::SumOfLanes(d64, counted(sums[2])));
}

// --- What the other instruction sets and this one share ------------------------------------------

template <PassKind kind>
HWY_INLINE void count_rows_of(const RowsCall& call) {
  constexpr int pairs = shape.rows * shape.columns;
  const std::int64_t row_bytes = call.chunks * planes<kind> * chunk_bytes;
  std::int64_t fetched = 0;
  for (std::int64_t c = 0; c < call.columns; c += shape.columns) {
    // The next rows trickle into the L2 cache (2 % gained; requested all at once they gain
    // nothing).
    const std::int64_t due = row_bytes * (c + shape.columns) / call.columns;
    for (; call.next_rows != nullptr && fetched < due; fetched += 64) {
      for (int r = 0; r < shape.rows; ++r) {
        __builtin_prefetch(call.next_rows + r * call.next_pitch + fetched, 0, 1);
      }
    }
    const std::uint8_t* const column = call.column_panel + c * pitch<kind>;
    std::uint32_t* const totals = call.totals + c * shape.rows * count_words(kind) * 2;
    if constexpr (has_popcount) {
      count_block<kind>(call.rows, call.row_pitch, column, call.chunks, totals);
    } else {
      static_assert(has_popcount || pairs == 1);
      count_pair<kind>(call.rows, column, call.chunks, totals);
    }
  }
}

void count_rows(PassKind kind, const RowsCall& call) {
  switch (kind) {
    case PassKind::complete:
      return count_rows_of<PassKind::complete>(call);
    case PassKind::pairwise:
      return count_rows_of<PassKind::pairwise>(call);
    case PassKind::het:
      return count_rows_of<PassKind::het>(call);
  }
}

KernelShape kernel_shape() { return shape; }

SampleSums sum_sample(const std::uint8_t* row, std::int64_t chunks, int plane_count) {
  SampleSums result;
  for (int plane = 0; plane < plane_count; ++plane) {
    V64 sum = hn::Zero(d64);
    for (std::int64_t k = 0; k < chunks; ++k) {
      for (int v = 0; v < vectors; ++v) {
        const V64 bits = load(row + (k * plane_count + plane) * chunk_bytes + v * vector_bytes);
        sum = hn::Add(sum, widen(count_bits(bits)));
      }
    }
    result.planes[plane] = hn::GetLane(hn::SumOfLanes(d64, sum));
  }
  return result;
}

}  // namespace yupana::genotype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::genotype::cpu {

HWY_EXPORT(kernel_shape);
HWY_EXPORT(count_rows);
HWY_EXPORT(sum_sample);

KernelShape kernel_shape() { return HWY_DYNAMIC_DISPATCH(kernel_shape)(); }
void count_rows(PassKind kind, const RowsCall& call) {
  HWY_DYNAMIC_DISPATCH(count_rows)(kind, call);
}
SampleSums sum_sample(const std::uint8_t* row, std::int64_t chunks, int planes) {
  return HWY_DYNAMIC_DISPATCH(sum_sample)(row, chunks, planes);
}

}  // namespace yupana::genotype::cpu
#endif
