// From the rows of a .bed file to bit planes: the transposition alone, the whole input side (file
// in the page cache, counting, transposition), and the simulation, beside a copy of the codes.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/support/bench.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/simulate.hpp"
#include "yupana/genotype/transpose.hpp"
#include "yupana/io/genotype_sources.hpp"
#include "yupana/io/genotype_writer.hpp"

namespace yupana::bench {
namespace {

using genotype::PlaneBlock;
using genotype::SimulatedSource;
using genotype::SiteBlock;

/// One block of simulated sites and what is timed on it.
class Case {
 public:
  Case(Context& context, const BenchParams& params, std::int64_t samples, double missing)
      : context_(context),
        params_(params),
        missing_(missing),
        // 50 MB of codes: past the caches, as a streamed block is.
        sites_((params.quick ? 4'000'000 : 200'000'000) / samples),
        source_({.samples = samples, .sites = sites_, .missing = missing}),
        block_(samples, sites_),
        samples_list_(static_cast<std::size_t>(samples)),
        sites_list_(static_cast<std::size_t>(sites_)) {
    std::iota(samples_list_.begin(), samples_list_.end(), 0);
    std::iota(sites_list_.begin(), sites_list_.end(), 0);
    gigabytes_ = static_cast<double>(sites_ * divide_up(samples, 4)) * 1e-9;
  }

  void run() {
    const int repeats = params_.quick ? 1 : 5;
    const Timing simulated = time_runs(repeats, [&] {
      source_.rewind();
      source_.read(block_);
    });
    const double limit = report_copy(repeats);
    const int planes = missing_ > 0 ? 3 : 2;
    PlaneBlock result;
    const Timing transposed = time_runs(repeats, [&] { transpose(planes, result); });
    report(impl("transpose"), transposed, limit, equals_reference(planes, result));
    report(impl("simulate, 1 thread"), simulated, {}, false, "nothing to compare with");
    time_file(limit);
  }

 private:
  std::string impl(const char* what) const {
    const bool simd = context_.backend() != Backend::reference;
    return fmt::format(
        "yupana {}{}{}", simd ? "" : "reference ", what, simd ? " " + simd_target() : "");
  }

  /// The limit of what reads the codes and writes as much, on as many threads; in GB/s.
  double report_copy(int repeats) {
    const auto& codes = block_.codes;
    Array<std::uint8_t> copy(codes.size());
    const std::int64_t piece = divide_up(codes.size(), context_.threads());
    const Timing timing = time_runs(repeats, [&] {
      context_.parallel_for(codes.size(), piece, [&](std::int64_t begin, std::int64_t end) {
        std::memcpy(
            copy.data() + begin, codes.data() + begin, static_cast<std::size_t>(end - begin));
      });
    });
    const bool same = std::equal(copy.begin(), copy.end(), codes.begin());
    report("copy of the codes (memcpy)", timing, {}, same);
    return gigabytes_ / timing.median;
  }

  void transpose(int planes, PlaneBlock& result) {
    genotype::transpose(context_, block_, samples_list_, sites_list_, planes, result);
  }

  /// Compares the planes of some sites with the reference's.
  bool equals_reference(int planes, const PlaneBlock& result) {
    if (context_.backend() == Backend::reference) return false;
    Context reference({.device = "reference"});
    return first_sites_equal(reference, std::min(sites_, genotype::chunk_sites), planes, result);
  }
  /// Whether the file's first block is what the codes in memory transpose to.
  bool reads_alike(genotype::Cohort& cohort) {
    PlaneBlock got;
    cohort.rewind();
    cohort.read(got, 16384);
    return first_sites_equal(context_, got.sites, got.planes, got);
  }
  bool first_sites_equal(Context& by, std::int64_t some, int planes, const PlaneBlock& result) {
    PlaneBlock wanted;
    genotype::transpose(by,
                        block_,
                        samples_list_,
                        std::span(sites_list_).first(static_cast<std::size_t>(some)),
                        planes,
                        wanted);
    for (std::int64_t i = 0; i < wanted.samples; ++i) {
      if (std::memcmp(wanted.row(i), result.row(i), static_cast<std::size_t>(wanted.stride)) != 0) {
        return false;
      }
    }
    return wanted.samples == result.samples && wanted.samples > 0;
  }

  /// The file, in the page cache after its writing, through Cohort into planes.
  void time_file(double limit) {
    const TemporaryFolder folder("bench");
    const std::string prefix = folder / "x";
    OutputFiles files;
    source_.rewind();
    io::write_bed(context_, source_, prefix, io::SampleTable::of_ids(source_.samples()), files);
    files.commit();
    genotype::Cohort cohort(context_, io::open_bed(io::bed_files(prefix)));
    PlaneBlock planes;
    std::int64_t sites = 0;
    const Timing timing = time_runs(params_.quick ? 1 : 5, [&] {
      sites = 0;
      cohort.rewind();
      while (cohort.read(planes, 16384)) sites += planes.sites;
    });
    report(impl("file to planes"), timing, limit, sites == sites_ && reads_alike(cohort));
  }

  void report(const std::string& impl,
              const Timing& timing,
              std::optional<double> limit,
              bool verified,
              const char* note = "") {
    const double value = gigabytes_ / timing.median;
    const bool above = limit && value > *limit;
    params_.emit(
        {.bench = "packing",
         .what = fmt::format("n={} m={}, {}, {}",
                             block_.samples,
                             sites_,
                             missing_ > 0 ? "3 planes" : "2 planes",
                             threads_text(context_.threads())),
         .impl = impl,
         .value = value,
         .unit = "GB/s of .bed",
         .share_of_limit = limit ? std::optional(value / *limit) : std::nullopt,
         .verified = verified,
         .timing = timing,
         .note = above ? "above the copy: the codes are read once, from the cache" : note});
  }

  Context& context_;
  const BenchParams& params_;
  double missing_;
  std::int64_t sites_;
  SimulatedSource source_;
  SiteBlock block_;
  std::vector<std::int64_t> samples_list_;
  std::vector<std::int64_t> sites_list_;
  double gigabytes_ = 0;
};

}  // namespace

void packing(Context& context, const BenchParams& params) {
  for (const std::int64_t samples : {100, 2000, 20000}) {
    for (const double missing : {0.0, 0.01}) Case(context, params, samples, missing).run();
  }
}

}  // namespace yupana::bench
