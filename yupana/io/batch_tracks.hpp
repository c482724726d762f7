#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/io/input_file.hpp"

namespace yupana::io {

/// Reads the bytes of tracks, which are in file order, one after the other; small gaps between
/// tracks are read with them. A track has a place in the file (`offset`) and `bytes`; `at` becomes
/// its place in `bytes`.
template <class Track>
void read_tracks(const InputFile& file, std::vector<Track>& tracks, Array<std::uint8_t>& bytes) {
  constexpr std::int64_t small_gap = 4096;
  std::int64_t size = 0;
  std::vector<std::size_t> runs;  // where each begins
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const std::int64_t end = i == 0 ? 0 : tracks[i - 1].offset + tracks[i - 1].bytes;
    const std::int64_t gap = tracks[i].offset - end;
    if (i == 0 || gap > small_gap) {
      runs.push_back(i);
    } else {
      size += gap;
    }
    tracks[i].at = size;
    size += tracks[i].bytes;
  }
  if (bytes.size() < size) bytes = Array<std::uint8_t>(size);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Track& first = tracks[runs[k]];
    const Track& last = tracks[(k + 1 < runs.size() ? runs[k + 1] : tracks.size()) - 1];
    file.read_at(first.offset,
                 bytes.data() + first.at,
                 static_cast<std::size_t>(last.at + last.bytes - first.at));
  }
}

}  // namespace yupana::io
