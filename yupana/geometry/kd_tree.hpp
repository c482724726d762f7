#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/geometry/pair_distance.hpp"

namespace yupana::geometry::cpu {

/// Private to the family: a balanced k-d tree of points of up to D coordinates, in doubles; the
/// missing ones are 0, which change no square. Halves of each node are split at a median of its
/// widest axis; all leaves are at one depth and hold up to max_leaf points. Searches are exact
/// whatever the tree's shape.
template <int D>
class KdTree {
 public:
  static constexpr std::int64_t max_leaf = 12;

  struct Point {
    std::array<double, D> x{};
    std::int64_t index = 0;
  };

  template <class T>
  KdTree(Context& context, MatrixView<const T> points)
      : points_(static_cast<std::size_t>(points.rows)) {
    context.parallel_for(points.rows, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        Point& point = points_[static_cast<std::size_t>(i)];
        point.index = i;
        std::copy_n(points.row(i), points.cols, point.x.begin());
      }
    });
    while ((points.rows >> depth_) > max_leaf) ++depth_;
    splits_.resize(std::size_t{1} << depth_);
    for (int level = 0; level < depth_; ++level) {
      const std::int64_t nodes = std::int64_t{1} << level;
      const std::int64_t grain = std::max<std::int64_t>(1, nodes >> 6);
      context.parallel_for(nodes, grain, [&](std::int64_t begin, std::int64_t end) {
        context.check_cancelled();
        for (std::int64_t node = begin; node < end; ++node) split(level, node);
      });
    }
  }

  /// Points in an order in which neighbors are mostly close.
  const std::vector<Point>& points() const { return points_; }

  /// visit(point, key of its square from x) for at least the points with key <= visit.limit(),
  /// which may fall meanwhile. Points before `first` are left out.
  template <class Visit>
  void search(const std::array<double, D>& x, Visit& visit, std::int64_t first = 0) const {
    Search<Visit> search{*this, x, visit, first, {}};
    search.node(0, 0, 0, static_cast<std::int64_t>(points_.size()));
  }

 private:
  struct Split {
    double at = 0;
    int axis = 0;
  };

  template <class Visit>
  struct Search {
    const KdTree& tree;
    const std::array<double, D>& x;
    Visit& visit;
    std::int64_t first;
    std::array<double, D> apart;  // from the node's half spaces, axis by axis

    void node(int level, std::int64_t number, std::int64_t begin, std::int64_t end) {
      if (end <= first) return;
      if (level == tree.depth_) return leaf(std::max(begin, first), end);
      const Split& split =
          tree.splits_[static_cast<std::size_t>((std::int64_t{1} << level) + number)];
      const std::int64_t middle = begin + (end - begin) / 2;
      const auto axis = static_cast<std::size_t>(split.axis);
      const double off = x[axis] - split.at;
      const bool right = off >= 0;
      const auto child = [&](bool is_right) {
        is_right ? node(level + 1, 2 * number + 1, middle, end)
                 : node(level + 1, 2 * number, begin, middle);
      };
      child(right);
      // Every point there is at least `off` away along the axis: rounding is monotonic, so its key
      // is not below that of `apart`.
      const double before = apart[axis];
      apart[axis] = off;
      if (square_key(apart.data(), D) <= visit.limit()) child(!right);
      apart[axis] = before;
    }
    void leaf(std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const Point& point = tree.points_[static_cast<std::size_t>(i)];
        std::array<double, D> differences;
        for (std::size_t k = 0; k < D; ++k) differences[k] = x[k] - point.x[k];
        const std::int64_t key = square_key(differences.data(), D);
        if (key <= visit.limit()) visit(point, key);
      }
    }
  };

  /// Points of a node by its number in its level.
  std::pair<std::int64_t, std::int64_t> range(int level, std::int64_t node) const {
    std::int64_t begin = 0, end = static_cast<std::int64_t>(points_.size());
    for (int bit = level - 1; bit >= 0; --bit) {
      const std::int64_t middle = begin + (end - begin) / 2;
      (node >> bit & 1 ? begin : end) = middle;
    }
    return {begin, end};
  }

  void split(int level, std::int64_t node) {
    const auto [begin, end] = range(level, node);
    const auto from = points_.begin() + begin, to = points_.begin() + end;
    std::array<double, D> least = from->x, most = from->x;
    for (auto point = from; point != to; ++point) {
      for (std::size_t k = 0; k < D; ++k) {
        least[k] = std::min(least[k], point->x[k]);
        most[k] = std::max(most[k], point->x[k]);
      }
    }
    std::size_t axis = 0;
    for (std::size_t k = 1; k < D; ++k) {
      if (most[k] - least[k] > most[axis] - least[axis]) axis = k;
    }
    const auto middle = from + (end - begin) / 2;
    std::nth_element(
        from, middle, to, [axis](const Point& a, const Point& b) { return a.x[axis] < b.x[axis]; });
    splits_[static_cast<std::size_t>((std::int64_t{1} << level) + node)] = {middle->x[axis],
                                                                            static_cast<int>(axis)};
  }

  int depth_ = 0;
  std::vector<Point> points_;
  std::vector<Split> splits_;  // node n of level l at 2^l + n
};

}  // namespace yupana::geometry::cpu
