#include "tests/graph/fermat_fixture.hpp"

namespace yupana::graph {
namespace {

using Landmarks = Fermat;

TEST_F(Landmarks, LandmarksBoundTheLengths) {
  const std::int64_t n = 80;
  for (const auto precision : {Precision::automatic, Precision::float64}) {
    const auto d2 = squared_distances(n, 12);
    const auto exact = fermat(context_, copy_of(d2), Entries::squares, {.precision = precision});
    for (const std::int64_t count : {1, 5, 80, 200}) {
      const auto run = [&](LandmarkEstimate estimate) {
        return fermat(
            context_,
            copy_of(d2),
            Entries::squares,
            {.precision = precision, .landmarks = count, .estimate = estimate, .seed = 3});
      };
      const auto upper = run(LandmarkEstimate::upper);
      const auto lower = run(LandmarkEstimate::lower);
      const auto mean = run(LandmarkEstimate::mean);
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          ASSERT_LE(at(lower, i, j), at(exact, i, j));
          ASSERT_GE(at(upper, i, j), at(exact, i, j));
          ASSERT_GE(at(mean, i, j), at(lower, i, j));
          ASSERT_LE(at(mean, i, j), at(upper, i, j));
          if (count >= n) {
            ASSERT_EQ(at(lower, i, j), at(upper, i, j));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace yupana::graph
