#include "yupana/core/instantiate.hpp"
#include "yupana/geometry/closest_pair_backends.hpp"

namespace yupana::geometry::reference {

template <class T>
ClosestPair closest_pair(Context& context, MatrixView<const T> points, double largest) {
  const auto least = [&](const Unit& unit, const Candidate&) {
    Candidate best;
    for (std::int64_t i = 0; i < points.rows; ++i) {
      context.check_cancelled();
      for (std::int64_t j = i + 1; j < points.rows; ++j) {
        const int dimensions = static_cast<int>(points.cols);
        const Candidate pair{square_of(points.row(i), points.row(j), dimensions, unit), i, j};
        if (pair < best) best = pair;
      }
    }
    return best;
  };
  return solve_in_units(points, largest, least);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, closest_pair)

}  // namespace yupana::geometry::reference
