// The two nearest of a million points.
#include "yupana/geometry/closest_pair.hpp"

#include <cstdio>
#include <random>
#include <vector>

int main() {
  using namespace yupana;
  Context context;
  const std::int64_t points = 1'000'000, dimensions = 2;
  std::vector<double> values(points * dimensions);
  std::mt19937_64 draw(1);
  for (double& value : values) value = static_cast<double>(draw()) * 0x1p-64;
  const auto pair =
      geometry::closest_pair(context, MatrixView<const double>(values.data(), points, dimensions));
  std::printf("points %lld and %lld are %.3g apart\n",
              static_cast<long long>(pair.i),
              static_cast<long long>(pair.j),
              pair.distance);
}
