#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include "yupana/analysis/clustering_active.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::analysis {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Columns of a row that a thread looks at a time: 16 KB, 2 us from memory, as long as handing them
// over takes. Rows of two pieces are not shared out.
constexpr std::int64_t piece = 2048;
constexpr std::int64_t line = 8;   // doubles
constexpr std::int64_t slab = 32;  // rows that are allocated together
constexpr std::size_t most_recent = 16;

/// Room for the clusters that n will merge into until the rows are closed up. An odd number of
/// lines: a column then spreads over all sets of the cache.
std::int64_t room_for(std::int64_t n) { return round_up(n + n / 32 + 2 * line, line) | line; }

}  // namespace

/// After rows were closed up to 33/32 a columns for a clusters, a/32 merges may follow: 31/32 a
/// clusters are left, of which at most n - 31/32 a were merged and have rows. The largest product
/// of both, at a = 16/31 n, is 0.266 n^2; of a slab of 32 rows and more less than one is cut off.
/// Rows of points and free ones take three slabs.
std::uint64_t ActiveClusters::bytes(std::int64_t n) {
  const auto points = static_cast<std::uint64_t>(n);
  constexpr std::uint64_t rows = 3 * slab;
  return (points * points * 7 / 25 + rows * static_cast<std::uint64_t>(room_for(n))) *
         sizeof(double);
}

ActiveClusters::ActiveClusters(Context& context, const PointDistances& distances, Linkage method)
    : context_(context),
      distances_(distances),
      method_(method),
      alive_(distances.count()),
      width_(alive_),
      capacity_(room_for(alive_)),
      singles_(alive_),
      row_(at(capacity_)),
      filled_(row_.size()),
      number_(row_.size()),
      points_(row_.size(), 1.0),
      bar_(row_.size()),
      lowest_(at(divide_up(capacity_, piece))),
      place_(at(alive_)),
      apart_(row_.size(), infinity) {
  std::iota(number_.begin(), number_.end(), 0);
  std::iota(place_.begin(), place_.end(), 0);
}

template <class Body>
void ActiveClusters::over_columns(const Body& body) {
  if (width_ <= 2 * piece) return body(std::int64_t{0}, width_);
  const std::int64_t pieces = divide_up(width_, piece);
  context_.parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    body(begin * piece, std::min(width_, end * piece));
  });
}

std::int64_t ActiveClusters::first() {
  while (place(first_) < 0) ++first_;
  return first_;
}

/// The row of a point takes that of the point which was searched longest ago.
void ActiveClusters::hold_row(std::int64_t number) {
  const std::int64_t column = place(number);
  if (column >= singles_) return;
  std::erase(recent_, number);
  if (recent_.size() == most_recent) {
    free_.push_back(std::exchange(row_[at(place(recent_.front()))], nullptr));
    recent_.erase(recent_.begin());
  }
  recent_.push_back(number);
  if (row_[at(column)] != nullptr) return;
  row_[at(column)] = new_row();
  filled_[at(column)] = 0;
}

double* ActiveClusters::new_row() {
  if (free_.empty()) {
    slabs_.emplace_back(slab * capacity_);
    for (std::int64_t i = slab; i-- > 0;) free_.push_back(slabs_.back().data() + i * capacity_);
  }
  double* const row = free_.back();
  free_.pop_back();
  return row;
}

/// Columns [begin, end) of a row.
void ActiveClusters::fill(std::int64_t column, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t ahead = 16;
  double* const row = row_[at(column)];
  const std::int64_t singles = std::min(end, singles_);
  if (begin < singles) {
    distances_.gather(
        number_[at(column)], {number_.data() + begin, number_.data() + singles}, row + begin);
  }
  for (std::int64_t j = std::max(begin, singles_); j < end; ++j) {
    __builtin_prefetch(row_[at(std::min(j + ahead, end - 1))] + column);
    row[j] = row_[at(j)][column];
  }
}

void ActiveClusters::complete(std::int64_t column) {
  fill(column, std::exchange(filled_[at(column)], width_), width_);
}

std::pair<std::int64_t, double> ActiveClusters::nearest(std::int64_t tip, std::int64_t before) {
  hold_row(tip);
  const std::int64_t column = place(tip), filled = std::exchange(filled_[at(column)], width_);
  const double* const row = row_[at(column)];
  const double* const bar = bar_.data();
  over_columns([&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; j += piece) {
      const std::int64_t count = std::min(piece, end - j);
      if (filled < j + count) fill(column, std::max(filled, j), j + count);
      lowest_[at(j / piece)] = cpu::row_kernels().smallest(row + j, bar + j, count);
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
    nearest = cpu::row_kernels().smallest_number(
        row + j, bar + j, number_.data() + j, count, least, nearest);
  }
  return {nearest, least};
}

/// Row b becomes that of both clusters.
void ActiveClusters::join_rows(std::int64_t a, std::int64_t b) {
  const double* const other = row_[at(a)];
  double* const row = row_[at(b)];
  const cpu::WardMerge both{points_[at(a)], points_[at(b)], other[b]};
  over_columns([&](std::int64_t begin, std::int64_t end) {
    const std::int64_t count = end - begin;
    if (method_ == Linkage::complete) {
      for (std::int64_t j = begin; j < end; ++j) row[j] = std::max(other[j], row[j]);
    } else if (method_ == Linkage::weighted) {
      for (std::int64_t j = begin; j < end; ++j) row[j] = 0.5 * (other[j] + row[j]);
    } else if (method_ == Linkage::ward) {
      cpu::row_kernels().ward_rows(other + begin, row + begin, points_.data() + begin, count, both);
    } else {
      cpu::row_kernels().average_rows(
          other + begin, row + begin, count, both.other_points, both.points);
    }
  });
}

void ActiveClusters::merge(std::int64_t gone, std::int64_t kept) {
  hold_row(gone);
  hold_row(kept);
  const std::int64_t a = place(gone), b = place(kept), merged = width_;
  complete(a);
  complete(b);
  join_rows(a, b);
  double* const row = row_[at(b)];
  row[merged] = infinity;  // nobody is his own neighbour
  free_.push_back(row_[at(a)]);
  std::erase_if(recent_, [&](std::int64_t number) { return number == gone || number == kept; });
  row_[at(merged)] = row;
  row_[at(a)] = row_[at(b)] = apart_.data();
  filled_[at(merged)] = merged + 1;
  bar_[at(a)] = bar_[at(b)] = infinity;
  bar_[at(merged)] = 0;
  points_[at(merged)] = points_[at(a)] + points_[at(b)];
  number_[at(merged)] = kept;
  place_[at(kept)] = merged;
  place_[at(gone)] = -1;
  ++width_;
  --alive_;
  if (width_ == capacity_) close_up();
}

/// Rows keep their place and become shorter, so that they can be closed up side by side.
void ActiveClusters::close_up() {
  std::vector<std::int64_t> living;
  for (std::int64_t j = 0; j < width_; ++j) {
    if (bar_[at(j)] == 0) living.push_back(j);
  }
  const auto living_before = [&](std::int64_t column) {
    return std::lower_bound(living.begin(), living.end(), column) - living.begin();
  };
  context_.parallel_for(alive_, 16, [&](std::int64_t i) {
    const std::size_t column = at(living[at(i)]);
    double* const row = row_[column];
    if (row == nullptr) return;
    filled_[column] = living_before(filled_[column]);
    for (std::int64_t j = 0; j < filled_[column]; ++j) row[j] = row[living[at(j)]];
  });
  singles_ = living_before(singles_);
  width_ = alive_;
  capacity_ = room_for(alive_);
  for (std::int64_t j = 0; j < alive_; ++j) {
    const std::size_t from = at(living[at(j)]);
    row_[at(j)] = row_[from];
    filled_[at(j)] = filled_[from];
    points_[at(j)] = points_[from];
    number_[at(j)] = number_[from];
    bar_[at(j)] = 0;
    place_[at(number_[at(j)])] = j;
  }
  move_rows();
}

/// Rows of the old capacity go to the first places of the new one, in the order of memory, so that
/// none is written over before it has gone; slabs after the next one are freed.
void ActiveClusters::move_rows() {
  const std::less<const double*> before;
  std::vector<std::size_t> columns;
  for (std::int64_t j = 0; j < alive_; ++j) {
    if (row_[at(j)] != nullptr) columns.push_back(at(j));
  }
  std::ranges::sort(columns, before, [&](std::size_t column) { return row_[column]; });
  std::ranges::sort(slabs_, before, [](const Array<double>& rows) { return rows.data(); });
  free_.clear();
  auto next = columns.begin();
  std::size_t used = 0;
  for (; used < slabs_.size() && (next != columns.end() || free_.empty()); ++used) {
    for (std::int64_t i = 0; (i + 1) * capacity_ <= slabs_[used].size(); ++i) {
      double* const row = slabs_[used].data() + i * capacity_;
      if (next == columns.end()) {
        free_.push_back(row);
        continue;
      }
      std::memmove(row, row_[*next], at(filled_[*next]) * sizeof(double));
      row_[*next++] = row;
    }
  }
  slabs_.resize(used);
}

}  // namespace yupana::analysis
