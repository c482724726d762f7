#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "yupana/core/instantiate.hpp"
#include "yupana/sparse/arithmetic.hpp"
#include "yupana/sparse/triangular_backends.hpp"

namespace yupana::sparse::cpu {

/// Columns of the right-hand side that one pass over a row takes.
inline constexpr int row_tile = 8;

/// For more than four entries: the products added in `lanes` partial sums by halves.
template <int lanes, int width, class Value, class Index>
inline void sum_by_halves(const Index* columns,
                          const Value* values,
                          std::int64_t count,
                          const Value* x,
                          std::int64_t stride,
                          Value (&sum)[width]) {
  Value partial[lanes][width];
  const std::int64_t first = std::min<std::int64_t>(count, lanes);
  for (std::int64_t k = 0; k < first; ++k) {
    const Value* from = x + static_cast<std::int64_t>(columns[k]) * stride;
    for (int j = 0; j < width; ++j) partial[k][j] = product(values[k], from[j]);
  }
  for (std::int64_t k = first; k < lanes; ++k) {
    for (int j = 0; j < width; ++j) partial[k][j] = 0;
  }
  for (std::int64_t k = lanes; k < count; ++k) {
    const Value* from = x + static_cast<std::int64_t>(columns[k]) * stride;
    for (int j = 0; j < width; ++j) partial[k % lanes][j] += product(values[k], from[j]);
  }
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) {
      for (int j = 0; j < width; ++j) partial[l][j] += partial[l + half][j];
    }
  }
  for (int j = 0; j < width; ++j) sum[j] = partial[0][j];
}

template <int width, class Value, class Index>
[[gnu::noinline]] void sum_many(const Index* columns,
                                const Value* values,
                                std::int64_t count,
                                const Value* x,
                                std::int64_t stride,
                                Value (&sum)[width]) {
  if (count <= 8) {
    sum_by_halves<8, width>(columns, values, count, x, stride, sum);
  } else if (count <= 16) {
    sum_by_halves<16, width>(columns, values, count, x, stride, sum);
  } else {
    sum_by_halves<32, width>(columns, values, count, x, stride, sum);
  }
}

/// The same sum of `count` products, 5 to 8, in registers.
template <int count, class Value, class Index, class Stride>
inline Value sum_few(const Index* columns, const Value* values, const Value* x, Stride stride) {
  const auto term = [&](int k) {
    return k < count ? product(values[k], x[static_cast<std::int64_t>(columns[k]) * stride])
                     : Value{};
  };
  return ((term(0) + term(4)) + (term(2) + term(6))) + ((term(1) + term(5)) + (term(3) + term(7)));
}
/// The same of half + 1 to 2 half products, half 8, 16 or 32.
template <int half, class Value, class Index, class Stride>
inline Value sum_pairs(
    const Index* columns, const Value* values, std::int64_t count, const Value* x, Stride stride) {
  const auto term = [&](std::int64_t k) {
    return product(values[k], x[static_cast<std::int64_t>(columns[k]) * stride]);
  };
  Value sums[half];
  const std::int64_t pairs = count - half;
  for (std::int64_t k = 0; k < pairs; ++k) sums[k] = term(k) + term(k + half);
  // A lane that is not there is +0; where all 32 are, one without a second product stays as it is.
  for (std::int64_t k = pairs; k < half; ++k) sums[k] = half == 32 ? term(k) : term(k) + Value{};
#pragma GCC unroll 8
  for (int step = half / 2; step > 0; step /= 2) {
    for (int k = 0; k < step; ++k) sums[k] += sums[k + step];
  }
  return sums[0];
}

template <class Value, class Index, class Stride>
[[gnu::always_inline]] inline Value sum_up_to_8(
    const Index* columns, const Value* values, std::int64_t count, const Value* x, Stride stride) {
  switch (count) {
    case 5:
      return sum_few<5>(columns, values, x, stride);
    case 6:
      return sum_few<6>(columns, values, x, stride);
    case 7:
      return sum_few<7>(columns, values, x, stride);
    default:
      return sum_few<8>(columns, values, x, stride);
  }
}

/// Pointers of a Split, for loops that keep them in registers.
template <class Value, class Index>
struct Rows {
  explicit Rows(const Split<Value, Index>& matrix)
      : begin(matrix.begin.data()),
        columns(matrix.columns.data()),
        values(matrix.values.data()),
        diagonal(matrix.diagonal.data()) {}

  const Index* begin;
  const Index* columns;
  const Value* values;
  const Value* diagonal;
};

/// out[0, width) = x of row p, for `width` columns of the right-hand side b. Stride: a number or
/// a constant. `ones`: without a division, which would delay all rows that need x.
template <int width, bool ones = false, class Value, class Index, class Stride>
[[gnu::always_inline]] inline void solve_row(const Rows<Value, Index>& rows,
                                             std::int64_t p,
                                             const Value* b,
                                             const Value* x,
                                             Stride stride,
                                             Value* out) {
  const std::int64_t begin = rows.begin[p];
  const std::int64_t count = rows.begin[p + 1] - begin;
  const Index* columns = rows.columns + begin;
  const Value* values = rows.values + begin;
  Value rest[width];
  for (int j = 0; j < width; ++j) rest[j] = b[j];
  if (count <= 4) {
    for (std::int64_t k = 0; k < count; ++k) {
      const Value* from = x + static_cast<std::int64_t>(columns[k]) * stride;
      for (int j = 0; j < width; ++j) rest[j] -= product(values[k], from[j]);
    }
  } else if (width == 1 && count <= 8) {
    rest[0] -= sum_up_to_8(columns, values, count, x, stride);
  } else if (width == 1 && count <= 32) {
    rest[0] -= count <= 16 ? sum_pairs<8>(columns, values, count, x, stride)
                           : sum_pairs<16>(columns, values, count, x, stride);
  } else if (width == 1 && count <= 64) {
    rest[0] -= sum_pairs<32>(columns, values, count, x, stride);
  } else {
    Value sum[width];
    sum_many<width>(columns, values, count, x, stride, sum);
    for (int j = 0; j < width; ++j) rest[j] -= sum[j];
  }
  for (int j = 0; j < width; ++j) {
    out[j] = without_payload(ones ? rest[j] : quotient(rest[j], rows.diagonal[p]));
  }
}

/// Rows p = place(k) of the matrix, which are rows row(k) of the system, for k in [first, last).
template <class Value, class Index, class Place, class Row>
void solve_rows(const Split<Value, Index>& matrix,
                std::int64_t first,
                std::int64_t last,
                const Place& place,
                const Row& row,
                MatrixView<const Value> b,
                MatrixView<Value> x) {
  const Rows<Value, Index> rows(matrix);
  if (b.cols == 1 && b.stride == 1 && x.stride == 1) {
    const Value* const from = b.data;
    Value* const to = x.data;
    constexpr std::integral_constant<std::int64_t, 1> one{};
    const auto solve = [&](auto ones) {
      for (std::int64_t k = first; k < last; ++k) {
        const std::int64_t i = row(k);
        solve_row<1, ones.value && !is_complex<Value>>(rows, place(k), from + i, to, one, to + i);
      }
    };
    if (matrix.ones) {
      solve(std::true_type{});
    } else {
      solve(std::false_type{});
    }
    return;
  }
  for (std::int64_t k = first; k < last; ++k) {
    const std::int64_t i = row(k), p = place(k);
    std::int64_t j = 0;
    for (; j + row_tile <= b.cols; j += row_tile) {
      solve_row<row_tile>(rows, p, b.row(i) + j, x.data + j, x.stride, x.row(i) + j);
    }
    for (; j < b.cols; ++j) solve_row<1>(rows, p, b.row(i) + j, x.data + j, x.stride, x.row(i) + j);
  }
}
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
