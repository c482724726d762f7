#include <gtest/gtest.h>

#ifdef YUPANA_CUDA
#include <cuda_runtime.h>
#endif

#include "tests/support/gpu.hpp"
#include "tests/support/text_files.hpp"
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

TEST(CudaContext, AskingForDevicesChangesNoCurrentDevice) {
  YUPANA_NEEDS_GPU();
#ifdef YUPANA_CUDA
  int before = -1, after = -2;
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ASSERT_EQ(cudaGetDevice(&before), cudaSuccess);
  EXPECT_EQ(static_cast<int>(cuda::device_list().size()), cuda::device_count());
  for (int i = 0; i < cuda::device_count(); ++i) EXPECT_GT(cuda::free_memory(i), 0u);
  ASSERT_EQ(cudaGetDevice(&after), cudaSuccess);
  EXPECT_EQ(before, after);
#endif
}

TEST(CudaContext, RefusesADeviceThatIsNotThere) {
  YUPANA_NEEDS_GPU();
  test::refusal([&] { const Context context({.device = "cuda:99"}); }, ErrorCode::device);
}

}  // namespace
}  // namespace yupana
