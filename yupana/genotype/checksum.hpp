#pragma once

#include <cstddef>
#include <cstdint>

namespace yupana::genotype {

/// A 64-bit checksum of bytes, as fast as they come from memory. A change within one 8-byte word
/// (counted from the beginning) always shows; any other escapes with probability about 2^-64. No
/// protection against intent.
std::uint64_t checksum(const void* data, std::size_t bytes);

}  // namespace yupana::genotype
