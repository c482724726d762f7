#include "yupana/job/input.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <sstream>
#include <string_view>
#include <unordered_map>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/genotype/simulate.hpp"
#include "yupana/io/genotype_sources.hpp"
#include "yupana/io/vcf.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/simulate.hpp"

namespace yupana::job {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view simulate_prefix = "simulate:";

bool ends_with(std::string_view text, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (text.ends_with(ending)) return true;
  }
  return false;
}

/// "input: PATH, SIZE bytes, changed TIME": enough to detect a changed file.
std::string file_line(const std::string& path) {
  struct stat status {};
  std::error_code none;
  if (stat(path.c_str(), &status) != 0) return fmt::format("input: {}\n", path);
  return fmt::format("input: {}, {} bytes, changed {}.{:09}\n",
                     fs::absolute(path, none).string(),
                     status.st_size,
                     status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

/// --chr, --all-chr; a region names its chromosome, so that no other option need take it in.
genotype::ChromosomeFilter chromosomes_of(const InputParams& params) {
  if (params.all_chromosomes && !params.chromosomes.empty()) {
    throw usage_error("--chr and --all-chr do not go together");
  }
  if (!params.chromosomes.empty()) {
    return genotype::ChromosomeFilter::listed(params.chromosomes, params.autosomes);
  }
  if (params.all_chromosomes || !params.region.empty()) {
    return genotype::ChromosomeFilter::all(params.autosomes);
  }
  return genotype::ChromosomeFilter(params.autosomes);
}

/// --chr with --from-bp and --to-bp.
genotype::Region interval_of(const InputParams& params) {
  const std::string& chromosome = params.chromosomes;
  if (chromosome.empty() || chromosome.find_first_of(",-") != std::string::npos) {
    throw usage_error("--from-bp and --to-bp: expected one chromosome in --chr, got '{}'",
                      chromosome);
  }
  genotype::Region region{chromosome};
  region.option = "--chr";
  region.outside = params.from_bp ? "before --from-bp" : "after --to-bp";
  if (params.from_bp && params.to_bp) region.outside = "outside --from-bp, --to-bp";
  region.first = params.from_bp.value_or(region.first);
  region.last = params.to_bp.value_or(region.last);
  if (region.first > region.last) {
    throw usage_error("--from-bp {} is after --to-bp {}; exchange them", region.first, region.last);
  }
  return region;
}

std::optional<genotype::Region> region_of(const InputParams& params) {
  if (params.from_bp || params.to_bp) return interval_of(params);
  if (params.region.empty()) return {};
  return genotype::parse_region(params.region);
}

io::SnpsOnly snps_of(const InputParams& params) {
  if (params.just_acgt) return io::SnpsOnly::just_acgt;
  return params.snps_only ? io::SnpsOnly::any : io::SnpsOnly::off;
}

io::VcfParams vcf_params(const InputParams& params) {
  io::VcfParams vcf;
  vcf.path = params.path;
  vcf.region = region_of(params);
  vcf.half_call = io::half_call_from_name(params.half_call);
  vcf.polyploid = io::polyploid_from_name(params.polyploid);
  vcf.multiallelic = io::multiallelic_from_name(params.multiallelic);
  vcf.snps_only = snps_of(params);
  if (params.min_qual) vcf.min_qual = static_cast<float>(*params.min_qual);
  if (params.filtered) vcf.var_filter = params.ignored_filters;
  vcf.chromosomes = chromosomes_of(params);
  vcf.variants = io::read_variant_lists(params.extract, params.exclude, params.autosomes);
  return vcf;
}

io::SiteRules site_rules(const InputParams& params) {
  const io::VcfParams vcf = vcf_params(params);
  return {vcf.chromosomes, vcf.region, vcf, vcf.variants};
}

/// A source and what PLINK files say of its samples.
struct Opened {
  std::unique_ptr<genotype::Source> source;
  io::SampleNames names;
  std::string fingerprint;
  std::function<io::SampleTable()> sample_table = {};
  std::uint64_t held_bytes = 0;
};

Opened open_plink(Context& context, const InputParams& params) {
  io::BedFiles files = io::bed_files(params.path, params.names_file);
  if (!params.bim.empty()) files.bim = params.bim;
  if (!params.fam.empty()) files.fam = params.fam;
  note_pipe(context, files.bim);
  note_pipe(context, files.fam);
  Opened opened;
  opened.source = io::open_bed(files, site_rules(params));
  opened.names = io::read_fam(files.fam);
  opened.sample_table = [path = files.fam] { return io::read_sample_table(path); };
  opened.fingerprint = file_line(files.bed) + file_line(files.bim) + file_line(files.fam);
  return opened;
}

Opened open_text(Context& context, const InputParams& params) {
  const io::PlinkTextFiles files = io::plink_text_files(params.path);
  Opened opened;
  opened.source = io::open_plink_text(context, files, site_rules(params));
  opened.names = io::read_fam(files.samples());
  opened.sample_table = [path = files.samples()] { return io::read_sample_table(path); };
  opened.held_bytes = io::plink_text_bytes(std::ssize(opened.names.ids), opened.source->sites());
  opened.fingerprint = file_line(files.calls) + file_line(files.others);
  return opened;
}

Opened open_plink2(Context& context, const InputParams& params) {
  io::PgenFiles files = io::pgen_files(params.path, params.names_file);
  if (!params.pvar.empty()) files.pvar = params.pvar;
  if (!params.psam.empty()) files.psam = params.psam;
  Opened opened;
  opened.source = io::open_pgen(context, files, site_rules(params));
  opened.names = io::read_psam(files.psam);
  opened.sample_table = [path = files.psam] { return io::read_sample_table(path); };
  opened.fingerprint = file_line(files.pgen) + file_line(files.pvar) + file_line(files.psam);
  return opened;
}

Opened open_oxford(Context& context, const InputParams& params) {
  io::BgenParams bgen{params.path, params.sample, params.ref_last, params.hard_call_threshold};
  if (bgen.sample.empty()) bgen.sample = io::bgen_sample_file(params.path);
  Opened opened;
  if (!bgen.sample.empty()) {
    opened.names = io::read_oxford_samples(bgen.sample);
    opened.sample_table = [path = bgen.sample] { return io::read_oxford_table(path); };
  }
  opened.source = io::open_bgen(context, bgen, opened.names, site_rules(params));
  opened.fingerprint = file_line(bgen.path) + file_line(bgen.sample) +
                       fmt::format("hard calls: {} {}\n", bgen.ref_last, bgen.hard_call_threshold);
  return opened;
}

Opened open_any(Context& context, const InputParams& params) {
  const InputKind kind = input_kind(params);
  refuse_idle_options(params, kind);
  if (params.cohort.dosage && params.multiallelic != "skip") {
    throw usage_error("--dosage: expected --multiallelic skip; dosages are of one ALT allele");
  }
  if (kind == InputKind::npy && params.indep_pairwise.in_base_pairs) {
    throw usage_error(
        "--indep-pairwise: expected a window in sites, as 50 5 0.2, got one in kb: a .npy holds no "
        "positions");
  }
  const std::string& path = params.path;
  Opened opened;
  switch (kind) {
    case InputKind::simulated: {
      const auto cohort = genotype::simulate_params(path.substr(simulate_prefix.size()));
      check_simulated_fits(context, cohort);
      auto source = std::make_unique<genotype::SimulatedSource>(context, cohort);
      if (cohort.family_size > 1) {
        opened.sample_table = [table = simulated_samples(*source)] { return table; };
      }
      opened.source = std::move(source);
      opened.fingerprint = fmt::format("input: {}\n", path);
      break;
    }
    case InputKind::vcf:
      note_pipe(context, path);
      opened.source = io::open_vcf(context, vcf_params(params));
      opened.fingerprint = file_line(path);
      break;
    case InputKind::zarr:
      opened.source = io::open_zarr(
          context, path, io::half_call_from_name(params.half_call), site_rules(params));
      opened.fingerprint = file_line(path);
      break;
    case InputKind::npy:
      opened.source = io::open_npy_genotypes({.path = path, .round = params.round});
      opened.fingerprint = file_line(path);
      break;
    case InputKind::text:
      opened = open_text(context, params);
      break;
    case InputKind::pgen:
      opened = open_plink2(context, params);
      break;
    case InputKind::bgen:
      opened = open_oxford(context, params);
      break;
    case InputKind::plink:
    case InputKind::array:
      opened = open_plink(context, params);
  }
  return opened;
}

std::string filter_lines(const InputParams& params, const genotype::CohortParams& cohort) {
  std::string text = fmt::format(
      "chromosomes: {}{} of {}\nregion: {}\nhalf-call: {}\npolyploid: {}\nmultiallelic: {}\n"
      "snps-only: {}{}\nround: {}\n",
      params.chromosomes,
      params.all_chromosomes ? "all" : "",
      params.autosomes,
      params.region,
      params.half_call,
      params.polyploid,
      params.multiallelic,
      params.snps_only,
      params.just_acgt,
      params.round);
  if (params.from_bp) text += fmt::format("from: {}\n", *params.from_bp);
  if (params.to_bp) text += fmt::format("to: {}\n", *params.to_bp);
  if (params.filtered) text += fmt::format("filters: {}\n", joined(params.ignored_filters, ","));
  if (params.min_qual) text += fmt::format("qual: {}\n", *params.min_qual);
  for (const auto& left_out : cohort.left_out) {
    text += fmt::format("{}: {}\n", left_out.reason, joined(left_out.samples, ","));
  }
  for (const io::VariantListParams& list : {params.extract, params.exclude}) {
    if (list.path.empty()) continue;
    text += fmt::format("variants {}: {}", static_cast<int>(list.lines), file_line(list.path));
  }
  text += fmt::format("max-maf: {}\nmac: {}\nhwe: {}{}\n",
                      cohort.max_maf,
                      cohort.min_mac,
                      cohort.min_hwe,
                      cohort.hwe_mid_p ? " midp" : "");
  if (params.king_cutoff) {
    text += fmt::format("king: {}{}\n", *params.king_cutoff, params.king_largest ? " largest" : "");
  }
  const genotype::LdPruneParams& indep = params.indep_pairwise;
  text += fmt::format("indep: {} {} {} {}\n",
                      indep.window,
                      indep.in_base_pairs ? "bp" : "sites",
                      indep.step,
                      indep.max_r2);
  return text + fmt::format(
                    "keep: {}\nremove: {}\nmind: {}\ngeno: {}\nmaf: {} of {}\nthin: {} seed "
                    "{}\nmissing: {}\n",
                    joined(cohort.keep, ","),
                    joined(cohort.remove, ","),
                    cohort.max_sample_missing,
                    cohort.max_site_missing,
                    cohort.min_maf,
                    cohort.nonfounders ? "all" : "founders",
                    cohort.thin,
                    cohort.seed,
                    static_cast<int>(cohort.missing));
}

/// Names of the kept samples of those of the input.
io::SampleNames kept_names(const std::vector<std::string>& kept, const io::SampleNames& names) {
  io::SampleNames result{kept};
  if (names.individuals.empty()) return result;
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < names.ids.size(); ++i) index.emplace(names.ids[i], i);
  for (const auto part :
       {&io::SampleNames::families, &io::SampleNames::individuals, &io::SampleNames::sources}) {
    if ((names.*part).empty()) continue;
    for (const std::string& id : kept) (result.*part).push_back((names.*part)[index.at(id)]);
  }
  return result;
}

}  // namespace

InputKind input_kind(const InputParams& params) {
  const std::string& path = params.path;
  if (params.kind == InputKind::vcf && io::is_zarr_store(path)) return InputKind::zarr;
  if (params.kind) return *params.kind;
  std::error_code none;
  if (path.starts_with(simulate_prefix)) return InputKind::simulated;
  if (ends_with(path, {".vcf", ".vcf.gz", ".vcf.bgz", ".bcf"}) || path == "-") {
    return InputKind::vcf;
  }
  if (path.ends_with(".npy")) return InputKind::npy;
  if (path.ends_with(".pgen")) return InputKind::pgen;
  if (path.ends_with(".bgen")) return InputKind::bgen;
  if (io::is_plink_text(path)) return InputKind::text;
  if (path.ends_with(".bed") || fs::exists(path + ".bed", none)) return InputKind::plink;
  if (fs::exists(path + ".pgen", none)) return InputKind::pgen;
  if (io::is_zarr_store(path)) return InputKind::zarr;
  refuse_near_name(path);
  throw input_error(
      "{}: {}; give a .bed, .ped, .tped, .pgen, .bgen, .vcf, .vcf.gz, .bcf or .npy file, a PLINK "
      "prefix, a folder of VCF-Zarr, - (a VCF on standard input) or simulate:SAMPLESxSITES",
      path,
      fs::exists(path, none) ? "not a kind of file yupana knows by its name"
                             : "no such file, and no PLINK files of that prefix");
}

Input open_input(Context& context, const InputParams& params) {
  Opened opened = open_any(context, params);
  genotype::CohortParams cohort = params.cohort;
  cohort.autosomes = params.autosomes;
  cohort.name = params.path == "-" ? "standard input" : params.path;
  cohort.part = context.rank();
  cohort.parts = context.ranks();
  io::SampleNames names = opened.names;
  if (names.ids.empty()) names.ids = opened.source->samples();
  if (!params.keep_file.empty()) {
    cohort.keep = listed_samples(context, "--keep", params.keep_file, names);
  }
  if (!params.remove_file.empty()) {
    cohort.remove = listed_samples(context, "--remove", params.remove_file, names);
  }
  if (!params.keep_fam_file.empty()) {
    cohort.left_out.push_back(
        left_out_families(context, "--keep-fam", params.keep_fam_file, names));
  }
  if (!params.remove_fam_file.empty()) {
    cohort.left_out.push_back(
        left_out_families(context, "--remove-fam", params.remove_fam_file, names));
  }
  const std::string fingerprint = opened.fingerprint + filter_lines(params, cohort);
  Input input{genotype::Cohort(context, std::move(opened.source), cohort), {}, fingerprint, 1, {}};
  // Nobody's to delete: the run's.
  input.same_pairs = std::shared_ptr<Comm>(context.comm(), [](Comm*) {});
  input.held_bytes = opened.held_bytes;
  leave_out_alike(context, params, input);
  input.names = kept_names(input.cohort.samples(), opened.names);
  input.name = cohort.name;
  input.sample_table = std::move(opened.sample_table);
  return input;
}

void cut_pairs(Context& context, Input& input, int groups) {
  if (groups == 1) return;
  input.pair_groups = groups;
  input.same_pairs = context.comm()->split(context.rank() % groups);
  input.cohort.take_part(input.same_pairs->rank(), input.same_pairs->size());
}

genotype::CohortSummary whole_summary(Context& context,
                                      const Input& input,
                                      genotype::Missing missing) {
  genotype::CohortSummary summary = input.cohort.summary();
  // The ranks of one group of pairs have read all sites together.
  Comm* const comm = input.same_pairs.get();
  if (comm == nullptr || comm->size() == 1) return summary;
  // A rank may have dropped sites for a reason that no site of another had: reasons go by name. The
  // reader's own are those of the whole input on every rank, and the filters' differ from them.
  std::string mine = fmt::format("{}\n{}\n", summary.sites.kept, summary.calls_missing);
  for (const auto& [reason, count] : input.cohort.dropped_sites()) {
    mine += fmt::format("{}\t{}\n", count, reason);
    summary.sites.skipped[reason] -= count;
  }
  summary.sites.kept = summary.calls_missing = 0;
  for (int rank = 0; rank < comm->size(); ++rank) {
    std::string text = mine;
    broadcast(*comm, text, rank);
    std::istringstream lines(text);
    std::int64_t kept = 0, calls = 0, count = 0;
    lines >> kept >> calls;
    summary.sites.kept += kept;
    summary.calls_missing += calls;
    for (std::string reason; lines >> count && lines.get() && std::getline(lines, reason);) {
      summary.sites.skipped[reason] += count;
    }
  }
  genotype::check_sites_left(summary, input.name);
  if (missing == genotype::Missing::mode) genotype::note_imputed(context, summary);
  return summary;
}

}  // namespace yupana::job
