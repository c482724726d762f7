// Reading a simulated cohort from text, bgzipped text and BCF, beside bcftools reading the same
// files with the same number of threads.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "bench/support/bench.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/io/vcf.hpp"

namespace yupana::bench {
namespace {

struct Cohort {
  std::string name;
  std::int64_t samples = 0;
  std::int64_t sites = 0;
  bool rich = false;  ///< GT:AD:DP:GQ:PL instead of GT alone
};

/// What both readers must agree on: how often each genotype occurs, and where, as a sum of
/// (1 + x) times a weight of the site and the sample; missing counts as x = 3.
struct Checksum {
  std::uint64_t sum = 0;
  void add(std::int64_t site, std::int64_t sample, std::uint64_t x) {
    sum += (1 + x) *
           (Random::mix(static_cast<std::uint64_t>(site)) ^ static_cast<std::uint64_t>(sample));
  }
  bool operator==(const Checksum&) const = default;
};

void append_call(std::string& line, const Cohort& cohort, std::uint64_t word, std::uint64_t x) {
  const char* calls[] = {"0|0", (word & 1) != 0 ? "0|1" : "1|0", "1|1", "./."};
  line += calls[x];
  if (!cohort.rich) return;
  const std::uint64_t depth = 10 + (word >> 8) % 40, quality = 20 + (word >> 16) % 79;
  const std::uint64_t alt = x == 3 ? 0 : depth * x / 2;
  const auto put = [&](char before, std::uint64_t value) {
    line += before;
    line += std::to_string(value);
  };
  put(':', depth - alt);
  put(',', alt);
  put(':', depth);
  put(':', quality);
  for (std::uint64_t genotype = 0; genotype < 3; ++genotype) {
    put(genotype == 0 ? ':' : ',', genotype == x ? 0 : quality * (1 + genotype));
  }
}

/// Allele frequencies as in a population: most ALT alleles are rare. 0.5 % of calls are missing.
Checksum simulate(const Cohort& cohort, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << "##fileformat=VCFv4.2\n##contig=<ID=1>\n";
  for (const char* key : {"GT,Number=1,Type=String",
                          "AD,Number=R,Type=Integer",
                          "DP,Number=1,Type=Integer",
                          "GQ,Number=1,Type=Integer",
                          "PL,Number=G,Type=Integer"}) {
    file << "##FORMAT=<ID=" << key << ",Description=\"\">\n";
  }
  file << "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
  for (std::int64_t i = 0; i < cohort.samples; ++i) file << "\tS" << i;
  file << '\n';
  Checksum checksum;
  RandomSequence random(1);
  for (std::int64_t site = 0; site < cohort.sites; ++site) {
    const double u = random.uniform(), frequency = 0.5 * u * u * u;
    std::string line = "1\t" + std::to_string(10 * site + 1) + "\t.\tA\tC\t50\tPASS\t.\t";
    line += cohort.rich ? "GT:AD:DP:GQ:PL" : "GT";
    for (std::int64_t i = 0; i < cohort.samples; ++i) {
      std::uint64_t x = (random.uniform() < frequency) + (random.uniform() < frequency);
      const std::uint64_t word = random.word();
      if ((word >> 32) % 200 == 0) x = 3;
      line += '\t';
      append_call(line, cohort, word, x);
      checksum.add(site, i, x);
    }
    file << line << '\n';
  }
  return checksum;
}

/// The whole file into blocks of 512 sites.
template <class Body>
void read_blocks(Context& context, const std::string& path, const Body& body) {
  io::VcfParams params;
  params.path = path;
  const auto source = io::open_vcf(context, params);
  genotype::SiteBlock block(static_cast<std::int64_t>(source->samples().size()), 512);
  while (source->read(block)) body(block);
}

Checksum checksum_of(Context& context, const std::string& path) {
  constexpr std::uint64_t x_of_code[] = {2, 3, 1, 0};
  Checksum checksum;
  std::int64_t site = 0;
  read_blocks(context, path, [&](const genotype::SiteBlock& block) {
    for (std::int64_t row = 0; row < block.sites; ++row, ++site) {
      for (std::int64_t i = 0; i < block.samples; ++i) {
        checksum.add(site, i, x_of_code[block.at(row, i)]);
      }
    }
  });
  return checksum;
}

/// The same from bcftools' text of the genotypes.
Checksum bcftools_checksum(const std::string& path) {
  const std::string text = output_of("bcftools query -f '[%GT ]\\n' " + path);
  Checksum checksum;
  std::int64_t site = 0, sample = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\n') {
      ++site;
      sample = 0;
      ++i;
      continue;
    }
    const bool missing = text[i] == '.';
    checksum.add(site, sample++, missing ? 3 : (text[i] == '1') + (text[i + 2] == '1'));
    i += 4;
  }
  return checksum;
}

constexpr const char* unit = "M genotypes/s";

void emit(const BenchParams& params,
          const Cohort& cohort,
          const std::string& what,
          const std::string& impl,
          const Timing& timing,
          double text_bytes,
          bool verified,
          const std::string& version = {}) {
  const double genotypes = static_cast<double>(cohort.samples * cohort.sites);
  for (const auto& [work, its_unit] :
       {std::pair{genotypes, unit}, {text_bytes, "MB/s of VCF text"}}) {
    const double rate = work / timing.median * 1e-6;
    params.emit(timed_line("vcf", what, impl, rate, its_unit, verified, timing, version));
  }
}

void run_file(Context& context,
              const BenchParams& params,
              const Cohort& cohort,
              const std::string& path,
              const std::string& form,
              const Checksum& wanted,
              double text_bytes) {
  const int repeats = params.quick ? 1 : 7;
  const bool with_peer = params.peers && installed("bcftools");
  const bool peer_verified = with_peer && bcftools_checksum(path) == wanted;
  const std::string version = with_peer ? first_line_of("bcftools --version") : "";
  for (const int threads : thread_counts(context)) {
    Context own({.device = "cpu", .threads = threads});
    const std::string what = cohort.name + " " + form + ", " + std::to_string(cohort.samples) +
                             " x " + std::to_string(cohort.sites) + ", " + threads_text(threads);
    const bool verified = checksum_of(own, path) == wanted;
    const Timing timing =
        time_runs(repeats, [&] { read_blocks(own, path, [](const genotype::SiteBlock&) {}); });
    emit(params, cohort, what, "yupana cpu", timing, text_bytes, verified);
    if (!params.peers) continue;
    const std::string option = threads == 1 ? "" : " --threads " + std::to_string(threads);
    for (const char* to : {"-Ou -o /dev/null", "-Ov -o /dev/null"}) {
      const std::string command = "bcftools view" + option + " " + to;
      if (!with_peer) {
        params.emit(left_out("vcf", what, command, unit, "not installed (Debian: bcftools)"));
        continue;
      }
      const Timing peer = time_runs(params.quick ? 1 : 3, [&] { output_of(command + " " + path); });
      emit(params, cohort, what, command, peer, text_bytes, peer_verified, version);
    }
  }
}

/// BCF and bgzip are bcftools' own; without it only text is measured.
void run_cohort(Context& context, const BenchParams& params, const Cohort& cohort) {
  const TemporaryFolder folder("bench");
  const std::string text = folder / "cohort.vcf";
  const Checksum wanted = simulate(cohort, text);
  const auto text_bytes = static_cast<double>(std::filesystem::file_size(text));
  run_file(context, params, cohort, text, "VCF", wanted, text_bytes);
  if (!installed("bcftools")) return;
  const std::pair<const char*, const char*> forms[] = {{"VCF.gz", "-Oz"}, {"BCF", "-Ob"}};
  for (const auto& [form, option] : forms) {
    const std::string path = folder / form;
    output_of(std::string("bcftools view ") + option + " -o " + path + " " + text);
    run_file(context, params, cohort, path, form, wanted, text_bytes);
  }
}

}  // namespace

void vcf(Context& context, const BenchParams& params) {
  const std::int64_t scale = params.quick ? 100 : 1;
  run_cohort(context, params, {"GT", 1000, 20000 / scale, false});
  run_cohort(context, params, {"GT:AD:DP:GQ:PL", 1000, 4000 / scale, true});
}

}  // namespace yupana::bench
