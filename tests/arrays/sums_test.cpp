#include "yupana/arrays/sums.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/arrays/samples.hpp"
#include "yupana/core/array.hpp"

namespace yupana::arrays {
namespace {

template <class T>
void wide_equals_narrow() {
  for (const std::int64_t n : {0, 1, 7, 8, 15, 16, 17, 31, 64, 127, 1000, 4099}) {
    const std::vector<T> in = random_values<T>(n);
    for (const bool exclusive : {false, true}) {
      for (const bool past_cache : {false, true}) {
        for (const T carry : {T(0), T(5)}) {
          Array<T> wide(n + 1), narrow(n + 1);
          cpu::prefix_sums(in.data(), n, carry, wide.data(), {exclusive, past_cache});
          cpu::narrow_prefix_sums(in.data(), n, carry, narrow.data(), {exclusive, false});
          EXPECT_EQ(n > 0 ? std::memcmp(wide.data(), narrow.data(), sizeof(T) * std::size_t(n)) : 0,
                    0)
              << n << exclusive << past_cache;
        }
      }
    }
  }
}

TEST(Sums, WideVectorsGiveTheBitsOfNarrowOnes) {
  wide_equals_narrow<std::uint32_t>();
  wide_equals_narrow<std::uint64_t>();
}

TEST(Sums, ScanAddsUpToWhatReduceDoes) {
  const std::vector<std::uint64_t> in = random_values<std::uint64_t>(1021);
  std::uint64_t total = 0;
  for (const std::uint64_t value : in) total += value;

  EXPECT_EQ(cpu::sum(in.data(), ssize_of(in)), total);
}

}  // namespace
}  // namespace yupana::arrays
