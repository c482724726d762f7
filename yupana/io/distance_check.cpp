#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/io/matrix_formats.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

// A tile and its mirror, 64 x 64 doubles each, fit together in a core's first-level cache twice
// over: entries of the mirror are read down columns.
constexpr std::int64_t tile_edge = 64;

/// body(rows, columns) for all tiles of the lower triangle, diagonal tiles included, in parallel.
template <class Body>
void for_each_tile(Context& context, std::int64_t n, const Body& body) {
  context.parallel_for(divide_up(n, tile_edge), 1, [&](std::int64_t row) {
    context.check_cancelled();
    const Range rows{row * tile_edge, std::min(n, (row + 1) * tile_edge)};
    for (std::int64_t column = 0; column <= row; ++column) {
      body(rows, Range{column * tile_edge, std::min(n, (column + 1) * tile_edge)});
    }
  });
}

/// body(i, j) for the cells below the diagonal.
template <class Body>
void for_each_lower(Context& context, std::int64_t n, const Body& body) {
  for_each_tile(context, n, [&](Range rows, Range columns) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      for (std::int64_t j = columns.begin; j < std::min(i, columns.end); ++j) body(i, j);
    }
  });
}

template <class T>
bool mirrors(T low, T high, double tolerance) {
  if (low == high) return true;
  const double a = static_cast<double>(low);
  const double b = static_cast<double>(high);
  return std::isfinite(a) && std::isfinite(b) && std::fabs(a - b) <= tolerance * std::max(a, b);
}

template <class T>
bool good(T low, T high, double tolerance) {
  return low >= 0 && high >= 0 && mirrors(low, high, tolerance);
}

std::string entry(const std::vector<std::string>& names, std::int64_t i, std::int64_t j) {
  const std::string place = fmt::format("row {}, column {}", i + 1, j + 1);
  if (names.empty()) return place;
  return fmt::format("{} ({}, {})", place, printable(names[i]), printable(names[j]));
}

template <class T>
[[noreturn]] void throw_fault(const std::string& path,
                              const std::vector<std::string>& names,
                              const SquareMatrix<T>& m,
                              std::int64_t i,
                              std::int64_t j) {
  for (const auto& [row, column] : {std::pair{i, j}, std::pair{j, i}}) {
    const double value = static_cast<double>(m(row, column));
    if (std::isnan(value)) {
      throw bad_file(path,
                     "{} is NaN; leave out one of the two, or impute missing calls",
                     entry(names, row, column));
    }
    if (value < 0) {
      throw bad_file(
          path, "{} is {}; distances are not negative", entry(names, row, column), value);
    }
  }
  throw bad_file(path,
                 "not symmetric: {} is {} and its mirror is {}; average the two or mend the matrix",
                 entry(names, i, j),
                 m(i, j),
                 m(j, i));
}

template <class T>
void check_diagonal(const std::string& path,
                    const std::vector<std::string>& names,
                    const SquareMatrix<T>& m) {
  for (std::int64_t i = 0; i < m.size(); ++i) {
    if (m(i, i) == T{0}) continue;
    throw bad_file(path,
                   "{} is {}; the diagonal of a distance matrix is zero{}",
                   entry(names, i, i),
                   m(i, i),
                   m(i, i) == T{1} ? " (similarities? use 1 - ibs)" : "");
  }
}

}  // namespace

template <class T>
void check_distances(Context& context,
                     const std::string& path,
                     const std::vector<std::string>& names,
                     double tolerance,
                     SquareMatrix<T>& m) {
  check_diagonal(path, names, m);
  const std::int64_t n = m.size();
  std::atomic<std::int64_t> first_bad{n};
  std::atomic<std::int64_t> differing{0};
  for_each_tile(context, n, [&](Range rows, Range columns) {
    std::int64_t differ = 0;
    bool all_good = true;
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      for (std::int64_t j = columns.begin; j < std::min(i, columns.end); ++j) {
        const bool fine = good(m(i, j), m(j, i), tolerance);
        all_good = all_good && fine;
        if (!fine || m(i, j) == m(j, i)) continue;
        m(j, i) = m(i, j);
        ++differ;
      }
    }
    differing.fetch_add(differ, std::memory_order_relaxed);
    std::int64_t seen = first_bad.load();
    while (!all_good && rows.begin < seen && !first_bad.compare_exchange_weak(seen, rows.begin)) {
    }
  });
  // Which tile noticed first depends on threads; the message does not.
  for (std::int64_t i = first_bad; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      if (!good(m(i, j), m(j, i), tolerance)) throw_fault(path, names, m, i, j);
    }
  }
  if (differing == 0) return;
  context.note(fmt::format(
      "{}: {} and its mirror differ by rounding; the lower triangle is taken",
      path,
      differing == 1 ? "an entry" : fmt::format("each of {} entries", differing.load())));
}

template <class T>
void mirror_lower(Context& context, SquareMatrix<T>& m) {
  for_each_lower(context, m.size(), [&](std::int64_t i, std::int64_t j) { m(j, i) = m(i, j); });
}

template <class T>
bool upper_is_empty(Context& context, const SquareMatrix<T>& m) {
  std::atomic<bool> upper{false};
  std::atomic<bool> lower{false};
  const std::int64_t n = m.size();
  context.parallel_for(n, tile_edge, [&](std::int64_t begin, std::int64_t end) {
    const auto set = [](T value) { return value != T{0}; };
    for (std::int64_t i = begin; i < end && !upper.load(std::memory_order_relaxed); ++i) {
      if (!lower && std::any_of(m.row(i), m.row(i) + i, set)) lower = true;
      if (std::any_of(m.row(i) + i + 1, m.row(i) + n, set)) upper = true;
    }
  });
  return lower && !upper;
}

template <class T>
void transpose(Context& context, SquareMatrix<T>& m) {
  for_each_lower(
      context, m.size(), [&](std::int64_t i, std::int64_t j) { std::swap(m(i, j), m(j, i)); });
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, check_distances, mirror_lower, upper_is_empty, transpose)

}  // namespace yupana::io
