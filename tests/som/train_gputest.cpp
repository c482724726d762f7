#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "tests/som/samples.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/random.hpp"
#include "yupana/som/nearest.hpp"
#include "yupana/som/sums.hpp"
#include "yupana/som/train.hpp"
#ifdef YUPANA_CUDA
#include "tests/support/there.hpp"
#include "yupana/som/search_cuda.hpp"
#include "yupana/som/train_cuda.hpp"
#endif

namespace yupana::som {
namespace {

void expect_same_training(const Matrix<float>& samples, const SomParams& params) {
  Context cpu({.device = "cpu"}), gpu({.device = "cuda:0"});
  const Matrix<float> a = train(cpu, samples.view(), params);
  const Matrix<float> b = train(gpu, samples.view(), params);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.rows() * a.cols()) * 4), 0)
      << samples.rows() << " x " << samples.cols() << ", map " << params.grid.rows << " x "
      << params.grid.cols;
}

// Tiles of 128 and 256 samples, widths of 4 to 32 features in fours, sums as products up to 19, and
// past all of these.
TEST(GpuSom, NarrowMapsHaveTheBitsOfTheCpu) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {1, 127, 128, 129, 255, 256, 257, 513, 70001}) {
    for (const std::int64_t d : {1, 4, 5, 9, 13, 16, 18, 19, 20, 21, 27, 32}) {
      SomParams params;
      params.grid = {d % 2 == 0 ? 8 : 1, 7};
      params.schedule = {4, 1, 2, 0.3, 0};
      expect_same_training(clouds(n, d, 3), params);
    }
  }
}

// Scores of 56 neurons stand in registers at once; sums are products up to as many.
TEST(GpuSom, NarrowMapsOfManyNeuronsHaveTheBitsOfTheCpu) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t neurons : {2, 8, 55, 56, 57, 63, 64, 65, 111, 112, 113, 301}) {
    for (const std::int64_t d : {3, 18}) {
      SomParams params;
      params.grid = {1, neurons};
      params.schedule = {3, 1, 2, 0.3, 0};
      expect_same_training(clouds(2000, d, 7), params);
    }
  }
}

#ifdef YUPANA_CUDA
// 103,176 bytes of a block's memory are more than some GPUs grant.
TEST(GpuSom, NarrowMapsThatExceedTheSharedMemoryOfOtherGpusGoTheWayOfWideOnes) {
  YUPANA_NEEDS_GPU();
  SomParams params;
  params.grid = {8, 21};
  params.schedule = {3, 1, 2, 0.3, 0};
  const LimitedGpu limited;
  EXPECT_TRUE(cuda::is_narrow(7 * 8, 20));
  EXPECT_FALSE(cuda::is_narrow(8 * 21, 20));
  expect_same_training(clouds(2000, 20, 7), params);
}
#endif

// Samples and neurons by 256, features by 64 and 16.
TEST(GpuSom, WideTilesAreWholeAtTheirEdges) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {255, 256, 257, 600}) {
    for (const std::int64_t neurons : {255, 256, 257, 700}) {
      SomParams params;
      params.grid = {1, neurons};
      params.schedule = {2, 1, 3, 0.4, 0};
      expect_same_training(clouds(n, 40, 5), params);
    }
  }
  for (const std::int64_t d : {33, 47, 48, 49, 63, 64, 65, 80, 81, 127, 128, 129, 300}) {
    SomParams params;
    params.grid = {9, 11};
    params.schedule = {2, 1, 3, 0.4, 0};
    expect_same_training(clouds(500, d, 5), params);
  }
}

// Neurons that lie close together or coincide leave more candidates than a list holds: three
// products decide, and double what they leave open.
TEST(GpuSom, CrowdedNeuronsAreToldApart) {
  YUPANA_NEEDS_GPU();
  for (const double offset : {0.0, 1e4}) {
    SomParams params;
    params.grid = {40, 30};
    params.schedule = {4, 0, 40, 20, 0};
    expect_same_training(clouds(5000, 50, 11, offset), params);
  }
  Context cpu({.device = "cpu"}), gpu({.device = "cuda:0"});
  const Matrix<float> samples = clouds(3000, 70, 3);
  for (const double apart : {0.0, 1e-7, 1e-4, 1e-3}) {
    Matrix<float> a(600, 70), b(600, 70);
    for (std::int64_t i = 0; i < 600 * 70; ++i) {
      const Random random(9);
      a.data()[i] = b.data()[i] =
          static_cast<float>(2.5 + apart * random.uniform(static_cast<std::uint64_t>(i)));
    }
    SomParams params;
    params.grid = {20, 30};
    params.schedule = {1, 0, 1, 0.5, 0};
    a = train_from(cpu, samples.view(), std::move(a), params);
    b = train_from(gpu, samples.view(), std::move(b), params);
    EXPECT_EQ(std::memcmp(a.data(), b.data(), 600 * 70 * 4), 0) << apart << " apart";
  }
}

TEST(GpuSom, OnAllDevicesHasTheBitsOfOne) {
  YUPANA_NEEDS_GPU();
  Context one({.device = "cuda:0"}), all({.device = "cuda"});
  if (all.devices().size() < 2) GTEST_SKIP() << "one GPU";
  for (const std::int64_t d : {18, 50}) {
    const Matrix<float> samples = clouds(30'011, d, 6);
    SomParams params;
    params.grid = {12, 9};
    params.schedule = {5, 2, 3, 0.4, 0};
    const Matrix<float> a = train(one, samples.view(), params);
    const Matrix<float> b = train(all, samples.view(), params);
    EXPECT_EQ(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(108 * d) * 4), 0);
  }
}

#ifdef YUPANA_CUDA
TEST(GpuSom, SamplesOnTheGpuAreTrainedOnAndSearchedThere) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"}), cpu({.device = "cpu"});
  for (const std::int64_t d : {1, 18, 40, 300}) {
    const Matrix<float> samples = clouds(5003, d, 8);
    There<float> there(samples.data(), 5003 * d, 1);
    const MatrixView<const float> view(there.data(), 5003, d);
    SomParams params;
    params.grid = {7, 6};
    params.schedule = {4, 2, 3, 0.4, 0};
    for (const Initial initial : {Initial::samples, Initial::uniform}) {
      params.initial = initial;
      const Matrix<float> map = train(cpu, samples.view(), params);
      const Matrix<float> found = train(gpu, view, params);
      ASSERT_EQ(std::memcmp(map.data(), found.data(), static_cast<std::size_t>(42 * d) * 4), 0);
    }
    const Matrix<float> map = train(cpu, samples.view(), params);
    const NearestNeurons expected = nearest_neurons(cpu, samples.view(), map.view());
    There<std::int32_t> best(std::vector<std::int32_t>(5003)), second(best.back());
    There<double> near(std::vector<double>(5003)), next(near.back());
    find_nearest(gpu, view, map.view(), {best.data(), second.data(), near.data(), next.data()});
    const auto same = [](const auto& found, const auto& want) {
      return std::equal(found.begin(), found.end(), want.begin());
    };
    EXPECT_TRUE(same(best.back(), expected.best) && same(second.back(), expected.second));
    EXPECT_TRUE(same(near.back(), expected.best_distance));
    EXPECT_TRUE(same(next.back(), expected.second_distance));
    std::vector<double> all(5003 * 42);
    fill_distances(cpu, samples.view(), map.view(), all.data());
    There<double> distances(std::vector<double>(all.size()));
    fill_distances(gpu, view, map.view(), distances.data());
    EXPECT_EQ(distances.back(), all);
  }
  EXPECT_EQ(gpu.bytes_moved(), 0u);
}

TEST(GpuSom, SamplesOnTheGpuThatAreNotFiniteAreNamed) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Matrix<float> samples = clouds(100, 5, 8);
  samples(70, 3) = NAN;
  There<float> there(samples.data(), 500);
  SomParams params;
  params.grid = {2, 2};
  test::expect_refusal([&] { train(gpu, {there.data(), 100, 5}, params); }, "column 4");
}

// Several shares on one device go the way of several devices.
TEST(GpuSom, SharesOfTheSamplesHaveTheBitsOfOne) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"}), cpu({.device = "cpu"});
  for (const std::int64_t features : {18, 400}) {
    const Matrix<float> samples = clouds(10'007, features, 6);
    SomParams params;
    params.grid = {12, 11};  // 132 neurons: with 400 features the rule is shared, too
    params.schedule = {20, 2, 3, 0.4, 0};
    const Matrix<float> expected = train(cpu, samples.view(), params);
    const Matrix<float> start = initial_codebook(cpu, samples.view(), params);
    const auto largest = largest_values(cpu, samples.view());
    const yupana::cuda::DeviceArray<float> held = cuda::copied(samples.view(), 0, samples.rows());
    for (const std::int64_t shares : {1, 2, 3, 5}) {
      std::vector<cuda::ResidentShare> parts;
      for (std::int64_t s = 0; s < shares; ++s) {
        const std::int64_t first = samples.rows() * s / shares;
        parts.push_back(
            {0, held.data() + first * features, samples.rows() * (s + 1) / shares - first});
      }
      Matrix<float> codebook(start.rows(), start.cols());
      std::copy_n(start.data(), start.rows() * start.cols(), codebook.data());
      cuda::train_resident(gpu, parts, largest, params, codebook);
      EXPECT_EQ(std::memcmp(
                    codebook.data(), expected.data(), static_cast<std::size_t>(132 * features) * 4),
                0)
          << shares << " shares of " << features << " features";
    }
  }
}
#endif

TEST(GpuSom, LittleMemoryTakesWideMapsInPieces) {
  YUPANA_NEEDS_GPU();
  const Matrix<float> samples = clouds(30'000, 100, 2);
  SomParams params;
  params.grid = {20, 20};
  params.schedule = {2, 1, 4, 0.5, 0};
  Context whole({.device = "cuda:0"}), little({.device = "cuda:0", .gpu_memory = 14 << 20});
  const Matrix<float> a = train(whole, samples.view(), params);
  const Matrix<float> b = train(little, samples.view(), params);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), 400 * 100 * 4), 0);
  EXPECT_GT(little.bytes_moved(), whole.bytes_moved());
}

// Rows that are not aligned; more samples than all blocks hold at once.
TEST(GpuSom, WideMapsHaveTheBitsOfTheCpu) {
  YUPANA_NEEDS_GPU();
  struct Shape {
    std::int64_t n, d, rows, cols;
  };
  for (const Shape& shape : {Shape{127, 33, 1, 1},
                             Shape{128, 40, 1, 127},
                             Shape{129, 41, 8, 16},
                             Shape{1000, 64, 43, 3},
                             Shape{777, 131, 20, 21},
                             Shape{300, 784, 30, 30},
                             Shape{4000, 18, 40, 50},
                             Shape{40'000, 35, 1, 300}}) {
    SomParams params;
    params.grid = {shape.rows, shape.cols};
    params.schedule = {3, 1, 3, 0.4, 0};
    expect_same_training(clouds(shape.n, shape.d, 5), params);
  }
}

TEST(GpuSom, EveryLatticeAndNeighborhoodHasTheBitsOfTheCpu) {
  YUPANA_NEEDS_GPU();
  const Matrix<float> samples = clouds(900, 5, 3);
  for (const Lattice lattice : {Lattice::rectangular, Lattice::hexagonal}) {
    for (const bool toroidal : {false, true}) {
      for (const Neighborhood neighborhood :
           {Neighborhood::gaussian, Neighborhood::truncated, Neighborhood::bubble}) {
        SomParams params;
        params.grid = {6, 5, lattice, toroidal};
        params.neighborhood = neighborhood;
        params.schedule = {6, 2, 2.5, 0.6, 0};
        expect_same_training(samples, params);
      }
    }
  }
}

TEST(GpuSom, DoubleDecidesWhereFloatsCannot) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t d : {6, 50}) {
    for (const double offset : {1e3, 1e6}) {
      SomParams params;
      params.grid = {7, 9};
      params.schedule = {3, 0, 2, 0.5, 0};
      expect_same_training(clouds(700, d, 11, offset), params);
    }
  }
}

TEST(GpuSom, HugeValuesDoNotOverflow) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t d : {3, 40}) {
    Matrix<float> samples(200, d);
    const Random random(5);
    for (std::int64_t i = 0; i < 200 * d; ++i) {
      samples.data()[i] =
          static_cast<float>((random.uniform(static_cast<std::uint64_t>(i)) - 0.5) * 6e38);
    }
    SomParams params;
    params.grid = {3, 3};
    params.schedule = {3, 0, 1.5, 0.5, 0};
    expect_same_training(samples, params);
  }
}

TEST(GpuSom, LittleMemoryTakesSamplesInPieces) {
  YUPANA_NEEDS_GPU();
  const Matrix<float> samples = clouds(100'000, 18, 2);
  SomParams params;
  params.grid = {8, 7};
  params.schedule = {3, 1, 2, 0.3, 0};
  Context whole({.device = "cuda:0"}), little({.device = "cuda:0", .gpu_memory = 7 << 20});
  const Matrix<float> a = train(whole, samples.view(), params);
  const Matrix<float> b = train(little, samples.view(), params);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), 56 * 18 * 4), 0);
  EXPECT_GT(little.bytes_moved(), 2 * whole.bytes_moved());
  Context none({.device = "cuda:0", .gpu_memory = 1 << 20});
  test::refusal([&] { train(none, samples.view(), params); }, ErrorCode::out_of_resources);
}

TEST(GpuSom, ItsSumsAreTheSameInEveryRun) {
  YUPANA_NEEDS_GPU();
  const Matrix<float> samples = clouds(50'000, 18, 8);
  SomParams params;
  params.grid = {8, 7};
  Context gpu({.device = "cuda:0"});
  const Matrix<float> first = train(gpu, samples.view(), params);
  for (int run = 0; run < 3; ++run) {
    const Matrix<float> again = train(gpu, samples.view(), params);
    EXPECT_EQ(std::memcmp(first.data(), again.data(), 56 * 18 * 4), 0);
  }
}

}  // namespace
}  // namespace yupana::som
