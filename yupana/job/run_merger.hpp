#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "yupana/arrays/sort.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"

namespace yupana::job {

/// Merges sorted runs that do not fit in memory. Each run has a window. Of all windows' last keys
/// the least (of equals the first run's) bounds what can go out: whatever a run has not shown yet
/// comes after it. The keys up to it, run by run, are brought into order by the stable sort, which
/// takes less time than the disk, and with it the order of equal keys among runs.
template <class T>
class RunMerger {
 public:
  /// read(run, to, n): the next keys of a run, at most n, 0 after the last; emit(keys, n).
  using Read = std::function<std::int64_t(std::int64_t, T*, std::int64_t)>;
  using Emit = std::function<void(const T*, std::int64_t)>;

  /// Windows of `window` keys, and two buffers of all windows together.
  RunMerger(Context& context, std::int64_t runs, std::int64_t window, Read read)
      : context_(context),
        window_(window),
        read_(std::move(read)),
        runs_(static_cast<std::size_t>(runs)),
        out_(runs * window) {
    for (Run& run : runs_) run.keys = Array<T>(window);
  }

  void merge(const Emit& emit) {
    while (fill()) {
      context_.check_cancelled();
      std::int64_t count = 0;
      const std::size_t bound = bounding_run();
      const T last = runs_[bound].keys[runs_[bound].end - 1];
      for (std::size_t r = 0; r < runs_.size(); ++r) {
        Run& run = runs_[r];
        const T* begin = run.keys.data() + run.begin;
        const T* end = run.keys.data() + run.end;
        const arrays::Less less;
        const T* stop = r <= bound ? std::upper_bound(begin, end, last, less)
                                   : std::lower_bound(begin, end, last, less);
        std::copy(begin, stop, out_.data() + count);
        count += stop - begin;
        run.begin += stop - begin;
      }
      arrays::sort(context_, out_.data(), count);
      emit(out_.data(), count);
    }
  }

 private:
  struct Run {
    Array<T> keys;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool ended = false;
  };

  /// Tops up the windows; false when nothing is left.
  bool fill() {
    bool any = false;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      Run& run = runs_[r];
      // A half is enough: topping up after every few keys would move the rest around each time.
      if (!run.ended && run.end - run.begin <= window_ / 2) {
        std::copy(run.keys.data() + run.begin, run.keys.data() + run.end, run.keys.data());
        run.end -= run.begin;
        run.begin = 0;
        const std::int64_t got =
            read_(static_cast<std::int64_t>(r), run.keys.data() + run.end, window_ - run.end);
        run.ended = got == 0;
        run.end += got;
      }
      any = any || run.end > run.begin;
    }
    return any;
  }

  /// The run whose last shown key comes first. Runs that have shown everything do not bound, unless
  /// all have: then the one that ends last does, and everything goes out.
  std::size_t bounding_run() const {
    std::size_t best = runs_.size(), longest = runs_.size();
    const auto last = [&](std::size_t r) { return runs_[r].keys[runs_[r].end - 1]; };
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      if (runs_[r].begin == runs_[r].end) continue;
      if (longest == runs_.size() || !arrays::Less{}(last(r), last(longest))) longest = r;
      if (runs_[r].ended) continue;
      if (best == runs_.size() || arrays::Less{}(last(r), last(best))) best = r;
    }
    return best < runs_.size() ? best : longest;
  }

  Context& context_;
  std::int64_t window_;
  Read read_;
  std::vector<Run> runs_;
  Array<T> out_;
};

}  // namespace yupana::job
