#include <gtest/gtest.h>

#include <cstdint>

#include "tests/support/gpu.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"

#ifdef YUPANA_CUDA
#include "yupana/core/cuda/runtime.hpp"
#endif

namespace yupana {
namespace {

#ifdef YUPANA_CUDA
/// Bytes that no other test allocates, so that no block of theirs serves it.
constexpr std::int64_t odd = 1'234'567;
constexpr std::uint64_t all_blocks = std::uint64_t{1} << 30;

const void* given_back(std::int64_t bytes) { return cuda::DeviceArray<char>(bytes).data(); }

bool is_mapped(const void* memory) {
  cudaPointerAttributes facts{};
  EXPECT_EQ(cudaPointerGetAttributes(&facts, memory), cudaSuccess);
  return facts.type == cudaMemoryTypeDevice;
}

TEST(DeviceMemory, ASmallBlockServesTheNextArrayOfItsSizeAlone) {
  YUPANA_NEEDS_GPU();
  cuda::keep_at_most(all_blocks);
  const void* const first = given_back(odd);
  EXPECT_TRUE(is_mapped(first));
  const cuda::DeviceArray<char> other(odd - 1), same(odd), another(odd);
  EXPECT_NE(static_cast<const void*>(other.data()), first);
  EXPECT_EQ(static_cast<const void*>(same.data()), first);
  EXPECT_NE(static_cast<const void*>(another.data()), first);
}

// Once of the times: other programs on the device take and return memory meanwhile.
TEST(DeviceMemory, KeptBlocksAreFree) {
  YUPANA_NEEDS_GPU();
  cuda::keep_at_most(all_blocks);
  constexpr std::int64_t bytes = std::int64_t{255} << 20;
  for (int attempt = 0; attempt < 200; ++attempt) {
    const std::uint64_t before = cuda::free_device_memory();
    EXPECT_TRUE(is_mapped(given_back(bytes)));
    if (cuda::free_device_memory() + bytes / 2 > before) return;
  }
  ADD_FAILURE() << "what is kept is not among what is free";
}

TEST(DeviceMemory, LargeBlocksGoBackToTheDriver) {
  YUPANA_NEEDS_GPU();
  cuda::keep_at_most(all_blocks);
  EXPECT_FALSE(is_mapped(given_back((std::int64_t{256} << 20) + 1)));
}

TEST(DeviceMemory, TheOldestBlocksGoWhereTooManyAreKept) {
  YUPANA_NEEDS_GPU();
  cuda::keep_at_most(all_blocks);
  const void* const first = given_back(odd);
  for (int k = 1; k <= 5; ++k) given_back((std::int64_t{256} << 20) - k);
  EXPECT_FALSE(is_mapped(first));
}

TEST(DeviceMemory, KeptBlocksAreGivenBackWhereMemoryIsShort) {
  YUPANA_NEEDS_GPU();
  cuda::keep_at_most(all_blocks);
  const void* const kept = given_back(odd);
  test::refusal([] { cuda::allocate_device(std::uint64_t{1} << 50); }, ErrorCode::out_of_resources);
  EXPECT_FALSE(is_mapped(kept));
}

TEST(DeviceMemory, AContextWithALimitKeepsASmallPartOfIt) {
  YUPANA_NEEDS_GPU();
  cuda::keep_at_most(all_blocks);
  const void* const kept = given_back(odd);
  const Context context({.device = "cuda:0", .gpu_memory = 32 * odd});
  EXPECT_FALSE(is_mapped(kept));
  EXPECT_FALSE(is_mapped(given_back(odd)));
  cuda::keep_at_most(all_blocks);
}
#endif

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
