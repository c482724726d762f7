#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "tests/som/samples.hpp"
#include "tests/support/gpu.hpp"
#include "yupana/som/nearest.hpp"
#ifdef YUPANA_CUDA
#include "tests/support/there.hpp"
#include "yupana/som/search_cuda.hpp"
#include "yupana/som/train_cuda.hpp"
#endif

namespace yupana::som {
namespace {

TEST(GpuSom, NearestNeuronsAreThoseOfTheCpu) {
  YUPANA_NEEDS_GPU();
  Context cpu({.device = "cpu"}), gpu({.device = "cuda:0"});
  for (const std::int64_t d : {1, 15, 16, 17, 100}) {
    for (const std::int64_t neurons : {1, 2, 63, 64, 65, 200}) {
      const Matrix<float> samples = clouds(333, d, 4), codebook = clouds(neurons, d, 9);
      const auto a = nearest_neurons(cpu, samples.view(), codebook.view());
      const auto b = nearest_neurons(gpu, samples.view(), codebook.view());
      for (std::int64_t s = 0; s < 333; ++s) {
        ASSERT_EQ(a.best[s], b.best[s]);
        ASSERT_EQ(a.second[s], b.second[s]);
        ASSERT_EQ(a.best_distance[s], b.best_distance[s]);
        ASSERT_EQ(a.second_distance[s], b.second_distance[s]);
      }
    }
  }
}

#ifdef YUPANA_CUDA
// Tiles of 64 samples by 64 neurons, 16 features at a time.
TEST(GpuSom, DistancesToEveryNeuronHaveTheBitsOfTheProcessor) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {1, 63, 64, 65, 1009}) {
    for (const std::int64_t neurons : {1, 63, 64, 65, 301}) {
      for (const std::int64_t d : {1, 15, 16, 17, 40}) {
        const Matrix<float> samples = clouds(n, d, 3), codebook = clouds(neurons, d, 4);
        auto there = cuda::copied(samples.view(), 0, n);
        auto weights = cuda::copied(codebook.view(), 0, neurons);
        yupana::cuda::DeviceArray<double> distances(n * neurons);
        const yupana::cuda::Stream stream;
        cuda::launch_distances({there.data(), n, d, d},
                               {weights.data(), nullptr, neurons, d},
                               distances.data(),
                               stream);
        stream.wait();
        Matrix<double> got(n, neurons);
        yupana::cuda::check(
            cudaMemcpy(got.data(), distances.data(), distances.bytes(), cudaMemcpyDeviceToHost),
            "fetch distances");
        std::int64_t other = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t k = 0; k < neurons; ++k) {
            other += got(i, k) != std::sqrt(squared_distance(samples.row(i), codebook.row(k), d));
          }
        }
        EXPECT_EQ(other, 0) << n << " x " << neurons << ", " << d << " features";
      }
    }
  }
}
#endif

// Tiles of 64 samples and 64 neurons, features by 16; a radius that is a distance, and none.
TEST(GpuSom, SamplesNearNeuronsAreCountedAsOnTheCpu) {
  YUPANA_NEEDS_GPU();
  Context cpu({.device = "cpu"}), gpu({.device = "cuda:0"});
  Context little({.device = "cuda:0", .gpu_memory = 1 << 20});
  for (const std::int64_t n : {1, 63, 64, 65, 5003}) {
    for (const std::int64_t d : {1, 16, 17, 100}) {
      for (const std::int64_t neurons : {1, 63, 64, 65, 200}) {
        const Matrix<float> samples = clouds(n, d, 4), codebook = clouds(neurons, d, 9);
        const double some = std::sqrt(squared_distance(samples.row(0), codebook.row(0), d));
        for (const double radius : {0.0, some, 3.0}) {
          const auto a = p_matrix(cpu, samples.view(), codebook.view(), radius);
          EXPECT_EQ(a, p_matrix(gpu, samples.view(), codebook.view(), radius))
              << n << " x " << d << ", " << neurons << " neurons, radius " << radius;
          if (n == 5003 && d == 100) {
            EXPECT_EQ(a, p_matrix(little, samples.view(), codebook.view(), radius));
          }
        }
      }
    }
  }
}

TEST(GpuSom, SamplesAreDescribedAlikeOnEveryNumberOfDevices) {
  const int count = yupana::cuda::device_count();
  if (count < 2) GTEST_SKIP() << "one GPU: nothing to deal samples over";
  const Matrix<float> samples = clouds(100'003, 18, 4), codebook = clouds(56, 18, 9);
  Context one({.device = "cuda:0"});
  const auto near = nearest_neurons(one, samples.view(), codebook.view());
  const auto counts = p_matrix(one, samples.view(), codebook.view(), 3);
  std::string names = "cuda:0";
  for (int d = 1; d < count; ++d) {
    names += "," + std::to_string(d);
    Context several({.device = names});
    EXPECT_EQ(counts, p_matrix(several, samples.view(), codebook.view(), 3));
    const auto again = nearest_neurons(several, samples.view(), codebook.view());
    const auto same = [&](const auto& a, const auto& b) {
      return std::memcmp(a.data(), b.data(), a.bytes()) == 0;
    };
    EXPECT_TRUE(same(near.best, again.best) && same(near.second, again.second));
    EXPECT_TRUE(same(near.best_distance, again.best_distance));
    EXPECT_TRUE(same(near.second_distance, again.second_distance));
  }
}

}  // namespace
}  // namespace yupana::som
