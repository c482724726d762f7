#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "yupana/arrays/sort.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/geometry/closest_pair_backends.hpp"

namespace yupana::geometry::cpu {
namespace {

template <class T, int D>
struct Indexed {
  T x[D];
  std::int64_t index;
};

/// Divide and conquer along the axis of the largest extent; halves meet in a strip sorted along the
/// axis of the second largest, so that points on a line or in a plane make no crowded strip. In the
/// plane a point of the strip meets a constant number of others; with more axes the strip is a slab
/// and may hold many more.
template <class T, int D>
class Divide {
 public:
  Divide(Context& context, MatrixView<const T> points) : context_(context), points_(points.rows) {
    choose_axes(points);
    context.parallel_for(points.rows, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
      context.check_cancelled();
      for (std::int64_t i = begin; i < end; ++i) {
        std::copy_n(points.row(i), D, points_[i].x);
        points_[i].index = i;
      }
    });
    const int main = main_;
    arrays::merge_sort(context,
                       points_.data(),
                       points.rows,
                       [main](const Indexed<T, D>& a, const Indexed<T, D>& b) {
                         if (a.x[main] != b.x[main]) return a.x[main] < b.x[main];
                         for (int k = 0; k < D; ++k) {
                           if (a.x[k] != b.x[k]) return a.x[k] < b.x[k];
                         }
                         return a.index < b.index;
                       });
    // Now, since the sort's copy of the points is gone.
    order_ = Array<std::int64_t>(points.rows);
    merged_ = Array<std::int64_t>(points.rows);
  }

  /// The first pair of equal points: they are neighbours, smaller indices first.
  Candidate first_equal() const {
    Candidate best;
    for (std::int64_t at = 1; at < points_.size(); ++at) {
      const Indexed<T, D>&a = points_[at - 1], &b = points_[at];
      if (std::equal(a.x, a.x + D, b.x)) best = std::min(best, {0, a.index, b.index});
    }
    return best;
  }

  Candidate solve(const Unit& unit) {
    unit_ = unit;
    std::iota(order_.begin(), order_.end(), 0);
    return solve(0, points_.size());
  }

 private:
  static constexpr std::int64_t all_pairs = 16;
  static constexpr std::int64_t alone = std::int64_t{1} << 14;  // points one thread takes

  void choose_axes(MatrixView<const T> points) {
    std::array<double, D> extents{};
    for (int k = 0; k < D; ++k) {
      T least = points(0, k), most = points(0, k);
      for (std::int64_t i = 1; i < points.rows; ++i) {
        least = std::min(least, points(i, k));
        most = std::max(most, points(i, k));
      }
      // Halves: the difference of two large numbers may overflow.
      extents[k] = static_cast<double>(most) / 2 - static_cast<double>(least) / 2;
    }
    const auto largest = std::max_element(extents.begin(), extents.end());
    main_ = static_cast<int>(largest - extents.begin());
    *largest = -1;
    if (D > 1) {
      strip_ = static_cast<int>(std::max_element(extents.begin(), extents.end()) - extents.begin());
    }
  }

  /// Afterwards order_ of [begin, end) is sorted along the strip's axis.
  Candidate solve(std::int64_t begin, std::int64_t end) {
    if (end - begin <= all_pairs) return solve_few(begin, end);
    const std::int64_t middle = begin + (end - begin) / 2;
    const T border = points_[middle].x[main_];
    Candidate best;
    if (end - begin <= alone) {
      best = std::min(solve(begin, middle), solve(middle, end));
    } else {
      context_.check_cancelled();
      std::array<Candidate, 2> halves;
      context_.parallel_for(2, 1, [&](std::int64_t half) {
        halves[half] = half == 0 ? solve(begin, middle) : solve(middle, end);
      });
      best = std::min(halves[0], halves[1]);
    }
    std::merge(order_.begin() + begin,
               order_.begin() + middle,
               order_.begin() + middle,
               order_.begin() + end,
               merged_.begin() + begin,
               [&](std::int64_t a, std::int64_t b) { return below(a, b); });
    std::copy(merged_.begin() + begin, merged_.begin() + end, order_.begin() + begin);
    // Another unit will hold: here distances may vanish, and a strip hold any number of points.
    if (best.square < unit_.least) return best;
    return join(begin, end, border, best);
  }

  Candidate solve_few(std::int64_t begin, std::int64_t end) {
    Candidate best;
    for (std::int64_t a = begin; a < end; ++a) {
      for (std::int64_t b = a + 1; b < end; ++b) best = std::min(best, pair(a, b));
    }
    std::sort(order_.begin() + begin, order_.begin() + end, [&](std::int64_t a, std::int64_t b) {
      return below(a, b);
    });
    return best;
  }

  /// Pairs across the border. A square never exceeds the sum it is part of, after rounding too, and
  /// a difference grows with its operands' distance: what is left out is above `best`.
  Candidate join(std::int64_t begin, std::int64_t end, T border, Candidate best) {
    std::int64_t* strip = merged_.begin() + begin;
    std::int64_t size = 0;
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t b = order_[at];
      if (square_of(&points_[b].x[main_], &border, 1, unit_) > best.square) continue;
      for (std::int64_t a = size - 1; a >= 0; --a) {
        const T* x = points_[strip[a]].x;
        if (square_of(&x[strip_], &points_[b].x[strip_], 1, unit_) > best.square) break;
        best = std::min(best, pair(strip[a], b));
      }
      strip[size++] = b;
    }
    return best;
  }

  bool below(std::int64_t a, std::int64_t b) const {
    return points_[a].x[strip_] < points_[b].x[strip_];
  }
  Candidate pair(std::int64_t a, std::int64_t b) const {
    const double square = square_of(points_[a].x, points_[b].x, D, unit_);
    // An overflowed square is no pair: where all are, the coarse unit held.
    if (std::isinf(square)) return {};
    return candidate(square, points_[a].index, points_[b].index);
  }

  Context& context_;
  Array<Indexed<T, D>> points_;
  Array<std::int64_t> order_;
  Array<std::int64_t> merged_;
  Unit unit_;
  int main_ = 0;
  int strip_ = 0;
};

}  // namespace

template <class T>
ClosestPair closest_pair_divide(Context& context, MatrixView<const T> points, double largest) {
  Stage stage(context, "closest pair", static_cast<double>(points.rows), "points");
  const ClosestPair pair = with_dimensions(points.cols, [&](auto dimensions) -> ClosestPair {
    Divide<T, decltype(dimensions)::value> divide(context, points);
    const Candidate equal = divide.first_equal();
    if (equal.i < equal.j) return {equal.i, equal.j, 0};
    return solve_in_units(
        points, largest, [&](const Unit& unit, const Candidate&) { return divide.solve(unit); });
  });
  stage.advance(static_cast<double>(points.rows));
  return pair;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, closest_pair_divide)

}  // namespace yupana::geometry::cpu
