#include "yupana/splice/estimate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "yupana/splice/align.hpp"
#include "yupana/splice/protein.hpp"

namespace yupana::splice {
namespace {

using Counts = std::vector<std::int64_t>;

std::vector<Exon> exons_at(const std::vector<std::pair<int, int>>& places) {
  std::vector<Exon> exons;
  for (const auto& [first, last] : places) {
    exons.push_back({});
    exons.back().first = first;
    exons.back().last = last;
  }
  return exons;
}

// Lengths 2, 2, 2, 3, 2; groups 1-2 | 3-4 4-5 | 6-8 8-9; the longest chain 1-2 3-4 6-8 or with 8-9.
TEST(Estimate, CountsTheWorkedExampleByHand) {
  const std::vector<Exon> exons = exons_at({{1, 2}, {3, 4}, {4, 5}, {6, 8}, {8, 9}});
  const Estimate e = estimate({"ACCGTATGT", exons, "CCGGT"});
  EXPECT_EQ(e.letters, 5);
  EXPECT_EQ(e.exons, 5);
  EXPECT_EQ(e.cells, 5 * 11);
  EXPECT_EQ(e.executed_cells, 5 * 11);
  EXPECT_EQ(e.dense_cells, 5 * 9);
  EXPECT_EQ(e.sequential_steps, 5 * 11);
  EXPECT_EQ(e.exon_steps, 11 + 5 * (5 - 1));
  EXPECT_EQ(e.group_steps, (2 + 2 + 3) + 3 * (5 - 1));
  EXPECT_EQ(e.skewed_steps, 5 - 1 + (2 + 2 + 3));
  EXPECT_EQ(e.length_histogram, (Counts{0, 5}));
  EXPECT_EQ(e.group_histogram, (Counts{1, 2}));
}

TEST(Estimate, RowsOfExonsThatBeginTogetherAreExecutedOnce) {
  // 4-6 twice: a copy. 4-20 has the rows of 4-6; lengths 3, 17, 1.
  const std::vector<Exon> exons = exons_at({{4, 6}, {4, 20}, {4, 6}, {30, 30}});
  const std::string bases(40, 'A');
  const Estimate e = estimate({bases, exons, "ACG"});
  EXPECT_EQ(e.exons, 3);
  EXPECT_EQ(e.cells, 3 * (3 + 17 + 1));
  EXPECT_EQ(e.executed_cells, 3 * (17 + 1));
  EXPECT_EQ(e.skewed_steps, 3 - 1 + 17 + 1);
  EXPECT_EQ(e.length_histogram, (Counts{1, 1, 0, 0, 1}));
}

TEST(Estimate, MinIntronBreaksTheLongestChain) {
  const std::vector<Exon> exons = exons_at({{1, 10}, {15, 20}});
  const std::string bases(20, 'A');
  AlignParams params;
  EXPECT_EQ(estimate({bases, exons, "AC"}, params).skewed_steps, 1 + 16);
  params.min_intron = 4;
  EXPECT_EQ(estimate({bases, exons, "AC"}, params).skewed_steps, 1 + 16);
  params.min_intron = 5;
  EXPECT_EQ(estimate({bases, exons, "AC"}, params).skewed_steps, 1 + 10);
}

TEST(Estimate, NothingCostsNothing) {
  const std::vector<Exon> exons = exons_at({{1, 3}});
  const Estimate none = estimate({"ACG", {}, "AC"});
  EXPECT_EQ(none.cells + none.executed_cells + none.skewed_steps + none.group_steps, 0);
  EXPECT_EQ(none.dense_cells, 6);
  EXPECT_EQ(estimate({"ACG", exons, ""}).cells, 0);
}

TEST(Estimate, ExecutedCellsAreThoseThatTheCpuCounts) {
  Context context({.device = "cpu", .threads = 1});
  const std::vector<Exon> exons = exons_at({{1, 9}, {1, 30}, {5, 40}, {35, 60}, {50, 80}});
  std::string bases;
  for (int i = 0; i < 90; ++i) bases += "ACGT"[i * i % 7 % 4];
  const Case problem{bases, exons, "ACGTTGCAACGT"};
  EXPECT_EQ(estimate(problem).executed_cells, align(context, problem).executed_cells);
}

// The few exons of which a rate is measured are traced nearly all, those of the problem hardly any.
TEST(Estimate, TheTracebackOfAPartWasTakenForThatOfAll) {
  Context context({.device = "cpu", .threads = 1});
  std::string bases, target;
  for (std::uint32_t i = 0, x = 1; i < 60'000; ++i)
    bases += "ACGT"[(x = x * 1664525 + 12345) >> 30];
  std::vector<std::pair<int, int>> places;
  for (int i = 0; i < 200; ++i) places.emplace_back(300 * i + 1, 300 * i + 150);
  for (int i = 0; i < 200; i += 16) target += bases.substr(300 * static_cast<std::size_t>(i), 150);
  const std::vector<Exon> exons = exons_at(places);
  const Case problem{bases, exons, target};
  const auto planned = static_cast<double>(estimate(problem).traced_cells);
  const SplicedAlignment found = align(context, problem);
  EXPECT_GT(planned, 0.5 * static_cast<double>(found.traced_cells));
  EXPECT_LT(planned, 2 * static_cast<double>(found.traced_cells));
  EXPECT_GT(measured_rate(context, {}, problem).traced, 0);
}

TEST(Estimate, ProteinsAddTheRowsOfCarriesBehindTheFirstExons) {
  // Of three starts the last alone has exons before it.
  const std::vector<Exon> exons = exons_at({{1, 30}, {4, 33}, {40, 69}});
  const std::string bases(80, 'A');
  const Case problem{bases, exons, "MKV"};
  EXPECT_EQ(estimate(problem).executed_cells, 3 * 90);
  EXPECT_EQ(estimate_protein(problem, {}).executed_cells, 3 * 90 + 18 * 3);
}

TEST(Rate, SecondsAreTheCallAndTheLongerOfWorkAndWay) {
  const Rate cpu{.cells = 1e9};
  EXPECT_DOUBLE_EQ(cpu.seconds(4e9, 1e9, 2), 2);
  const Rate gpu{.cells = 1e12, .bases = 1e6, .call = 0.001};
  EXPECT_DOUBLE_EQ(gpu.seconds(5e12, 1e6, 1), 0.001 + 5);
  EXPECT_DOUBLE_EQ(gpu.seconds(5e12, 2e7, 2), 0.001 + 20);
}

// How near a prediction comes is a matter for `yupana bench splice`, as clocks decide it.
TEST(Rate, OfTheCpuIsOfCellsAlone) {
  Context context({.device = "cpu", .threads = 1});
  for (const Rate& rate : {measured_rate(context, {}), measured_protein_rate(context, {})}) {
    EXPECT_GT(rate.cells, 0);
    EXPECT_EQ(rate.bases, 0);
    EXPECT_EQ(rate.call, 0);
  }
}

}  // namespace
}  // namespace yupana::splice
