#include "yupana/core/tiles.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace yupana {
namespace {

TEST(TriangleTile, VisitsEveryTileOnceForAnyBand) {
  for (std::int64_t side : {1, 2, 3, 7, 8, 9, 17}) {
    for (std::int64_t band : {1, 2, 4, 8, 32}) {
      std::set<std::pair<std::int64_t, std::int64_t>> seen;
      for (std::int64_t i = 0; i < triangle_cells(side); ++i) {
        const Tile tile = triangle_tile(i, side, band);
        EXPECT_GE(tile.row, tile.column);
        EXPECT_LT(tile.row, side);
        EXPECT_GE(tile.column, 0);
        seen.insert({tile.row, tile.column});
      }
      EXPECT_EQ(static_cast<std::int64_t>(seen.size()), triangle_cells(side));
    }
  }
}

TEST(TriangleBand, CoversAllRowsWithinTheBudget) {
  for (std::int64_t cells : {0, 1, 5, 10, 55, 1000}) {
    std::int64_t next = 0;
    while (next < 10) {
      const Range band = triangle_band(next, 10, cells);
      ASSERT_EQ(band.begin, next);
      ASSERT_GT(band.end, band.begin);
      if (band.size() > 1) {
        EXPECT_LE(triangle_cells(band.end) - triangle_cells(band.begin), cells);
      }
      next = band.end;
    }
    EXPECT_EQ(next, 10);
  }
}

}  // namespace
}  // namespace yupana
