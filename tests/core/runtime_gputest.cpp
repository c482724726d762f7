#include <gtest/gtest.h>

#include "tests/support/gpu.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"

namespace yupana {
namespace {

TEST(CudaContext, UsesEveryDeviceUnlessToldWhich) {
  YUPANA_NEEDS_GPU();
  const Context all({.device = "cuda"});
  EXPECT_EQ(all.backend(), Backend::cuda);
  EXPECT_EQ(static_cast<int>(all.devices().size()), cuda::device_count());
  const Context first({.device = "cuda:0"});
  EXPECT_EQ(first.devices(), std::vector<int>{0});
}

TEST(CudaContext, TakesItsMemoryFromWhatIsFreeOrFromItsCaller) {
  YUPANA_NEEDS_GPU();
  const std::uint64_t free = cuda::free_memory(0);
  const Context context({.device = "cuda:0"});
  EXPECT_GT(context.gpu_memory(), free / 2);
  EXPECT_LE(context.gpu_memory(), free);
  EXPECT_EQ(Context({.device = "cuda:0", .gpu_memory = 12345}).gpu_memory(), 12345u);
}

TEST(CudaContext, RefusesADeviceThatIsNotThere) {
  YUPANA_NEEDS_GPU();
  try {
    const Context context({.device = "cuda:99"});
    FAIL() << "cuda:99 was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::device);
  }
}

}  // namespace
}  // namespace yupana
