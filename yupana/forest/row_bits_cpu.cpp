#include <algorithm>

#include "yupana/forest/row_bits.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/forest/row_bits_cpu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace yupana::forest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Rows that are counted in bytes.
constexpr std::int64_t rows_of_bytes = 255;

/// A bit is a byte of a mask, which is -1 where it is set: a row's word takes two instructions.
void count_row_bits(const std::uint64_t* bits,
                    std::int64_t words,
                    const std::uint32_t* rows,
                    std::int64_t count,
                    const std::vector<std::int32_t>& listed,
                    std::uint32_t* counts) {
  const hn::CappedTag<std::uint8_t, 64> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::int64_t first = 0; first < count; first += rows_of_bytes) {
    const std::int64_t end = std::min(count, first + rows_of_bytes);
    for (const std::int32_t word : listed) {
      HWY_ALIGN std::uint8_t sums[64];
      for (std::size_t part = 0; part < 64; part += lanes) {
        auto sum = hn::Zero(d);
        for (std::int64_t i = first; i < end; ++i) {
          const auto* const own =
              reinterpret_cast<const std::uint8_t*>(bits + rows[i] * words + word) + part / 8;
          const auto few = static_cast<std::uint8_t>(*own >> part % 8);  // lanes, without vectors
          sum = hn::Sub(sum, hn::VecFromMask(d, hn::LoadMaskBits(d, lanes < 8 ? &few : own)));
        }
        hn::Store(sum, d, sums + part);
      }
      std::uint32_t* const to = counts + 64 * word;
      for (int b = 0; b < 64; ++b) to[b] += sums[b];
    }
  }
}

}  // namespace yupana::forest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::forest {

HWY_EXPORT(count_row_bits);

void cpu::count_bits(const std::uint64_t* bits,
                     std::int64_t words,
                     const std::uint32_t* rows,
                     std::int64_t count,
                     const std::vector<std::int32_t>& listed,
                     std::uint32_t* counts) {
  HWY_DYNAMIC_DISPATCH(count_row_bits)(bits, words, rows, count, listed, counts);
}

}  // namespace yupana::forest
#endif
