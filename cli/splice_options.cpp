#include "cli/splice_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

#include "yupana/core/error.hpp"

namespace yupana::cli {
namespace {

using Names = std::initializer_list<const char*>;

/// Refuses what is no number of T from low to high; NaN and infinities are none.
template <class T>
CLI::Validator from_to(T low, T high) {
  const std::string range = fmt::format("{} to {}", low, high);
  const auto check = [low, high, range](std::string& text) {
    T value{};
    const char* const end = text.data() + text.size();
    const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error == std::errc() && stop == end && value >= low && value <= high) return std::string();
    return fmt::format("expected a {} from {}, got '{}'",
                       std::is_integral_v<T> ? "whole number" : "number",
                       range,
                       text);
  };
  return CLI::Validator(check, range);
}

CLI::Validator score_range() {
  return from_to(-splice::max_unscaled_score, splice::max_unscaled_score);
}
CLI::Validator gap_range() { return from_to(-splice::max_unscaled_score, 0); }
CLI::Validator length_range(std::int64_t low) { return from_to(low, splice::largest_length); }

void add_files(CLI::App& app, SpliceOptions& options) {
  app.add_option("--genome", options.input.genome, "FASTA, plain or gzip");
  app.add_option("--exons",
                 options.input.exons,
                 "GFF3, BED, a table (first last) or GENSCAN's text; auto: from splice signals")
      ->capture_default_str();
  app.add_option("--target", options.input.target, "FASTA of cDNAs");
  app.add_option("--protein", options.protein, "FASTA of proteins instead: codons are aligned");
  app.add_option("--batch",
                 options.batch,
                 "a list of cases instead: genome, exons (or auto), target on each line, and the "
                 "word protein after proteins");
}

void add_scores(CLI::App& app, SpliceOptions& options) {
  job::SpliceJobParams& job = options.job;
  app.add_option("--match", job.match, "score of equal bases")
      ->capture_default_str()
      ->check(score_range());
  app.add_option("--mismatch", job.mismatch, "score of unequal bases")
      ->capture_default_str()
      ->check(score_range());
  app.add_option("--matrix",
                 job.matrix,
                 "a file of substitution scores instead (NCBI's layout); proteins have BLOSUM62");
  const splice::AlignParams& proteins = job.protein.align;
  app.add_option(
         "--gap-open",
         options.gap_open,
         fmt::format("score of each gap [{}; proteins {}]", job.align.gap_open, proteins.gap_open))
      ->check(gap_range());
  app.add_option("--gap-extend",
                 options.gap_extend,
                 fmt::format("score of each letter or codon in a gap [{}; proteins {}]",
                             job.align.gap_extend,
                             proteins.gap_extend))
      ->check(gap_range());
  app.add_option("--min-intron",
                 options.min_intron,
                 fmt::format("bases between two exons, at least [{}; with --exons auto {}, and no "
                             "less]",
                             job.align.min_intron,
                             job.candidates.min_intron))
      ->check(length_range(0));
  app.add_flag("--both-strands", job.both_strands, "try both where the exons name none");
  app.add_flag(
      "--estimate", job.estimate, "print cells, steps, memory and time; align and write nothing");
  app.add_flag("--histograms", options.histograms, "of exon lengths and overlapping groups");
}

std::string check_code(std::string& text) {
  for (const splice::GeneticCodeName& one : splice::genetic_code_names()) {
    if (text == fmt::format("{}", one.table)) return {};
  }
  return fmt::format(
      "expected one of NCBI's tables {}, got '{}'", splice::genetic_code_list(), text);
}

void add_protein_options(CLI::App& app, SpliceOptions& options) {
  const char* group = "With proteins";
  app.add_option(
         "--genetic-code", options.genetic_code, "NCBI's table: " + splice::genetic_code_list())
      ->capture_default_str()
      ->group(group)
      ->check(CLI::Validator(check_code, ""));
  app.add_option("--partial-codon",
                 options.job.protein.partial_codon,
                 "score of 1 or 2 bases left at the end")
      ->capture_default_str()
      ->group(group)
      ->check(gap_range());
  app.add_flag("--allow-acgt",
               options.job.allow_acgt,
               "take proteins that are A, C, G, T and N alone: refused as cDNAs otherwise")
      ->group(group);
}

void add_junctions(CLI::App& app, SpliceOptions& options) {
  const splice::CandidateParams& dna = options.job.candidates;
  const splice::CandidateParams& proteins = options.job.protein_candidates;
  const std::string group = "With --exons auto (models of human splice sites)";
  const auto both = [](double a, double b) { return fmt::format("[{}; proteins {}]", a, b); };
  app.add_option("--junction-weight",
                 options.junction_weight,
                 "of the log2-odds of splice sites, in matches " +
                     both(dna.junction_weight, proteins.junction_weight))
      ->group(group)
      ->check(from_to(0.0, splice::max_junction_weight));
  app.add_option("--junction-cost",
                 options.junction_cost,
                 "of each intron, in matches " + both(dna.junction_cost, proteins.junction_cost))
      ->group(group)
      ->check(from_to(0.0, splice::max_junction_cost));
  app.add_option("--missing-signal",
                 options.missing_signal,
                 "cost of no start or stop codon, in matches " +
                     both(dna.missing_signal, proteins.missing_signal))
      ->group(group)
      ->check(from_to(0.0, splice::max_junction_cost));
}

void add_candidates(CLI::App& app, splice::CandidateParams& found) {
  const std::string group = "With --exons auto (models of human splice sites)";
  const auto odds = from_to(-splice::max_site_odds, splice::max_site_odds);
  const auto add = [&](const char* name, auto& value, const char* help) {
    return app.add_option(name, value, help)->capture_default_str()->group(group);
  };
  add("--min-donor", found.min_donor, "log2-odds of a donor GT, at least")->check(odds);
  add("--min-gc-donor", found.min_gc_donor, "log2-odds of a donor GC, at least")->check(odds);
  add("--min-acceptor", found.min_acceptor, "log2-odds of an acceptor, at least")->check(odds);
  app.add_flag("--gc-donors,!--no-gc-donors", found.gc_donors, "introns may begin with GC [yes]")
      ->group(group);
  app.add_flag("--coding,!--any-frame", found.coding, "leave out exons without an open frame [yes]")
      ->group(group);
  add("--min-exon", found.min_exon, "bases")->check(length_range(1));
  add("--max-exon", found.max_exon, "bases")->check(length_range(1));
  add_count(app,
            "--max-exons",
            found.max_exons,
            "candidates of a strand; beyond, the weakest sites go first")
      ->default_str(fmt::format("{}", found.max_exons))
      ->group(group);
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::usage, "splice: " + what);
}

bool given(const CLI::App& app, const char* name) { return app.count(name) > 0; }

void refuse_any(const CLI::App& app, Names options, const std::string& why) {
  for (const char* name : options) {
    if (!given(app, name)) continue;
    const std::vector<std::string>& names = app.get_option(name)->get_lnames();
    refuse(fmt::format("--{} has no effect {}", fmt::join(names, "/--"), why));
  }
}

/// An empty name would be taken for an option that was not given.
void refuse_empty_names(const CLI::App& app) {
  for (const char* name : {"--genome", "--exons", "--target", "--protein", "--batch", "--matrix"}) {
    if (given(app, name) && app.get_option(name)->as<std::string>().empty()) {
      refuse(fmt::format("{}: expected the name of a file, got an empty one", name));
    }
  }
}

/// The files would replace what they are made of.
void refuse_own_inputs(const SpliceOptions& options, const job::SpliceJobParams& params) {
  namespace fs = std::filesystem;
  std::vector<std::string> read = {options.batch, params.matrix};
  for (const job::SpliceInput& input : params.inputs) {
    read.insert(read.end(), {input.genome, input.exons, input.target});
  }
  for (const char* end : {".tsv", ".gff3", ".paf", ".txt"}) {
    const std::string written = params.out + end;
    std::error_code none;
    if (params.out.empty() || !fs::exists(written, none)) continue;
    for (const std::string& name : read) {
      if (!name.empty() && fs::equivalent(name, written, none)) {
        refuse(fmt::format(
            "-o {} would write over the input {}; name another prefix", params.out, name));
      }
    }
  }
}

std::vector<job::SpliceInput> inputs_of(const CLI::App& app, const SpliceOptions& options) {
  refuse_empty_names(app);
  if (!options.batch.empty()) {
    refuse_any(app,
               {"--genome", "--exons", "--target", "--protein"},
               "with --batch, whose list names the files; leave one of them out");
    return io::read_splice_cases(options.batch);
  }
  job::SpliceInput input = options.input;
  input.is_protein = !options.protein.empty();
  if (input.genome.empty() || input.target.empty() == options.protein.empty()) {
    refuse("expected --genome and either --target or --protein, or --batch with a list of cases");
  }
  if (input.is_protein) input.target = options.protein;
  return {input};
}

void check_combination(const CLI::App& app,
                       const SpliceOptions& options,
                       const std::vector<job::SpliceInput>& inputs) {
  const auto is_protein = [](const job::SpliceInput& input) { return input.is_protein; };
  const auto is_auto = [](const job::SpliceInput& input) { return input.exons == "auto"; };
  if (std::none_of(inputs.begin(), inputs.end(), is_protein)) {
    refuse_any(app,
               {"--genetic-code", "--partial-codon", "--allow-acgt"},
               "without proteins; give them by --protein");
  }
  if (std::all_of(inputs.begin(), inputs.end(), is_protein)) {
    refuse_any(app, {"--match", "--mismatch"}, "with --protein; give scores by --matrix");
  }
  if (!options.job.matrix.empty()) {
    refuse_any(app, {"--match", "--mismatch"}, "with --matrix; leave one of them out");
  }
  if (std::none_of(inputs.begin(), inputs.end(), is_auto)) {
    refuse_any(app,
               {"--junction-weight",
                "--junction-cost",
                "--missing-signal",
                "--min-donor",
                "--min-gc-donor",
                "--min-acceptor",
                "--gc-donors",
                "--coding",
                "--min-exon",
                "--max-exon",
                "--max-exons"},
               "with --exons from a file; it needs --exons auto");
  }
  const splice::CandidateParams& found = options.job.candidates;
  if (!found.gc_donors) refuse_any(app, {"--min-gc-donor"}, "with --no-gc-donors");
  if (found.min_exon > found.max_exon) {
    refuse(fmt::format("--min-exon {} and --max-exon {}: expected --min-exon <= --max-exon",
                       found.min_exon,
                       found.max_exon));
  }
  if (found.max_exons < 1) {
    refuse(fmt::format("--max-exons {}: expected 1 or more", found.max_exons));
  }
  if (options.min_intron && *options.min_intron < found.min_intron &&
      std::any_of(inputs.begin(), inputs.end(), is_auto)) {
    refuse(fmt::format("--min-intron {}: with --exons auto expected {} to {}",
                       *options.min_intron,
                       found.min_intron,
                       splice::largest_length));
  }
}

}  // namespace

void add_splice_options(CLI::App& app, SpliceOptions& options) {
  add_files(app, options);
  add_scores(app, options);
  add_protein_options(app, options);
  add_junctions(app, options);
  add_candidates(app, options.job.candidates);
}

job::SpliceJobParams splice_job(const CLI::App& app,
                                const SpliceOptions& options,
                                const CommonOptions& common) {
  job::SpliceJobParams params = options.job;
  params.inputs = inputs_of(app, options);
  check_combination(app, options, params.inputs);
  params.out = common.out;
  params.comm = common.comm;
  if (!params.estimate) refuse_own_inputs(options, params);
  if (options.gap_open) params.align.gap_open = params.protein.align.gap_open = *options.gap_open;
  if (options.gap_extend) {
    params.align.gap_extend = params.protein.align.gap_extend = *options.gap_extend;
  }
  params.align.min_intron = options.min_intron.value_or(params.align.min_intron);
  splice::CandidateParams& found = params.protein_candidates;
  const splice::CandidateParams usual = found;
  found = params.candidates;
  found.junction_weight = options.junction_weight.value_or(usual.junction_weight);
  found.junction_cost = options.junction_cost.value_or(usual.junction_cost);
  found.missing_signal = options.missing_signal.value_or(usual.missing_signal);
  if (options.junction_weight) params.candidates.junction_weight = *options.junction_weight;
  if (options.junction_cost) params.candidates.junction_cost = *options.junction_cost;
  if (options.missing_signal) params.candidates.missing_signal = *options.missing_signal;
  params.protein.code = splice::GeneticCode(options.genetic_code);
  return params;
}

}  // namespace yupana::cli
