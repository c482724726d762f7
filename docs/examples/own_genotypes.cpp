// Pair counts of genotypes in memory, and shortest paths through them.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "yupana/genotype/dosages.hpp"
#include "yupana/genotype/metric.hpp"
#include "yupana/graph/shortest_paths.hpp"

int main() {
  using namespace yupana;
  Context context;
  const std::int64_t samples = 3, sites = 5;
  const std::vector<std::int8_t> alleles = {0,
                                            1,
                                            2,
                                            0,
                                            1,  // of sample 0; -1: a missing call
                                            0,
                                            1,
                                            2,
                                            2,
                                            1,  //
                                            2,
                                            1,
                                            0,
                                            -1,
                                            1};  //
  const genotype::Dosages dosages{alleles.data(), samples, sites, sites, 1};
  const auto counts = genotype::pair_counts(context, dosages);
  std::printf("samples 0 and 1 differ by 2 alleles at %llu of %llu sites\n",
              static_cast<unsigned long long>(counts.ibs0.at(1, 0)),
              static_cast<unsigned long long>(counts.shared_at(1, 0)));
  auto lengths = genotype::distances(context, counts, {.metric = genotype::Metric::manhattan});
  graph::shortest_paths(context, lengths.view());
  std::printf("from sample 0 to 2: %g\n", lengths(0, 2));
}
