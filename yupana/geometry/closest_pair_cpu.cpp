#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "yupana/core/array.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/random.hpp"
#include "yupana/geometry/buckets_cpu.hpp"
#include "yupana/geometry/closest_pair_backends.hpp"
#include "yupana/geometry/grid.hpp"

namespace yupana::geometry::cpu {
namespace {

template <class T, int D>
Candidate all_pairs(MatrixView<const T> points, const Unit& unit) {
  Candidate best;
  for (std::int64_t i = 0; i < points.rows; ++i) {
    for (std::int64_t j = i + 1; j < points.rows; ++j) {
      const double square = square_of(points.row(i), points.row(j), D, unit);
      if (square < best.square) best = {square, i, j};
    }
  }
  return best;
}

/// One grid in shared memory: every point in its cell's chain, then every point against the chains
/// of the cells near it. For points of many dimensions, whose cells reach across any bucket.
template <class T, int D>
Candidate in_one_grid(Context& context,
                      MatrixView<const T> points,
                      const Unit& unit,
                      const Grid& grid,
                      const Candidate& bound) {
  constexpr std::int64_t piece = 4096;
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(points.rows))) + 1;
  const std::int64_t size = std::int64_t{1} << bits;
  Array<std::int64_t> heads(size), next(points.rows);
  context.parallel_for(size, piece * 16, [&](std::int64_t begin, std::int64_t end) {
    std::fill(heads.begin() + begin, heads.begin() + end, -1);
  });
  const auto slot = [&](std::uint64_t sum) {
    return static_cast<std::int64_t>(mixed(sum) >> (64 - bits));
  };
  context.parallel_for(points.rows, piece, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t i = begin; i < end; ++i) {
      const Place<D> place(grid, points.row(i));
      next[i] = std::atomic_ref(heads[slot(place.sum())]).exchange(i, std::memory_order_relaxed);
    }
  });
  SharedMinimum minimum(bound);
  context.parallel_for(points.rows, piece, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    Candidate best = bound;
    for (std::int64_t i = begin; i < end; ++i) {
      const Place<D> place(grid, points.row(i));
      place.each_near(place.sum(), [&](std::uint64_t sum) {
        for (std::int64_t j = heads[slot(sum)]; j >= 0; j = next[j]) {
          if (j >= i) continue;
          const double square = square_of(points.row(j), points.row(i), D, unit);
          if (square <= best.square) best = std::min(best, Candidate{square, j, i});
        }
      });
    }
    minimum.update(best);
  });
  return minimum.get();
}

template <class T, int D>
class GridSolver {
 public:
  GridSolver(Context& context, const Unit& unit) : context_(context), unit_(unit) {}

  Candidate solve(MatrixView<const T> points, const Candidate& seed) {
    if (points.rows <= max_all_pairs_points) return std::min(seed, all_pairs<T, D>(points, unit_));
    const Candidate bound = std::min(seed, of_sample(points));
    // Below: another unit will hold. Infinite: squares overflow, and a sample says nothing.
    if (bound.square < unit_.least || std::isinf(bound.square)) return bound;
    if (bound.square == 0) {
      // Only in fine units: equal points exist, and the first two are the answer.
      return in_buckets<T, D>(context_, points, unit_, Grid::of_points(), {});
    }
    const Grid grid(bound.square, unit_, ratio_of(D));
    if constexpr (D <= max_bucketed_dimensions) {
      if (points.rows >= min_bucketed_points && points.rows <= max_in_buckets) {
        return in_buckets<T, D>(context_, points, unit_, grid, bound);
      }
    }
    return in_one_grid<T, D>(context_, points, unit_, grid, bound);
  }

 private:
  /// The least pair of a sample: one point at random of each `sample_of` in a row. A sample with
  /// chance p has missed about 1 / p^2 closer pairs, wherever the points are: of more, one would
  /// very probably be in it. (Pairs within one row of `sample_of` points cannot be; they are at
  /// most sample_of / 2 a point.) So the cells that the bound makes hold few points on average.
  Candidate of_sample(MatrixView<const T> points) {
    const std::int64_t count = std::max(points.rows / sample_of(D), max_all_pairs_points / 2);
    Array<std::int64_t> from(count);
    Array<T> sample(count * D);
    const Random random(1, static_cast<std::uint64_t>(points.rows));
    context_.parallel_for(count, 4096, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t s = begin; s < end; ++s) {
        const std::int64_t first = first_of(s, count, points.rows);
        const std::int64_t room = first_of(s + 1, count, points.rows) - first;
        const std::uint64_t word = random.word(static_cast<std::uint64_t>(s)) >> 32;
        from[s] = first + static_cast<std::int64_t>(word % static_cast<std::uint64_t>(room));
        std::copy_n(points.row(from[s]), D, sample.data() + s * D);
      }
    });
    const Candidate best = solve({sample.data(), count, D}, {});
    if (std::isinf(best.square)) return best;
    return {best.square, from[best.i], from[best.j]};
  }
  static std::int64_t first_of(std::int64_t part, std::int64_t parts, std::int64_t n) {
    return n / parts * part + std::min(part, n % parts);
  }

  Context& context_;
  Unit unit_;
};

}  // namespace

template <class T>
ClosestPair closest_pair_grid(Context& context, MatrixView<const T> points, double largest) {
  if (points.rows > max_in_buckets) return closest_pair_divide(context, points, largest);
  Stage stage(context, "closest pair", static_cast<double>(points.rows), "points");
  const ClosestPair pair = with_dimensions(points.cols, [&](auto dimensions) {
    return solve_in_units(points, largest, [&](const Unit& unit, const Candidate& seed) {
      return GridSolver<T, decltype(dimensions)::value>(context, unit).solve(points, seed);
    });
  });
  stage.advance(static_cast<double>(points.rows));
  return pair;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, closest_pair_grid)

}  // namespace yupana::geometry::cpu
