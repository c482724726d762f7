#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/geometry/neighbors_backends.hpp"
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
      context.parallel_for(nodes, grain, [&](std::int64_t node) {
        context.check_cancelled();
        split(level, node);
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
namespace {

constexpr std::int64_t no_key = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t grain = 512;  ///< searches of a task

/// A point by its key, then its index.
struct Found {
  std::int64_t key = no_key;
  std::int64_t index = no_key;
  bool operator<(const Found& other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

/// body(dimensions as a constant): of 2, 3, 4 or 8.
template <class Body>
auto with_dimensions(std::int64_t dimensions, const Body& body) {
  if (dimensions <= 2) return body(std::integral_constant<int, 2>{});
  if (dimensions == 3) return body(std::integral_constant<int, 3>{});
  if (dimensions == 4) return body(std::integral_constant<int, 4>{});
  return body(std::integral_constant<int, 8>{});
}

/// The points of `a` in a tree, and those that are searched for, in an order in which neighbors
/// are mostly close: b's, or a's own.
template <int D>
struct Trees {
  template <class T>
  Trees(Context& context, const PointSets<T>& sets) : of_a(context, sets.a) {
    if (sets.b != nullptr) of_b.emplace(context, *sets.b);
  }
  const std::vector<typename KdTree<D>::Point>& queries() const {
    return of_b ? of_b->points() : of_a.points();
  }
  /// body(first, last) over the queries.
  template <class Body>
  void each_block(Context& context, const Body& body) const {
    context.parallel_for(
        static_cast<std::int64_t>(queries().size()), grain, [&](auto begin, auto end) {
          context.check_cancelled();
          body(begin, end);
        });
  }
  KdTree<D> of_a;
  std::optional<KdTree<D>> of_b;
};

/// The k nearest so far: a heap with the farthest on top, or for few of them a sorted list.
class Nearest {
 public:
  explicit Nearest(std::int64_t k) : found_(static_cast<std::size_t>(k)) {}

  /// `self` is left out; -1: none.
  void begin(std::int64_t self) {
    self_ = self;
    std::fill(found_.begin(), found_.end(), Found{});
  }
  std::int64_t limit() const { return is_list() ? found_.back().key : found_.front().key; }
  template <class Point>
  void operator()(const Point& point, std::int64_t key) {
    const Found found{key, point.index};
    if (point.index == self_) return;
    if (is_list()) {
      if (!(found < found_.back())) return;
      auto at = found_.end() - 1;
      for (; at != found_.begin() && found < *(at - 1); --at) *at = *(at - 1);
      *at = found;
    } else {
      if (!(found < found_.front())) return;
      std::pop_heap(found_.begin(), found_.end());
      found_.back() = found;
      std::push_heap(found_.begin(), found_.end());
    }
  }
  void put(std::int64_t* indices, double* distances) {
    if (!is_list()) std::sort_heap(found_.begin(), found_.end());
    for (const Found& found : found_) {
      *indices++ = found.index;
      *distances++ = distance_of_key(found.key);
    }
  }

 private:
  bool is_list() const { return found_.size() <= 48; }

  std::vector<Found> found_;
  std::int64_t self_ = -1;
};

/// The nearest of one point, and what all threads know to be near enough.
struct NearestPair {
  std::atomic<std::int64_t>& shared;
  std::int64_t j = 0;  // of b
  std::int64_t key = no_key;
  ClosestPair pair = {no_key, no_key, 0};

  std::int64_t limit() const { return shared.load(std::memory_order_relaxed); }
  template <class Point>
  void operator()(const Point& point, std::int64_t found) {
    const std::tuple candidate{found, point.index, j};
    if (!(candidate < std::tuple{key, pair.i, pair.j})) return;
    key = found;
    pair = {point.index, j, 0};
    std::int64_t least = limit();
    while (found < least && !shared.compare_exchange_weak(least, found)) {
    }
  }
};

struct Within {
  std::int64_t key;
  bool one_set = false;
  std::int64_t query = 0;
  std::int64_t count = 0;
  bool is_kept = true;  ///< or counted alone
  std::vector<ClosestPair> pairs = {};

  std::int64_t limit() const { return key; }
  template <class Point>
  void operator()(const Point& point, std::int64_t found) {
    ++count;
    if (!is_kept) return;
    const double distance = distance_of_key(found);
    if (one_set) {
      const auto [i, j] = std::minmax(point.index, query);
      pairs.push_back({i, j, distance});
    } else {
      pairs.push_back({point.index, query, distance});
    }
  }
};

/// The pairs of all blocks in the order of (i, j): dealt out by i, then each i's sorted.
std::vector<ClosestPair> in_order(Context& context,
                                  std::vector<std::vector<ClosestPair>>&& blocks,
                                  std::int64_t rows,
                                  std::int64_t total) {
  std::vector<std::int64_t> ends(static_cast<std::size_t>(rows) + 1);
  for (const auto& block : blocks) {
    for (const ClosestPair& pair : block) ++ends[static_cast<std::size_t>(pair.i) + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<ClosestPair> pairs(static_cast<std::size_t>(total));
  std::vector<std::int64_t> next(ends.begin(), ends.end() - 1);
  for (auto& block : blocks) {
    for (const ClosestPair& pair : block) {
      pairs[static_cast<std::size_t>(next[static_cast<std::size_t>(pair.i)]++)] = pair;
    }
    block = {};
  }
  context.parallel_for(rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      std::sort(pairs.begin() + ends[at],
                pairs.begin() + ends[at + 1],
                [](const ClosestPair& a, const ClosestPair& b) { return a.j < b.j; });
    }
  });
  return pairs;
}

}  // namespace

template <class T>
Neighbors nearest_neighbors(Context& context, const PointSets<T>& sets, std::int64_t k) {
  const std::int64_t rows = sets.b == nullptr ? sets.a.rows : sets.b->rows;
  Neighbors result{{rows, k}, {rows, k}};
  with_dimensions(sets.a.cols, [&](auto d) {
    const Trees<d()> trees(context, sets);
    trees.each_block(context, [&](std::int64_t begin, std::int64_t end) {
      Nearest nearest(k);
      for (std::int64_t q = begin; q < end; ++q) {
        const auto& query = trees.queries()[static_cast<std::size_t>(q)];
        nearest.begin(sets.b == nullptr ? query.index : -1);
        trees.of_a.search(query.x, nearest);
        nearest.put(result.indices.row(query.index), result.distances.row(query.index));
      }
    });
  });
  return result;
}

template <class T>
ClosestPair closest_between(Context& context, const PointSets<T>& sets) {
  return with_dimensions(sets.a.cols, [&](auto d) {
    const Trees<d()> trees(context, sets);
    std::atomic<std::int64_t> shared{no_key};
    std::mutex mutex;
    NearestPair best{shared};
    trees.each_block(context, [&](std::int64_t begin, std::int64_t end) {
      NearestPair here{shared};
      for (std::int64_t q = begin; q < end; ++q) {
        const auto& query = trees.queries()[static_cast<std::size_t>(q)];
        here.j = query.index;
        trees.of_a.search(query.x, here);
      }
      const std::lock_guard lock(mutex);
      if (std::tuple{here.key, here.pair.i, here.pair.j} <
          std::tuple{best.key, best.pair.i, best.pair.j}) {
        best.key = here.key;
        best.pair = here.pair;
      }
    });
    best.pair.distance = distance_of_key(best.key);
    return best.pair;
  });
}

template <class T>
std::vector<ClosestPair> pairs_within(Context& context,
                                      const PointSets<T>& sets,
                                      std::int64_t key) {
  return with_dimensions(sets.a.cols, [&](auto d) {
    const Trees<d()> trees(context, sets);
    std::atomic<std::int64_t> total{0};
    std::mutex mutex;
    std::vector<std::vector<ClosestPair>> blocks;
    const std::int64_t most = max_pairs(context, sets);
    trees.each_block(context, [&](std::int64_t begin, std::int64_t end) {
      Within within{key, sets.b == nullptr};
      for (std::int64_t q = begin; q < end; ++q) {
        const auto& query = trees.queries()[static_cast<std::size_t>(q)];
        within.query = query.index;
        trees.of_a.search(query.x, within, within.one_set ? q + 1 : 0);
        const std::int64_t more = std::exchange(within.count, 0);
        const std::int64_t all = total.fetch_add(more, std::memory_order_relaxed) + more;
        check_pairs(context, sets, all, false);
        if (all <= most) continue;
        within.is_kept = false;
        within.pairs = {};
      }
      within.pairs.shrink_to_fit();
      const std::lock_guard lock(mutex);
      blocks.push_back(std::move(within.pairs));
    });
    check_pairs(context, sets, total, true);
    return in_order(context, std::move(blocks), sets.a.rows, total);
  });
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, nearest_neighbors, closest_between, pairs_within)

}  // namespace yupana::geometry::cpu
