#include <algorithm>
#include <atomic>
#include <thread>

#include "yupana/core/instantiate.hpp"
#include "yupana/sparse/solve_row.hpp"
#include "yupana/sparse/triangular_backends.hpp"

namespace yupana::sparse::cpu {
namespace {

/// Rows between two looks at Ctrl-C.
constexpr std::int64_t breath = 1 << 18;

/// Positions [first, last) of a schedule.
template <class Value, class Index>
void solve_range(const Schedule<Value, Index>& schedule,
                 std::int64_t first,
                 std::int64_t last,
                 MatrixView<const Value> b,
                 MatrixView<Value> x) {
  const auto* const row = schedule.row.data();
  solve_rows(
      schedule.matrix,
      first,
      last,
      [](std::int64_t p) { return p; },
      [=](std::int64_t p) { return static_cast<std::int64_t>(row[p]); },
      b,
      x);
}

}  // namespace

template <class Value, class Index>
void solve_serial(Context& context,
                  const Split<Value, Index>& matrix,
                  MatrixView<const Value> b,
                  MatrixView<Value> x) {
  for (std::int64_t done = 0; done < matrix.rows; done += breath) {
    context.check_cancelled();
    const std::int64_t end = std::min(matrix.rows, done + breath);
    if (matrix.triangle == Triangle::lower) {
      const auto row = [](std::int64_t i) { return i; };
      solve_rows(matrix, done, end, row, row, b, x);
    } else {
      const auto row = [n = matrix.rows](std::int64_t k) { return n - 1 - k; };
      solve_rows(matrix, done, end, row, row, b, x);
    }
  }
}

template <class Value, class Index>
void solve_levels(Context& context,
                  const Schedule<Value, Index>& schedule,
                  MatrixView<const Value> b,
                  MatrixView<Value> x) {
  constexpr std::int64_t grain = 2048;
  const auto solve = [&](std::int64_t first, std::int64_t last) {
    solve_range(schedule, first, last, b, x);
  };
  const std::int64_t levels = schedule.level_begin.size() - 1;
  for (std::int64_t l = 0; l < levels; ++l) {
    if (l % 256 == 0) context.check_cancelled();
    const std::int64_t begin = schedule.level_begin[l], end = schedule.level_begin[l + 1];
    if (end - begin <= grain) {
      solve(begin, end);
      continue;
    }
    context.parallel_for(end - begin, grain, [&](std::int64_t first, std::int64_t last) {
      context.check_cancelled();
      solve(begin + first, begin + last);
    });
  }
}

template <class Value, class Index>
void solve_pieces(Context& context,
                  const Schedule<Value, Index>& schedule,
                  MatrixView<const Value> b,
                  MatrixView<Value> x) {
  const auto count = static_cast<std::int64_t>(schedule.pieces.size());
  if (context.threads() == 1 || count < 4) {
    for (std::int64_t done = 0; done < b.rows; done += breath) {
      context.check_cancelled();
      solve_range(schedule, done, std::min(b.rows, done + breath), b, x);
    }
    return;
  }
  // Pieces are taken in order. Whoever holds the first one that is not done waits for nobody, so
  // there is progress however many of the threads really run.
  Array<std::uint8_t> done = Array<std::uint8_t>::zeros(count);
  std::atomic<std::int64_t> next{0};
  context.parallel_for(context.threads(), 1, [&](std::int64_t, std::int64_t) {
    std::int64_t known = 0;  // pieces [0, known) are done
    for (;;) {
      const std::int64_t mine = next.fetch_add(1, std::memory_order_relaxed);
      if (mine >= count || context.cancelled()) return;
      const auto& piece = schedule.pieces[static_cast<std::size_t>(mine)];
      for (int tries = 0; known < piece.needs;) {
        if (std::atomic_ref(done[known]).load(std::memory_order_acquire) != 0) {
          ++known;
          tries = 0;
        } else if (++tries > 2000) {
          // Another program may have the core of the thread that is waited for.
          std::this_thread::yield();
          if (context.cancelled()) return;
        }
      }
      solve_range(schedule, piece.begin, piece.end, b, x);
      std::atomic_ref(done[mine]).store(1, std::memory_order_release);
    }
  });
  context.check_cancelled();
}

YUPANA_FUNCTIONS(YUPANA_SPARSE, solve_serial, solve_levels, solve_pieces)
YUPANA_FUNCTIONS(YUPANA_SPARSE_COMPLEX, solve_serial, solve_levels, solve_pieces)

}  // namespace yupana::sparse::cpu
