#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace yupana::io {

/// How bytes of a file are compressed.
enum class Packing : std::uint8_t { none, zlib, gzip, zstd, blosc };

/// Unpacks `packed` into `bytes`, at most `most` of them. Memory follows what comes out, whatever
/// the data promise: it is 64 times the packed bytes at first, then twice what is filled. Returns
/// what is wrong with the data, null where nothing is.
const char* unpack(Packing packing,
                   std::span<const std::uint8_t> packed,
                   std::size_t most,
                   std::vector<std::uint8_t>& bytes);

}  // namespace yupana::io
