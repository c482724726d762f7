#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>

#include "bench/support/bench.hpp"
#include "yupana/arrays/stream.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/random.hpp"

namespace yupana::bench {

/// Least wall seconds of `repeats` runs, each after `prepare`, which is not timed: other work on
/// the machine can only make a run slower.
template <class Prepare, class Body>
double least_seconds(int repeats, const Prepare& prepare, const Body& body) {
  double best = HUGE_VAL;
  for (int i = 0; i < repeats; ++i) {
    prepare();
    const auto begin = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    best = std::min(best, spent.count());
  }
  return best;
}

inline Array<std::uint32_t> random_keys(std::int64_t n, std::uint64_t seed = 1) {
  Array<std::uint32_t> keys(n);
  const Random random(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    keys[i] = static_cast<std::uint32_t>(random.word(static_cast<std::uint64_t>(i)));
  }
  return keys;
}

/// Seconds that a NumPy statement takes, the least of `repeats`; 0 without NumPy. `setup` runs
/// once, `prepare` before each run, untimed.
inline double numpy_seconds(const std::string& setup,
                            const std::string& prepare,
                            const std::string& statement,
                            int repeats) {
  const std::string script =
      "import time\nimport numpy as np\n" + setup + "\nbest = 1e9\nfor _ in range(" +
      std::to_string(repeats) + "):\n    " + prepare + "\n    t = time.perf_counter()\n    " +
      statement + "\n    best = min(best, time.perf_counter() - t)\nprint(best)\n";
  const std::string text = output_of("/usr/bin/python3 -c '" + script + "'");
  return text.empty() ? 0 : std::stod(text);
}

}  // namespace yupana::bench
