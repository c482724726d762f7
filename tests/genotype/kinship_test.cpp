// What a pair is to each other, from its counts.
#include "yupana/genotype/kinship.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/pack_planes.hpp"

namespace yupana::genotype {
namespace {

Relationship of(double kinship, std::uint64_t ibs0 = 20) {
  return relationship_of({.sites = 1000, .hethet = 100, .ibs0 = ibs0, .kinship = kinship});
}

TEST(Kinship, ADegreeEndsAtItsBound) {
  EXPECT_EQ(of(0.5), Relationship::duplicate);
  EXPECT_EQ(of(0.354), Relationship::duplicate);
  EXPECT_EQ(of(0.353), Relationship::siblings);
  EXPECT_EQ(of(std::pow(2, -2.5)), Relationship::second);
  EXPECT_EQ(of(std::nextafter(std::pow(2, -2.5), 1)), Relationship::siblings);
  EXPECT_EQ(of(0.0885), Relationship::second);
  EXPECT_EQ(of(0.0883), Relationship::third);
  EXPECT_EQ(of(0.0441), Relationship::unrelated);
  EXPECT_EQ(of(-3), Relationship::unrelated);
  EXPECT_EQ(of(std::numeric_limits<double>::quiet_NaN()), Relationship::unknown);
}

TEST(Kinship, FirstDegreeWithoutOppositeHomozygotesIsParentAndChild) {
  EXPECT_EQ(of(0.25, 0), Relationship::parent_child);
  EXPECT_EQ(of(0.25, 4), Relationship::parent_child);
  EXPECT_EQ(of(0.25, 5), Relationship::siblings);
  EXPECT_EQ(of(0.125, 0), Relationship::second);
}

TEST(Kinship, CountsAreThoseOfThePair) {
  Context context({.device = "reference"});
  PairCounter counter(context, 2, {.hethet = true, .rows = {}});
  testing::Genotypes calls(2, 5);
  calls.values = {1, 1, 0, 2, -1, 1, 1, 2, 2, 1};
  counter.add(testing::pack_planes(calls, 0, 5));
  const Kinship pair = kinship_of(counter.counts(), 1, 0, 0.125);
  EXPECT_EQ(pair.sites, 4);
  EXPECT_EQ(pair.hethet, 2);
  EXPECT_EQ(pair.ibs0, 1);
  EXPECT_EQ(pair.share(pair.ibs0), 0.25);
  EXPECT_EQ(pair.kinship, 0.125);
}

}  // namespace
}  // namespace yupana::genotype
