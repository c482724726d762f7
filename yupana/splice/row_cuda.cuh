#pragma once

#include <cstdint>
#include <type_traits>

/// Private to the family: a lane's part of a row.
namespace yupana::splice::cuda {

template <class Scores, bool affine, int columns>
struct StripRow {
  alignas(16) std::uint32_t best[columns];
  alignas(16) std::uint32_t gap[affine ? columns : 1];

  /// Of a row whose words lie 32 apart.
  __device__ static StripRow load(const std::uint32_t* from, std::int64_t gap_plane) {
    StripRow row;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      row.best[c] = from[c * 32];
      if constexpr (affine) row.gap[c] = from[gap_plane + c * 32];
    }
    return row;
  }

  /// Words of a mark, a row that is read before the last: those of a lane lie side by side, for few
  /// lanes store one at a time.
  static constexpr std::int32_t mark_words = (affine ? 2 : 1) * columns * 32;
  __device__ static StripRow load_mark(const std::uint32_t* mark) {
    StripRow row;
    copy(mark, row.best);
    if constexpr (affine) copy(mark + columns * 32, row.gap);
    return row;
  }
  __device__ void put_mark(std::uint32_t* mark) const {
    copy(best, mark);
    if constexpr (affine) copy(gap, mark + columns * 32);
  }

  /// The low halves of one and the high halves of another.
  __device__ static StripRow halves_of(const StripRow& low, const StripRow& high) {
    StripRow row;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      row.best[c] = Scores::both(low.best[c], high.best[c]);
      if constexpr (affine) row.gap[c] = Scores::both(low.gap[c], high.gap[c]);
    }
    return row;
  }
  __device__ static StripRow chosen(bool first, const StripRow& a, const StripRow& b) {
    StripRow row;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      row.best[c] = first ? a.best[c] : b.best[c];
      if constexpr (affine) row.gap[c] = first ? a.gap[c] : b.gap[c];
    }
    return row;
  }

 private:
  /// One access where the hardware has one of as many words.
  __device__ static void copy(const std::uint32_t* from, std::uint32_t* to) {
    using Piece = std::conditional_t<columns == 2, uint2, uint4>;
    constexpr int words = sizeof(Piece) / sizeof(std::uint32_t);
#pragma unroll
    for (int c = 0; c < columns; c += words) {
      *reinterpret_cast<Piece*>(to + c) = *reinterpret_cast<const Piece*>(from + c);
    }
  }
};

}  // namespace yupana::splice::cuda
