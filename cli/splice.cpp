#include "yupana/job/splice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/command.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"

namespace yupana::cli {
namespace {

nlohmann::ordered_json estimate_json(const splice::Estimate& e) {
  return {{"letters", e.letters},
          {"exons", e.exons},
          {"cells", e.cells},
          {"executed_cells", e.executed_cells},
          {"dense_cells", e.dense_cells},
          {"sequential_steps", e.sequential_steps},
          {"exon_steps", e.exon_steps},
          {"group_steps", e.group_steps},
          {"skewed_steps", e.skewed_steps},
          {"length_histogram", e.length_histogram},
          {"group_histogram", e.group_histogram}};
}

std::string estimate_text(const splice::Estimate& e) {
  return fmt::format(
      "cells {} (executed {}, dense {}); steps: one by one {}, within exons {}, and across groups "
      "{}, skewed {}\n",
      human_count(static_cast<double>(e.cells)),
      human_count(static_cast<double>(e.executed_cells)),
      human_count(static_cast<double>(e.dense_cells)),
      human_count(static_cast<double>(e.sequential_steps)),
      human_count(static_cast<double>(e.exon_steps)),
      human_count(static_cast<double>(e.group_steps)),
      human_count(static_cast<double>(e.skewed_steps)));
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

nlohmann::ordered_json hit_json(const io::SplicedHit& hit) {
  return {{"target", hit.target},
          {"sequence", hit.sequence},
          {"strand", std::string(1, hit.strand)},
          {"score", hit.alignment.score},
          {"exons", hit.alignment.chain.size()},
          {"identity", io::count_columns(hit).identity()}};
}

struct SpliceOptions {
  job::SpliceJobParams job;
  job::SpliceInput input;
  std::string protein;
  std::optional<int> gap_open, gap_extend;
  std::optional<double> junction_weight, junction_cost, missing_signal;
  int genetic_code = 1;
  bool histograms = false;
};

/// The options as the job wants them; what has other defaults with proteins was left open.
job::SpliceJobParams job_of(const SpliceOptions& options, const CommonOptions& common) {
  job::SpliceJobParams params = options.job;
  params.out = common.out;
  params.comm = common.comm;
  if (options.gap_open) params.align.gap_open = params.protein.align.gap_open = *options.gap_open;
  if (options.gap_extend) {
    params.align.gap_extend = params.protein.align.gap_extend = *options.gap_extend;
  }
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
  if (params.batch.empty()) {
    job::SpliceInput input = options.input;
    input.is_protein = !options.protein.empty();
    if (input.genome.empty() || input.target.empty() == options.protein.empty()) {
      throw Error(ErrorCode::usage,
                  "splice: --genome and either --target or --protein are wanted, or --batch with a "
                  "file of cases");
    }
    if (input.is_protein) input.target = options.protein;
    params.inputs = {input};
  }
  return params;
}

Answer splice(Context& context, const CommonOptions& common, const SpliceOptions& options) {
  const job::SpliceJobParams params = job_of(options, common);
  if (params.out.empty() && !params.estimate) {
    throw Error(ErrorCode::usage,
                "splice: -o PREFIX is wanted: the files are PREFIX.tsv, .gff3, .paf, .txt");
  }
  const job::SpliceResult result = job::run_splice(context, params);
  Answer answer;
  answer.json = {{"command", "splice"}, {"problems", result.estimates.size()}};
  const bool details = params.estimate || options.histograms;
  for (const splice::Estimate& e : result.estimates) {
    if (!details) break;
    answer.text += estimate_text(e);
    if (options.histograms) {
      answer.text += bars("bases of exons", e.length_histogram);
      answer.text += bars("exons of groups that overlap", e.group_histogram);
    }
    answer.json["estimates"].push_back(estimate_json(e));
  }
  answer.json["predicted_seconds"] = result.predicted_seconds;
  if (params.estimate) {
    answer.text += fmt::format("predicted {:.3g} s\n", result.predicted_seconds);
    return answer;
  }
  for (const io::SplicedHit& hit : result.hits) {
    answer.json["hits"].push_back(hit_json(hit));
    if (result.hits.size() > 20) continue;
    answer.text += fmt::format("{} on {} ({}): score {}, {} exons, identity {:.1f} %\n",
                               hit.target,
                               hit.sequence,
                               hit.strand,
                               hit.alignment.score,
                               hit.alignment.chain.size(),
                               100 * io::count_columns(hit).identity());
  }
  const double rate = static_cast<double>(result.executed_cells) / std::max(result.seconds, 1e-9);
  const double dense = static_cast<double>(result.dense_cells) / std::max(result.seconds, 1e-9);
  answer.text += fmt::format(
      "{} targets in {:.3g} s (predicted {:.3g}): {} executed cells/s, {} dense-equivalent\n",
      result.hits.size(),
      result.seconds,
      result.predicted_seconds,
      human_count(rate),
      human_count(dense));
  for (const std::string& file : result.files) answer.text += "wrote    " + file + "\n";
  answer.json["seconds"] = result.seconds;
  answer.json["executed_cells"] = result.executed_cells;
  answer.json["traced_cells"] = result.traced_cells;
  answer.json["dense_cells"] = result.dense_cells;
  answer.json["executed_cells_per_second"] = rate;
  answer.json["dense_cells_per_second"] = dense;
  answer.json["stages"] = stages_json(context);
  answer.json["files"] = result.files;
  return answer;
}

}  // namespace

void add_splice(CLI::App& program) {
  auto options = std::make_shared<SpliceOptions>();
  CLI::App& app = add_command(
      program,
      "splice",
      "The chain of candidate exons that aligns best to a cDNA or protein, exact, with "
      "its alignment.",
      "yupana splice --genome g.fa --exons exons.gff3 --target cdna.fa -o out/run",
      [options](Context& context, const CommonOptions& common) {
        return splice(context, common, *options);
      },
      Runs::anywhere,
      Ranks::many);
  job::SpliceJobParams& job = options->job;
  splice::CandidateParams& found = job.candidates;
  app.add_option("--genome", options->input.genome, "FASTA, plain or gzip");
  app.add_option("--exons",
                 options->input.exons,
                 "GFF3, BED, a table (first last) or GENSCAN's text; auto: from splice signals")
      ->capture_default_str();
  app.add_option("--target", options->input.target, "FASTA of cDNAs");
  app.add_option("--protein", options->protein, "FASTA of proteins instead: codons are aligned");
  app.add_option("--batch",
                 job.batch,
                 "cases instead: genome, exons, target on each line, and protein behind proteins");
  app.add_option("--match", job.match, "score of equal bases")->capture_default_str();
  app.add_option("--mismatch", job.mismatch, "score of unequal bases")->capture_default_str();
  app.add_option("--matrix",
                 job.matrix,
                 "a file of substitution scores instead (NCBI's layout); proteins have BLOSUM62");
  app.add_option("--gap-open", options->gap_open, "score of each gap [0; proteins -11]");
  app.add_option("--gap-extend",
                 options->gap_extend,
                 "score of each letter or codon in a gap [-2; proteins -1]");
  app.add_option("--min-intron", job.align.min_intron, "bases between two exons, at least")
      ->capture_default_str();
  const char* proteins = "With proteins";
  app.add_option("--genetic-code", options->genetic_code, "NCBI's table: 1 to 6, 9 to 13")
      ->capture_default_str()
      ->group(proteins);
  app.add_option(
         "--partial-codon", job.protein.partial_codon, "score of 1 or 2 bases left at the end")
      ->capture_default_str()
      ->group(proteins);
  app.add_flag("--both-strands", job.both_strands, "try both where the exons name none");
  app.add_flag("--estimate", job.estimate, "print cells, steps and predicted time; align nothing");
  app.add_flag("--histograms", options->histograms, "of exon lengths and overlapping groups");
  const char* group = "With --exons auto";
  app.add_option("--junction-weight",
                 options->junction_weight,
                 "of the log2-odds of splice sites [0.6; proteins 1]")
      ->group(group);
  app.add_option("--junction-cost",
                 options->junction_cost,
                 "of each intron, in matches [13; proteins 22, in their scores]")
      ->group(group);
  app.add_option("--missing-signal",
                 options->missing_signal,
                 "cost of no start or stop codon [12; proteins 20]")
      ->group(group);
  app.add_option("--min-donor", found.min_donor, "log2-odds of a donor, at least")
      ->capture_default_str()
      ->group(group);
  app.add_option("--min-acceptor", found.min_acceptor, "log2-odds of an acceptor, at least")
      ->capture_default_str()
      ->group(group);
  app.add_flag("--gc-donors,!--no-gc-donors", found.gc_donors, "introns may begin with GC")
      ->group(group);
  app.add_flag("--coding,!--any-frame", found.coding, "leave out exons without an open frame")
      ->group(group);
  app.add_option("--min-exon", found.min_exon, "bases")->capture_default_str()->group(group);
  app.add_option("--max-exon", found.max_exon, "bases")->capture_default_str()->group(group);
  add_count(app, "--max-exons", found.max_exons, "candidates; the weakest sites go first")
      ->group(group);
}

}  // namespace yupana::cli
