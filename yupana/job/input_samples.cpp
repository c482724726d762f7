#include <malloc.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "yupana/core/array.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/cohort_notes.hpp"
#include "yupana/genotype/metric.hpp"
#include "yupana/genotype/simulate.hpp"
#include "yupana/genotype/unrelated.hpp"
#include "yupana/io/sample_lists.hpp"
#include "yupana/job/count.hpp"
#include "yupana/job/input.hpp"
#include "yupana/job/plan.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

namespace fs = std::filesystem;

void note_unknown_families(Context& context,
                           const std::string& path,
                           const std::unordered_set<std::string>& families,
                           const io::SampleNames& names) {
  std::set<std::string> unknown(families.begin(), families.end());
  for (const std::string& family : names.families) unknown.erase(family);
  if (unknown.empty()) return;
  context.note(
      fmt::format("{}: families of no sample of the input are ignored: {} of {}, one is '{}'",
                  path,
                  unknown.size(),
                  families.size(),
                  *unknown.begin()));
}

const std::string* name_with_blank(const io::SampleNames& names) {
  const auto has_blank = [](const std::string& name) { return name.find(' ') != name.npos; };
  const auto found = std::find_if(names.ids.begin(), names.ids.end(), has_blank);
  return found == names.ids.end() ? nullptr : &*found;
}

// The filters that compare samples or sites with each other: --king-cutoff, --indep-pairwise.

/// Adds the pairs of a band of rows whose kinship is above the cutoff.
void add_pairs(Context& context,
               const genotype::PairCounts& counts,
               double cutoff,
               genotype::RelatedPairs& pairs) {
  constexpr std::int64_t step = 64;  // rows at a time
  const Range band = counts.rows;
  context.in_order(
      divide_up(band.size(), step),
      [&](std::int64_t piece) {
        genotype::RelatedPairs some;
        Array<double> row(counts.samples);
        const std::int64_t begin = band.begin + piece * step;
        for (std::int64_t i = begin; i < std::min(begin + step, band.end); ++i) {
          genotype::metric_lower_row(counts, {.metric = genotype::Metric::king}, i, row.data());
          for (std::int64_t j = 0; j < i; ++j) {
            if (row[j] > cutoff) some.emplace_back(i, j);
          }
        }
        return some;
      },
      [&](const genotype::RelatedPairs& some) {
        pairs.insert(pairs.end(), some.begin(), some.end());
      });
}

/// --king-cutoff: counts all pairs, in bands of rows where memory is short.
void leave_out_related(Context& context, const InputParams& params, Input& input) {
  if (context.comm() != nullptr) {
    throw usage_error(
        "--king-cutoff counts pairs in one process; write the unrelated samples with 'yupana "
        "filter' without mpirun first");
  }
  PlanParams sizes = plan_sizes(context, input, params);
  sizes.hethet = true;
  const Plan plan = make_plan(context, sizes);
  genotype::RelatedPairs pairs;
  input.cohort.leave_out_haploid(true);
  for (const Range band : plan.bands) {
    add_pairs(context, count_pairs(context, input, plan, band), *params.king_cutoff, pairs);
  }
  const genotype::RelatedSamples related =
      genotype::related_samples(sizes.samples, pairs, params.king_largest);
  if (related.unsolved > 0) {
    context.note(
        fmt::format("--king-cutoff largest: {} of more than 200 samples, or too entangled, lost "
                    "samples by PLINK 2's rule; fewer may do",
                    counted(related.unsolved, "group")));
  }
  input.cohort.leave_out("related (--king-cutoff)", related.left_out);
  input.cohort.leave_out_haploid(false);
  input.cohort.rewind();
  input.kinship_bytes = plan.total_bytes;
  input.kinship_passes = passes_of(plan);
}

/// Returns freed blocks to the system: the bits of sites are small blocks of every thread, which
/// the allocator would keep next to what comes.
void trim_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

/// --indep-pairwise: the first pass over the sites, by every rank over all of them.
void prune(Context& context, const genotype::LdPruneParams& params, Input& input) {
  genotype::Cohort& cohort = input.cohort;
  const auto report = [&](const std::string& site, bool stays) {
    (stays ? input.pruned_in : input.pruned_out).append(site).append(1, '\n');
  };
  cohort.take_part(0, 1);
  cohort.choose_sites(genotype::ld_prune(context, cohort, params, report, &input.pruning_bytes));
  input.pruning_bytes += input.pruned_in.capacity() + input.pruned_out.capacity();
  trim_memory();
  cohort.take_part(context.rank(), context.ranks());
  cohort.rewind();
}

const InputParams& defaults() {
  static const InputParams params;
  return params;
}

/// Of each InputKind.
constexpr const char* descriptions[] = {"PLINK 1 data sets",
                                        "PLINK 1 text files",
                                        "PLINK 2 data sets",
                                        "BGEN files",
                                        "VCF and BCF",
                                        "VCF-Zarr",
                                        ".npy files",
                                        "simulations",
                                        "arrays"};

}  // namespace

std::vector<std::string> listed_samples(Context& context,
                                        const char* option,
                                        const std::string& path,
                                        const io::SampleNames& names) {
  note_pipe(context, path);
  io::SampleList list = io::read_sample_list(path, names);
  if (list.unknown > 0) {
    context.note(
        fmt::format("{}: names of no sample of the input are ignored: {} of {}, the first {}",
                    path,
                    list.unknown,
                    counted(list.unknown + std::ssize(list.ids), "line"),
                    list.first_unknown));
  }
  if (list.ids.empty() && option == std::string_view("--keep")) {
    throw bad_file(
        path,
        "--keep: no line names one of the {} samples of the input, so that none is left; write one "
        "sample a line, IID, or FID and IID, or leave --keep out",
        names.ids.size());
  }
  if (list.ids.empty() && list.unknown == 0) {
    context.note(fmt::format("{}: {}: the file names no sample", path, option));
  }
  return std::move(list.ids);
}

genotype::LeftOut left_out_families(Context& context,
                                    const char* option,
                                    const std::string& path,
                                    const io::SampleNames& names) {
  const bool keeps = option == std::string_view("--keep-fam");
  if (names.families.empty()) {
    throw usage_error("{}: the samples of this input have no families; leave it out", option);
  }
  const std::unordered_set<std::string> families = io::read_first_column(path);
  note_unknown_families(context, path, families, names);
  genotype::LeftOut result{fmt::format("family {}in {}", keeps ? "not " : "", option), {}};
  for (std::size_t i = 0; i < names.ids.size(); ++i) {
    if (families.contains(names.families[i]) != keeps) result.samples.push_back(names.ids[i]);
  }
  if (result.samples.size() == names.ids.size()) {
    throw bad_file(path,
                   "{}: leaves none of {} of the input; write one family a line, or leave {} out",
                   option,
                   counted(std::ssize(names.ids), "sample"),
                   option);
  }
  return result;
}

void refuse_blanks(const io::SampleNames& names, const std::string& file) {
  const std::string* const name = name_with_blank(names);
  if (name == nullptr) return;
  throw input_error(
      "sample '{}': {} is cut at blanks and cannot hold this name; rename the sample, or write "
      "the matrix as .npy alone",
      *name,
      file);
}

void note_blanks(Context& context, const io::SampleNames& names, const std::string& file) {
  const std::string* const name = name_with_blank(names);
  if (name == nullptr) return;
  context.note(fmt::format(
      "{}: cut it at tabs alone, as PLINK and GCTA do not: some names have blanks, one is '{}'",
      file,
      *name));
}

void refuse_near_name(const std::string& path) {
  std::error_code none;
  std::string packed = fs::exists(path + ".bed.gz", none) ? path + ".bed.gz" : path;
  for (const char* ending : {".gz", ".bz2", ".xz", ".zst", ".zip"}) {
    if (!packed.ends_with(ending) || !fs::exists(packed, none)) continue;
    throw bad_file(packed,
                   "is compressed, and of files of genotypes only VCF (by gzip or bgzip), .ped and "
                   ".tped (by gzip or Zstandard) are read so; unpack it first");
  }
  for (const char* const ending : {".ped", ".tped", ".vcf", ".vcf.gz", ".bcf", ".bgen", ".npy"}) {
    if (fs::exists(path, none) || !fs::exists(path + ending, none)) continue;
    throw input_error(
        "{0}: no such file, and no .bed or .pgen of that prefix; name {0}{1}", path, ending);
  }
}

void leave_out_alike(Context& context, const InputParams& params, Input& input) {
  if (params.king_cutoff) leave_out_related(context, params, input);
  if (params.indep_pairwise.window > 0) prune(context, params.indep_pairwise, input);
}

const std::vector<InputOption>& input_options() {
  using enum InputKind;
  using P = const InputParams&;
  static const std::vector<InputOption> options = {
      {"--bim", {plink}, [](P p) { return !p.bim.empty(); }},
      {"--fam", {plink}, [](P p) { return !p.fam.empty(); }},
      {"--pvar", {pgen}, [](P p) { return !p.pvar.empty(); }},
      {"--psam", {pgen}, [](P p) { return !p.psam.empty(); }},
      {"--sample", {bgen}, [](P p) { return !p.sample.empty(); }},
      {"--bgen", {bgen}, [](P p) { return p.ref_last; }},
      {"--hard-call-threshold",
       {bgen},
       [](P p) { return p.hard_call_threshold != defaults().hard_call_threshold; }},
      {"--dosage", {pgen, bgen, vcf}, [](P p) { return p.cohort.dosage; }},
      {"--keep-fam", {plink, text, pgen, bgen}, [](P p) { return !p.keep_fam_file.empty(); }},
      {"--remove-fam", {plink, text, pgen, bgen}, [](P p) { return !p.remove_fam_file.empty(); }},
      {"--extract",
       {plink, text, pgen, bgen, vcf, zarr},
       [](P p) { return !p.extract.path.empty(); }},
      {"--exclude",
       {plink, text, pgen, bgen, vcf, zarr},
       [](P p) { return !p.exclude.path.empty(); }},
      {"--nonfounders", {plink, text, pgen, simulated}, [](P p) { return p.cohort.nonfounders; }},
      {"--chr", {plink, text, pgen, bgen, vcf, zarr}, [](P p) { return !p.chromosomes.empty(); }},
      {"--all-chr", {plink, text, pgen, bgen, vcf, zarr}, [](P p) { return p.all_chromosomes; }},
      {"--chr-set",
       {plink, text, pgen, bgen, vcf, zarr},
       [](P p) { return p.autosomes != defaults().autosomes; }},
      {"--region", {plink, text, pgen, bgen, vcf, zarr}, [](P p) { return !p.region.empty(); }},
      {"--from-bp",
       {plink, text, pgen, bgen, vcf, zarr},
       [](P p) { return p.from_bp.has_value(); }},
      {"--to-bp", {plink, text, pgen, bgen, vcf, zarr}, [](P p) { return p.to_bp.has_value(); }},
      {"--snps-only",
       {plink, pgen, bgen, vcf, zarr},
       [](P p) { return p.snps_only || p.just_acgt; }},
      {"--half-call", {vcf, zarr}, [](P p) { return p.half_call != defaults().half_call; }},
      {"--polyploid", {vcf}, [](P p) { return p.polyploid != defaults().polyploid; }},
      {"--multiallelic",
       {pgen, bgen, vcf, zarr},
       [](P p) { return p.multiallelic != defaults().multiallelic; }},
      {"--var-filter", {pgen, vcf}, [](P p) { return p.filtered || !p.ignored_filters.empty(); }},
      {"--var-min-qual", {pgen, vcf}, [](P p) { return p.min_qual.has_value(); }},
      {"--round", {npy}, [](P p) { return p.round; }}};
  return options;
}

std::string no_effect(const InputOption& option, const InputParams& params, InputKind kind) {
  std::string kinds;
  for (const InputKind good : option.kinds) {
    kinds += (kinds.empty() ? "" : ", ");
    kinds += descriptions[static_cast<std::size_t>(good)];
  }
  return fmt::format("on {}: it is for {}",
                     kind == InputKind::array ? "an array" : "'" + params.path + "'",
                     kinds);
}

void refuse_second_pass(const InputParams& params, std::string_view option) {
  const std::string& path = params.path;
  struct stat status {};
  const bool is_input = path == "-";
  if (!is_input && (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) ||
                    S_ISDIR(status.st_mode) || input_kind(params) != InputKind::vcf)) {
    return;
  }
  throw usage_error("{}: takes two passes, and {} cannot be read twice; write it to a file first",
                    option,
                    is_input ? "standard input" : path + " is a pipe and");
}

void refuse_idle_options(const InputParams& params, InputKind kind) {
  if (params.king_cutoff && !(*params.king_cutoff >= 0 && *params.king_cutoff < 0.5)) {
    throw usage_error("--king-cutoff: expected a kinship from 0 to below 0.5, got {}",
                      *params.king_cutoff);
  }
  if (params.min_qual && !std::isfinite(*params.min_qual)) {
    throw usage_error("--var-min-qual: expected a finite number, got {}", *params.min_qual);
  }
  genotype::check_params(params.cohort);
  if (params.cohort.max_sample_missing < 1) refuse_second_pass(params, "--mind");
  if (params.king_cutoff) refuse_second_pass(params, "--king-cutoff");
  if (params.indep_pairwise.window > 0) refuse_second_pass(params, "--indep-pairwise");
  if (kind == InputKind::simulated && params.cohort.nonfounders &&
      genotype::simulate_params(params.path.substr(params.path.find(':') + 1)).family_size == 1) {
    throw usage_error(
        "--nonfounders has no effect on '{}': without family-size=N all samples are founders; "
        "leave --nonfounders out",
        params.path);
  }
  for (const InputOption& option : input_options()) {
    const auto& kinds = option.kinds;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    if (!option.is_set(params)) continue;
    throw usage_error(
        "{0} has no effect {1}; leave {0} out", option.name, no_effect(option, params, kind));
  }
}

}  // namespace yupana::job
