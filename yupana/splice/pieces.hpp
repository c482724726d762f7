#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace yupana::splice {

/// What is searched at a time: bases [first, past) of a strand, from 0 along it.
struct Piece {
  std::uint32_t strand = 0;  ///< 2 x sequence, + 1 on its - strand
  std::int64_t first = 0, past = 0;
};
inline constexpr std::int64_t piece_bases = 1 << 19;

/// Both strands of all sequences in pieces, each with `margin` bases more for segments to end in.
inline std::vector<Piece> pieces_of(std::span<const std::string_view> sequences,
                                    std::int64_t margin) {
  std::vector<Piece> pieces;
  for (std::uint32_t strand = 0; strand < 2 * sequences.size(); ++strand) {
    const std::int64_t size = std::ssize(sequences[strand / 2]);
    for (std::int64_t first = 0; first < size; first += piece_bases) {
      pieces.push_back({strand,
                        std::max<std::int64_t>(0, first - margin),
                        std::min(size, first + piece_bases + margin)});
    }
  }
  return pieces;
}

}  // namespace yupana::splice
