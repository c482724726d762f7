#pragma once

#include <functional>
#include <vector>

namespace yupana::bench {

/// Wall seconds of the timed runs of one implementation, ours or a peer's.
struct Timing {
  int repeats = 0;  ///< timed runs; 0: none
  double median = 0, min = 0, max = 0;

  /// Timing of one of `calls` equal calls that make a run.
  Timing per_call(double calls) const;
};

/// Median, least and largest of the seconds given.
Timing timing_of(std::vector<double> seconds);

/// Wall seconds of one run.
double seconds_of(const std::function<void()>& body);

/// Runs that take longer are their own warm-up, and end once `enough_seconds` were spent.
inline constexpr double long_run_seconds = 5, enough_seconds = 20;

/// Times `repeats` runs of `body` after one warm-up, each after `prepare`, which is not timed.
Timing time_runs(int repeats,
                 const std::function<void()>& prepare,
                 const std::function<void()>& body);
Timing time_runs(int repeats, const std::function<void()>& body);
/// The same, the median alone.
double median_seconds(int repeats, const std::function<void()>& body);

}  // namespace yupana::bench
