// Fermat distances of a cohort: .bed, .vcf.gz, .bcf, .npy or simulate:SAMPLESxSITES.
#include <cstdio>
#include <utility>

#include "yupana/genotype/metric.hpp"
#include "yupana/graph/fermat.hpp"
#include "yupana/job/input.hpp"

int main(int argc, char** argv) {
  using namespace yupana;
  try {
    Context context;  // the best device here, all cores
    auto input = job::open_input(context, {.path = argc > 1 ? argv[1] : "simulate:200x5000"});
    const auto counts = genotype::pair_counts(context, input.cohort);  // exact integers
    auto squared = genotype::distances(context, counts);
    const auto fermat = graph::fermat(context, std::move(squared), Entries::squares, {.alpha = 2});
    std::printf("%zu samples, %lld sites; %.2f %% of the edges are shortest paths\n",
                input.cohort.samples().size(),
                static_cast<long long>(counts.sites),
                100 * fermat.kept_edges);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.code());
  }
}
