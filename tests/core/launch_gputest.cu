#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/gpu.hpp"
#include "yupana/core/cuda/launch.hpp"

namespace yupana::cuda {
namespace {

/// Has a body in no variant, as a kernel on a GPU for which it was not compiled.
__global__ void __launch_bounds__(threads_if(compiled_for < 0, 128)) absent_kernel(int*) {}
__global__ void __launch_bounds__(threads_if(compiled_for > 0, 128)) present_kernel(int* to) {
  if (threadIdx.x == 0) *to = 1;
}

__global__ void architecture_kernel(int* to) { *to = compiled_for; }

/// Reports the first and last word of its dynamic shared memory.
__global__ void shared_kernel(int words, int* to) {
  extern __shared__ int memory[];
  memory[threadIdx.x == 0 ? 0 : words - 1] = static_cast<int>(threadIdx.x) + 1;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(to, memory[0] + memory[words - 1]);
}

/// 16 KiB of static shared memory besides the dynamic part.
__global__ void both_kernel(int* to) {
  extern __shared__ int memory[];
  __shared__ int fixed[4096];
  fixed[4095] = 1;
  memory[(40 << 10) / 4 - 1] = 2;
  *to = fixed[4095] + memory[(40 << 10) / 4 - 1];
}

__global__ void add_kernel(int* values, int n) {
  wait_for_predecessor();
  release_successor();
  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] += 1;
}

template <class T>
T first_of(const DeviceArray<T>& array) {
  T value{};
  check(cudaMemcpy(&value, array.data(), sizeof(T), cudaMemcpyDeviceToHost), "read a value");
  return value;
}

DeviceArray<int> zeros(std::int64_t n) {
  DeviceArray<int> array(n);
  check(cudaMemset(array.data(), 0, array.bytes()), "clear");
  check(cudaDeviceSynchronize(), "clear");
  return array;
}

TEST(Launch, AKernelWithoutABodyIsNotCompiledAndIsRefused) {
  YUPANA_NEEDS_GPU();
  const Stream stream;
  DeviceArray<int> to = zeros(1);
  EXPECT_TRUE(is_compiled(present_kernel, 128));
  EXPECT_FALSE(is_compiled(absent_kernel, 128));
  EXPECT_THROW(launch("run a missing kernel", absent_kernel, {1, 128}, stream, to.data()), Error);
  launch("run a kernel", present_kernel, {1, 128}, stream, to.data());
  stream.wait();
  EXPECT_EQ(first_of(to), 1);
}

TEST(Launch, TheHostKnowsWhatAKernelWasCompiledFor) {
  YUPANA_NEEDS_GPU();
  const Stream stream;
  DeviceArray<int> to = zeros(1);
  launch("tell the architecture", architecture_kernel, {1, 1}, stream, to.data());
  stream.wait();
  EXPECT_EQ(first_of(to), architecture_of(architecture_kernel));
}

TEST(Launch, AKernelThatWantsMoreSharedMemoryThanTheDeviceHasIsNotCompiledForIt) {
  YUPANA_NEEDS_GPU();
  const auto most = static_cast<std::size_t>(device_facts().max_shared_bytes);
  EXPECT_TRUE(is_compiled(present_kernel, 128, most));
  EXPECT_FALSE(is_compiled(present_kernel, 128, most + 1));
}

TEST(Launch, ALimitedGpuRefusesWhatASmallerOneWould) {
  YUPANA_NEEDS_GPU();
  const DeviceFacts own = device_facts();
  constexpr int bytes = 100 << 10;
  if (own.max_shared_bytes < bytes) GTEST_SKIP() << "this GPU is as small itself";
  const int resident = resident_blocks(shared_kernel, 256, bytes);
  const Stream stream;
  DeviceArray<int> to = zeros(1);
  {
    const LimitedGpu limited;
    EXPECT_EQ(device_facts().max_shared_bytes, 99 << 10);
    EXPECT_EQ(device_facts().multiprocessors, std::min(own.multiprocessors, 4));
    EXPECT_FALSE(is_compiled(shared_kernel, 256, bytes));
    EXPECT_TRUE(is_compiled(shared_kernel, 256, bytes - 1024));
    EXPECT_EQ(resident_blocks(shared_kernel, 256, bytes - 1024), 1);
    EXPECT_EQ(resident_blocks(shared_kernel, 256), 6);
    EXPECT_THROW(resident_blocks(shared_kernel, 256, bytes), Error);
    try {
      launch("share memory", shared_kernel, {1, 2, bytes}, stream, bytes / 4, to.data());
      FAIL() << "100 KB of shared memory on a GPU of 99";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::device);
      EXPECT_NE(std::string(error.what()).find("101376 bytes of shared memory"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_EQ(resident_blocks(shared_kernel, 256, bytes), resident);
  launch("share memory", shared_kernel, {1, 2, bytes}, stream, bytes / 4, to.data());
  stream.wait();
  EXPECT_EQ(first_of(to), 3);
}

TEST(Launch, SharedMemoryIsNeverLoweredBetweenAnotherThreadsLimitAndLaunch) {
  YUPANA_NEEDS_GPU();
  const int most = device_facts().max_shared_bytes;
  DeviceArray<int> to = zeros(1);
  std::atomic<int> refused{0};
  const auto work = [&](int bytes) {
    const Stream stream;
    for (int i = 0; i < 2000; ++i) {
      try {
        launch("share memory", shared_kernel, {1, 2, bytes}, stream, bytes / 4, to.data());
      } catch (const Error&) {
        ++refused;
      }
    }
    stream.wait();
  };
  std::thread small(work, 50 << 10), large(work, most);
  small.join();
  large.join();
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(first_of(to), 4000 * 3);
}

TEST(Launch, StaticAndDynamicSharedMemoryCountTogether) {
  YUPANA_NEEDS_GPU();
  const Stream stream;
  DeviceArray<int> to = zeros(1);
  launch("share both", both_kernel, {1, 1, 40 << 10}, stream, to.data());
  stream.wait();
  EXPECT_EQ(first_of(to), 3);
}

TEST(Launch, DependentKernelsSeeWhatTheirPredecessorsWrote) {
  YUPANA_NEEDS_GPU();
  constexpr int n = 1 << 14;
  const Stream stream;
  DeviceArray<int> values = zeros(n);
  for (int i = 0; i < 500; ++i) {
    launch_dependent("add", add_kernel, {1, 1024}, stream, values.data(), n);
  }
  stream.wait();
  std::vector<int> host(n);
  check(cudaMemcpy(host.data(), values.data(), values.bytes(), cudaMemcpyDeviceToHost), "read");
  EXPECT_EQ(host, std::vector<int>(n, 500));
}

TEST(Launch, MoreBlocksThanAGridHoldsAreRefused) {
  YUPANA_NEEDS_GPU();
  EXPECT_THROW(LaunchShape(std::int64_t{1} << 31, 32), Error);
}

TEST(CopyRows, RowsFurtherApartThanTheDriversPitchArriveWhole) {
  YUPANA_NEEDS_GPU();
  constexpr std::size_t pitch = (std::size_t{1} << 31) + 64;
  if (free_device_memory() < pitch * 5 / 2) GTEST_SKIP() << "no GPU: 5 GiB of memory are needed";
  constexpr std::int64_t rows = 2;
  DeviceArray<unsigned char> apart(static_cast<std::int64_t>(pitch) + 4);
  const std::vector<int> sent{17, 71};
  const Stream stream;
  copy_rows("spread", {apart.data(), pitch}, {sent.data(), 4}, 4, rows, stream);
  std::vector<int> got(rows);
  copy_rows("gather", {got.data(), 4}, {apart.data(), pitch}, 4, rows, stream);
  stream.wait();
  EXPECT_EQ(got, sent);
}

TEST(CopyRows, RowsWithAndWithoutGapsArriveWhole) {
  YUPANA_NEEDS_GPU();
  std::vector<int> sent(15);
  for (int i = 0; i < 15; ++i) sent[static_cast<std::size_t>(i)] = i;
  const Stream stream;
  DeviceArray<int> there(15);
  copy_rows("dense", {there.data(), 20}, {sent.data(), 20}, 20, 3, stream);
  std::vector<int> got(9);
  copy_rows("parts", {got.data(), 12}, {there.data(), 20}, 12, 3, stream);
  stream.wait();
  EXPECT_EQ(got, (std::vector<int>{0, 1, 2, 5, 6, 7, 10, 11, 12}));
}

}  // namespace
}  // namespace yupana::cuda
