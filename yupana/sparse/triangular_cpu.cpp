#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "yupana/sparse/solve_row.hpp"
#include "yupana/sparse/triangular_backends.hpp"

namespace yupana::sparse::cpu {
namespace {

/// Rows between two looks at Ctrl-C.
constexpr std::int64_t breath = 1 << 18;

/// Positions of [0, n) in stable order of key(i) in [0, bins): `in` tells what comes first.
template <class Index, class Key>
void counting_sort(const Index* in, std::int64_t n, std::int64_t bins, const Key& key, Index* out) {
  std::vector<std::int64_t> next(static_cast<std::size_t>(bins) + 1, 0);
  for (std::int64_t i = 0; i < n; ++i) ++next[static_cast<std::size_t>(key(i)) + 1];
  for (std::size_t bin = 1; bin < next.size(); ++bin) next[bin] += next[bin - 1];
  for (std::int64_t i = 0; i < n; ++i) {
    const Index row = in == nullptr ? static_cast<Index>(i) : in[i];
    out[next[static_cast<std::size_t>(key(row))]++] = row;
  }
}

}  // namespace

template <class Value, class Index>
LevelAnalysis<Index> analyse(Context& context, const Split<Value, Index>& matrix) {
  const std::int64_t n = matrix.rows;
  LevelAnalysis<Index> result;
  result.level = Array<Index>(n);
  result.row_class = Array<std::uint8_t>(n);
  result.order = Array<Index>(n);
  Index deepest = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    if (k % breath == 0) context.check_cancelled();
    const std::int64_t i = row_at(matrix.triangle, n, k);
    Index level = 0;
    for (std::int64_t e = matrix.begin[i]; e < matrix.begin[i + 1]; ++e) {
      level = std::max(level, result.level[matrix.columns[e]]);
    }
    result.level[i] = ++level;
    result.row_class[i] =
        static_cast<std::uint8_t>(class_of(matrix.begin[i + 1] - matrix.begin[i]));
    deepest = std::max(deepest, level);
  }
  result.levels = deepest;
  // By class, then by level: as many bins as there are levels, not seven times as many.
  Array<Index> by_class(n);
  const auto class_key = [&](std::int64_t i) { return std::int64_t{result.row_class[i]}; };
  const auto level_key = [&](std::int64_t i) { return std::int64_t{result.level[i]} - 1; };
  counting_sort<Index>(nullptr, n, 7, class_key, by_class.data());
  counting_sort<Index>(by_class.data(), n, result.levels, level_key, result.order.data());
  for (std::int64_t p = 0; p < n;) {
    const Index level = result.level[result.order[p]];
    const int row_class = result.row_class[result.order[p]];
    const std::int64_t first = p;
    while (p < n && result.level[result.order[p]] == level &&
           result.row_class[result.order[p]] == row_class) {
      ++p;
    }
    result.keys.push_back({level, row_class, p - first, warps_of(p - first, row_class)});
    result.warps += result.keys.back().warps;
  }
  return result;
}

namespace {

/// Pieces of about a quarter of a level's work: two threads then seldom wait for each other, and
/// what a piece costs besides its rows stays small.
template <class Value, class Index>
void cut_pieces(Schedule<Value, Index>& schedule) {
  const Split<Value, Index>& matrix = schedule.matrix;
  const std::int64_t n = matrix.rows;
  const std::int64_t work = n + matrix.columns.size();
  const std::int64_t levels = std::max<std::int64_t>(1, schedule.level_begin.size() - 1);
  const std::int64_t target = std::clamp<std::int64_t>(work / levels / 4, 64, 4096);
  std::vector<std::int64_t> begins = {0}, needs;
  std::int64_t needed = -1;
  for (std::int64_t p = 0; p < n; ++p) {
    const std::int64_t first = begins.back();
    for (std::int64_t e = matrix.begin[p]; e < matrix.begin[p + 1]; ++e) {
      const std::int64_t position = matrix.columns[e];
      if (position < first) needed = std::max(needed, position);
    }
    const std::int64_t done = p + 1 - first + matrix.begin[p + 1] - matrix.begin[first];
    if (done < target && p + 1 < n) continue;
    // Pieces before the one that begins behind the last position needed.
    const auto behind = std::upper_bound(begins.begin(), begins.end(), needed);
    needs.push_back(behind - begins.begin());
    begins.push_back(p + 1);
    needed = -1;
  }
  schedule.piece_begin = Array<std::int64_t>(std::ssize(begins));
  std::copy(begins.begin(), begins.end(), schedule.piece_begin.begin());
  schedule.piece_needs = Array<std::int64_t>(std::ssize(needs));
  std::copy(needs.begin(), needs.end(), schedule.piece_needs.begin());
}

/// b, x and the values by position that a schedule works on.
template <class Value, class Index>
struct Work {
  const Schedule<Value, Index>& schedule;
  MatrixView<const Value> b;
  MatrixView<Value> x;
  Array<Value> by_position;

  Work(const Schedule<Value, Index>& schedule_, MatrixView<const Value> b_, MatrixView<Value> x_)
      : schedule(schedule_), b(b_), x(x_), by_position(b_.rows * b_.cols) {}

  void solve(std::int64_t first, std::int64_t last) {
    Value* y = by_position.data();
    if (b.cols == 1) {
      for (std::int64_t p = first; p < last; ++p) {
        const std::int64_t row = schedule.row[p];
        solve_row<1>(schedule.matrix, p, b.row(row), y, 1, y + p);
        *x.row(row) = y[p];
      }
      return;
    }
    for (std::int64_t p = first; p < last; ++p) {
      const std::int64_t row = schedule.row[p];
      Value* out = y + p * b.cols;
      solve_row(schedule.matrix, p, b.row(row), y, b.cols, out, b.cols);
      std::copy_n(out, b.cols, x.row(row));
    }
  }
};

}  // namespace

template <class Value, class Index>
void schedule_values(Context& context,
                     const Split<Value, Index>& matrix,
                     Schedule<Value, Index>& schedule) {
  Split<Value, Index>& to = schedule.matrix;
  context.parallel_for(matrix.rows, 1 << 14, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t p = first; p < last; ++p) {
      const std::int64_t row = schedule.row[p];
      to.diagonal[p] = matrix.diagonal[row];
      std::copy(matrix.values.data() + matrix.begin[row],
                matrix.values.data() + matrix.begin[row + 1],
                to.values.data() + to.begin[p]);
    }
  });
}

template <class Value, class Index>
Schedule<Value, Index> schedule(Context& context,
                                const Split<Value, Index>& matrix,
                                const LevelAnalysis<Index>& analysis) {
  const std::int64_t n = matrix.rows;
  Schedule<Value, Index> result;
  result.row = analysis.order.data();
  result.level_begin = Array<std::int64_t>::zeros(analysis.levels + 1);
  for (const LevelKey& key : analysis.keys) result.level_begin[key.level] += key.rows;
  for (std::int64_t l = 0; l < analysis.levels; ++l) {
    result.level_begin[l + 1] += result.level_begin[l];
  }
  Split<Value, Index>& to = result.matrix;
  to.rows = n;
  to.begin = Array<Index>(n + 1);
  to.columns = Array<Index>(matrix.columns.size());
  to.values = Array<Value>(matrix.columns.size());
  to.diagonal = Array<Value>(n);
  Array<Index> position(n);
  Index entries = 0;
  for (std::int64_t p = 0; p < n; ++p) {
    const std::int64_t row = result.row[p];
    position[row] = static_cast<Index>(p);
    to.begin[p] = entries;
    entries += matrix.begin[row + 1] - matrix.begin[row];
  }
  to.begin[n] = entries;
  context.parallel_for(n, 1 << 14, [&](std::int64_t first, std::int64_t last) {
    context.check_cancelled();
    for (std::int64_t p = first; p < last; ++p) {
      Index* columns = to.columns.data() + to.begin[p];
      const std::int64_t row = result.row[p];
      for (std::int64_t e = matrix.begin[row]; e < matrix.begin[row + 1]; ++e) {
        *columns++ = position[matrix.columns[e]];
      }
    }
  });
  schedule_values(context, matrix, result);
  cut_pieces(result);
  return result;
}

template <class Value, class Index>
void solve_serial(Context& context,
                  const Split<Value, Index>& matrix,
                  MatrixView<const Value> b,
                  MatrixView<Value> x) {
  for (std::int64_t done = 0; done < matrix.rows; done += breath) {
    context.check_cancelled();
    const std::int64_t end = std::min(matrix.rows, done + breath);
    for (std::int64_t k = done; k < end; ++k) {
      const std::int64_t i = row_at(matrix.triangle, matrix.rows, k);
      if (b.cols == 1) {
        solve_row<1>(matrix, i, b.row(i), x.data, x.stride, x.row(i));
      } else {
        solve_row(matrix, i, b.row(i), x.data, x.stride, x.row(i), b.cols);
      }
    }
  }
}

template <class Value, class Index>
void solve_levels(Context& context,
                  const Schedule<Value, Index>& schedule,
                  MatrixView<const Value> b,
                  MatrixView<Value> x) {
  constexpr std::int64_t grain = 2048;
  Work<Value, Index> work(schedule, b, x);
  const std::int64_t levels = schedule.level_begin.size() - 1;
  for (std::int64_t l = 0; l < levels; ++l) {
    if (l % 256 == 0) context.check_cancelled();
    const std::int64_t begin = schedule.level_begin[l], end = schedule.level_begin[l + 1];
    if (end - begin <= grain) {
      work.solve(begin, end);
      continue;
    }
    context.parallel_for(end - begin, grain, [&](std::int64_t first, std::int64_t last) {
      context.check_cancelled();
      work.solve(begin + first, begin + last);
    });
  }
}

template <class Value, class Index>
void solve_pieces(Context& context,
                  const Schedule<Value, Index>& schedule,
                  MatrixView<const Value> b,
                  MatrixView<Value> x) {
  Work<Value, Index> work(schedule, b, x);
  const std::int64_t pieces = schedule.piece_needs.size();
  if (context.threads() == 1 || pieces < 4) {
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      if (piece % 64 == 0) context.check_cancelled();
      work.solve(schedule.piece_begin[piece], schedule.piece_begin[piece + 1]);
    }
    return;
  }
  // Pieces are taken in order. Whoever holds the first one that is not done waits for nobody, so
  // there is progress however many of the threads really run.
  Array<std::uint8_t> done = Array<std::uint8_t>::zeros(pieces);
  std::atomic<std::int64_t> next{0};
  context.parallel_for(context.threads(), 1, [&](std::int64_t, std::int64_t) {
    std::int64_t known = 0;  // pieces [0, known) are done
    for (;;) {
      const std::int64_t piece = next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= pieces || context.cancelled()) return;
      for (int tries = 0; known < schedule.piece_needs[piece];) {
        if (std::atomic_ref(done[known]).load(std::memory_order_acquire) != 0) {
          ++known;
          tries = 0;
        } else if (++tries > 2000) {
          // Another program may have the core of the thread that is waited for.
          std::this_thread::yield();
          if (context.cancelled()) return;
        }
      }
      work.solve(schedule.piece_begin[piece], schedule.piece_begin[piece + 1]);
      std::atomic_ref(done[piece]).store(1, std::memory_order_release);
    }
  });
  context.check_cancelled();
}

#define YUPANA_CPU(Value, Index)                                                                \
  template LevelAnalysis<Index> analyse(Context&, const Split<Value, Index>&);                  \
  template Schedule<Value, Index> schedule(                                                     \
      Context&, const Split<Value, Index>&, const LevelAnalysis<Index>&);                       \
  template void schedule_values(Context&, const Split<Value, Index>&, Schedule<Value, Index>&); \
  template void solve_serial(                                                                   \
      Context&, const Split<Value, Index>&, MatrixView<const Value>, MatrixView<Value>);        \
  template void solve_levels(                                                                   \
      Context&, const Schedule<Value, Index>&, MatrixView<const Value>, MatrixView<Value>);     \
  template void solve_pieces(                                                                   \
      Context&, const Schedule<Value, Index>&, MatrixView<const Value>, MatrixView<Value>);
YUPANA_CPU(float, std::int32_t)
YUPANA_CPU(float, std::int64_t)
YUPANA_CPU(double, std::int32_t)
YUPANA_CPU(double, std::int64_t)
#undef YUPANA_CPU

}  // namespace yupana::sparse::cpu
