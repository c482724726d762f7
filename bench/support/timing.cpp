#include "bench/support/timing.hpp"

#include <algorithm>
#include <chrono>

namespace yupana::bench {

Timing Timing::per_call(double calls) const {
  return {repeats, median / calls, min / calls, max / calls};
}

Timing timing_of(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  const std::size_t half = seconds.size() / 2;
  const double median =
      seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
  return {static_cast<int>(seconds.size()), median, seconds.front(), seconds.back()};
}

double seconds_of(const std::function<void()>& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Timing time_runs(int repeats,
                 const std::function<void()>& prepare,
                 const std::function<void()>& body) {
  std::vector<double> seconds;
  double spent = 0;
  for (bool warm_up = true; static_cast<int>(seconds.size()) < repeats; warm_up = false) {
    if (!seconds.empty() && seconds.front() > long_run_seconds && spent > enough_seconds) break;
    prepare();
    const double one = seconds_of(body);
    spent += one;
    if (!warm_up || one > long_run_seconds) seconds.push_back(one);
  }
  return timing_of(std::move(seconds));
}

Timing time_runs(int repeats, const std::function<void()>& body) {
  return time_runs(
      repeats, [] {}, body);
}

double median_seconds(int repeats, const std::function<void()>& body) {
  return time_runs(repeats, body).median;
}

}  // namespace yupana::bench
