#include "yupana/cluster/mpi.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"

namespace yupana::cluster {
namespace {

class StartedBy : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void set(const char* name, const char* value) { setenv(name, value, 1); }

 private:
  static void clear() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE",
                             "OMPI_COMM_WORLD_RANK",
                             "PMI_SIZE",
                             "PMI_RANK",
                             "SLURM_NTASKS",
                             "SLURM_STEP_NUM_TASKS",
                             "SLURM_PROCID"}) {
      unsetenv(name);
    }
  }
};

TEST_F(StartedBy, NobodyIsOneProcess) {
  EXPECT_FALSE(under_mpi());
  EXPECT_EQ(size_by_environment(), 1);
  EXPECT_EQ(rank_by_environment(), 0);
}

TEST_F(StartedBy, OpenMpiTellsSizeAndRank) {
  set("OMPI_COMM_WORLD_SIZE", "4");
  set("OMPI_COMM_WORLD_RANK", "3");
  EXPECT_TRUE(under_mpi());
  EXPECT_EQ(size_by_environment(), 4);
  EXPECT_EQ(rank_by_environment(), 3);
}

TEST_F(StartedBy, MpichTellsSizeAndRank) {
  set("PMI_SIZE", "2");
  set("PMI_RANK", "1");
  EXPECT_TRUE(under_mpi());
  EXPECT_EQ(rank_by_environment(), 1);
}

TEST_F(StartedBy, SrunTellsTheTasksOfItsStep) {
  set("SLURM_NTASKS", "64");
  set("SLURM_STEP_NUM_TASKS", "8");
  set("SLURM_PROCID", "5");
  EXPECT_EQ(size_by_environment(), 8);
  EXPECT_EQ(rank_by_environment(), 5);
}

TEST_F(StartedBy, AProgramOfABatchScriptIsOneProcess) {
  set("SLURM_NTASKS", "64");
  set("SLURM_PROCID", "0");
  EXPECT_FALSE(under_mpi());
}

TEST_F(StartedBy, ARunOfOneRankNeedsNoMpi) {
  set("OMPI_COMM_WORLD_SIZE", "1");
  EXPECT_FALSE(under_mpi());
}

TEST_F(StartedBy, NamesTheLibraryThatIsMissing) {
  // It stands beside the program, not beside this test.
  test::expect_refusal([&] { join_mpi(); }, "libyupana_mpi.so", ErrorCode::usage);
}

}  // namespace
}  // namespace yupana::cluster
