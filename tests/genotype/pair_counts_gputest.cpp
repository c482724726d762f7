#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/gpu.hpp"
#include "tests/support/pack_planes.hpp"
#include "tests/support/pair_counting.hpp"
#include "yupana/core/error.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/metric.hpp"
#include "yupana/genotype/pair_counts.hpp"
#include "yupana/genotype/simulate.hpp"
#ifdef YUPANA_CUDA
#include "tests/support/text_files.hpp"
#include "tests/support/there.hpp"
#include "yupana/genotype/dosages.hpp"
#endif

namespace yupana::genotype {
namespace {

using testing::count;
using testing::expect_same;
using testing::Genotypes;
using testing::pack_planes;
using testing::random_genotypes;

const ContextParams cuda_device = {"cuda:0"};
const ContextParams cpu = {"cpu", 2};
const ContextParams reference = {"reference"};
PairCountsParams with_hethet(Range rows = {}) { return {true, rows}; }

/// The same genotypes as codes; rows of the codes stand at `places` among `width` samples.
CallBlock code_block(const Genotypes& g,
                     std::int64_t first,
                     std::int64_t last,
                     const std::vector<std::int64_t>& places,
                     std::int64_t width) {
  static constexpr Code code_of[] = {missing_call, homozygous_a2, heterozygous, homozygous_a1};
  CallBlock block;
  block.codes = SiteBlock(width, last - first);
  block.codes.sites = last - first;
  std::fill(block.codes.codes.begin(), block.codes.codes.end(), std::uint8_t{0});
  block.samples = places;
  for (std::int64_t k = first; k < last; ++k) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const int x = g.at(static_cast<std::int64_t>(i), k);
      block.complete &= x >= 0;
      block.codes.row(k - first)[places[i] / 4] |=
          static_cast<std::uint8_t>(code_of[x + 1] << (2 * (places[i] % 4)));
    }
  }
  return block;
}

#ifdef YUPANA_CUDA
// Sites side by side, and samples.
TEST(CudaPairCounts, OfAnArrayOnTheGpuEqualTheReference) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {1, 2, 7, 131}) {
    for (const std::int64_t m : {1, 31, 1023, 1024, 1025, 3000}) {
      for (const double missing : {0.0, 0.1}) {
        const Genotypes g = random_genotypes(n, m, missing, static_cast<std::uint64_t>(n * m + 2));
        const PairCounts expected = count(g, reference, 10000, with_hethet());
        for (const bool by_site : {false, true}) {
          SCOPED_TRACE(fmt::format("{} x {}, {} missing, {}", n, m, missing, by_site));
          std::vector<std::int8_t> calls(static_cast<std::size_t>(n * m));
          Dosages view{nullptr, n, m, by_site ? 1 : m, by_site ? n : 1};
          for (std::int64_t i = 0; i < n; ++i) {
            for (std::int64_t k = 0; k < m; ++k) {
              calls[static_cast<std::size_t>(i * view.sample_step + k * view.site_step)] =
                  static_cast<std::int8_t>(g.at(i, k));
            }
          }
          There<std::int8_t> there(calls);
          view.data = there.data();
          Context gpu(cuda_device);
          expect_same(pair_counts(gpu, view, with_hethet()), expected);
        }
      }
    }
  }
}

TEST(CudaPairCounts, NameWhatIsNoGenotypeInAnArrayOnTheGpu) {
  YUPANA_NEEDS_GPU();
  std::vector<std::int8_t> calls(70, 1);
  calls[31] = 3;
  There<std::int8_t> there(calls);
  Context gpu(cuda_device);
  Context processor(cpu);
  const auto said = [](Context& context, const std::int8_t* data) {
    return test::refusal([&] { pair_counts(context, Dosages{data, 7, 10, 10, 1}); });
  };
  EXPECT_EQ(said(gpu, there.data()), said(processor, calls.data()));
}
#endif

TEST(CudaPairCounts, EqualTheReferenceAroundStepsAndSquares) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {0, 1, 2, 7, 31}) {
    for (const std::int64_t m : {0, 1, 511, 512, 513, 1023, 1024, 1025, 3000}) {
      for (const double missing : {0.0, 0.01, 0.6}) {
        const Genotypes g = random_genotypes(n, m, missing, static_cast<std::uint64_t>(n * m + 1));
        SCOPED_TRACE(fmt::format("{} x {}, {} missing", n, m, missing));
        expect_same(count(g, cuda_device, 10000, with_hethet()),
                    count(g, reference, 10000, with_hethet()));
      }
    }
  }
}

TEST(CudaPairCounts, SeveralSquaresEqualTheCpu) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {127, 128, 129, 255, 256, 257, 509, 1031}) {
    for (const double missing : {0.0, 0.05}) {
      const Genotypes g = random_genotypes(n, 2100, missing, static_cast<std::uint64_t>(n));
      SCOPED_TRACE(n);
      expect_same(count(g, cuda_device, 3000, with_hethet()), count(g, cpu, 3000, with_hethet()));
    }
  }
}

TEST(CudaPairCounts, FewSamplesOfManySitesAreCutAlongTheSites) {
  YUPANA_NEEDS_GPU();
  for (const double missing : {0.0, 0.01}) {
    const Genotypes g = random_genotypes(5, 1024 * 300 + 17, missing, 9);
    expect_same(count(g, cuda_device, g.sites, with_hethet()),
                count(g, cpu, g.sites, with_hethet()));
  }
}

TEST(CudaPairCounts, DoNotDependOnHowSitesAreCutIntoBlocks) {
  YUPANA_NEEDS_GPU();
  Genotypes g = random_genotypes(70, 3000, 0.02, 4);
  // Blocks with and without missing calls take turns.
  for (std::int64_t k = 0; k < g.sites; ++k) {
    for (std::int64_t i = 0; i < g.samples && k / 700 % 2 == 0; ++i) {
      g.at(i, k) = std::max(g.at(i, k), 0);
    }
  }
  const PairCounts expected = count(g, cpu, 700, with_hethet());
  for (const std::int64_t block : {100, 700, 1024, 3000}) {
    expect_same(count(g, cuda_device, block, with_hethet()), expected);
  }
}

TEST(CudaPairCounts, SamplesWithoutAnyCallShareNothing) {
  YUPANA_NEEDS_GPU();
  Genotypes g = random_genotypes(300, 1500, 0.01, 5);
  for (std::int64_t k = 0; k < g.sites; ++k) g.at(17, k) = g.at(299, k) = -1;
  const PairCounts counts = count(g, cuda_device, 2000, with_hethet());
  expect_same(counts, count(g, cpu, 2000, with_hethet()));
  EXPECT_EQ(counts.shared_at(299, 17), 0u);
}

TEST(CudaPairCounts, BandsOfRowsAreThoseOfTheWhole) {
  YUPANA_NEEDS_GPU();
  const Genotypes g = random_genotypes(700, 1300, 0.01, 6);
  for (const Range rows : {Range{0, 1},
                           Range{0, 256},
                           Range{100, 300},
                           Range{255, 257},
                           Range{512, 700},
                           Range{699, 700}}) {
    expect_same(count(g, cuda_device, 2000, with_hethet(rows)),
                count(g, cpu, 2000, with_hethet(rows)));
  }
}

TEST(CudaPairCounts, CodesOfASubsetOfSamplesGiveTheSame) {
  YUPANA_NEEDS_GPU();
  for (const double missing : {0.0, 0.03}) {
    const Genotypes g = random_genotypes(150, 5000, missing, 11);
    std::vector<std::int64_t> all(150), odd(150);
    std::iota(all.begin(), all.end(), 0);
    for (std::size_t i = 0; i < odd.size(); ++i) odd[i] = 2 * static_cast<std::int64_t>(i) + 1;
    const PairCounts expected = count(g, cpu, 5000, with_hethet());
    for (const auto& [places, width] : {std::pair(all, 150), std::pair(odd, 401)}) {
      Context context(cuda_device);
      PairCounter counter(context, g.samples, with_hethet());
      for (std::int64_t k = 0; k < g.sites; k += 1700) {
        counter.add(code_block(g, k, std::min(k + 1700, g.sites), places, width));
      }
      expect_same(counter.take(), expected);
    }
  }
}

TEST(CudaPairCounts, MayBeReadInBetween) {
  YUPANA_NEEDS_GPU();
  const Genotypes g = random_genotypes(40, 3000, 0.02, 12);
  Context context(cuda_device);
  PairCounter counter(context, g.samples, with_hethet());
  counter.add(pack_planes(g, 0, 1000));
  EXPECT_EQ(counter.counts().sites, 1000);
  counter.add(pack_planes(g, 1000, 3000));
  expect_same(counter.counts(), count(g, cpu, 3000, with_hethet()));
  expect_same(counter.take(), count(g, cpu, 3000, with_hethet()));
}

TEST(CudaPairCounts, ManySitesCarryIntoTheHighWords) {
  YUPANA_NEEDS_GPU();
  // 2^22 sites at a time, 1,025 times: opposite homozygotes pass 2^32. Named twice, one device
  // plays two whose sums meet.
  constexpr std::int64_t sites = std::int64_t{1} << 22;
  PlaneBlock block(3, sites, 2);
  block.bytes = Array<std::uint8_t>::zeros(block.bytes.size());
  for (std::int64_t chunk = 0; chunk < block.chunks; ++chunk) {
    std::uint8_t* const row = block.row(1) + chunk * 2 * chunk_bytes;
    std::fill(row, row + chunk_bytes, std::uint8_t{0xff});  // sample 1: x = 2; the others: x = 0
  }
  for (const char* devices : {"cuda:0", "cuda:0,0", "cuda:0,0,0"}) {
    SCOPED_TRACE(devices);
    Context context({devices});
    PairCounter counter(context, 3, {});
    for (int i = 0; i < 1025; ++i) counter.add(block);
    const PairCounts counts = counter.take();
    EXPECT_EQ(counts.ibs0.at(1, 0), std::uint64_t{1025} << 22);
    EXPECT_EQ(counts.ibs0.at(2, 0), 0u);
    EXPECT_EQ(counts.shared_at(2, 1), std::uint64_t{1025} << 22);
    EXPECT_EQ(counts.homozygous[1], std::uint64_t{1025} << 22);
  }
}

TEST(CudaPairCounts, SeveralDevicesCountTheSame) {
  YUPANA_NEEDS_GPU();
  // Blocks with and without missing calls take turns, so that devices hold sums of either kind.
  Genotypes g = random_genotypes(300, 9001, 0.01, 13);
  for (std::int64_t k = 0; k < g.sites; ++k) {
    for (std::int64_t i = 0; i < g.samples && k / 1000 % 3 != 0; ++i) {
      g.at(i, k) = std::max(g.at(i, k), 0);
    }
  }
  const PairCounts expected = count(g, cpu, 1000, with_hethet());
  std::vector<std::string> several = {"cuda:0,0", "cuda:0,0,0"};
  if (yupana::cuda::device_count() > 1) several.push_back("cuda");
  for (const std::string& devices : several) {
    SCOPED_TRACE(devices);
    expect_same(count(g, {devices}, 1000, with_hethet()), expected);
  }
}

TEST(CudaPairCounts, ASimulatedCohortCountsTheSame) {
  YUPANA_NEEDS_GPU();
  SimulateParams params;
  params.samples = 333;
  params.sites = 20000;
  params.missing = 0.01;
  const auto counts_on = [&](const ContextParams& device) {
    Context context(device);
    Cohort cohort(context, std::make_unique<SimulatedSource>(params));
    return pair_counts(context, cohort, with_hethet());
  };
  expect_same(counts_on(cuda_device), counts_on(cpu));
}

TEST(CudaDistances, MadeOnTheDeviceHaveTheBitsOfTheHosts) {
  YUPANA_NEEDS_GPU();
  for (const double missing : {0.0, 0.02, 0.6}) {
    for (const std::int64_t n : {1, 2, 31, 33, 300}) {
      const Genotypes g = random_genotypes(n, 900, missing, 15);
      Context context(cuda_device);
      PairCounter counter(context, n, {});
      counter.add(pack_planes(g));
      const std::uint64_t before = context.bytes_moved();
      const DeviceDistances made = device_distances(context, counter);
      ASSERT_FALSE(made.on_device.empty());
      ASSERT_EQ(made.on_device.n, n);
      std::visit(
          [&](const auto& ours) {
            const PairCounts counts = count(g, cpu, 900);
            const SquareMatrix<double> theirs = distances(context, counts);
            ASSERT_EQ(made.unshared, pairs_without_shared_site(context, counts));
            EXPECT_EQ(context.bytes_moved() - before, sizeof(*ours.data()) * n * n);
            for (std::int64_t cell = 0; cell < n * n; ++cell) {
              const double a = static_cast<double>(ours.data()[cell]), b = theirs.data()[cell];
              ASSERT_TRUE(a == b || (a != a && b != b)) << n << ", cell " << cell;
            }
          },
          made.on_host);
    }
  }
}

TEST(DeviceDistances, StayOffTheGpuWhereTheyDoNotFitItsShareBesideTheCounts) {
  YUPANA_NEEDS_GPU();
  const Genotypes g = random_genotypes(2048, 500, 0, 3);  // 2 x 16 MiB of sums, 16 of distances
  for (const auto& [mebibytes, fits] : {std::pair(60, false), std::pair(120, true)}) {
    ContextParams limited = cuda_device;
    limited.gpu_memory = static_cast<std::uint64_t>(mebibytes) << 20;
    Context context(limited);
    PairCounter counter(context, 2048, {});
    counter.add(pack_planes(g));
    EXPECT_EQ(device_distances(context, counter).on_device.empty(), !fits) << mebibytes << " MiB";
  }
}

}  // namespace
}  // namespace yupana::genotype
