// The conversion of a view to one of constants exists for views of constants too, where it is never
// called; nvcc says so at every instance.
#pragma nv_diag_suppress 554
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/spectral/spectra.hpp"
#include "tests/support/gpu.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/error.hpp"
#include "yupana/spectral/device_fft.hpp"
#include "yupana/spectral/device_real_fft.hpp"

namespace yupana::spectral {
namespace {

using yupana::cuda::check;
using yupana::cuda::DeviceArray;

// 8 bytes behind a multiple of 16 long transforms go another way.
TEST(DeviceFft, ArraysMayBeginAtAnyElementAndBeTheirOwnResult) {
  YUPANA_NEEDS_GPU();
  for (const int log : {21, 24, 25}) {
    const std::int64_t n = std::int64_t{1} << log;
    const auto x = noise<float>(n, 11);
    cuda::DeviceFft<float> transform(n);
    DeviceArray<std::complex<float>> values(n + 1);
    std::vector<std::complex<float>> spectra[2];
    for (const std::int64_t begin : {0, 1}) {
      std::complex<float>* const here = values.data() + begin;
      const std::size_t bytes = x.size() * sizeof(x[0]);
      check(cudaMemcpy(here, x.data(), bytes, cudaMemcpyHostToDevice), "copy");
      transform.run(here, here, Direction::forward, nullptr);
      spectra[begin].resize(x.size());
      check(cudaMemcpy(spectra[begin].data(), here, bytes, cudaMemcpyDeviceToHost), "copy");
    }
    EXPECT_LE(relative_error(spectra[0], spectra[1]), 2 * error_bound<float>(n));
  }
}

template <class T>
std::vector<std::complex<T>> on_device(const std::vector<std::complex<T>>& x,
                                       std::int64_t n,
                                       Direction direction,
                                       const FftParams& params) {
  const auto batch = static_cast<std::int64_t>(x.size()) / n;
  cuda::DeviceFft<T> transform(n, batch, params);
  EXPECT_EQ(transform.by_cufft(), params.library == FftLibrary::cufft) << n;
  DeviceArray<std::complex<T>> in(n * batch), out(n * batch);
  check(cudaMemcpy(in.data(), x.data(), in.bytes(), cudaMemcpyHostToDevice), "copy");
  check(cudaMemset(out.data(), 0xff, out.bytes()), "clear");
  transform.run(in.data(), out.data(), direction, nullptr);
  std::vector<std::complex<T>> y(x.size()), kept(x.size());
  check(cudaMemcpy(y.data(), out.data(), out.bytes(), cudaMemcpyDeviceToHost), "copy");
  check(cudaMemcpy(kept.data(), in.data(), in.bytes(), cudaMemcpyDeviceToHost), "copy");
  EXPECT_EQ(std::memcmp(kept.data(), x.data(), in.bytes()), 0) << "input of " << n;
  return y;
}

template <class T>
void check_library(FftLibrary library, const std::vector<std::pair<std::int64_t, int>>& shapes) {
  for (const auto& [n, batch] : shapes) {
    const auto x = noise<T>(n * batch, static_cast<std::uint64_t>(n));
    for (const Direction direction : {Direction::forward, Direction::inverse}) {
      const auto y = on_device(x, n, direction, {library});
      EXPECT_LE(relative_error(y, by_cpu(x, n, direction)),
                error_bound<T>(n) * (sizeof(T) == 8 ? 2 : 1))
          << n << " x " << batch;
      const auto again = on_device(x, n, direction, {library});
      EXPECT_EQ(std::memcmp(y.data(), again.data(), y.size() * sizeof(y[0])), 0) << n;
    }
  }
}

// Blocks hold one to 32 signals of 2^6 to 2^14 values: full ones, one short, one over.
TEST(DeviceFft, SignalsOfOneBlockAtEveryEdgeOfItsTile) {
  YUPANA_NEEDS_GPU();
  std::vector<std::pair<std::int64_t, int>> shapes;
  for (int log = 6; log <= 14; ++log) {
    for (const int batch : {1, 2, 3, 7, 8, 9, 31, 32, 33, 65}) {
      shapes.emplace_back(std::int64_t{1} << log, batch);
    }
  }
  check_library<float>(FftLibrary::own, shapes);
  check_library<double>(FftLibrary::own, shapes);
}

// Narrow tiles for few columns, wide ones for many; the same bits, whichever it was.
template <class T>
void check_wide_and_narrow(int log, int batch) {
  const std::int64_t n = std::int64_t{1} << log;
  const auto x = noise<T>(n * batch, static_cast<std::uint64_t>(log));
  const auto many = on_device(x, n, Direction::forward, {FftLibrary::own});
  for (const int which : {0, batch - 1}) {
    const std::vector<std::complex<T>> one(x.begin() + which * n, x.begin() + (which + 1) * n);
    const auto alone = on_device(one, n, Direction::forward, {FftLibrary::own});
    EXPECT_EQ(std::memcmp(alone.data(), many.data() + which * n, alone.size() * sizeof(alone[0])),
              0)
        << "2^" << log << ", signal " << which;
    EXPECT_LE(relative_error(alone, by_cpu(one, n, Direction::forward)),
              error_bound<T>(n) * (sizeof(T) == 8 ? 2 : 1))
        << "2^" << log;
  }
}
TEST(DeviceFft, TwoPassesGiveTheSameBitsAloneAndInBatches) {
  YUPANA_NEEDS_GPU();
  for (const int log : {15, 16, 17, 18, 19, 20}) {
    check_wide_and_narrow<float>(log, 160 >> (log - 15));
  }
  for (const int log : {14, 16, 18, 19, 20}) check_wide_and_narrow<double>(log, 64 >> (log - 14));
}

TEST(DeviceFft, LongDoublesAgreeWithTheCpuInThreePasses) {
  YUPANA_NEEDS_GPU();
  check_library<double>(FftLibrary::own,
                        {{std::int64_t{1} << 21, 2}, {1 << 22, 1}, {1 << 23, 1}, {1 << 25, 1}});
}

// Every length of 2, 3, 5 and 7 in one pass, in two and in three.
TEST(DeviceFft, MixedRadicesAtEveryLength) {
  YUPANA_NEEDS_GPU();
  std::vector<std::pair<std::int64_t, int>> shapes;
  for (int n = 1; n <= 1024; ++n) {
    int rest = n;
    for (const int prime : {2, 3, 5, 7}) {
      while (rest % prime == 0) rest /= prime;
    }
    if (rest == 1) shapes.emplace_back(n, n % 7 + 1);
  }
  for (const std::int64_t n : {1029, 1050, 2401, 6561, 15625, 100'000, 750'000}) {
    shapes.emplace_back(n, 3);
  }
  shapes.emplace_back(30, 50'001);
  shapes.emplace_back(1'000'000, 1);
  shapes.emplace_back(5'000'000, 1);
  check_library<float>(FftLibrary::own, shapes);
  check_library<double>(FftLibrary::own, shapes);
}

// Blocks of 2^14 floats and 2^13 doubles, tiles of 2^11 and 2^12 values with the next one under
// way, columns of 2^12 in two passes.
TEST(DeviceFft, BlocksExceededTheSharedMemoryOfOtherGpus) {
  YUPANA_NEEDS_GPU();
  for (const auto& limits : {smallest_gpu, small_a100}) {
    const LimitedGpu limited(limits);
    std::vector<std::pair<std::int64_t, int>> shapes;
    for (int log = 4; log <= 14; ++log) {
      for (const int batch : {1, 33}) shapes.emplace_back(std::int64_t{1} << log, batch);
    }
    for (const std::int64_t n : {630, 1000, 1 << 16, 1 << 20}) shapes.emplace_back(n, 3);
    check_library<double>(FftLibrary::own, shapes);
    for (const std::int64_t n : {1 << 21, 1 << 24}) shapes.emplace_back(n, 1);
    check_library<float>(FftLibrary::own, shapes);
  }
}

template <class T>
void check_columns(std::int64_t rows, std::int64_t cols) {
  const auto x = noise<T>(rows * cols, 5);
  DeviceArray<std::complex<T>> values(rows * cols);
  check(cudaMemcpy(values.data(), x.data(), values.bytes(), cudaMemcpyHostToDevice), "copy");
  cuda::DeviceColumnFft<T>(rows, cols).run(values.data(), Direction::forward, nullptr);
  std::vector<std::complex<T>> y(x.size());
  check(cudaMemcpy(y.data(), values.data(), values.bytes(), cudaMemcpyDeviceToHost), "copy");
  std::vector<std::complex<double>> want(x.begin(), x.end());
  const Signals<std::complex<double>> columns(want.data(), rows, cols, cols, 1);
  fft(workers(), columns, columns);
  EXPECT_LE(relative_error(y, want), error_bound<T>(rows) * (sizeof(T) == 8 ? 2 : 1)) << rows;
}
TEST(DeviceFft, ColumnsExceededTheSharedMemoryOfOtherGpus) {
  YUPANA_NEEDS_GPU();
  for (const auto& limits : {yupana::cuda::DeviceFacts{}, smallest_gpu, small_a100}) {
    const LimitedGpu limited(limits);
    for (const std::int64_t rows : {16, 256, 1024, 2048, 4096}) {
      check_columns<float>(rows, 1201);
      check_columns<double>(rows, 601);
    }
  }
}

/// False where cuFFT has no code for this GPU: asked for, it is refused in words; left to choose,
/// the library's own transform runs.
template <class T>
bool check_cufft(const std::pair<std::int64_t, int>& shape) {
  const auto& [n, batch] = shape;
  try {
    check_library<T>(FftLibrary::cufft, {shape});
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::device);
    EXPECT_NE(std::string(error.what()).find("does not run them on this GPU"), std::string::npos)
        << error.what();
  }
  const auto x = noise<T>(n * batch, 9);
  DeviceArray<std::complex<T>> values(n * batch);
  check(cudaMemcpy(values.data(), x.data(), values.bytes(), cudaMemcpyHostToDevice), "copy");
  cuda::DeviceFft<T>(n, batch).run(values.data(), values.data(), Direction::forward, nullptr);
  std::vector<std::complex<T>> y(x.size());
  check(cudaMemcpy(y.data(), values.data(), values.bytes(), cudaMemcpyDeviceToHost), "copy");
  EXPECT_LE(relative_error(y, by_cpu(x, n, Direction::forward)), 2 * error_bound<T>(n)) << n;
  return false;
}

TEST(DeviceFft, CuFftKeepsTheBoundAndIsRefusedWhereItIsNot) {
  YUPANA_NEEDS_GPU();
  if (cufft_version() == 0) {
    EXPECT_THROW(cuda::DeviceFft<float>(64, 1, {FftLibrary::cufft}), Error);
    GTEST_SKIP() << "no cuFFT: only its absence was tested";
  }
  const std::vector<std::pair<std::int64_t, int>> shapes = {{1, 1},
                                                            {2, 5},
                                                            {15, 7},
                                                            {100, 33},
                                                            {1000, 9},
                                                            {1009, 3},
                                                            {4096, 2},
                                                            {65536, 3},
                                                            {1 << 20, 1}};
  std::int64_t refused = 0;
  for (const auto& shape : shapes) {
    refused += !check_cufft<float>(shape);
    refused += !check_cufft<double>(shape);
  }
  if (refused > 0) {
    GTEST_SKIP() << "cuFFT does not run " << refused << " of " << 2 * shapes.size()
                 << " transforms on this GPU; this library's own took their place";
  }
}

// A plan for many signals transforms some of them too.
TEST(DeviceFft, FewerSignalsThanPlanned) {
  YUPANA_NEEDS_GPU();
  for (const FftLibrary library : {FftLibrary::own, FftLibrary::automatic}) {
    const std::int64_t n = 1000, batch = 50;
    const auto x = noise<float>(n * batch, 3);
    cuda::DeviceFft<float> transform(n, batch, {library});
    DeviceArray<std::complex<float>> values(n * batch);
    for (const std::int64_t count : {50, 7, 1, 50}) {
      check(cudaMemcpy(values.data(), x.data(), values.bytes(), cudaMemcpyHostToDevice), "copy");
      transform.run(values.data(), values.data(), count, Direction::forward, nullptr);
      std::vector<std::complex<float>> y(x.size());
      check(cudaMemcpy(y.data(), values.data(), values.bytes(), cudaMemcpyDeviceToHost), "copy");
      auto want = by_cpu(std::vector(x.begin(), x.begin() + count * n), n, Direction::forward);
      want.insert(want.end(), x.begin() + count * n, x.end());
      EXPECT_LE(relative_error(y, want), error_bound<float>(n)) << count;
    }
  }
}

// Of the measurements one must fit: other programs on the device take and return memory meanwhile,
// and the first plan loads its kernels.
template <class Plan>
void check_bytes(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t tables_and_granularity = 16 << 20;
  const auto want = static_cast<std::int64_t>(Plan::bytes(a, b));
  std::int64_t held = 0;
  for (int attempt = 0; attempt < 200; ++attempt) {
    const std::uint64_t before = yupana::cuda::free_device_memory();
    const Plan plan(a, b);
    held = static_cast<std::int64_t>(before - yupana::cuda::free_device_memory());
    if (std::abs(held - want) <= tables_and_granularity) return;
  }
  ADD_FAILURE() << a << ", " << b << ": expected " << want << " bytes, got " << held;
}

TEST(DeviceFftPlans, PlansHoldAsManyBytesAsTheySay) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {1 << 22, 3'000'000, 4'000'037, 8'388'617}) {
    check_bytes<cuda::DeviceFft<double>>(n, 1);
    check_bytes<cuda::DeviceRealFft<double>>(n, 1);
    check_bytes<cuda::DeviceColumnFft<double>>(n / 1000, 1000);
  }
  check_bytes<cuda::DeviceFft<float>>(10'007, 4096);
  const std::uint64_t prime = cuda::DeviceFft<float>::bytes(8'388'617, 1);
  EXPECT_GE(prime, 7ull * 8'388'617 * 8);
  EXPECT_LE(prime, 13ull * 8'388'617 * 8);
}

}  // namespace
}  // namespace yupana::spectral
