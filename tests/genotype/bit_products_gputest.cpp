// The kernels behind pair counts, one by one: each instruction that multiplies planes, what turns
// codes and rows of planes into the planes it reads, and the sums of rows. Without CUDA in the
// build there is one test, which says so.
#include <gtest/gtest.h>

#include "tests/support/gpu.hpp"

#ifdef YUPANA_CUDA
#include <algorithm>
#include <cstring>
#include <numeric>

#include "tests/support/pack_planes.hpp"
#include "tests/support/pair_counting.hpp"
#include "tests/support/site_blocks.hpp"
#include "yupana/genotype/pair_sums.hpp"

namespace yupana::genotype {
namespace {

using cuda::BitMethod;
using cuda::DevicePlanes;
using cuda::PlaneKind;
using cuda::product_bytes;
using cuda::product_edge;
using cuda::product_sites;
using testing::count;
using testing::expect_same;
using testing::Genotypes;
using testing::pack_planes;
using testing::random_genotypes;
using yupana::cuda::check;
using yupana::cuda::DeviceArray;
using yupana::cuda::PinnedArray;

const PairCountsParams all_counts = {true, {}};

bool any_missing(const Genotypes& g) {
  return std::any_of(g.values.begin(), g.values.end(), [](int x) { return x < 0; });
}

/// Counts with every triangle, from sums that `add` fills.
template <class Add>
PairCounts counts_of(const Genotypes& g, const cuda::PairSumsParams& params, const Add& add) {
  Context host({"cpu", 2}), gpu({"cuda:0"});
  PairCounter shape(host, g.samples, all_counts);
  if (any_missing(g)) shape.add(pack_planes(random_genotypes(g.samples, 1, 1.0, 1)));
  PairCounts counts = shape.take();  // of one site without calls: zeros
  cuda::PairSums sums(0, params);
  add(sums);
  sums.move_to(gpu, counts);
  counts.sites = g.sites;
  return counts;
}

PairCounts counts_by(BitMethod method, const Genotypes& g) {
  return counts_of(g,
                   {.samples = g.samples, .rows = {0, g.samples}, .hethet = true, .method = method},
                   [&](cuda::PairSums& sums) { sums.add(pack_planes(g)); });
}

/// From 0.6 on the last sample has no call at all.
Genotypes genotypes_of(std::int64_t samples, std::int64_t sites, double missing) {
  Genotypes g =
      random_genotypes(samples, sites, missing, static_cast<std::uint64_t>(samples + sites));
  for (std::int64_t k = 0; k < sites && missing > 0.5; ++k) g.at(samples - 1, k) = -1;
  return g;
}

constexpr std::int64_t half = product_edge / 2;  // rows of a block, in every kernel

TEST(CudaBitProducts, EveryInstructionEqualsTheReferenceAroundItsTile) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {std::int64_t{1}, half - 1, half, half + 1}) {
    for (const std::int64_t m :
         {std::int64_t{1}, product_sites / 2 + 1, product_sites - 1, product_sites + 1, 2049L}) {
      for (const double missing : {0.0, 0.01, 0.6}) {
        const Genotypes g = genotypes_of(n, m, missing);
        const PairCounts expected = count(g, {"reference"}, m, all_counts);
        for (const BitMethod method : cuda::compiled_methods()) {
          SCOPED_TRACE(fmt::format("{} x {}, {} missing, method {}", n, m, missing, int(method)));
          expect_same(counts_by(method, g), expected);
        }
      }
    }
  }
}

TEST(CudaBitProducts, EveryInstructionEqualsTheCpuOverSeveralSquares) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n :
       {product_edge - 1, product_edge, product_edge + 1, 2 * product_edge + 1, 701L}) {
    for (const std::int64_t m : {777L, 3 * product_sites + 5}) {
      for (const double missing : {0.0, 0.01, 0.6}) {
        const Genotypes g = genotypes_of(n, m, missing);
        const PairCounts expected = count(g, {"cpu", 2}, m, all_counts);
        for (const BitMethod method : cuda::compiled_methods()) {
          SCOPED_TRACE(fmt::format("{} x {}, {} missing, method {}", n, m, missing, int(method)));
          expect_same(counts_by(method, g), expected);
        }
      }
    }
  }
}

// One square for all multiprocessors: every kernel takes parts of the sites.
TEST(CudaBitProducts, FewSamplesOfManySitesAreCutByEveryInstruction) {
  YUPANA_NEEDS_GPU();
  for (const double missing : {0.0, 0.01}) {
    const Genotypes g = random_genotypes(5, 300 * product_sites + 17, missing, 9);
    const PairCounts expected = count(g, {"cpu", 2}, g.sites, all_counts);
    for (const BitMethod method : cuda::compiled_methods()) {
      SCOPED_TRACE(int(method));
      expect_same(counts_by(method, g), expected);
    }
  }
}

// Rows of bytes against a plain sum.
TEST(CudaBitProducts, EveryInstructionMultipliesBytes) {
  YUPANA_NEEDS_GPU();
  constexpr int steps = 3, row_bytes = steps * int{product_bytes};
  const cuda::Band band = {product_edge, 2 * product_edge};
  const std::int64_t rows = band.end;
  const auto value = [](std::int64_t plane, std::int64_t row, int k) {
    return static_cast<std::uint8_t>(plane == 0 ? row * 131 + k * 7 + row * k % 13
                                                : row * 57 + k * 3 + row * k % 11);
  };
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(2 * rows * row_bytes));
  for (std::int64_t plane = 0; plane < 2; ++plane) {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (int k = 0; k < row_bytes; ++k) {
        const std::int64_t step = plane * steps + k / product_bytes;
        const auto piece = k % product_bytes / 16 ^ row % 8;
        bytes[(step * rows + row) * product_bytes + 16 * piece + k % 16] = value(plane, row, k);
      }
    }
  }
  const auto there = yupana::cuda::uploaded("copy bytes", bytes);
  const DevicePlanes planes = {there.data(), rows, 2, steps};
  for (const BitMethod method : cuda::compiled_methods(cuda::Elements::bytes)) {
    SCOPED_TRACE(int(method));
    constexpr std::uint32_t before = 12345;
    std::vector<std::uint32_t> sums(static_cast<std::size_t>(band.cells()), before);
    auto on_gpu = yupana::cuda::uploaded("copy sums", sums);
    cuda::BitProducts products(band, method, cuda::Elements::bytes);
    const cuda::Product product = {0, 1, 1, on_gpu.data()};
    products.add(planes, {&product, 1}, nullptr);
    check(cudaDeviceSynchronize(), "wait");
    check(cudaMemcpy(sums.data(), on_gpu.data(), on_gpu.bytes(), cudaMemcpyDeviceToHost), "copy");
    for (std::int64_t row = band.begin; row < band.end; ++row) {
      for (std::int64_t column = 0; column <= row; ++column) {
        std::uint32_t expected = before;
        for (int k = 0; k < row_bytes; ++k) expected += value(0, row, k) * value(1, column, k);
        ASSERT_EQ(sums[(row - band.begin) * band.columns() + column], expected)
            << row << ' ' << column;
      }
    }
  }
}

SiteBlock codes_of(const Genotypes& g) {
  SiteBlock block(g.samples, g.sites);
  block.sites = g.sites;
  block.codes = Array<std::uint8_t>::zeros(block.codes.size());
  static constexpr Code code_of[] = {missing_call, homozygous_a2, heterozygous, homozygous_a1};
  for (std::int64_t k = 0; k < g.sites; ++k) {
    for (std::int64_t i = 0; i < g.samples; ++i) set_code(block, k, i, code_of[g.at(i, k) + 1]);
  }
  return block;
}

// Codes that are copied while the block before them is worked on, in blocks as small as memory
// wants them.
TEST(CudaPairSums, CodesStreamedThroughTwoBuffersCountTheSame) {
  YUPANA_NEEDS_GPU();
  for (const double missing : {0.0, 0.01, 0.6}) {
    const Genotypes g = genotypes_of(75, 9 * product_sites + 33, missing);
    const PairCounts expected = count(g, {"cpu", 2}, g.sites, all_counts);
    const SiteBlock block = codes_of(g);
    PinnedArray<std::uint8_t> codes(g.sites * block.stride);
    std::memcpy(codes.data(), block.row(0), codes.bytes());
    const cuda::PairSumsParams params = {
        .samples = g.samples, .rows = {0, g.samples}, .hethet = true, .memory = 1};
    SCOPED_TRACE(missing);
    expect_same(counts_of(g,
                          params,
                          [&](cuda::PairSums& sums) {
                            sums.add_pinned(codes.data(), block.stride, g.sites, !any_missing(g));
                            sums.wait();
                          }),
                expected);
  }
}

/// Bit planes as the host would lay them out; see DevicePlanes.
std::vector<std::uint8_t> expected_planes(const Genotypes& g,
                                          const std::vector<std::int32_t>& kept,
                                          PlaneKind kind,
                                          const DevicePlanes& planes) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(planes.size()), 0);
  for (std::int64_t row = 0; row < std::ssize(kept); ++row) {
    for (std::int64_t k = 0; k < g.sites; ++k) {
      const int x = g.at(kept[static_cast<std::size_t>(row)], k);
      const bool set[2][5] = {{x >= 1, x == 2, x == 1},
                              {x >= 0, x == 0 || x == 2, x == 0, x == 2, x == 1}};
      for (int p = 0; p < planes.planes; ++p) {
        const std::int64_t step = p * planes.steps + k / product_sites;
        const std::int64_t piece = (k % product_sites / 128) ^ (row % 8);
        const std::int64_t at =
            (step * planes.rows + row) * product_bytes + 16 * piece + k % 128 / 8;
        if (!set[kind == PlaneKind::pairwise][p]) continue;
        bytes[static_cast<std::size_t>(at)] |= static_cast<std::uint8_t>(1 << k % 8);
      }
    }
  }
  return bytes;
}

template <class T>
DeviceArray<T> uploaded(const T* values, std::int64_t size) {
  DeviceArray<T> there(std::max<std::int64_t>(size, 1));
  check(
      cudaMemcpy(
          there.data(), values, static_cast<std::size_t>(size) * sizeof(T), cudaMemcpyHostToDevice),
      "copy");
  check(cudaDeviceSynchronize(), "copy");
  return there;
}

std::vector<std::uint8_t> back(const DevicePlanes& planes) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(planes.size()));
  check(cudaDeviceSynchronize(), "make planes");
  check(cudaMemcpy(bytes.data(), planes.bytes, bytes.size(), cudaMemcpyDeviceToHost), "copy");
  return bytes;
}

void expect_row_sums(const DevicePlanes& planes, const std::vector<std::uint8_t>& bytes) {
  std::vector<unsigned long long> zeros(static_cast<std::size_t>(planes.planes * planes.rows), 0);
  auto sums = uploaded(zeros.data(), std::ssize(zeros));
  cuda::add_row_sums(planes, 0, planes.planes, sums.data(), nullptr);
  std::vector<unsigned long long> got(zeros.size()), want(zeros.size(), 0);
  check(cudaMemcpy(got.data(), sums.data(), sums.bytes(), cudaMemcpyDeviceToHost), "copy");
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const auto line = static_cast<std::int64_t>(at) / product_bytes;
    const std::int64_t plane = line / planes.rows / planes.steps;
    want[static_cast<std::size_t>(plane * planes.rows + line % planes.rows)] +=
        static_cast<unsigned>(__builtin_popcount(bytes[at]));
  }
  EXPECT_EQ(got, want);
}

void expect_planes(const Genotypes& g, PlaneKind kind) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(g.samples)), odd;
  std::iota(all.begin(), all.end(), 0);
  for (std::int32_t i = 1; i < g.samples; i += 2) odd.push_back(i);
  const SiteBlock block = codes_of(g);
  const auto codes = uploaded(block.row(0), g.sites * block.stride);
  for (const auto& kept : {all, odd}) {
    if (kept.empty()) continue;
    const std::int64_t rows = std::ssize(kept);
    const auto list = uploaded(kept.data(), rows);
    cuda::PlaneMemory memory;
    const DevicePlanes planes = memory.shape(rows, g.sites, kind);
    check(cudaMemset(memory.bytes(), 0xa5, static_cast<std::size_t>(planes.size())), "fill");
    const bool whole = rows == g.samples;
    cuda::planes_from_codes(codes.data(),
                            block.stride,
                            g.sites,
                            whole ? nullptr : list.data(),
                            rows,
                            kind,
                            planes,
                            nullptr);
    const auto want = expected_planes(g, kept, kind, planes);
    ASSERT_TRUE(back(planes) == want) << rows << " of " << g.samples;
    expect_row_sums(planes, want);
    if (!whole) continue;
    const PlaneBlock packed =
        pack_planes(g, 0, g.sites, kind == PlaneKind::pairwise ? 3 : 2);  // rows of planes
    const auto there = uploaded(packed.row(0), packed.samples * packed.stride);
    check(cudaMemset(memory.bytes(), 0xa5, static_cast<std::size_t>(planes.size())), "fill");
    cuda::planes_from_block(
        there.data(), packed.planes, packed.chunks, rows, kind, planes, nullptr);
    ASSERT_TRUE(back(planes) == want) << "from rows of planes";
  }
}

// A warp turns 16 samples by 256 sites, a block 128 samples; a step has 1,024 sites, a chunk 512.
TEST(CudaPlanes, CodesAndRowsOfPlanesBecomeTheSamePlanesAtEveryEdge) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {1, 2, 15, 16, 17, 127, 128, 129, 255, 256, 257}) {
    for (const std::int64_t m : {1, 31, 32, 33, 255, 256, 257, 511, 513, 1023, 1024, 1025, 3001}) {
      if (n > 129 && m > 1025) continue;
      SCOPED_TRACE(fmt::format("{} x {}", n, m));
      expect_planes(random_genotypes(n, m, 0, static_cast<std::uint64_t>(m)), PlaneKind::complete);
      for (const double missing : {0.01, 0.6}) {
        expect_planes(genotypes_of(n, m, missing), PlaneKind::pairwise);
      }
    }
  }
}

}  // namespace
}  // namespace yupana::genotype

#else
TEST(CudaBitProducts, NeedABuildWithCuda) { YUPANA_NEEDS_GPU(); }
#endif
