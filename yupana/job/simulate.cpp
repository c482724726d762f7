#include "yupana/job/simulate.hpp"

#include <algorithm>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/genotype_writer.hpp"
#include "yupana/job/plan.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

void check_cohort_memory(const Context& context, const SimulateJobParams& params) {
  const genotype::SimulateParams& cohort = params.cohort;
  // A VCF names its samples in one line, of identifiers alone.
  const bool is_binary = params.format == "bed" || params.format == "pgen";
  const auto of_sample = static_cast<double>(is_binary ? sample_bytes : 75);
  const double bytes =
      static_cast<double>(program_bytes(context)) +
      static_cast<double>(cohort.samples) * of_sample +
      io::written_block_bytes(params.format, cohort.samples, cohort.sites, context.threads());
  if (bytes <= static_cast<double>(context.memory())) return;
  throw resource_error(
      "simulate:{}x{}: names and the smallest block take {}, --memory allows {}; raise --memory to "
      "{}, or take fewer samples",
      cohort.samples,
      cohort.sites,
      needed_bytes(bytes),
      allowed_bytes(context.memory()),
      memory_option(bytes));
}

/// Notes populations without samples and families that no population has room for.
void note_idle_options(const Context& context, const genotype::SimulateParams& cohort) {
  const std::int64_t n = cohort.samples, populations = std::min(cohort.populations, n);
  const std::int64_t largest = (n + populations - 1) / populations;
  if (cohort.populations > n) {
    context.note(fmt::format("{} for {}: the others have none",
                             counted(cohort.populations, "population"),
                             counted(n, "sample")));
  }
  if (cohort.family_size > largest) {
    context.note(fmt::format("--family-size {}: the largest population has {}, so none are related",
                             cohort.family_size,
                             counted(largest, "sample")));
  }
}

/// The least that the genotypes take in a file; nothing is known of compressed ones, a .pgen among
/// them.
double file_bytes(const SimulateJobParams& params) {
  const auto n = static_cast<double>(params.cohort.samples);
  const auto sites = static_cast<double>(params.cohort.sites);
  if (params.format == "bed") return 3 + n / 4 * sites;
  return params.format == "vcf" ? 4 * n * sites : 0;
}

}  // namespace

void check_simulated_fits(const Context& context, const genotype::SimulateParams& cohort) {
  note_idle_options(context, cohort);
  constexpr double few = 16 << 20;
  const double names = sample_bytes * static_cast<double>(cohort.samples);
  if (names <= std::max(static_cast<double>(context.memory()), few)) return;
  throw resource_error(
      "simulate:{}x{}: the names of the samples alone take {}, --memory allows {}; raise --memory "
      "to what yupana plan says, or take fewer samples",
      cohort.samples,
      cohort.sites,
      needed_bytes(names),
      allowed_bytes(context.memory()));
}

io::SampleTable simulated_samples(const genotype::SimulatedSource& source) {
  const std::vector<std::string>& ids = source.samples();
  const genotype::SimulatedFamilies& families = source.families();
  if (families.empty()) return io::SampleTable::of_ids(ids);
  io::SampleTable table{{"FID", "IID", "PAT", "MAT", "SEX"}, {}};
  for (std::int64_t i = 0; i < std::ssize(ids); ++i) {
    const std::string& id = ids[static_cast<std::size_t>(i)];
    const std::int64_t father = families.father_of_family(i);
    if (father < 0) {
      table.rows.push_back(fmt::format("{}\t{}\t0\t0\tNA", id, id));
      continue;
    }
    const auto family = fmt::format("f{}\t{}", father + 1, id);
    const auto place = i - father;
    table.rows.push_back(place > 1 ? fmt::format("{}\ts{}\ts{}\tNA", family, father + 1, father + 2)
                                   : fmt::format("{}\t0\t0\t{}", family, place + 1));
  }
  return table;
}

std::vector<std::string> run_simulate(Context& context, const SimulateJobParams& params) {
  check_cohort_memory(context, params);
  check_disk(params.out, static_cast<std::uint64_t>(std::min(file_bytes(params), 1e19)));
  genotype::SimulatedSource source(context, params.cohort);
  note_idle_options(context, params.cohort);
  const io::SampleTable table = simulated_samples(source);
  OutputFiles files;
  if (params.format == "bed") {
    io::write_bed(context, source, params.out, table, files);
  } else if (params.format == "pgen") {
    io::write_pgen(context, source, params.out, table, files);
  } else {
    io::write_vcf(context, source, params.out + "." + params.format, files);
  }
  AtomicFile& labels = files.add(params.out + ".labels.tsv");
  labels.write("sample\tpopulation\n");
  const std::vector<std::string> populations = source.labels();
  for (std::size_t i = 0; i < populations.size(); ++i) {
    labels.write(source.samples()[i] + "\t" + populations[i] + "\n");
  }
  std::vector<std::string> paths;
  commit_files(context, files, paths);
  return paths;
}

}  // namespace yupana::job
