#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "yupana/arrays/sort.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"

namespace yupana::job {

/// Merges sorted runs that do not fit in memory, values with their keys. Each run has a window. Of
/// all windows' last keys the least (of equals the first run's) bounds what can go out: whatever a
/// run has not shown yet comes after it. The keys up to it, run by run, are brought into order by
/// the stable sort, which takes less time than the disk, and with it the order of equal keys among
/// runs.
template <class K, class V = arrays::NoValue>
class RunMerger {
 public:
  using Columns = arrays::Columns<K, V>;
  /// read(run, to, n): the next keys of a run, at most n, 0 after the last; emit(keys, n): false if
  /// no more are wanted.
  using Read = std::function<std::int64_t(std::int64_t, Columns, std::int64_t)>;
  using Emit = std::function<bool(Columns, std::int64_t)>;

  /// Windows of `window` keys, and two buffers of all windows together.
  RunMerger(Context& context, std::int64_t runs, std::int64_t window, Read read)
      : context_(context),
        window_(window),
        read_(std::move(read)),
        runs_(static_cast<std::size_t>(runs)),
        out_(runs * window) {
    for (Run& run : runs_) run.window = Buffer(window);
  }

  void merge(const Emit& emit) {
    bool wanted = true;
    while (wanted && fill()) {
      context_.check_cancelled();
      const Columns out = out_.columns();
      std::int64_t count = 0;
      const std::size_t bound = bounding_run();
      const K last = runs_[bound].last();
      for (std::size_t r = 0; r < runs_.size(); ++r) {
        Run& run = runs_[r];
        const Columns rest = run.window.columns() + run.begin;
        const K* const begin = rest.keys;
        const K* const end = begin + run.size();
        const K* const stop = r <= bound ? std::upper_bound(begin, end, last, arrays::Less{})
                                         : std::lower_bound(begin, end, last, arrays::Less{});
        const std::int64_t taken = stop - begin;
        arrays::copy_columns<K, V>(rest, taken, out + count);
        count += taken;
        run.begin += taken;
      }
      arrays::sort_by_key(context_, out.keys, out.values, count);
      wanted = emit(out, count);
    }
  }

 private:
  struct Buffer {
    Buffer() = default;
    explicit Buffer(std::int64_t size) : keys(size), values(Columns::has_values ? size : 0) {}
    Columns columns() { return {keys.data(), values.data()}; }
    Array<K> keys;
    Array<V> values;
  };
  struct Run {
    Buffer window;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool ended = false;
    std::int64_t size() const { return end - begin; }
    K last() const { return window.keys[end - 1]; }
  };

  /// Tops up the windows; false when nothing is left.
  bool fill() {
    bool any = false;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      Run& run = runs_[r];
      // A half is enough: topping up after every few keys would move the rest around each time.
      if (!run.ended && run.size() <= window_ / 2) {
        const Columns window = run.window.columns();
        std::copy(window.keys + run.begin, window.keys + run.end, window.keys);
        if constexpr (Columns::has_values) {
          std::copy(window.values + run.begin, window.values + run.end, window.values);
        }
        run.end = run.size();
        run.begin = 0;
        const std::int64_t got =
            read_(static_cast<std::int64_t>(r), window + run.end, window_ - run.end);
        run.ended = got == 0;
        run.end += got;
      }
      any = any || run.size() > 0;
    }
    return any;
  }

  /// The run whose last shown key comes first. Runs that have shown everything do not bound, unless
  /// all have: then the one that ends last does, and everything goes out.
  std::size_t bounding_run() const {
    std::size_t best = runs_.size(), longest = runs_.size();
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      if (runs_[r].size() == 0) continue;
      const K last = runs_[r].last();
      if (longest == runs_.size() || !arrays::Less{}(last, runs_[longest].last())) longest = r;
      if (runs_[r].ended) continue;
      if (best == runs_.size() || arrays::Less{}(last, runs_[best].last())) best = r;
    }
    return best < runs_.size() ? best : longest;
  }

  Context& context_;
  std::int64_t window_;
  Read read_;
  std::vector<Run> runs_;
  Buffer out_;
};

}  // namespace yupana::job
