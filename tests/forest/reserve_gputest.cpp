#include <gtest/gtest.h>

#include <thread>
#include <utility>

#ifdef YUPANA_CUDA
#include "yupana/forest/reserve_cuda.hpp"
#endif

#include "tests/support/gpu.hpp"

#ifdef YUPANA_CUDA
namespace yupana::forest::cuda {
namespace {

constexpr std::int64_t kilobyte = 1024;

TEST(GpuReserve, ArraysAreCutFromItWhileItHasRoom) {
  YUPANA_NEEDS_GPU();
  const Reserve reserve(8 * kilobyte);
  ReservedArray<char> a(3 * kilobyte), b(1);
  EXPECT_EQ(b.data() - a.data(), 3 * kilobyte);
  char* const begin = a.data();
  ReservedArray<char> beyond(8 * kilobyte);
  ASSERT_NE(beyond.data(), nullptr);
  EXPECT_TRUE(beyond.data() >= begin + 8 * kilobyte || beyond.data() + 8 * kilobyte <= begin);
  EXPECT_EQ(cudaMemset(beyond.data(), 1, beyond.bytes()), cudaSuccess);
  EXPECT_EQ(cudaMemset(begin, 1, 8 * kilobyte), cudaSuccess);
  // Memory that is freed is cut again, and one that is moved away from keeps none.
  a = {};
  ReservedArray<double> c(3 * kilobyte / 8);
  EXPECT_EQ(static_cast<void*>(c.data()), begin);
  const ReservedArray<double> moved = std::move(c);
  EXPECT_EQ(static_cast<const void*>(moved.data()), begin);
  EXPECT_EQ(c.data(), nullptr);
  EXPECT_EQ(c.size(), 0);
}

TEST(GpuReserve, IsOfTheThreadThatMadeIt) {
  YUPANA_NEEDS_GPU();
  EXPECT_EQ(Reserve::current(), nullptr);
  {
    const Reserve outer(kilobyte);
    EXPECT_EQ(Reserve::current(), &outer);
    {
      const Reserve inner(kilobyte);
      EXPECT_EQ(Reserve::current(), &inner);
    }
    EXPECT_EQ(Reserve::current(), &outer);
    std::thread([] { EXPECT_EQ(Reserve::current(), nullptr); }).join();
  }
  EXPECT_EQ(Reserve::current(), nullptr);
}

TEST(GpuReserve, ArraysDoWithoutOneThatTheDeviceHasNoRoomFor) {
  YUPANA_NEEDS_GPU();
  const Reserve none(0), refused(std::uint64_t{1} << 50);
  ReservedArray<int> a(1000), empty(0);
  ASSERT_NE(a.data(), nullptr);
  EXPECT_EQ(empty.data(), nullptr);
  EXPECT_EQ(cudaMemset(a.data(), 0, a.bytes()), cudaSuccess);
}

}  // namespace
}  // namespace yupana::forest::cuda
#endif
