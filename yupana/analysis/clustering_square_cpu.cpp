#include <algorithm>
#include <limits>
#include <numeric>

#include "yupana/analysis/clustering_square.hpp"
#include "yupana/analysis/unreachable.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::analysis {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Columns of a row that a thread looks at a time: 16 KB, 2 us from memory, as long as handing them
// over takes. Rows of two pieces are not shared out.
constexpr std::int64_t piece = 2048;
constexpr std::int64_t line = 8;             // doubles
constexpr std::int64_t together = 2 * line;  // merged clusters that enter the other rows at once

std::int64_t capacity(std::int64_t n) { return round_up(n + n / 4 + together, line); }

}  // namespace

std::uint64_t SquareClusters::bytes(std::int64_t n) {
  return static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(capacity(n)) * sizeof(double);
}

template <class T>
SquareClusters::SquareClusters(Context& context, MatrixView<const T> distances, Linkage method)
    : context_(context),
      method_(method),
      alive_(distances.rows),
      width_(round_up(alive_, line)),
      spread_(width_),
      cells_(alive_ * capacity(alive_)),
      row_(at(capacity(alive_))),
      number_(row_.size(), -1),
      points_(row_.size(), 1.0),
      bar_(row_.size(), infinity),
      lowest_(at(divide_up(capacity(alive_), piece))),
      place_(at(alive_)) {
  std::iota(number_.begin(), number_.begin() + alive_, 0);
  std::iota(place_.begin(), place_.end(), 0);
  std::fill_n(bar_.begin(), alive_, 0.0);
  context.parallel_for(alive_, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      double* const row = row_[at(i)] = cells_.data() + i * capacity(alive_);
      std::transform(distances.row(i), distances.row(i) + alive_, row, [](T distance) {
        return is_unreachable(distance) ? infinity : static_cast<double>(distance);
      });
      std::fill(row + alive_, row + width_, infinity);
      row[i] = infinity;  // nobody is his own neighbour
    }
  });
}

template <class Body>
void SquareClusters::over_columns(const Body& body) {
  if (width_ <= 2 * piece) return body(std::int64_t{0}, width_);
  const std::int64_t pieces = divide_up(width_, piece);
  context_.parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    body(begin * piece, std::min(width_, end * piece));
  });
}

std::int64_t SquareClusters::first() {
  while (place(first_) < 0) ++first_;
  return first_;
}

std::pair<std::int64_t, double> SquareClusters::nearest(std::int64_t tip, std::int64_t before) {
  complete(place(tip));
  const double* const row = row_[at(place(tip))];
  const double* const bar = bar_.data();
  over_columns([&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; j += piece) {
      lowest_[at(j / piece)] = cpu::smallest(row + j, bar + j, std::min(piece, end - j));
    }
  });
  const std::int64_t pieces = divide_up(width_, piece);
  const double least = *std::min_element(lowest_.begin(), lowest_.begin() + pieces);
  if (before >= 0 && !(least < row[place(before)])) return {before, row[place(before)]};
  if (least == infinity) {  // as far as everybody else
    std::int64_t other = first();
    while (other == tip || place(other) < 0) ++other;
    return {other, infinity};
  }
  std::int64_t nearest = std::ssize(place_);
  for (std::int64_t p = 0; p < pieces; ++p) {
    if (lowest_[at(p)] != least) continue;
    const std::int64_t j = p * piece, count = std::min(piece, width_ - j);
    nearest = cpu::smallest_number(row + j, bar + j, number_.data() + j, count, least, nearest);
  }
  return {nearest, least};
}

/// Copies into a row its distances to the clusters after it, which are not in every row yet.
void SquareClusters::complete(std::int64_t column) {
  double* const row = row_[at(column)];
  for (std::int64_t j = std::max(spread_, column + 1); j < width_; ++j) {
    row[j] = row_[at(j)] != nullptr ? row_[at(j)][column] : infinity;
  }
}

void SquareClusters::join_rows(const double* other,
                               double* row,
                               double other_points,
                               double points) {
  over_columns([&](std::int64_t begin, std::int64_t end) {
    if (method_ == Linkage::complete) {
      for (std::int64_t j = begin; j < end; ++j) row[j] = std::max(other[j], row[j]);
    } else {
      cpu::average_rows(other + begin, row + begin, end - begin, other_points, points);
    }
  });
}

void SquareClusters::merge(std::int64_t gone, std::int64_t kept) {
  const std::int64_t a = place(gone), b = place(kept), merged = width_;
  complete(a);
  complete(b);
  double* const row = row_[at(b)];
  join_rows(row_[at(a)], row, points_[at(a)], points_[at(b)]);
  row[merged] = infinity;
  row_[at(merged)] = row;
  row_[at(a)] = row_[at(b)] = nullptr;
  bar_[at(a)] = bar_[at(b)] = infinity;
  bar_[at(merged)] = 0;
  points_[at(merged)] = points_[at(a)] + points_[at(b)];
  number_[at(merged)] = kept;
  place_[at(kept)] = merged;
  place_[at(gone)] = -1;
  ++width_;
  --alive_;
  const bool full = width_ == std::ssize(row_);
  const bool sparse = 2 * alive_ + together < width_;
  if (full || sparse || width_ - spread_ == together) spread();
  if (full || sparse) close_up();
}

/// Writes the columns that are not yet in every row, one or two lines of each.
void SquareClusters::spread() {
  context_.parallel_for(width_, 512, [&](std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t ahead = 8;
    for (std::int64_t i = begin; i < end; ++i) {
      const double* const next = row_[at(std::min(i + ahead, end - 1))];
      if (next != nullptr) {
        __builtin_prefetch(next + spread_, 1);
        __builtin_prefetch(next + spread_ + line, 1);
      }
      if (row_[at(i)] != nullptr) complete(i);
    }
  });
  spread_ = width_;
}

/// Rows keep their place and become shorter, so that they can be closed up side by side.
void SquareClusters::close_up() {
  std::vector<std::int64_t> living;
  for (std::int64_t j = 0; j < width_; ++j) {
    if (row_[at(j)] != nullptr) living.push_back(j);
  }
  width_ = spread_ = round_up(alive_, line);
  context_.parallel_for(alive_, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      double* const row = row_[at(living[at(i)])];
      std::transform(living.begin(), living.end(), row, [&](std::int64_t j) { return row[j]; });
      std::fill(row + alive_, row + width_, infinity);
    }
  });
  std::fill(bar_.begin(), bar_.end(), infinity);
  for (std::int64_t j = 0; j < alive_; ++j) {
    const std::size_t from = at(living[at(j)]);
    row_[at(j)] = row_[from];
    points_[at(j)] = points_[from];
    number_[at(j)] = number_[from];
    bar_[at(j)] = 0;
    place_[at(number_[at(j)])] = j;
  }
  std::fill(row_.begin() + alive_, row_.end(), nullptr);
}

template SquareClusters::SquareClusters(Context&, MatrixView<const std::int32_t>, Linkage);
template SquareClusters::SquareClusters(Context&, MatrixView<const float>, Linkage);
template SquareClusters::SquareClusters(Context&, MatrixView<const double>, Linkage);

}  // namespace yupana::analysis
