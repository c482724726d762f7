#pragma once

#include <cstdint>
#include <string>

#include "bench/support/bench.hpp"
#include "yupana/arrays/stream.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/random.hpp"

namespace yupana::bench {

inline Array<std::uint32_t> random_keys(std::int64_t n, std::uint64_t seed = 1) {
  Array<std::uint32_t> keys(n);
  const Random random(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    keys[i] = static_cast<std::uint32_t>(random.word(static_cast<std::uint64_t>(i)));
  }
  return keys;
}

}  // namespace yupana::bench
