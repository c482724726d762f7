#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/support/bench.hpp"

namespace yupana::bench {

/// A peer that Python calls, timed there by the rules of time_runs: one warm-up, then `repeats`.
struct PythonPeer {
  std::string imports = {};        ///< statements; "import time, sys" have run
  std::string version = {};        ///< expression: "'SciPy ' + scipy.__version__"
  std::string setup = {};          ///< statements that run once
  std::string prepare = "pass";    ///< statement before each run, not timed
  std::string statement = {};      ///< timed
  std::string verified = "False";  ///< expression: the result was compared and is right
  int repeats = 1;
  std::string package = {};                  ///< Debian's, for the reason of a peer left out
  std::string environment = {};              ///< "OPENBLAS_NUM_THREADS=2"
  std::string python = "/usr/bin/python3 ";  ///< the interpreter
  std::function<void()> turn = {};           ///< what runs here before each of its runs
};

/// Expression: NumPy's version and the file of its BLAS, as loaded.
inline constexpr const char* numpy_and_blas =
    "'NumPy ' + np.__version__ + ', ' + next((name for name in"
    " (line.split('/')[-1].strip() for line in open('/proc/self/maps'))"
    " if any(word in name for word in ('openblas', 'mkl_rt', 'blis'))),"
    " 'no OpenBLAS (Debian: libopenblas0-pthread)')";

struct PythonResult {
  Timing timing;  ///< repeats 0: it did not run
  bool verified = false;
  std::string version;
  std::string why_not;  ///< the reason if it did not run
  bool ran() const { return timing.repeats > 0; }
};

PythonResult run_python(const PythonPeer& peer);

/// Emits value(median seconds), or the line that says why the peer was left out.
void emit_python(const BenchParams& params,
                 const std::string& bench,
                 const std::string& what,
                 const std::string& impl,
                 const std::string& unit,
                 const PythonResult& result,
                 const std::function<double(double)>& value);

/// A peer of ours, in a line of its own.
struct NamedPeer {
  std::string impl;
  PythonPeer peer;
};

/// Emits `ours` with value(median seconds) of run(), and the lines of its peers, which run in turns
/// with it: what else the machine does meets both. Returns the times of ours.
Timing emit_in_turns(const BenchParams& params,
                     Measurement ours,
                     int repeats,
                     const std::function<void()>& run,
                     const std::function<double(double)>& value,
                     std::vector<NamedPeer> peers);

}  // namespace yupana::bench
