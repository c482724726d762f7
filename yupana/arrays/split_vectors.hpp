#pragma once

#include <cstdint>

#include "yupana/arrays/sort_vectors.hpp"

/// Private to the family: what quicksort by vectors does with all keys of a part, by the
/// instructions of the processor.
namespace yupana::arrays::cpu {

using Code32 = KeyCode<std::uint32_t>;
using Code64 = KeyCode<std::uint64_t>;

/// Words become their codes, or come back.
void encode(std::uint32_t* words, std::int64_t n, Code32 code);
void encode(std::uint64_t* words, std::int64_t n, Code64 code);
void decode(std::uint32_t* words, std::int64_t n, Code32 code);
void decode(std::uint64_t* words, std::int64_t n, Code64 code);

/// Puts words of at most `pivot` first and returns how many they are; with a code words become
/// theirs before.
std::int64_t split(std::uint32_t* words, std::int64_t n, std::uint32_t pivot, const Code32* code);
std::int64_t split(std::uint64_t* words, std::int64_t n, std::uint64_t pivot, const Code64* code);

bool are_equal(const std::uint32_t* words, std::int64_t n, std::uint32_t word);
bool are_equal(const std::uint64_t* words, std::int64_t n, std::uint64_t word);

/// Adds to counts[v] how often values[v] occurs, v < count <= max_counted, n < 2^32. Moves other
/// words to the front, in their order; returns how many they are.
inline constexpr std::size_t max_counted = 4;
std::int64_t count_known(std::uint32_t* words,
                         std::int64_t n,
                         const std::uint32_t* values,
                         std::size_t count,
                         std::int64_t* counts);
std::int64_t count_known(std::uint64_t* words,
                         std::int64_t n,
                         const std::uint64_t* values,
                         std::size_t count,
                         std::int64_t* counts);

/// Whether some float is NaN or -0.
bool any_odd(const float* keys, std::int64_t n);
bool any_odd(const double* keys, std::int64_t n);

}  // namespace yupana::arrays::cpu
