#include <gtest/gtest.h>

#include <vector>

#include "yupana/cluster/mpi.hpp"

namespace yupana::cluster {
namespace {

Cores on(std::uint64_t machine, int first, int last) {
  Cores cores;
  cores.machine = machine;
  for (int core = first; core < last; ++core) cores.allowed[static_cast<std::size_t>(core)] = true;
  return cores;
}

TEST(Cores, AProcessAloneHasAllThatItMayUse) {
  EXPECT_EQ(threads_of(std::vector{on(1, 0, 96)}, 0), 96);
  EXPECT_EQ(threads_of(std::vector{on(1, 4, 7)}, 0), 3);
}

TEST(Cores, UnboundProcessesDivideTheMachine) {
  const std::vector<Cores> all(3, on(1, 0, 96));
  EXPECT_EQ(threads_of(all, 0), 32);
  EXPECT_EQ(threads_of(all, 2), 32);
}

TEST(Cores, ProcessesBoundToACoreKeepIt) {
  EXPECT_EQ(threads_of(std::vector{on(1, 0, 1), on(1, 1, 2)}, 1), 1);
}

TEST(Cores, ProcessesBoundToASocketTogetherDivideIt) {
  const std::vector<Cores> all = {on(1, 0, 48), on(1, 48, 96), on(1, 0, 48), on(1, 48, 96)};
  for (std::size_t self = 0; self < all.size(); ++self) EXPECT_EQ(threads_of(all, self), 24);
}

TEST(Cores, OtherMachinesTakeNothing) {
  const std::vector<Cores> all = {on(1, 0, 8), on(2, 0, 8), on(2, 0, 8)};
  EXPECT_EQ(threads_of(all, 0), 8);
  EXPECT_EQ(threads_of(all, 1), 4);
}

TEST(Cores, MoreProcessesThanCoresHaveAThreadEach) {
  EXPECT_EQ(threads_of(std::vector<Cores>(7, on(1, 0, 2)), 3), 1);
}

TEST(Cores, ThisProcessRunsOnAMachineWithCores) {
  EXPECT_GE(own_cores().allowed.count(), 1u);
  EXPECT_NE(own_cores().machine, 0u);
  EXPECT_EQ(own_cores().machine, own_cores().machine);
}

}  // namespace
}  // namespace yupana::cluster
