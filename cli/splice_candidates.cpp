// The options of splice for exons = auto.
#include "cli/splice_options.hpp"

namespace yupana::cli {
namespace {

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

void add_candidate_options(Command& command, SpliceOptions& options) {
  add_junctions(command, options);
  add_candidates(command, options);
}

}  // namespace yupana::cli
