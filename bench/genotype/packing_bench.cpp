// From the rows of a .bed file to bit planes: the transposition alone, the whole input side (file
// in the page cache, counting, transposition), and the simulation, beside a copy of the codes.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/support/bench.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/simulate.hpp"
#include "yupana/genotype/transpose.hpp"
#include "yupana/io/bed.hpp"
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
    const double simulate = median_seconds(repeats, [&] {
      source_.rewind();
      source_.read(block_);
    });
    Array<std::uint8_t> copy(block_.codes.size());
    const double copied = median_seconds(
        repeats, [&] { std::memcpy(copy.data(), block_.codes.data(), block_.codes.bytes()); });
    limit_ = static_cast<double>(block_.codes.bytes()) * 1e-9 / copied;
    report("copy of the codes (memcpy, 1 thread)", limit_, {}, true);

    const int planes = missing_ > 0 ? 3 : 2;
    PlaneBlock result;
    const double transposed = median_seconds(repeats, [&] { transpose(planes, result); });
    const double rate = gigabytes_ / transposed;
    report("transpose " + simd_target(), rate, rate / limit_, equals_reference(planes, result));
    report("simulate, 1 thread " + simd_target(), gigabytes_ / simulate, {}, true);
    time_file();
  }

 private:
  void transpose(int planes, PlaneBlock& result) {
    genotype::transpose(context_, block_, samples_list_, sites_list_, planes, result);
  }

  /// Compares the planes of some sites with the reference's.
  bool equals_reference(int planes, const PlaneBlock& result) {
    Context reference({.device = "reference"});
    const std::int64_t some = std::min<std::int64_t>(sites_, genotype::chunk_sites);
    PlaneBlock wanted;
    genotype::transpose(reference,
                        block_,
                        samples_list_,
                        std::span(sites_list_).first(static_cast<std::size_t>(some)),
                        planes,
                        wanted);
    for (std::int64_t i = 0; i < wanted.samples; ++i) {
      if (std::memcmp(wanted.row(i), result.row(i), wanted.stride) != 0) return false;
    }
    return true;
  }

  /// The file, in the page cache after its writing, through Cohort into planes.
  void time_file() {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / fmt::format("yupana_packing.{}", getpid());
    std::filesystem::create_directories(folder);
    const std::string prefix = (folder / "x").string();
    OutputFiles files;
    source_.rewind();
    io::write_bed(context_, source_, prefix, {}, files);
    files.commit();
    genotype::Cohort cohort(context_, io::open_bed(io::bed_files(prefix)));
    PlaneBlock planes;
    std::int64_t sites = 0;
    const double seconds = median_seconds(params_.quick ? 1 : 5, [&] {
      sites = 0;
      cohort.rewind();
      while (cohort.read(planes, 16384)) sites += planes.sites;
    });
    report("file to planes " + simd_target(),
           gigabytes_ / seconds,
           gigabytes_ / seconds / limit_,
           sites == sites_);
    std::filesystem::remove_all(folder);
  }

  void report(const std::string& impl, double value, std::optional<double> share, bool verified) {
    params_.emit({.bench = "packing",
                  .what = fmt::format("n={} m={}, {}, {} threads",
                                      block_.samples,
                                      sites_,
                                      missing_ > 0 ? "3 planes" : "2 planes",
                                      context_.threads()),
                  .impl = impl,
                  .value = value,
                  .unit = "GB/s of .bed",
                  .share_of_limit = share,
                  .verified = verified});
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
  double limit_ = 0;
};

}  // namespace

void packing(Context& context, const BenchParams& params) {
  for (const std::int64_t samples : {100, 2000, 20000}) {
    for (const double missing : {0.0, 0.01}) Case(context, params, samples, missing).run();
  }
}

}  // namespace yupana::bench
