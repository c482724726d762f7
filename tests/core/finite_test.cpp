#include "yupana/core/finite.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace yupana {
namespace {

template <class T>
class AllFinite : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(AllFinite, Floats);

TYPED_TEST(AllFinite, FindsOneValueWhereverItStandsInAnyLayout) {
  using T = TypeParam;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr std::int64_t rows = 70'001, columns = 3;
  std::vector<T> values(2 * rows * columns, std::numeric_limits<T>::max());
  values[1] = -values[0], values[2] = std::numeric_limits<T>::denorm_min();
  const std::vector<TableView<T>> layouts = {
      {values.data(), rows, columns, rows},                             // columns
      {values.data(), rows, columns, 2 * rows},                         // columns with gaps
      {values.data(), rows, columns, 1, columns},                       // rows
      {values.data(), rows, columns, 1, 2 * columns},                   // rows with gaps
      {values.data(), rows, columns, 2, 2 * columns},                   // every other value of rows
      {values.data() + rows * columns - 1, rows, columns, -rows, -1}};  // from the end
  for (const int threads : {1, 7}) {
    Context context({.device = "cpu", .threads = threads});
    for (const TableView<T>& table : layouts) {
      EXPECT_TRUE(all_finite(context, table, false));
      EXPECT_TRUE(all_finite(table, false));
      for (const std::int64_t row : {std::int64_t{0}, std::int64_t{65'536}, rows - 1}) {
        for (const std::int64_t column : {0, 2}) {
          T& value = values[static_cast<std::size_t>(&table.data[column * table.stride] +
                                                     row * table.row_stride - values.data())];
          const T before = value;
          for (const T wrong : {infinity, -infinity}) {
            value = wrong;
            EXPECT_FALSE(all_finite(context, table, true)) << row << ' ' << column;
            EXPECT_FALSE(all_finite(table, true)) << row << ' ' << column;
            EXPECT_FALSE(all_finite(context, table, false)) << row << ' ' << column;
          }
          for (const T missing : {T(NAN), T(-NAN)}) {
            value = missing;
            EXPECT_TRUE(all_finite(context, table, true)) << row << ' ' << column;
            EXPECT_TRUE(all_finite(table, true)) << row << ' ' << column;
            EXPECT_FALSE(all_finite(context, table, false)) << row << ' ' << column;
          }
          value = before;
        }
      }
    }
  }
}

TYPED_TEST(AllFinite, NothingIsFinite) {
  Context context({.device = "cpu", .threads = 2});
  EXPECT_TRUE(all_finite(context, TableView<TypeParam>{nullptr, 0, 3, 0}, false));
  EXPECT_TRUE(all_finite(context, TableView<TypeParam>{nullptr, 3, 0, 3}, false));
  EXPECT_TRUE(all_finite(TableView<TypeParam>{nullptr, 0, 3, 0}, false));
}

}  // namespace
}  // namespace yupana
