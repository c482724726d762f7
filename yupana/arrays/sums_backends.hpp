#pragma once

#include <cstdint>
#include <tuple>

#include "yupana/arrays/sums.hpp"

namespace yupana::arrays::cpu {

/// The types that sum() and prefix_sums() are compiled for.
#define YUPANA_SUMMED(make, name) \
  YUPANA_FLOATS(make, name) make(name, std::uint32_t) make(name, std::uint64_t)

/// prefix_sums() in vectors of 16 bytes: what every wider version must equal bit for bit.
template <class T>
void narrow_prefix_sums(const T* in, std::int64_t n, T carry, T* out, PrefixParams params);

/// prefix_sums() of each type, for one processor.
template <class T>
using PrefixFunction = void (*)(const T* in, std::int64_t n, T carry, T* out, PrefixParams params);
using PrefixFunctions = std::tuple<PrefixFunction<float>,
                                   PrefixFunction<double>,
                                   PrefixFunction<std::uint32_t>,
                                   PrefixFunction<std::uint64_t>>;

}  // namespace yupana::arrays::cpu
