#include "yupana/core/array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace yupana {
namespace {

bool is_zero(const Array<std::uint8_t>& array) {
  return std::all_of(array.begin(), array.end(), [](std::uint8_t value) { return value == 0; });
}

// Fresh pages are not cleared, the allocator's blocks are.
TEST(Array, ZerosOfAnySizeAreZeroWhereOthersWroteBefore) {
  for (const std::int64_t size : {1L, 4097L, (2L << 20) - 1, 2L << 20, (5L << 20) + 3}) {
    for (int round = 0; round < 3; ++round) {
      Array<std::uint8_t> array = Array<std::uint8_t>::zeros(size);
      ASSERT_TRUE(is_zero(array)) << size;
      std::fill(array.begin(), array.end(), std::uint8_t{255});
    }
  }
}

// GLIBC_TUNABLES did, which peers of the tests inherit: plink2 took 12 GB.
TEST(Array, MallocFillsItsMemoryWithoutTheEnvironmentWhereNewMemoryIsFilled) {
  if (!is_filled) GTEST_SKIP() << "this build does not fill new memory";
  const volatile auto* const memory = static_cast<std::uint8_t*>(std::malloc(1000));
  EXPECT_EQ(memory[999], 0xa5);
  std::free(const_cast<std::uint8_t*>(memory));
}

}  // namespace
}  // namespace yupana
