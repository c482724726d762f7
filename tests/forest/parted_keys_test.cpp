#include "yupana/forest/parted_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/instruction_sets.hpp"
#include "yupana/core/random.hpp"

namespace yupana::forest {
namespace {

constexpr std::int64_t columns = 3;
constexpr int class_bits = 1;
constexpr std::uint32_t missing_rank = 9;

// Around the keys of a vector, of any processor.
constexpr std::int64_t sizes[] = {1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 97, 1000};

struct Sample {
  explicit Sample(std::int64_t n) : rows(n) {
    ranks.rows = n;
    ranks.columns = columns;
    ranks.class_bits = class_bits;
    ranks.missing_rank = missing_rank;
    ranks.short_keys = Array<std::uint16_t>(n * columns);
    for (std::int64_t i = 0; i < n * columns; ++i) {
      const std::uint64_t word = Random(n).word(static_cast<std::uint64_t>(i));
      ranks.short_keys[i] = static_cast<std::uint16_t>(word % (2 * (missing_rank + 1)));
    }
    for (std::int64_t i = 0; i < n; ++i) rows[i] = static_cast<std::uint32_t>(i);
  }
  std::uint32_t key(std::int64_t row, std::int64_t column) const {
    return ranks.short_keys[row * columns + column];
  }

  RowRanks<float> ranks;
  Array<std::uint32_t> rows;
};

/// Parts rows [begin, end) by column 1 and looks at every key of the table.
template <class Mark, class IsRight>
void expect_parted(const Sample& sample,
                   std::int64_t begin,
                   std::int64_t end,
                   const Mark& mark,
                   const IsRight& is_right) {
  std::vector<std::int64_t> order(sample.ranks.rows);
  for (std::int64_t i = 0; i < sample.ranks.rows; ++i) order[i] = i;
  const auto middle =
      std::stable_partition(order.begin() + begin, order.begin() + end, [&](std::int64_t i) {
        return !is_right(sample.key(i, 1));
      });
  PartedKeys keys(sample.ranks, sample.rows);

  const PartedKeys::Marked left = mark(keys);
  keys.part(begin, end - begin);

  EXPECT_EQ(left.rows, middle - order.begin() - begin);
  EXPECT_EQ(left.odd, std::count_if(order.begin() + begin, middle, [&](std::int64_t i) {
              return (sample.key(i, 1) & 1) != 0;
            }));
  for (std::int64_t c = 0; c < columns; ++c) {
    for (std::int64_t i = 0; i < sample.ranks.rows; ++i) {
      ASSERT_EQ(keys.column(c)[i], sample.key(order[i], c)) << "column " << c << ", row " << i;
    }
  }
}

TEST(PartedKeys, NodesThatEndAnywhereInAVectorLeaveTheirNeighbours) {
  on_each_instruction_set([&] {
    // A number up to rank 4, missing left; a category, missing right; nothing.
    const RightKeys rights[] = {{10, 8, 18, 0}, {6, 2, 18, 2}, {0, 0, 18, 0}};
    for (const std::int64_t n : sizes) {
      const Sample sample(n + 40);
      for (const RightKeys& right : rights) {
        SCOPED_TRACE(testing::Message() << n << " rows, right from " << right.first);
        expect_parted(
            sample,
            5,
            5 + n,
            [&](PartedKeys& keys) { return keys.mark(1, 5, n, right); },
            [&](std::uint32_t key) { return right.has(key); });
      }
    }
  });
}

TEST(PartedKeys, ASetOfCategoriesMarksWhatItHasAndNoRowOfTheNodeBefore) {
  on_each_instruction_set([&] {
    std::vector<std::uint8_t> is_left(missing_rank + 1);
    for (const int rank : {0, 3, 4, 8}) is_left[rank] = 1;
    for (const std::int64_t n : sizes) {
      SCOPED_TRACE(testing::Message() << n << " rows");
      const Sample sample(n + 40);
      expect_parted(
          sample,
          5,
          5 + n,
          [&](PartedKeys& keys) {
            keys.mark(1, 0, n + 40, {0, 0, 18, 0});  // all go left
            return keys.mark(1, 5, n, class_bits, is_left);
          },
          [&](std::uint32_t key) { return is_left[key >> class_bits] == 0; });
    }
  });
}

TEST(PartedKeys, PairsAreCountedInKeysOfEitherSize) {
  on_each_instruction_set([&] {
    for (const std::int64_t n : sizes) {
      const Sample sample(n + 40);
      const PartedKeys keys(sample.ranks, sample.rows);
      const std::uint16_t* const own = keys.column(2) + 3;
      const std::vector<std::uint32_t> wide(own, own + n + 32);
      for (const std::uint32_t pair : {4, 0, 16, 40}) {
        const auto counts = cpu::count_pair(own, n, pair);
        EXPECT_EQ(counts.first, std::count(own, own + n, pair)) << n;
        EXPECT_EQ(counts.second, std::count(own, own + n, pair + 1)) << n;
        EXPECT_EQ(counts, cpu::count_pair(wide.data(), n, pair)) << n;
      }
    }
  });
}

}  // namespace
}  // namespace yupana::forest
