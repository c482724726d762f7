#include "yupana/job/splice.hpp"

#include <algorithm>
#include <cmath>

#include "cli/splice_options.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::cli {
namespace {

nlohmann::ordered_json estimate_json(const job::SpliceProblem& problem) {
  const splice::Estimate& e = problem.estimate;
  return {{"target", problem.target},
          {"sequence", problem.sequence},
          {"strand", std::string(1, problem.strand)},
          {"target_strand", problem.antisense ? "-" : "+"},
          {"letters", e.letters},
          {"exons", e.exons},
          {"cells", e.cells},
          {"executed_cells", e.executed_cells},
          {"dense_cells", e.dense_cells},
          {"bytes", e.bytes},
          {"sequential_steps", e.sequential_steps},
          {"exon_steps", e.exon_steps},
          {"group_steps", e.group_steps},
          {"skewed_steps", e.skewed_steps},
          {"length_histogram", e.length_histogram},
          {"group_histogram", e.group_histogram}};
}

/// "NAME (reverse complement) on chr1 (-)", of a problem or a hit.
template <class Placed>
std::string place_text(const Placed& placed) {
  return fmt::format("{}{} on {} ({})",
                     placed.target,
                     placed.antisense ? " (reverse complement)" : "",
                     placed.sequence,
                     placed.strand);
}

std::string estimate_text(const job::SpliceProblem& problem) {
  const splice::Estimate& e = problem.estimate;
  return fmt::format(
      "{}: cells {} (executed {}, dense {}); steps: one by one {}, within exons {}, and across "
      "groups "
      "{}, skewed {}; memory on a CPU {}\n",
      place_text(problem),
      human_count(static_cast<double>(e.cells)),
      human_count(static_cast<double>(e.executed_cells)),
      human_count(static_cast<double>(e.dense_cells)),
      human_count(static_cast<double>(e.sequential_steps)),
      human_count(static_cast<double>(e.exon_steps)),
      human_count(static_cast<double>(e.group_steps)),
      human_count(static_cast<double>(e.skewed_steps)),
      human_bytes(static_cast<double>(e.bytes)));
}

/// Shorter times are those of starting threads, which no rate predicts: the bound that replaces
/// them has the same factor.
bool is_sure(double seconds) { return seconds >= 0.01; }

/// "predicted 1.5 s WHAT, within a factor of 3".
std::string predicted_text(const job::SpliceResult& result, std::string_view what) {
  const double seconds = result.predicted_seconds;
  if (std::isnan(seconds)) return "no prediction with --device reference";
  if (!is_sure(seconds)) return fmt::format("predicted less than 0.03 s {}", what);
  return fmt::format(
      "predicted {:.3g} s {}, within a factor of {:g}", seconds, what, result.predicted_factor);
}

/// Bars of a histogram over powers of two.
std::string bars(const char* what, const std::vector<std::int64_t>& histogram) {
  std::string text = fmt::format("{}\n", what);
  const std::int64_t most =
      histogram.empty() ? 1 : *std::max_element(histogram.begin(), histogram.end());
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    text += fmt::format("{:>9} - {:<9} {:>9} {}\n",
                        std::int64_t{1} << i,
                        (std::int64_t{2} << i) - 1,
                        histogram[i],
                        std::string(static_cast<std::size_t>(40 * histogram[i] / most), '#'));
  }
  return text;
}

/// A whole number where scores are, else one with quarters.
nlohmann::ordered_json score_json(const io::SplicedHit& hit) {
  if (hit.score_scale == 1) return hit.alignment.score;
  return static_cast<double>(hit.alignment.score) / hit.score_scale;
}

/// The exons in reading order; places are on the forward strand, letters the target's as given.
nlohmann::ordered_json chain_json(const io::SplicedHit& hit) {
  nlohmann::ordered_json chain = nlohmann::ordered_json::array();
  for (const io::ExonRow& row : io::exon_rows(hit)) {
    nlohmann::ordered_json exon = {{"first", row.first},
                                   {"last", row.last},
                                   {"target_first", row.target_begin + 1},
                                   {"target_last", row.target_end},
                                   {"identity", row.columns.identity()}};
    if (!row.acceptor.empty()) exon["acceptor"] = row.acceptor;
    if (!row.donor.empty()) exon["donor"] = row.donor;
    if (row.coding_first > 0) {
      exon.update({{"coding_first", row.coding_first},
                   {"coding_last", row.coding_last},
                   {"phase", row.phase}});
    }
    chain.push_back(std::move(exon));
  }
  return chain;
}

nlohmann::ordered_json hit_json(const io::SplicedHit& hit) {
  nlohmann::ordered_json json = {{"target", hit.target}, {"aligned", hit.aligned}};
  if (hit.e_value >= 0) json["e_value"] = hit.e_value;
  if (!hit.aligned) return json;
  json.update({{"sequence", hit.sequence},
               {"strand", std::string(1, hit.strand)},
               {"target_strand", hit.antisense ? "-" : "+"},
               {"score", score_json(hit)},
               {"exons", hit.alignment.chain.size()},
               {"identity", io::count_columns(hit).identity()}});
  if (hit.quality != io::SplicedHit::no_quality) json["mapq"] = hit.quality;
  if (hit.rank > 1) json["rank"] = hit.rank;
  if (hit.isoform > 1) json["isoform"] = hit.isoform;
  json["chain"] = chain_json(hit);
  return json;
}

std::string hit_text(const io::SplicedHit& hit) {
  if (!hit.aligned) {
    return fmt::format("{}: unaligned, E-value {}\n", hit.target, io::e_value_text(hit));
  }
  return fmt::format("{}{}: score {}, {}, identity {:.1f} %\n",
                     place_text(hit),
                     io::isoform_text(hit),
                     io::score_text(hit, hit.alignment.score),
                     counted(std::ssize(hit.alignment.chain), "exon"),
                     100 * io::count_columns(hit).identity());
}

Answer save(Context& context, const Call& call, const SpliceOptions& options) {
  Answer answer;
  answer.json = {{"command", "splice"}};
  answer.add_files(job::save_splice(context, splice_save(call, options)));
  return answer;
}

Answer splice(Context& context, const Call& call, const SpliceOptions& options) {
  if (options.save != job::SpliceSave::nothing) return save(context, call, options);
  job::SpliceJobParams params = splice_job(context, call, options);
  params.command = command_line();
  const job::SpliceResult result = job::run_splice(context, params);
  Answer answer;
  answer.json = {{"command", "splice"}, {"problems", result.problems.size()}};
  const job::SpliceSearch& search = result.search;
  if (search.targets_by_loci > 0) {
    answer.json["targets_by_loci"] = search.targets_by_loci;
    answer.json["loci"] = search.loci;
    answer.json["locus_bases"] = search.locus_bases;
  }
  if (search.exons_left_out > 0) answer.json["exons_left_out"] = search.exons_left_out;
  const bool details = params.estimate || options.histograms;
  auto estimates = nlohmann::ordered_json::array(), hits = estimates;
  for (const job::SpliceProblem& problem : result.problems) {
    if (!details) break;
    answer.text += estimate_text(problem);
    if (options.histograms) {
      answer.text += bars("bases of exons", problem.estimate.length_histogram);
      answer.text += bars("exons of groups that overlap", problem.estimate.group_histogram);
    }
    estimates.push_back(estimate_json(problem));
  }
  if (!estimates.empty()) answer.json["estimates"] = std::move(estimates);
  if (!std::isnan(result.predicted_seconds)) {
    answer.json["predicted_seconds"] = result.predicted_seconds;
  }
  if (is_sure(result.predicted_seconds)) {
    answer.json["predicted_within_factor"] = result.predicted_factor;
  }
  answer.is_plan = params.estimate;
  if (params.estimate) {
    answer.text += predicted_text(result, "of aligning on idle cores") + "\n";
    return answer;
  }
  for (const io::SplicedHit& hit : result.hits) {
    hits.push_back(hit_json(hit));
    if (result.hits.size() <= 20) answer.text += hit_text(hit);
  }
  if (!hits.empty()) answer.json["hits"] = std::move(hits);
  const auto targets = std::count_if(
      result.hits.begin(), result.hits.end(), [](const auto& hit) { return !hit.is_secondary(); });
  const double rate = static_cast<double>(result.executed_cells) / std::max(result.seconds, 1e-9);
  const double dense = static_cast<double>(result.dense_cells) / std::max(result.seconds, 1e-9);
  answer.text +=
      fmt::format("{} in {:.3g} s of aligning ({}): {} executed cells/s, {} dense-equivalent\n",
                  counted(targets, "target"),
                  result.seconds,
                  predicted_text(result, "on idle cores"),
                  human_count(rate),
                  human_count(dense));
  answer.json["seconds"] = result.seconds;
  answer.json["executed_cells"] = result.executed_cells;
  answer.json["traced_cells"] = result.traced_cells;
  answer.json["dense_cells"] = result.dense_cells;
  answer.json["executed_cells_per_second"] = rate;
  answer.json["dense_cells_per_second"] = dense;
  answer.json["stages"] = stages_json(context);
  answer.add_files(result.files);
  return answer;
}

constexpr double max_e_value = 1e8;

void add_junctions(Command& command, SpliceOptions& options) {
  const splice::CandidateParams& dna = options.job.candidates;
  const splice::CandidateParams& proteins = options.job.protein_candidates;
  const auto add = [&](const char* name,
                       std::optional<double>& value,
                       const char* help,
                       double splice::CandidateParams::*standard,
                       double most) {
    const std::string defaults =
        fmt::format(", in matches [{}; proteins {}]", dna.*standard, proteins.*standard);
    command.number(name, value, help + defaults, 0, most);
  };
  using P = splice::CandidateParams;
  add("--junction-weight",
      options.junction_weight,
      "of the log2-odds of splice sites",
      &P::junction_weight,
      splice::max_junction_weight);
  add("--junction-cost",
      options.junction_cost,
      "of each intron",
      &P::junction_cost,
      splice::max_junction_cost);
  add("--missing-signal",
      options.missing_signal,
      "cost of no start or stop codon",
      &P::missing_signal,
      splice::max_junction_cost);
}

void add_candidates(Command& command, SpliceOptions& options) {
  using splice::Species;
  command.choice("--species",
                 options.job.species,
                 {{"vertebrate", Species::vertebrate},
                  {"worm", Species::worm},
                  {"fly", Species::fly},
                  {"plant", Species::plant},
                  {"yeast", Species::yeast},
                  {"fungi", Species::fungi}},
                 "whose models of splice sites (vertebrate: human splice sites), and defaults of "
                 "--min-intron, --max-intron and "
                 "--junction-cost; README.md of yupana/splice has what they were made of");
  command.text("--splice-scores",
               options.job.site_scores,
               "scores of splice sites (minisplice's TSV, as minimap2 and miniprot take by --spsc) "
               "instead of models, of the sequences that it has");
  command.text("--index",
               options.job.index,
               "the genome's index, which --save index (for proteins --save protein-index) has "
               "written; it is mapped, not made anew");
  splice::CandidateParams& found = options.job.candidates;
  const auto add =
      [&](const char* name, auto& value, const std::string& help, auto low, auto high) {
        command.number(name, value, help, low, high);
      };
  constexpr auto odds = splice::max_site_odds;
  const std::string least = ", at least; less beside ten bases of a cDNA";
  add("--min-donor", found.min_donor, "log2-odds of a donor GT" + least, -odds, odds);
  add("--min-gc-donor", found.min_gc_donor, "log2-odds of a donor GC" + least, -odds, odds);
  add("--min-acceptor", found.min_acceptor, "log2-odds of an acceptor" + least, -odds, odds);
  command.flag("--gc-donors,!--no-gc-donors", found.gc_donors, "introns may begin with GC [yes]");
  command.flag(
      "--coding,!--any-frame", found.coding, "leave out exons without an open frame [yes]");
  add("--min-exon", found.min_exon, "bases", 1, splice::largest_length);
  add("--max-exon",
      options.max_exon,
      fmt::format("bases [{}; with --any-frame {}]", found.max_exon, max_exon_any_frame),
      1,
      splice::largest_length);
  command
      .count("--max-exons",
             found.max_exons,
             "candidates of a strand; beyond, the weakest sites are dropped first, with a note")
      .shows(fmt::format("{}", found.max_exons));
  command.flag("--one-strand",
               options.job.one_strand,
               "try the sequence's strand alone, and cDNAs as given: else both of either");
  command.flag(
      "--exact-window",
      options.job.exact_window,
      fmt::format("try whole sequences, beyond {} bases too: else the places alone that have words "
                  "of the target",
                  job::SpliceJobParams::exact_bases));
  add("--max-intron",
      options.max_intron,
      fmt::format(
          "bases between two words of such a place, and looked at beyond them, at most; with "
          "--ends "
          "local no intron is longer [{}]",
          splice::LocusParams().max_intron),
      1,
      splice::largest_length);
  add("--max-loci",
      options.job.max_loci,
      "places of a target that are reported, the next best ones with rank 2 and more, quality 0",
      1,
      1000);
  add("--max-evalue",
      options.job.max_e_value,
      "unaligned is what chance explains this often, or more; repeats of short words are no "
      "evidence",
      0,
      max_e_value);
}

}  // namespace

void add_splice(Command& program) {
  auto options = std::make_shared<SpliceOptions>();
  Command command = add_command(
      program,
      {.name = "splice",
       .purpose =
           fmt::format("The chain of candidate exons that aligns best to a cDNA or protein, exact, "
                       "with its alignment. With --exons auto targets against more than {} kb are "
                       "tried where words of them are, and exact there alone; --exact-window tries "
                       "whole sequences. Scores in every output are in the units of --match or "
                       "--matrix; with --exons auto they may end in .25, .5 or .75.",
                       job::SpliceJobParams::exact_bases / 1000),
       .example = "yupana splice --genome g.fa --exons exons.gff3 --target cdna.fa -o out/run",
       .ranks = true},
      [options](Context& context, const Call& call) { return splice(context, call, *options); });
  add_splice_options(command, *options);
}

void add_candidate_options(Command& command, SpliceOptions& options) {
  add_junctions(command, options);
  add_candidates(command, options);
}

}  // namespace yupana::cli
