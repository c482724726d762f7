#include "yupana/job/filter.hpp"

#include <algorithm>
#include <string_view>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/io/genotype_writer.hpp"
#include "yupana/job/count.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

/// The ending of the name, one of those that are written.
std::string_view ending_of(const std::string& out) {
  for (const std::string_view ending : {".bed", ".pgen", ".vcf", ".vcf.gz", ".npy"}) {
    if (out.ends_with(ending)) return ending;
  }
  throw usage_error(
      "-o {}: expected a name that ends in .bed, .pgen, .vcf, .vcf.gz or .npy; end it so", out);
}

void check_files(const FilterJobParams& params, std::string_view ending) {
  if (params.input.path == "-" && ending == ".pgen") {
    throw usage_error(
        "-o {}: a .pgen takes two passes, and standard input can be read once; write "
        ".bed, .vcf or .vcf.gz",
        params.out);
  }
  if (params.input.multiallelic == "collapse") {
    throw usage_error(
        "--multiallelic collapse: a site of several ALT alleles cannot be written as one; take "
        "skip or split");
  }
}

Input open_to_write(Context& context, InputParams input) {
  input.cohort.written = true;
  return open_input(context, input);
}

/// Of the blocks that are read and written at a time.
std::uint64_t blocks_bytes(const Context& context,
                           const PlanParams& sizes,
                           std::string_view ending) {
  const std::int64_t block = io::written_block_sites(sizes.samples);
  const std::int64_t sites = sizes.sites < 0 ? 2 * block : sizes.sites;
  // One block is read ahead of the one that is written; a name takes less than 200 bytes.
  const double read = static_cast<double>(std::min(sites, 2 * block)) *
                      (0.25 * static_cast<double>(sizes.samples) + 200);
  const double written =
      io::written_block_bytes(ending.substr(1), sizes.samples, sites, context.threads());
  return sizes.reader_bytes + sample_bytes * static_cast<std::uint64_t>(sizes.samples) +
         static_cast<std::uint64_t>(read + written);
}

/// Of the calls in the file: nothing is known of compressed ones, and text takes more.
std::uint64_t calls_bytes(const PlanParams& sizes, std::string_view ending) {
  if (sizes.sites < 0) return 0;
  const auto sites = static_cast<std::uint64_t>(sizes.sites);
  const auto samples = static_cast<std::uint64_t>(sizes.samples);
  if (ending == ".bed") return 3 + (samples + 3) / 4 * sites;
  return ending == ".npy" ? samples * sites : 0;
}

/// What the input may have and the file that is written could have.
void note_lost(Context& context,
               const FilterJobParams& params,
               const Input& input,
               std::string_view ending) {
  using enum InputKind;
  const InputKind kind = input_kind(params.input);
  if (kind != vcf && kind != zarr && kind != pgen && kind != bgen) return;
  if (ending == ".bed" || ending == ".npy") return;
  const char* const but = ending == ".pgen"              ? ""
                          : input.cohort.sexes().empty() ? ", but those of Y and MT"
                                                         : ", but those of Y, MT and males on X";
  context.note(fmt::format(
      "{} holds calls without phase alone, haploid ones as 0/0 and 1/1{}; none of QUAL, "
      "FILTER, INFO, dosages and other fields of {} is kept",
      params.out,
      but,
      params.input.path));
}

io::SampleTable table_of(const Input& input) {
  if (!input.sample_table) return io::SampleTable::of_ids(input.cohort.samples());
  io::SampleTable all = input.sample_table();
  io::SampleTable kept{std::move(all.columns), {}};
  for (const std::int64_t i : input.cohort.places()) {
    kept.rows.push_back(std::move(all.rows[static_cast<std::size_t>(i)]));
  }
  return kept;
}

}  // namespace

Plan plan_filter(Context& context, const FilterJobParams& params) {
  const std::string_view ending = ending_of(params.out);
  check_files(params, ending);
  const Input input = open_to_write(context, params.input);
  Plan plan;
  plan.sizes = plan_sizes(context, input, params.input);
  plan.passes = ending == ".pgen" ? 2 : 1;
  plan.total_bytes = std::max(plan.sizes.before_bytes(),
                              program_bytes(context) + blocks_bytes(context, plan.sizes, ending));
  add_disk(plan, params.out, calls_bytes(plan.sizes, ending));
  plan.output_may_grow = plan.output_may_shrink = true;
  plan.at_most = plan.sizes.sites < 0;
  return plan;
}

FilterJobResult run_filter(Context& context, const FilterJobParams& params) {
  const std::string_view ending = ending_of(params.out);
  check_files(params, ending);
  Input input = open_to_write(context, params.input);
  check_memory(context,
               "filter " + params.input.path,
               blocks_bytes(context, plan_sizes(context, input, params.input), ending));
  FilterJobResult result = write_cohort(context, input, params.out);
  note_lost(context, params, input, ending);
  return result;
}

FilterJobResult write_cohort(Context& context, Input& input, const std::string& out) {
  const std::string_view ending = ending_of(out);
  const bool counted = ending == ".pgen";
  const std::int64_t sites = counted ? genotype::count_sites(context, input.cohort) : -1;
  genotype::FilteredSource source(context, input.cohort, sites);
  const std::string prefix = out.substr(0, out.size() - ending.size());
  OutputFiles files;
  if (ending == ".bed") {
    io::write_bed(context, source, prefix, table_of(input), files);
  } else if (ending == ".pgen") {
    io::write_pgen(context, source, prefix, table_of(input), files);
  } else if (ending == ".npy") {
    io::write_genotypes_npy(context, source, out, files);
  } else {
    io::write_vcf(context, source, out, files);
  }
  if (!input.pruned_in.empty()) {
    files.add(prefix + ".prune.in").write(input.pruned_in);
    files.add(prefix + ".prune.out").write(input.pruned_out);
  }
  FilterJobResult result{input.cohort.summary(), {}};
  commit_files(context, files, result.files, prefix, {".prune.in", ".prune.out"});
  return result;
}

}  // namespace yupana::job
