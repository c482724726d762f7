// --indep-pairwise from a .bed file whose neighboring sites are alike, beside PLINK in the same
// run.
#include <fmt/core.h>

#include <fstream>
#include <iterator>
#include <string>

#include "bench/support/bench.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/genotype/simulate.hpp"
#include "yupana/io/genotype_writer.hpp"
#include "yupana/job/input.hpp"

namespace yupana::bench {
namespace {

constexpr const char* unit = "k sites/s";

/// Simulated sites of which four in five are the one before with about a tenth of the calls other.
class LinkedSource : public genotype::SimulatedSource {
 public:
  explicit LinkedSource(const genotype::SimulateParams& params)
      : SimulatedSource(params), row_(static_cast<std::size_t>(params.samples)) {}

  bool read(genotype::SiteBlock& block) override {
    if (!SimulatedSource::read(block)) return false;
    const Random random(7);
    for (std::int64_t k = 0; k < block.sites; ++k, ++next_) {
      const std::int64_t bytes = block.stride;
      const bool is_linked = next_ > 0 && random.word(next_ << 32) % 5 != 0;
      for (std::int64_t i = 0; is_linked && i < bytes; ++i) {
        if (random.word((next_ << 32) + i + 1) % 10 != 0) block.row(k)[i] = row_[i];
      }
      row_.assign(block.row(k), block.row(k) + bytes);
    }
    return true;
  }

 private:
  std::vector<std::uint8_t> row_;  ///< of the last site
  std::int64_t next_ = 0;
};

struct Shape {
  std::int64_t samples, sites;
  double missing;
  std::string window;  ///< in sites
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void measure(Context& context, const BenchParams& params, const Shape& shape) {
  const TemporaryFolder folder("bench");
  const std::string prefix = folder / "cohort";
  LinkedSource source({.samples = shape.samples, .sites = shape.sites, .missing = shape.missing});
  OutputFiles files;
  io::write_bed(context, source, prefix, io::SampleTable::of_ids(source.samples()), files);
  files.commit();
  const std::string words = shape.window + " 5 0.2";
  const std::string what = fmt::format("n={} m={}, {}, {}, {}",
                                       shape.samples,
                                       shape.sites,
                                       shape.missing > 0 ? "missing" : "no missing",
                                       words,
                                       threads_text(context.threads()));
  const auto report = [&](const std::string& impl,
                          const Timing& timing,
                          bool verified,
                          const std::string& version) {
    const double rate = static_cast<double>(shape.sites) / timing.median * 1e-3;
    params.emit(timed_line("pruning", what, impl, rate, unit, verified, timing, version));
  };
  job::InputParams input;
  input.path = prefix + ".bed";
  input.indep_pairwise = genotype::ld_prune_params({shape.window, "5", "0.2"});
  std::string kept;
  const int repeats = params.quick ? 1 : 3;
  const Timing ours = time_runs(repeats, [&] { kept = job::open_input(context, input).pruned_in; });
  bool agree = false;
  for (const std::string program : {"plink2", "plink1.9"}) {
    const std::string impl = program + " --indep-pairwise, whole process";
    if (!params.peers) continue;
    if (!installed(program)) {
      params.emit(left_out("pruning", what, impl, unit, "not installed (Debian: " + program + ")"));
      continue;
    }
    const std::string command =
        fmt::format("{} --bfile {} --indep-pairwise {} {} --threads {} --out {}",
                    program,
                    prefix,
                    words,
                    program == "plink2" ? "--bad-ld" : "",
                    context.threads(),
                    folder / "out");
    const Timing theirs = time_runs(repeats, [&] { output_of(command); });
    const bool same = text_of(folder / "out.prune.in") == kept;
    agree = agree || same;
    report(impl, theirs, same, first_line_of(program + " --version"));
  }
  report(impl_name(context) + ", from .bed", ours, agree, {});
}

}  // namespace

void pruning(Context& context, const BenchParams& params) {
  for (const double missing : {0.0, 0.01}) {
    const std::int64_t scale = params.quick ? 100 : 1;
    measure(context, params, {2500, 200'000 / scale, missing, "50"});
    measure(context, params, {20'000, 50'000 / scale, missing, "200"});
  }
}

}  // namespace yupana::bench
