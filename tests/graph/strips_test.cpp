#include "yupana/graph/strips.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace yupana::graph {
namespace {

TEST(StripDeal, GivesEveryStripOnePlaceOnOneDevice) {
  for (const std::int64_t devices : {1, 2, 3, 4, 8}) {
    for (const std::int64_t strips : {0, 1, 2, 7, 8, 9, 118}) {
      const StripDeal deal{devices, strips};
      std::vector<std::vector<bool>> places(static_cast<std::size_t>(devices));
      for (std::int64_t device = 0; device < devices; ++device) {
        places[static_cast<std::size_t>(device)].resize(
            static_cast<std::size_t>(deal.held(device)));
      }
      for (std::int64_t strip = 0; strip < strips; ++strip) {
        ASSERT_LT(deal.owner(strip), devices);
        auto& mine = places[static_cast<std::size_t>(deal.owner(strip))];
        const auto place = static_cast<std::size_t>(deal.place(strip));
        ASSERT_LT(place, mine.size());
        ASSERT_FALSE(mine[place]);
        mine[place] = true;
        if (devices == 1) {
          ASSERT_EQ(deal.place(strip), strip);
        }
      }
    }
  }
}

TEST(StripDeal, SharesATriangleEvenly) {
  for (const std::int64_t devices : {2, 3, 4, 8}) {
    const std::int64_t strips = 118;  // n = 30,000 in strips of 256
    const StripDeal deal{devices, strips};
    std::vector<std::int64_t> cells(static_cast<std::size_t>(devices));
    for (std::int64_t strip = 0; strip < strips; ++strip) {
      cells[static_cast<std::size_t>(deal.owner(strip))] += strip + 1;
    }
    const double share = static_cast<double>(strips * (strips + 1) / 2) / devices;
    for (const std::int64_t mine : cells) EXPECT_LT(static_cast<double>(mine), 1.01 * share);
  }
}

}  // namespace
}  // namespace yupana::graph
