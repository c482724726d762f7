#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "yupana/arrays/line_buffers.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/geometry/closest_pair_backends.hpp"
#include "yupana/geometry/grid.hpp"
#include "yupana/geometry/pair_distance.hpp"

/// Private to the family: points dealt into buckets that fit a cache, by blocks of the grid; then
/// a small hash grid in each.
namespace yupana::geometry::cpu {

/// The least candidate that several threads found.
class SharedMinimum {
 public:
  explicit SharedMinimum(const Candidate& bound) : best_(bound) {}
  void update(const Candidate& found) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (found < best_) best_ = found;
  }
  const Candidate& get() const { return best_; }

 private:
  std::mutex mutex_;
  Candidate best_;
};

/// Indices in buckets are 32 bits wide.
inline constexpr std::int64_t max_in_buckets = std::numeric_limits<std::uint32_t>::max();

template <class T, int D>
struct Point {
  T x[D];
};

template <class T, int D>
class Buckets {
 public:
  Buckets(Context& context, MatrixView<const T> points, const Grid& grid)
      : context_(context), points_(points), grid_(grid) {
    const std::int64_t buckets = points.rows / bucket_points;
    bits_ =
        std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(buckets))), 1, 12);
    parts_ = std::clamp<std::int64_t>(points.rows >> 17, 1, 8 * context.threads());
    deal();
  }

  std::int64_t count() const { return std::int64_t{1} << bits_; }
  std::int64_t begin(std::int64_t bucket) const { return bucket > 0 ? ends_[bucket - 1] : 0; }
  std::int64_t end(std::int64_t bucket) const { return ends_[bucket]; }
  const Point<T, D>& point(std::int64_t at) const { return dealt_[at]; }
  std::int64_t index(std::int64_t at) const { return indices_[at]; }

 private:
  static constexpr std::int64_t bucket_points = 2048;
  struct Copy {
    std::uint32_t index;
    std::uint16_t bucket;
  };

  /// In each bucket the points of lower index come first, before its copies from other blocks.
  void deal() {
    Array<std::uint16_t> bucket_of(points_.rows);
    std::vector<std::vector<Copy>> copies(static_cast<std::size_t>(parts_));
    Array<std::int64_t> places = Array<std::int64_t>::zeros((parts_ + 1) * count());
    each_part([&](std::int64_t part) {
      find_buckets(part, bucket_of.data(), copies[static_cast<std::size_t>(part)], places);
    });
    std::int64_t* of_copies = places.data() + parts_ * count();
    for (const auto& list : copies) {
      for (const Copy& copy : list) ++of_copies[copy.bucket];
    }
    ends_ = Array<std::int64_t>(count());
    std::int64_t place = 0;
    for (std::int64_t b = 0; b < count(); ++b) {
      for (std::int64_t part = 0; part <= parts_; ++part) {
        place += std::exchange(places[part * count() + b], place);
      }
      ends_[b] = place;
    }
    dealt_ = Array<Point<T, D>>(place);
    indices_ = Array<std::uint32_t>(place);
    each_part([&](std::int64_t part) {
      scatter(part, bucket_of.data(), places.data() + part * count());
    });
    for (const auto& list : copies) {
      for (const Copy& copy : list) {
        const std::int64_t at = of_copies[copy.bucket]++;
        dealt_[at] = load(copy.index);
        indices_[at] = copy.index;
      }
    }
  }

  /// A point near a lower block goes there too. Two points within the bound of each other then
  /// meet in the bucket of the block that is the lower one of theirs along every axis.
  void find_buckets(std::int64_t part,
                    std::uint16_t* bucket_of,
                    std::vector<Copy>& copies,
                    Array<std::int64_t>& places) {
    std::int64_t* counts = places.data() + part * count();
    constexpr int shift = block_bits(D);
    constexpr std::int64_t last = (std::int64_t{1} << shift) - 1;
    for (std::int64_t i = first_of(part); i < first_of(part + 1); ++i) {
      if ((i & 0xffff) == 0) context_.check_cancelled();
      Place<D> block(grid_, points_.row(i));
      bool near = false;
      if (!grid_.equal) {
        for (Cell& cell : block.cells) {
          cell = {cell.at >> shift, cell.low && (cell.at & last) == 0, false};
          near |= cell.low;
        }
      }
      const std::uint64_t own = block.sum();
      bucket_of[i] = bucket(own);
      ++counts[bucket_of[i]];
      if (!near) continue;
      block.each_near(own, [&](std::uint64_t sum) {
        if (sum != own) copies.push_back({static_cast<std::uint32_t>(i), bucket(sum)});
      });
    }
  }

  void scatter(std::int64_t part, const std::uint16_t* bucket_of, const std::int64_t* starts) {
    Array<std::int64_t> next(count());
    std::copy_n(starts, count(), next.begin());
    arrays::cpu::LineBuffers<Point<T, D>> points(dealt_.data(), starts, count());
    arrays::cpu::LineBuffers<std::uint32_t> indices(indices_.data(), starts, count());
    for (std::int64_t i = first_of(part); i < first_of(part + 1); ++i) {
      if ((i & 0xffff) == 0) context_.check_cancelled();
      const std::int64_t bucket = bucket_of[i];
      const std::int64_t place = next[bucket]++;
      points.put(bucket, place, load(i));
      indices.put(bucket, place, static_cast<std::uint32_t>(i));
    }
    for (std::int64_t b = 0; b < count(); ++b) {
      points.finish(b, next[b]);
      indices.finish(b, next[b]);
    }
    arrays::cpu::finish_streams();
  }

  Point<T, D> load(std::int64_t i) const {
    Point<T, D> point;
    std::copy_n(points_.row(i), D, point.x);
    return point;
  }
  std::uint16_t bucket(std::uint64_t sum) const {
    return static_cast<std::uint16_t>(mixed(sum) >> (64 - bits_));
  }
  std::int64_t first_of(std::int64_t part) const {
    return points_.rows / parts_ * part + std::min(part, points_.rows % parts_);
  }
  template <class Body>
  void each_part(const Body& body) {
    context_.parallel_for(parts_, 1, [&](std::int64_t part) { body(part); });
  }

  Context& context_;
  MatrixView<const T> points_;
  Grid grid_;
  int bits_ = 0;
  std::int64_t parts_ = 1;
  Array<Point<T, D>> dealt_;
  Array<std::uint32_t> indices_;
  Array<std::int64_t> ends_;
};

/// The least pair of one bucket after the other, each in a hash grid of its own.
template <class T, int D>
class BucketSearch {
 public:
  BucketSearch(const Buckets<T, D>& buckets,
               const Unit& unit,
               const Grid& grid,
               const Candidate& bound)
      : buckets_(buckets), unit_(unit), grid_(grid), best_(bound) {}

  void search(std::int64_t bucket) {
    begin_ = buckets_.begin(bucket);
    const std::int64_t size = buckets_.end(bucket) - begin_;
    if (size < 2) return;
    // Beyond 2^22 slots the table costs more than the chains; a bucket that large is one of equal
    // points.
    bits_ = std::min(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size))) + 1, 22);
    heads_.assign(std::size_t{1} << bits_, none);
    if (std::ssize(next_) < size) next_.resize(static_cast<std::size_t>(size));
    for (std::int64_t at = 0; at < size; ++at) {
      if (grid_.equal) {
        meet_equal(at);
      } else {
        meet_near(at);
      }
    }
  }
  const Candidate& best() const { return best_; }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// The second of equal points meets the first, and no other joins the chain. Buckets keep the
  /// order of indices, so that these two are the smallest.
  void meet_equal(std::int64_t at) {
    const T* x = buckets_.point(begin_ + at).x;
    std::uint32_t& head = heads_[slot(Place<D>(grid_, x).sum())];
    for (std::uint32_t other = head; other != none; other = next_[other]) {
      if (!std::equal(x, x + D, buckets_.point(begin_ + other).x)) continue;
      best_ = std::min(best_, pair(0, other, at));
      return;
    }
    join(head, at);
  }
  void meet_near(std::int64_t at) {
    const T* x = buckets_.point(begin_ + at).x;
    const Place<D> place(grid_, x);
    const std::uint64_t own = place.sum();
    place.each_near(own, [&](std::uint64_t sum) {
      for (std::uint32_t other = heads_[slot(sum)]; other != none; other = next_[other]) {
        const double square = square_of(buckets_.point(begin_ + other).x, x, D, unit_);
        if (square > best_.square) continue;
        // A point and its copy may meet where two lower blocks share a bucket.
        if (buckets_.index(begin_ + other) == buckets_.index(begin_ + at)) continue;
        best_ = std::min(best_, pair(square, other, at));
      }
    });
    join(heads_[slot(own)], at);
  }
  void join(std::uint32_t& head, std::int64_t at) {
    next_[static_cast<std::size_t>(at)] = std::exchange(head, static_cast<std::uint32_t>(at));
  }
  Candidate pair(double square, std::int64_t a, std::int64_t b) const {
    return candidate(square, buckets_.index(begin_ + a), buckets_.index(begin_ + b));
  }
  std::size_t slot(std::uint64_t sum) const {
    return static_cast<std::size_t>(((sum ^ (sum >> 29)) * 0xbf58476d1ce4e5b9ull) >> (64 - bits_));
  }

  const Buckets<T, D>& buckets_;
  Unit unit_;
  Grid grid_;
  Candidate best_;
  std::int64_t begin_ = 0;
  int bits_ = 1;
  std::vector<std::uint32_t> heads_;
  std::vector<std::uint32_t> next_;
};

/// The least pair, not above `bound`.
template <class T, int D>
Candidate in_buckets(Context& context,
                     MatrixView<const T> points,
                     const Unit& unit,
                     const Grid& grid,
                     const Candidate& bound) {
  const Buckets<T, D> buckets(context, points, grid);
  SharedMinimum minimum(bound);
  context.parallel_for(buckets.count(), 16, [&](std::int64_t begin, std::int64_t end) {
    BucketSearch<T, D> search(buckets, unit, grid, bound);
    for (std::int64_t bucket = begin; bucket < end; ++bucket) {
      context.check_cancelled();
      search.search(bucket);
    }
    minimum.update(search.best());
  });
  return minimum.get();
}

}  // namespace yupana::geometry::cpu
