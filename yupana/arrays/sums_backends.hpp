#pragma once

#include <cstdint>

#include "yupana/arrays/sums.hpp"

namespace yupana::arrays::cpu {

/// prefix_sums() in vectors of 16 bytes: what every wider version must equal bit for bit.
template <class T>
void narrow_prefix_sums(const T* in, std::int64_t n, T carry, T* out, PrefixParams params);

}  // namespace yupana::arrays::cpu
