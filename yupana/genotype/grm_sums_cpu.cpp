#include "yupana/genotype/grm_sums_cpu.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/genotype/grm_sums_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yupana::genotype::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::CappedTag<std::uint16_t, 32>;
using Signed = hn::RebindToSigned<Words>;
using Sums = hn::RepartitionToWide<Signed>;
constexpr std::int64_t lanes = hn::MaxLanes(Words());

// The block of pairs whose sums fit the registers: two vectors a pair.
constexpr std::int64_t block_rows = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
constexpr std::int64_t block_columns = HWY_TARGET <= HWY_AVX3 ? 2 : 1;

// Where bits are counted in one instruction and products added in another, squares of one digit are
// not put together from ones and fours: each is multiplied.
#if HWY_TARGET <= HWY_AVX3_DL && HWY_COMPILER_GCC_ACTUAL
// This target's processors have it; not every Highway lets the compiler know.
#pragma GCC target("avx512vnni")
constexpr bool ones_and_fours = true;
HWY_INLINE hn::Vec<Sums> plus_products(hn::Vec<Sums> sums, hn::Vec<Signed> a, hn::Vec<Signed> b) {
  return hn::Vec<Sums>{_mm512_dpwssd_epi32(sums.raw, a.raw, b.raw)};
}
#else
constexpr bool ones_and_fours = false;
HWY_INLINE hn::Vec<Sums> plus_products(hn::Vec<Sums> sums, hn::Vec<Signed> a, hn::Vec<Signed> b) {
  // Some targets sum every other product in `odd`; where none does, it stays zero and costs
  // nothing.
  auto odd = hn::Zero(Sums());
  const auto even = hn::ReorderWidenMulAccumulate(Sums(), a, b, sums, odd);
  return hn::Add(even, odd);
}
#endif

/// Bits of each word of `one`, and four times those of `two`.
HWY_INLINE hn::Vec<Signed> squares_of(hn::Vec<Words> one, hn::Vec<Words> two) {
#if HWY_TARGET <= HWY_AVX3_DL || HWY_TARGET == HWY_SCALAR
  const auto squares =
      hn::Add(hn::PopulationCount(one), hn::ShiftLeft<2>(hn::PopulationCount(two)));
#else
  // The bits of bytes; there are at most 8, so that fours do not leave their byte either.
  const Words d;
  const hn::Repartition<std::uint8_t, Words> d8;
  const auto bits = [&](auto v) { return hn::BitCast(d, hn::PopulationCount(hn::BitCast(d8, v))); };
  const auto bytes = hn::Add(bits(one), hn::ShiftLeft<2>(bits(two)));
  const auto squares = hn::Add(hn::ShiftRight<8>(bytes), hn::And(bytes, hn::Set(d, 0xff)));
#endif
  return hn::BitCast(Signed(), squares);
}

#if HWY_TARGET == HWY_SCALAR
void store_sums(const std::int32_t* from, std::int32_t* sums) { std::copy_n(from, 4, sums); }
#else
/// The sum of the 128-bit blocks of a vector.
template <class D>
HWY_INLINE void store_sum_of_blocks(D d, hn::Vec<D> v, std::int32_t* sum) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    hn::StoreU(v, d, sum);
  } else {
    const hn::Half<D> half;
    store_sum_of_blocks(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), sum);
  }
}

/// The sum of the lanes of each of four vectors.
HWY_INLINE void store_sums(const std::int32_t* from, std::int32_t* sums) {
  const Sums d;
  constexpr std::int64_t width = hn::MaxLanes(Sums());
  const auto halves = [&](auto x, auto y) {
    return hn::Add(hn::InterleaveLower(d, x, y), hn::InterleaveUpper(d, x, y));
  };
  const auto even = halves(hn::Load(d, from), hn::Load(d, from + 2 * width));
  const auto odd = halves(hn::Load(d, from + width), hn::Load(d, from + 3 * width));
  store_sum_of_blocks(d, halves(even, odd), sums);
}
#endif

/// The sums over the slab of weight * (x - x')^2, x the copies of the minor allele.
template <int digits>
void block_sums(const PairTile& tile,
                const std::uint8_t* const* rows,
                const std::uint8_t* const* columns,
                std::int64_t* sums) {
  const Words d;
  const Signed s;
  const Sums wide;
  hn::Vec<Sums> low[block_rows][block_columns], high[block_rows][block_columns];
  for (auto& row : low) std::fill_n(row, block_columns, hn::Zero(wide));
  for (auto& row : high) std::fill_n(row, block_columns, hn::Zero(wide));
  const auto load = [&](const std::uint8_t* plane) {
    return hn::LoadU(d, reinterpret_cast<const std::uint16_t*>(plane));
  };
  for (std::int64_t word = 0; word < tile.planes.chunks * (chunk_bytes / 2); word += lanes) {
    // Of each chunk 64 bytes of u = [x >= 1] and 64 of w = [x == 1].
    const std::int64_t at = 2 * word + word / (chunk_bytes / 2) * chunk_bytes;
    const auto low_digits = hn::LoadU(s, tile.low + word);
    const auto high_digits = digits == 2 ? hn::LoadU(s, tile.high + word) : hn::Zero(s);
    hn::Vec<Words> u[block_columns], w[block_columns];
    for (std::int64_t c = 0; c < block_columns; ++c) {
      u[c] = load(columns[c] + at);
      w[c] = load(columns[c] + at + chunk_bytes);
    }
    for (std::int64_t r = 0; r < block_rows; ++r) {
      const auto row_u = load(rows[r] + at), row_w = load(rows[r] + at + chunk_bytes);
      for (std::int64_t c = 0; c < block_columns; ++c) {
        const auto by_one = hn::Xor(row_w, w[c]);
        const auto by_two = hn::AndNot(by_one, hn::Xor(row_u, u[c]));
        if constexpr (digits == 1 && ones_and_fours) {
          low[r][c] =
              plus_products(low[r][c], hn::BitCast(s, hn::PopulationCount(by_one)), low_digits);
          high[r][c] =
              plus_products(high[r][c], hn::BitCast(s, hn::PopulationCount(by_two)), low_digits);
        } else {
          const auto squares = squares_of(by_one, by_two);
          low[r][c] = plus_products(low[r][c], squares, low_digits);
          if constexpr (digits == 2) high[r][c] = plus_products(high[r][c], squares, high_digits);
        }
      }
    }
  }
  // By way of memory and without a loop, which would keep the sums in memory all along.
  constexpr std::int64_t width = hn::MaxLanes(Sums()), pairs = block_rows * block_columns;
  alignas(64) std::int32_t parts[2 * pairs * width];
  const auto store = [&]<std::size_t... k>(std::index_sequence<k...>) {
    (hn::Store(low[k / block_columns][k % block_columns], wide, parts + k * width), ...);
    (hn::Store(high[k / block_columns][k % block_columns], wide, parts + (pairs + k) * width), ...);
  };
  store(std::make_index_sequence<pairs>());
  alignas(16) std::int32_t totals[2 * pairs];
  for (std::int64_t k = 0; k < 2 * pairs; k += 4) store_sums(parts + k * width, totals + k);
  constexpr std::int64_t scale = digits == 2 ? 1 << 15 : ones_and_fours ? 4 : 0;
  for (std::int64_t k = 0; k < pairs; ++k) {
    sums[k] = (totals[k] + totals[pairs + k] * scale) * (std::int64_t{1} << tile.shift);
  }
}

/// Takes the sums of a tile off its pairs.
void subtract_tile(const PairTile& tile, Grm& grm) {
  for (std::int64_t i = tile.rows.begin; i < tile.rows.end; i += block_rows) {
    const std::int64_t last_row = std::min(i + block_rows, tile.rows.end) - 1;
    const std::uint8_t* rows[block_rows];
    std::int64_t* to[block_rows];
    for (std::int64_t r = 0; r < block_rows; ++r) {
      rows[r] = tile.planes.row(std::min(i + r, last_row));
      to[r] = &grm.sums[grm.cell(std::min(i + r, last_row), 0)];
    }
    const std::int64_t columns_end = std::min(tile.columns.end, last_row + 1);
    for (std::int64_t j = tile.columns.begin; j < columns_end; j += block_columns) {
      const std::uint8_t* columns[block_columns];
      for (std::int64_t c = 0; c < block_columns; ++c) {
        columns[c] = tile.planes.row(std::min(j + c, columns_end - 1));
      }
      std::int64_t sums[block_rows * block_columns];
      if (tile.digits == 2) {
        block_sums<2>(tile, rows, columns, sums);
      } else {
        block_sums<1>(tile, rows, columns, sums);
      }
      for (std::int64_t r = 0; r <= last_row - i; ++r) {
        const std::int64_t end = std::min({block_columns, columns_end - j, i + r + 1 - j});
        for (std::int64_t c = 0; c < end; ++c) to[r][j + c] -= sums[r * block_columns + c];
      }
    }
  }
}

#if HWY_TARGET == HWY_SCALAR

void correction_sums(const Corrections& of, std::int64_t* sums) {
  for (std::size_t k = 0; k < of.sites.size(); ++k) {
    for (std::int64_t i = 0; i < line_samples; ++i) {
      sums[i] += of.of_codes[4 * of.sites[k] + (of.row(k)[i / 4] >> (2 * (i % 4)) & 3)];
    }
  }
}

void count_missing(const Corrections& of, std::uint32_t* counts) {
  for (std::size_t k = 0; k < of.sites.size(); ++k) {
    for (std::int64_t i = 0; i < line_samples; ++i) {
      const bool missing = (of.row(k)[i / 4] >> (2 * (i % 4)) & 3) == missing_call;
      counts[i % 4 * line_bytes + i / 4] += missing;
    }
  }
}

#else

/// Sites whose corrections, of at most 2^24 units each, sum to less than 2^31.
constexpr std::size_t small_sites = 64;

/// Sums of `vectors` vectors of samples, from the first sample of a word of each row.
template <class D, std::int64_t vectors>
HWY_INLINE void add_corrections(D d,
                                const Corrections& of,
                                std::size_t begin,
                                std::size_t end,
                                std::int64_t sample,
                                hn::Vec<D> (&sums)[vectors]) {
  constexpr std::int64_t width = hn::MaxLanes(D()), word = std::max<std::int64_t>(16, width);
  const hn::RebindToUnsigned<D> codes;
  const auto shifts = hn::ShiftLeft<1>(hn::Iota(codes, 0));
  const auto mask = hn::Set(codes, 3);
  for (std::size_t k = begin; k < end; ++k) {
    const std::uint8_t* row = of.row(k) + sample / 4;
    const auto table = hn::LoadU(d, of.of_codes + 4 * of.sites[k]);
    for (std::int64_t v = 0; v < vectors; ++v) {
      std::uint32_t bits;
      std::memcpy(&bits, row + v * width / word * (word / 4), sizeof(bits));
      const auto shifted = hn::Shr(hn::Set(codes, bits >> (v * width % word * 2)), shifts);
      const auto chosen = hn::IndicesFromVec(d, hn::And(shifted, mask));
      sums[v] = hn::Add(sums[v], hn::TableLookupLanes(table, chosen));
    }
  }
}

/// Adds to sums[0 .. line_samples).
void correction_sums(const Corrections& of, std::int64_t* sums) {
  const hn::CappedTag<std::int32_t, 16> d;
  const hn::Half<decltype(d)> half;
  const hn::RepartitionToWide<decltype(d)> wide;
  constexpr std::int64_t width = hn::MaxLanes(d), group = 8 * width;
  for (std::size_t begin = 0; begin < of.sites.size(); begin += small_sites) {
    const std::size_t end = std::min(begin + small_sites, of.sites.size());
    // The line of a site is in the second-level cache, and far from that of the one before.
    for (std::size_t k = begin; k < end; ++k) __builtin_prefetch(of.row(k));
    for (std::int64_t sample = 0; sample < line_samples; sample += group) {
      hn::Vec<decltype(d)> parts[group / width];
      for (auto& part : parts) part = hn::Zero(d);
      add_corrections(d, of, begin, end, sample, parts);
      for (std::int64_t v = 0; v < group / width; ++v) {
        const auto add = [&](auto part, std::int64_t* to) {
          hn::StoreU(hn::Add(hn::LoadU(wide, to), hn::PromoteTo(wide, part)), wide, to);
        };
        std::int64_t* const to = sums + sample + v * width;
        add(hn::LowerHalf(half, parts[v]), to);
        add(hn::UpperHalf(half, parts[v]), to + width / 2);
      }
    }
  }
}

/// Adds the missing calls of sample 4 i + k to counts[k * line_bytes + i].
void count_missing(const Corrections& of, std::uint32_t* counts) {
  const hn::CappedTag<std::uint64_t, 8> d;
  const hn::CappedTag<std::uint32_t, 16> d32;
  const hn::Rebind<std::uint8_t, decltype(d32)> d8;
  constexpr std::int64_t bytes = 8 * hn::MaxLanes(d), width = hn::MaxLanes(d32);
  constexpr std::size_t byte_sites = 255;
  const auto even = hn::Set(d, 0x5555555555555555), twos = hn::Set(d, 0x0303030303030303);
  for (std::int64_t at = 0; at < line_bytes; at += bytes) {
    const auto missing = [&](std::size_t k) {
      if (k >= of.sites.size()) return hn::Zero(d);
      const auto codes = hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(of.row(k) + at));
      return hn::AndNot(hn::ShiftRight<1>(codes), hn::And(codes, even));
    };
    for (std::size_t begin = 0; begin < of.sites.size(); begin += byte_sites) {
      const std::size_t end = std::min(begin + byte_sites, of.sites.size());
      hn::Vec<decltype(d)> sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
      for (std::size_t k = begin; k < end; k += 3) {
        const auto three = hn::Add(hn::Add(missing(k), missing(k + 1)), missing(k + 2));
        sums[0] = hn::Add(sums[0], hn::And(three, twos));
        sums[1] = hn::Add(sums[1], hn::And(hn::ShiftRight<2>(three), twos));
        sums[2] = hn::Add(sums[2], hn::And(hn::ShiftRight<4>(three), twos));
        sums[3] = hn::Add(sums[3], hn::And(hn::ShiftRight<6>(three), twos));
      }
      for (std::int64_t k = 0; k < 4; ++k) {
        alignas(64) std::uint8_t part[bytes];
        hn::Store(sums[k], d, reinterpret_cast<std::uint64_t*>(part));
        for (std::int64_t i = 0; i < bytes; i += width) {
          std::uint32_t* const to = counts + k * line_bytes + at + i;
          const auto more = hn::PromoteTo(d32, hn::LoadU(d8, part + i));
          hn::StoreU(hn::Add(hn::LoadU(d32, to), more), d32, to);
        }
      }
    }
  }
}

#endif

/// Adds to sums[0 .. line_samples).
void lookup_sums(const Lookup& lookup, std::int64_t* sums) {
  const hn::CappedTag<std::int64_t, 8> d;
  const hn::RebindToUnsigned<decltype(d)> codes;
  constexpr std::int64_t width = hn::MaxLanes(d);
  const std::int64_t first = lookup.line * (line_samples / 4);
  if constexpr (width < 4) {
    for (std::int64_t k = 0; k < lookup.count; ++k) {
      const std::int64_t site = lookup.sites[k];
      const std::uint8_t* row = lookup.codes.row(site) + first;
      for (std::int64_t i = 0; i < line_samples; ++i) {
        sums[i] += lookup.tables[4 * site + (row[i / 4] >> (2 * (i % 4)) & 3)];
      }
    }
  } else {
    constexpr std::int64_t group = 64;  // samples whose sums are in registers
    constexpr std::int64_t word = 32;   // samples of 64 bits
    constexpr std::int64_t vectors = word / width;
    hn::Vec<decltype(codes)> shifts[vectors];
    for (std::int64_t v = 0; v < vectors; ++v) {
      shifts[v] = hn::ShiftLeft<1>(hn::Iota(codes, static_cast<std::uint64_t>(v * width)));
    }
    const auto three = hn::Set(codes, 3);
    // The line of a site is in the second-level cache, and far from that of the one before.
    for (std::int64_t k = 0; k < lookup.count; ++k) {
      __builtin_prefetch(lookup.codes.row(lookup.sites[k]) + first);
    }
    for (std::int64_t begin = 0; begin < line_samples; begin += group) {
      hn::Vec<decltype(d)> parts[group / width];
      for (auto& part : parts) part = hn::Zero(d);
      for (std::int64_t k = 0; k < lookup.count; ++k) {
        const std::int64_t site = lookup.sites[k];
        const auto table = hn::LoadU(d, lookup.tables + 4 * site);
        std::uint64_t bits[group / word];
        std::memcpy(bits, lookup.codes.row(site) + first + begin / 4, sizeof(bits));
        for (std::int64_t v = 0; v < group / width; ++v) {
          const auto shifted = hn::Shr(hn::Set(codes, bits[v / vectors]), shifts[v % vectors]);
          const auto chosen = hn::IndicesFromVec(d, hn::And(shifted, three));
          parts[v] = hn::Add(parts[v], hn::TableLookupLanes(table, chosen));
        }
      }
      for (std::int64_t v = 0; v < group / width; ++v) {
        std::int64_t* to = sums + begin + v * width;
        hn::StoreU(hn::Add(hn::LoadU(d, to), parts[v]), d, to);
      }
    }
  }
}

}  // namespace yupana::genotype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::genotype::cpu {

HWY_EXPORT(subtract_tile);
HWY_EXPORT(lookup_sums);
HWY_EXPORT(correction_sums);
HWY_EXPORT(count_missing);

void subtract_tile(const PairTile& tile, Grm& grm) {
  HWY_DYNAMIC_DISPATCH(subtract_tile)(tile, grm);
}
void correction_sums(const Corrections& of, std::int64_t* sums) {
  HWY_DYNAMIC_DISPATCH(correction_sums)(of, sums);
}
void count_missing(const Corrections& of, std::uint32_t* counts) {
  HWY_DYNAMIC_DISPATCH(count_missing)(of, counts);
}
void lookup_sums(const Lookup& lookup, std::int64_t* sums) {
  HWY_DYNAMIC_DISPATCH(lookup_sums)(lookup, sums);
}

}  // namespace yupana::genotype::cpu
#endif
