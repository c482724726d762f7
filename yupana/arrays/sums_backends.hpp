#pragma once

#include <cstdint>
#include <tuple>

#include "yupana/arrays/sums.hpp"

namespace yupana::arrays::cpu {

/// The types that sum() is compiled for, and those of prefix_sums().
#define YUPANA_SUMMED(make, name) YUPANA_FLOATS(make, name) YUPANA_PREFIXED(make, name)
#define YUPANA_PREFIXED(make, name) make(name, std::uint32_t) make(name, std::uint64_t)

/// prefix_sums() in vectors of 16 bytes, which every processor has.
template <class T>
void narrow_prefix_sums(const T* in, std::int64_t n, T carry, T* out, PrefixParams params);

/// prefix_sums() of each type, for one processor.
template <class T>
using PrefixFunction = void (*)(const T* in, std::int64_t n, T carry, T* out, PrefixParams params);
using PrefixFunctions = std::tuple<PrefixFunction<std::uint32_t>, PrefixFunction<std::uint64_t>>;

}  // namespace yupana::arrays::cpu
