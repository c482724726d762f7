#include <gtest/gtest.h>

#include "tests/support/gpu.hpp"

#ifdef YUPANA_CUDA
#include <cmath>
#include <thread>

#include "tests/splice/cases.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/devices_cuda.hpp"
#include "yupana/splice/memory_cuda.hpp"
#include "yupana/splice/pack_cuda.hpp"

namespace yupana::splice {
namespace {

OwnCase gene(Draw& draw, const std::string& alphabet) {
  return random_case(
      draw, {.bases = 900, .letters = 120, .exons = 14, .longest = 90, .alphabet = alphabet});
}

/// The words that a device would write for an alignment.
std::vector<std::uint32_t> words_of(const cuda::PreparedCase& prepared,
                                    const std::vector<ExonAlignment>& chain) {
  std::vector<std::uint32_t> words;
  for (auto part = chain.rbegin(); part != chain.rend(); ++part) {
    for (std::uint32_t r = 0; r < prepared.plan.readings.size(); ++r) {
      if (prepared.plan.readings[r].exon != part->exon) continue;
      words.push_back(cuda::word_exon << cuda::word_shift);
      words.push_back(r);
    }
    std::uint32_t pairs = 0;
    const auto flush = [&] {
      if (pairs > 0) words.push_back(cuda::word_pair << cuda::word_shift | pairs);
      pairs = 0;
    };
    for (auto run = part->runs.rbegin(); run != part->runs.rend(); ++run) {
      const auto length = static_cast<std::uint32_t>(run->length);
      if (run->operation == '=' || run->operation == 'X') {
        pairs += length;
        continue;
      }
      flush();
      const std::uint32_t kind = run->operation == 'D' ? cuda::word_bases : cuda::word_letters;
      words.push_back(kind << cuda::word_shift | length);
    }
    flush();
  }
  return words;
}

TEST(PackCuda, AnAlignmentIsReadBackFromItsWords) {
  Draw draw(71);
  Context context({.device = "cpu"});
  for (const std::string alphabet : {"ACGT", "AaCcGgTt", "ACGTN"}) {
    for (int round = 0; round < 40; ++round) {
      const OwnCase c = gene(draw, alphabet);
      const AlignParams params;
      const SplicedAlignment wanted = align(context, c.view(), params);
      const cuda::PreparedCase prepared = cuda::prepare(c.view(), params, {}, false);
      EXPECT_EQ(cuda::read_path(
                    c.view(), prepared, params.substitution, words_of(prepared, wanted.chain)),
                wanted.chain);
    }
  }
}

// Bases that are A, C, G and T take a way of their own into the program.
TEST(PackCuda, PlainBasesArePackedAsByTheTable) {
  Draw draw(72);
  Context context({.device = "cpu"});
  const AlignParams params;
  for (const std::string alphabet : {"ACGT", "AaCcGgTt", "A", "gT"}) {
    const OwnCase c = gene(draw, alphabet);
    const Case view = c.view();
    cuda::PreparedCase prepared = cuda::prepare(view, params, {}, false);
    cuda::choose_shapes(context, std::span(&prepared, 1), params, {}, 0, 528);
    const cuda::BatchCase batch[] = {{&view, &prepared}};
    ASSERT_TRUE(prepared.plain);
    std::vector<std::vector<std::uint8_t>> packed;
    for (const bool plain : {true, false}) {
      prepared.plain = plain;
      cuda::PackedBatch one(batch, params);
      packed.emplace_back(static_cast<std::size_t>(one.layout().bytes));
      one.fill(context, packed.back().data());
    }
    EXPECT_EQ(packed[0], packed[1]);
  }
  OwnCase mixed = gene(draw, "ACGT");
  mixed.bases[static_cast<std::size_t>(mixed.exons.front().first) - 1] = 'N';
  EXPECT_FALSE(cuda::prepare(mixed.view(), params, {}, false).plain);
}

TEST(PlacesCuda, ArraysShareAPieceWithoutTouching) {
  cuda::Places places;
  std::uint8_t* bytes = nullptr;
  double* numbers = nullptr;
  std::uint16_t* none = nullptr;
  places.add(bytes, 257);
  places.add(none, 0);
  places.add(numbers, 3);
  ASSERT_EQ(places.bytes(), 512 + 256);
  std::vector<double> piece(96);
  auto* const begin = reinterpret_cast<std::uint8_t*>(piece.data());
  places.put_into(begin);
  EXPECT_EQ(bytes, begin);
  EXPECT_EQ(reinterpret_cast<std::uint8_t*>(numbers), begin + 512);
}

TEST(PackCuda, CasesAreOrderedFromTheLongestOnToOneInFifty) {
  Draw draw(75);
  std::vector<double> work;
  for (int i = 0; i < 3000; ++i)
    work.push_back(std::exp(0.01 * static_cast<double>(draw.below(3000))));
  work.insert(work.end(), {0, 0.5, 1e18, 7, 7});
  const auto order = cuda::longest_first(work);
  std::vector<bool> seen(work.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_FALSE(seen[order[i]]);
    seen[order[i]] = true;
    const double before = work[order[i > 0 ? i - 1 : 0]];
    EXPECT_LE(work[order[i]], 1.02 * before + 0.02);
  }
  EXPECT_EQ(order.size(), work.size());
  EXPECT_EQ(work[order.front()], 1e18);
  EXPECT_TRUE(cuda::longest_first({}).empty());
}

// Contexts on one device at once take memory of their own, and shapes that want much shared memory
// run beside shapes that want little.
TEST(MemoryCuda, ContextsSideBySideOnOneDeviceHaveTheCpusAlignments) {
  YUPANA_NEEDS_GPU();
  Draw draw(73);
  std::vector<OwnCase> cases;
  for (int i = 0; i < 12; ++i) {
    cases.push_back(random_case(draw,
                                {.bases = 4000,
                                 .letters = i % 2 == 0 ? 40 : 700,
                                 .exons = i % 3 == 0 ? 150 : 10,
                                 .longest = 120}));
  }
  Context cpu({.device = "cpu"});
  std::vector<SplicedAlignment> wanted;
  for (const OwnCase& c : cases) wanted.push_back(align(cpu, c.view(), {}));
  std::vector<std::vector<SplicedAlignment>> got(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < got.size(); ++t) {
    threads.emplace_back([&, t] {
      Context context({.device = "cuda:0", .threads = 1});
      for (int round = 0; round < 5; ++round) {
        for (std::size_t i = 0; i < cases.size(); ++i) {
          const std::size_t c = (i + 3 * t) % cases.size();
          try {
            SplicedAlignment one = align(context, cases[c].view(), {});
            if (!(one.chain == wanted[c].chain)) got[t].push_back(std::move(one));
          } catch (const Error& error) {
            ADD_FAILURE() << error.what();
            return;
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& different : got) EXPECT_TRUE(different.empty());
}

// What calls keep for the next is a small part of the device, and is there for whoever wants it.
TEST(MemoryCuda, WhatIsKeptIsBoundedAndGoesWhereMemoryIsShort) {
  YUPANA_NEEDS_GPU();
  Context context({.device = "cuda:0"});
  const yupana::cuda::DeviceScope scope(0);
  Draw draw(74);
  std::vector<OwnCase> cases;
  for (int i = 0; i < 400; ++i) {
    cases.push_back(
        random_case(draw, {.bases = 30000, .letters = 900, .exons = 150, .longest = 300}));
  }
  const std::vector<Case> all = views(cases);
  const auto wanted = align(context, all);
  cuda::SpareMemory& spare = cuda::SpareMemory::instance();
  const std::uint64_t kept = spare.bytes(0);
  EXPECT_GT(kept, std::uint64_t{8} << 20);
  EXPECT_LE(kept, context.gpu_memory() / 20);
  const std::uint64_t more_than_free = yupana::cuda::free_device_memory() + kept / 2;
  {
    const yupana::cuda::DeviceArray<std::uint8_t> everything(
        static_cast<std::int64_t>(more_than_free));
    EXPECT_EQ(spare.bytes(0), 0u);
  }
  const auto again = align(context, all);
  for (std::size_t i = 0; i < all.size(); ++i) expect_equal(again[i], wanted[i]);
  spare.release();
  Context modest({.device = "cuda:0", .gpu_memory = std::uint64_t{1} << 30});
  align(modest, all);
  EXPECT_LE(spare.bytes(0), modest.gpu_memory() / 20);
}

}  // namespace
}  // namespace yupana::splice
#else

TEST(PackCuda, NeedsTheCudaBuild) { YUPANA_NEEDS_GPU(); }
#endif
