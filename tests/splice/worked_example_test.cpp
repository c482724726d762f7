#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/splice/cases.hpp"
#include "yupana/splice/align.hpp"

namespace yupana::splice {
namespace {

const std::string bases = "ACCGTATGT", target = "CCGGT";
const std::vector<Exon> exons = {exon(1, 2), exon(3, 4), exon(4, 5), exon(6, 8), exon(8, 9)};

class WorkedExample : public testing::TestWithParam<const char*> {
 protected:
  Context context_{ContextParams{.device = GetParam(), .threads = 1}};
};

TEST_P(WorkedExample, ScoresThreeWithTheChainOfThreeExons) {
  const SplicedAlignment found = align(context_, {bases, exons, target});
  EXPECT_EQ(found.score, 3);
  std::vector<std::int64_t> chain;
  for (const ExonAlignment& part : found.chain) chain.push_back(part.exon);
  EXPECT_EQ(chain, (std::vector<std::int64_t>{0, 1, 4})) << "1-2, 3-4, 8-9";
  const std::vector<Exon> two = {exon(3, 4), exon(8, 9)};
  EXPECT_EQ(align(context_, {bases, two, target}).score, 2) << "3-4, 8-9 alone";
}

// With the other exons forbidden as the last, a prefix of the target scores a cell of the last row.
TEST_P(WorkedExample, LastRowsAreThoseOfTheRecurrence) {
  const std::int64_t rows[5][6] = {{-4, -1, 0, -2, -4, -6},
                                   {-4, -1, 0, 1, 0, -2},
                                   {-4, -3, -2, -1, 0, 0},
                                   {-6, -5, -4, -1, -2, -1},
                                   {-4, -3, -2, -1, 0, 3}};
  for (std::size_t k = 0; k < exons.size(); ++k) {
    std::vector<Exon> ending_in_k = exons;
    for (std::size_t other = 0; other < exons.size(); ++other) {
      if (other != k) ending_in_k[other].end = -1000;
    }
    for (std::size_t j = 0; j <= target.size(); ++j) {
      const std::string_view prefix = std::string_view(target).substr(0, j);
      EXPECT_EQ(align(context_, {bases, ending_in_k, prefix}).score, rows[k][j])
          << "exon " << k + 1 << ", letter " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, WorkedExample, testing::Values("cpu", "reference"));

}  // namespace
}  // namespace yupana::splice
