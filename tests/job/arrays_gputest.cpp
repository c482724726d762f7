#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/support/folder.hpp"
#include "tests/support/gpu.hpp"
#include "yupana/core/random.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/job/arrays.hpp"

namespace yupana::job {
namespace {

template <class T>
std::string column_file(const std::vector<T>& values, const char* type) {
  std::string bytes = io::npy_preamble(type, std::ssize(values));
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return bytes;
}

/// Numbers with ties; floats with NaN, both zeros and infinities.
template <class T>
std::vector<T> numbers(std::int64_t n) {
  const Random random(5);
  std::vector<T> values(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t word = random.word(static_cast<std::uint64_t>(i));
    T& value = values[static_cast<std::size_t>(i)];
    value = static_cast<T>(word >> 40);
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T infinity = std::numeric_limits<T>::infinity();
      constexpr T special[] = {
          std::numeric_limits<T>::quiet_NaN(), T(-0.0), 0, infinity, -infinity};
      if (word % 8 < 5) value = special[word % 8];
    }
  }
  return values;
}

template <class T>
void expect_the_file_of_the_cpu(const char* type) {
  const test::Folder folder;
  const std::string in = folder.put("in.npy", column_file(numbers<T>(300'007), type));
  Context cpu({.device = "cpu"}), whole({.device = "cuda:0"});
  Context little({.device = "cuda:0", .gpu_memory = 1 << 20});
  EXPECT_EQ(sort_file(cpu, {.in = in, .out = folder / "cpu.npy"}).runs, 0);
  EXPECT_EQ(sort_file(whole, {.in = in, .out = folder / "gpu.npy"}).runs, 0);
  EXPECT_GT(sort_file(little, {.in = in, .out = folder / "runs.npy"}).runs, 2);
  const std::string expected = test::bytes_of(folder / "cpu.npy");
  EXPECT_TRUE(test::bytes_of(folder / "gpu.npy") == expected) << type;
  EXPECT_TRUE(test::bytes_of(folder / "runs.npy") == expected) << type;
}

TEST(CudaSortJob, AFileLargerThanTheGpuIsSortedInRunsToTheSameBytes) {
  YUPANA_NEEDS_GPU();
  expect_the_file_of_the_cpu<std::uint32_t>("<u4");
  expect_the_file_of_the_cpu<std::int64_t>("<i8");
  expect_the_file_of_the_cpu<float>("<f4");
  expect_the_file_of_the_cpu<double>("<f8");
}

TEST(CudaArrayJobs, SumsOfIntegersHaveTheBytesOfTheCpu) {
  YUPANA_NEEDS_GPU();
  const test::Folder folder;
  // Two pieces and a bit.
  const std::string in = folder.put("in.npy", column_file(numbers<std::int32_t>(4'200'001), "<i4"));
  Context cpu({.device = "cpu"}), gpu({.device = "cuda:0"});
  for (const bool exclusive : {false, true}) {
    scan_file(cpu, {.in = in, .out = folder / "cpu.npy", .exclusive = exclusive});
    scan_file(gpu, {.in = in, .out = folder / "gpu.npy", .exclusive = exclusive});
    EXPECT_TRUE(test::bytes_of(folder / "cpu.npy") == test::bytes_of(folder / "gpu.npy"));
  }
  EXPECT_EQ(reduce_file(cpu, {.in = in}).value, reduce_file(gpu, {.in = in}).value);
}

}  // namespace
}  // namespace yupana::job
