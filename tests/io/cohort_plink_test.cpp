#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/site_blocks.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/io/genotype_sources.hpp"

namespace yupana::io {
namespace {

/// Genotypes of a data set, [site][sample].
std::vector<std::vector<int>> genotypes(Context& context,
                                        const std::string& prefix,
                                        const genotype::CohortParams& params,
                                        std::vector<std::string>& samples) {
  genotype::Cohort cohort(context, open_bed(bed_files(prefix)), params);
  samples = cohort.samples();
  std::vector<std::vector<int>> result;
  genotype::PlaneBlock block;
  while (cohort.read(block, 2000)) {
    for (std::int64_t site = 0; site < block.sites; ++site) {
      std::vector<int> row;
      for (std::int64_t i = 0; i < block.samples; ++i) {
        row.push_back(genotype::genotype_at(block, i, site));
      }
      result.push_back(std::move(row));
    }
  }
  return result;
}

TEST(CohortAgainstPlink, FiltersKeepTheSamplesAndSitesPlinkKeeps) {
  const std::string data = YUPANA_SHARED_DATA "/genotypes/hapmap279/hapmap279";
  if (!std::filesystem::exists(data + ".bed")) GTEST_SKIP() << "no " << data;
  if (std::system("command -v plink1.9 >/dev/null") != 0) GTEST_SKIP() << "plink1.9 not installed";
  test::Folder folder;
  Context context;
  struct Case {
    double mind, geno, maf;
    bool nonfounders;
  };
  for (const Case& c : {Case{1, 1, 0.05, false},
                        {1, 0.01, 1e-9, false},
                        {0.004, 1, 1e-9, true},
                        {0.005, 0.0036, 0.25, false},
                        {0.005, 0.0036, 0.25, true}}) {
    const std::string command = fmt::format(
        "cd {} && plink1.9 --bfile {} --autosome {} --keep-allele-order --mind {} "
        "--geno {} --maf {} --make-bed --out p >log 2>&1",
        folder / "",
        data,
        c.nonfounders ? "--nonfounders" : "",
        c.mind,
        c.geno,
        c.maf);
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    genotype::CohortParams params;
    params.max_sample_missing = c.mind;
    params.max_site_missing = c.geno;
    params.min_maf = c.maf;
    params.nonfounders = c.nonfounders;
    std::vector<std::string> samples;
    std::vector<std::string> plink_samples;
    const auto got = genotypes(context, data, params, samples);
    const auto wanted = genotypes(context, folder / "p", {}, plink_samples);
    EXPECT_EQ(samples, plink_samples);
    EXPECT_TRUE(got == wanted) << got.size() << " sites, PLINK keeps " << wanted.size();
  }
}

}  // namespace
}  // namespace yupana::io
