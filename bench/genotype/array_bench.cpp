// Genotypes of an array in memory to distances: what python/bench/overhead.py compares with.
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "bench/support/bench.hpp"
#include "yupana/core/random.hpp"
#include "yupana/genotype/dosages.hpp"
#include "yupana/genotype/metric.hpp"

namespace yupana::bench {
namespace {

bool same(const SquareMatrix<double>& a, const SquareMatrix<double>& b) {
  return std::equal(a.data(), a.data() + a.size() * a.size(), b.data());
}

}  // namespace

void array(Context& context, const BenchParams& params) {
  const std::int64_t samples = params.quick ? 50 : 2000, sites = params.quick ? 1000 : 100'000;
  std::vector<std::int8_t> values(static_cast<std::size_t>(samples * sites));
  const Random random(1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::int8_t>(random.word(i) % 3);
  }
  const genotype::Dosages dosages{values.data(), samples, sites, sites, 1};
  SquareMatrix<double> result;
  const Timing timing = time_runs(params.quick ? 1 : 5, [&] {
    result = genotype::distances(context, genotype::pair_counts(context, dosages));
  });
  // Two hundred sites by the reference: all of them would take minutes.
  Context reference({.device = "reference"});
  genotype::Dosages some = dosages;
  some.sites = std::min<std::int64_t>(sites, 200);
  const bool verified =
      context.backend() != Backend::reference &&
      same(genotype::distances(context, genotype::pair_counts(context, some)),
           genotype::distances(reference, genotype::pair_counts(reference, some)));
  const double pairs = static_cast<double>(samples * (samples - 1) / 2);
  const std::string what =
      fmt::format("int8 array, n={} m={}, {}", samples, sites, threads_text(context.threads()));
  const std::string impl = context.backend() == Backend::cuda ? "yupana cuda" : impl_name(context);
  const double seconds = timing.median;
  for (const auto& [value, unit] :
       {std::pair{pairs * static_cast<double>(sites) * 1e-9 / seconds, "G pair-SNP/s"},
        {seconds, "s"}}) {
    params.emit(timed_line("array", what, impl, value, unit, verified, timing));
  }
}

}  // namespace yupana::bench
