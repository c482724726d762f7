#include "cli/splice_options.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/out_folder.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::cli {
namespace {

void add_files(Command& command, SpliceOptions& options) {
  command.text("--genome", options.input.genome, "FASTA, plain or gzip; - is standard input");
  command.text(
      "--exons",
      options.input.exons,
      "GFF3, GTF, BED, a table (first last) or GENSCAN's text, one of which at least is taken, "
      "whatever it scores; auto: from splice signals");
  command.text("--target", options.input.target, "FASTA of cDNAs");
  command.text("--protein", options.protein, "FASTA of proteins instead: codons are aligned");
  command.text(
      "--batch",
      options.batch,
      "a list of cases instead: genome, exons (or auto), target on each line, and the "
      "word protein after proteins; between blanks, or tabs where names have blanks; paths "
      "are relative to the list's folder, or to the working folder where it is piped");
  using job::SpliceSave;
  command.choice(
      "--save",
      options.save,
      {{"nothing", SpliceSave::nothing},
       {"index", SpliceSave::index},
       {"protein-index", SpliceSave::protein_index},
       {"sites", SpliceSave::sites}},
      "align nothing, and write to -o a file of the genome for later runs: its index for "
      "cDNAs or for proteins of a --genetic-code, for --index, or the scores of its splice sites "
      "by the models of --species, for "
      "--splice-scores, minimap2 and miniprot (--spsc)");
}

void add_scores(Command& command, SpliceOptions& options) {
  constexpr auto most = splice::max_unscaled_score;
  job::SpliceJobParams& job = options.job;
  const splice::AlignParams& proteins = job.protein.align;
  command.number("--match", job.match, "score of equal bases", -most, most);
  command.number("--mismatch", job.mismatch, "score of unequal bases", -most, most);
  command.text("--matrix",
               job.matrix,
               "a file of substitution scores instead (NCBI's layout); proteins have BLOSUM62");
  command.number(
      "--gap-open",
      options.gap_open,
      fmt::format("score of each gap [{}; proteins {}]", job.align.gap_open, proteins.gap_open),
      -most,
      0);
  command.number("--gap-extend",
                 options.gap_extend,
                 fmt::format("score of each letter or codon in a gap [{}; proteins {}]",
                             job.align.gap_extend,
                             proteins.gap_extend),
                 -most,
                 0);
  command.number("--min-intron",
                 options.min_intron,
                 fmt::format("bases between two exons, at least [{}; with --exons auto {}, and no "
                             "less; of other species more]",
                             job.align.min_intron,
                             job.candidates.min_intron),
                 0,
                 splice::largest_length);
  using job::SpliceEnds;
  command.choice(
      "--ends",
      job.ends,
      {{"global", SpliceEnds::global}, {"local", SpliceEnds::local}, {"cds", SpliceEnds::cds}},
      "of cDNAs: all letters are aligned, or the best stretch of that alignment alone, for reads "
      "whose ends are wrong (an intron in it must pay for log4 of its length, too), or those of "
      "the longest reading frame of --min-orf codons, in both directions with --exons auto");
  command.number(
      "--isoforms",
      job.isoforms.most,
      "chains of each place at most: the best one and the next best, each of which skips "
      "an exon of every better one, in that none of its exons overlaps it",
      1,
      100);
  command.number("--isoform-score",
                 job.isoforms.least_share,
                 "of isoforms, as a share of the best chain's score, at least; a skipped exon that "
                 "the target has costs three times its share of the target by the usual scores",
                 0,
                 1);
  command.number("--isoform-evalue",
                 job.isoforms.max_e_value,
                 "of isoforms, with --exons auto: each stretch of their exons that the best chain "
                 "of the place has not must hold an alignment to the target, without a gap, that "
                 "chance has this often in the place at most; the largest value takes all exons",
                 0,
                 1e12);
  command.flag("--both-strands",
               job.both_strands,
               "try both where the exons name none; --exons auto does always");
  command.list(
      "--also",
      options.also,
      "files besides .tsv, .gff3, .paf and .txt: gtf, sam (cDNAs), bam (the same in order, "
      "with "
      "its index), faa (proteins that the CDS lines read), html (pictures of the exons)");
  command.number("--min-orf",
                 job.min_orf,
                 "codons of a cDNA's reading frame, at least, for CDS lines; a frame that is the "
                 "whole chain may be shorter",
                 1,
                 splice::largest_length);
  command.flag(
      "--estimate", job.estimate, "print cells, steps, memory and time; align and write nothing");
  command.flag("--histograms", options.histograms, "of exon lengths and overlapping groups");
}

void add_protein_options(Command& command, SpliceOptions& options) {
  command
      .word(
          "--genetic-code",
          [&options](const std::string& text) {
            for (const splice::GeneticCodeName& one : splice::genetic_code_names()) {
              if (text != fmt::format("{}", one.table)) continue;
              options.genetic_code = one.table;
              return;
            }
            throw usage_error("--genetic-code: expected one of NCBI's tables {}, got '{}'",
                              splice::genetic_code_list(),
                              text);
          },
          "NCBI's table: " + splice::genetic_code_list())
      .shows(fmt::format("{}", options.genetic_code));
  command.number("--partial-codon",
                 options.job.protein.partial_codon,
                 "score of 1 or 2 bases left at the end",
                 -splice::max_unscaled_score,
                 0);
  command.number("-F,--frameshift",
                 options.job.frameshift,
                 "with --exons auto: what a shift of the frame by 1 or 2 bases costs, or a stop "
                 "codon inside, as scores of the matrix; 0: there are none",
                 0,
                 10'000);
  command.flag("--allow-acgt",
               options.job.allow_acgt,
               "take proteins that are A, C, G, T and N alone: refused as cDNAs otherwise");
}

std::int64_t max_exon(const SpliceOptions& options) {
  const splice::CandidateParams& found = options.job.candidates;
  return options.max_exon.value_or(found.coding ? found.max_exon : max_exon_any_frame);
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::usage, "splice: " + what);
}

/// The files would replace what they are made of.
void refuse_own_inputs(const SpliceOptions& options, const job::SpliceJobParams& params) {
  namespace fs = std::filesystem;
  std::vector<std::string> read = {options.batch, params.matrix, params.site_scores, params.index};
  for (const job::SpliceInput& input : params.inputs) {
    read.insert(read.end(), {input.genome, input.exons, input.target});
  }
  for (const char* end : job::splice_endings) {
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

/// The options with /dev/stdin for "-", which one of the files may be.
SpliceOptions with_standard_input(SpliceOptions options) {
  int count = 0;
  for (std::string* name : {&options.batch,
                            &options.input.genome,
                            &options.input.exons,
                            &options.input.target,
                            &options.protein,
                            &options.job.matrix,
                            &options.job.site_scores,
                            &options.job.index}) {
    if (*name == "-") *name = "/dev/stdin";
    if (*name == "/dev/stdin" && ++count > 1) {
      refuse("expected one file from standard input, got two; save one of them to a file");
    }
  }
  return options;
}

std::vector<job::SpliceInput> inputs_of(Context& context,
                                        const Command& command,
                                        const SpliceOptions& options) {
  if (!options.batch.empty()) {
    command.refuse({"--genome", "--exons", "--target", "--protein"},
                   "with --batch, whose list names the files");
    command.refuse({"--index"}, "with --batch, whose list may name several genomes");
    job::note_pipe(context, options.batch);
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

job::SpliceFiles also_of(const SpliceOptions& options) {
  job::SpliceFiles also;
  for (const std::string& word : options.also) {
    bool* const file = word == "gtf"    ? &also.gtf
                       : word == "sam"  ? &also.sam
                       : word == "bam"  ? &also.bam
                       : word == "faa"  ? &also.proteins
                       : word == "html" ? &also.page
                                        : nullptr;
    if (file == nullptr)
      throw usage_error("--also: expected gtf, sam, bam, faa or html, got '{}'", word);
    *file = true;
  }
  return also;
}

/// What the options say of both kinds of targets, the rest as is usual of one; the species' where
/// no option says otherwise.
splice::CandidateParams candidates_of(const SpliceOptions& options,
                                      const splice::CandidateParams& usual) {
  splice::CandidateParams found = options.job.candidates;
  found.max_exon = max_exon(options);
  found.junction_weight = options.junction_weight.value_or(usual.junction_weight);
  found.junction_cost = usual.junction_cost;
  found.missing_signal = options.missing_signal.value_or(usual.missing_signal);
  const auto least = found.min_intron;
  found = splice::candidates_of_species(found, options.job.species);
  if (options.junction_cost) found.junction_cost = *options.junction_cost;
  if (options.min_intron) found.min_intron = least;
  return found;
}

/// What no file can make right.
void check_options(const Call& call, const SpliceOptions& options) {
  const splice::CandidateParams& found = options.job.candidates;
  if (options.job.estimate && !call.out.empty()) {
    refuse("-o has no effect with --estimate, which writes nothing; leave one of them out");
  }
  if (options.job.estimate) {
    call.command.refuse({"--also"}, "with --estimate, which writes nothing");
    if (options.job.ends != job::SpliceEnds::cds) {
      call.command.refuse({"--min-orf"}, "with --estimate, which writes nothing");
    }
  }
  if (!options.job.estimate) {
    required_out(call, "PREFIX: the files are PREFIX.tsv, .gff3, .paf, .txt");
  }
  if (options.job.isoforms.most == 1) {
    call.command.refuse({"--isoform-score", "--isoform-evalue"},
                        "with one chain of each place, as without --isoforms");
  } else if (options.job.ends != job::SpliceEnds::global || options.job.frameshift > 0) {
    refuse(fmt::format("--isoforms {} needs {}",
                       options.job.isoforms.most,
                       options.job.ends != job::SpliceEnds::global
                           ? "--ends global"
                           : "a whole frame, no --frameshift"));
  }
  if (!options.job.matrix.empty()) call.command.refuse({"--match", "--mismatch"}, "with --matrix");
  if (!found.gc_donors) call.command.refuse({"--min-gc-donor"}, "with --no-gc-donors");
  if (found.min_exon > max_exon(options)) {
    refuse(fmt::format("--min-exon {} and --max-exon {}: expected --min-exon <= --max-exon",
                       found.min_exon,
                       max_exon(options)));
  }
}

/// What depends on the inputs, which a batch lists.
void check_combination(const Command& command,
                       const SpliceOptions& options,
                       const std::vector<job::SpliceInput>& inputs) {
  const auto is_protein = [](const job::SpliceInput& input) { return input.is_protein; };
  const auto is_auto = [](const job::SpliceInput& input) { return input.exons == "auto"; };
  if (std::none_of(inputs.begin(), inputs.end(), is_protein)) {
    command.refuse({"--genetic-code", "--partial-codon", "--frameshift", "--allow-acgt"},
                   "without proteins, which --protein gives");
  }
  if (std::all_of(inputs.begin(), inputs.end(), is_protein)) {
    command.refuse({"--match", "--mismatch"}, "with --protein: give scores by --matrix");
    command.refuse({"--min-orf"}, "with proteins, whose exons are coding");
    command.refuse({"--ends"}, "with proteins, which are aligned from end to end");
    const job::SpliceFiles also = also_of(options);
    if (also.sam || also.bam) {
      refuse(fmt::format(
          "--also {0} has no effect with proteins, which SAM and BAM cannot hold; leave "
          "{0} out",
          also.sam ? "sam" : "bam"));
    }
  }
  if (std::none_of(inputs.begin(), inputs.end(), is_auto)) {
    command.refuse({"--frameshift",      "--species",       "--splice-scores",  "--index",
                    "--junction-weight", "--junction-cost", "--missing-signal", "--min-donor",
                    "--min-gc-donor",    "--min-acceptor",  "--gc-donors",      "--coding",
                    "--min-exon",        "--max-exon",      "--max-exons",      "--one-strand",
                    "--exact-window",    "--max-intron",    "--max-loci",       "--max-evalue",
                    "--isoform-evalue"},
                   "with --exons from a file; it needs --exons auto");
  }
  if (options.job.one_strand) command.refuse({"--both-strands"}, "with --one-strand");
  if (options.job.exact_window) {
    command.refuse({"--index"}, "with --exact-window, which looks for no words");
  }
  if (options.job.exact_window && options.job.ends != job::SpliceEnds::local) {
    command.refuse({"--max-intron"}, "with --exact-window, but for --ends local");
  }
  const splice::CandidateParams& found = options.job.candidates;
  if (options.min_intron && *options.min_intron < found.min_intron &&
      std::any_of(inputs.begin(), inputs.end(), is_auto)) {
    refuse(fmt::format("--min-intron {}: with --exons auto expected {} to {}",
                       *options.min_intron,
                       found.min_intron,
                       splice::largest_length));
  }
  const splice::IntronPrior& prior = splice::intron_prior(options.job.species);
  const std::int64_t of_species =
      prior.max_intron > 0 ? prior.max_intron : splice::LocusParams().max_intron;
  const std::int64_t least =
      options.min_intron.value_or(std::max(found.min_intron, prior.min_intron));
  const std::int64_t most = options.max_intron.value_or(of_species);
  if (least > most && std::any_of(inputs.begin(), inputs.end(), is_auto)) {
    refuse(fmt::format(
        "--min-intron {} and --max-intron {}: expected --min-intron <= --max-intron", least, most));
  }
}

}  // namespace

void add_splice_options(Command& command, SpliceOptions& options) {
  add_files(command, options);
  add_scores(command, options);
  command.under("With proteins", [&] { add_protein_options(command, options); });
  command.under("With --exons auto", [&] { add_candidate_options(command, options); });
}

job::SpliceSaveParams splice_save(const Call& call, const SpliceOptions& given) {
  const SpliceOptions options = with_standard_input(given);
  call.command.refuse_all_but({"--save", "--genome", "--species", "--genetic-code"},
                              "with --save, which aligns nothing");
  if (options.input.genome.empty()) refuse("--save: expected --genome, got none");
  required_out(call, "FILE, which --save writes");
  if (options.save != job::SpliceSave::sites) {
    call.command.refuse({"--species"}, "with --save of an index, which is the same for all");
  }
  if (options.save != job::SpliceSave::protein_index) {
    call.command.refuse({"--genetic-code"}, "but with --save protein-index");
  }
  return {options.save,
          options.input.genome,
          options.job.species,
          splice::GeneticCode(options.genetic_code),
          call.out};
}

job::SpliceJobParams splice_job(Context& context, const Call& call, const SpliceOptions& given) {
  const SpliceOptions options = with_standard_input(given);
  check_options(call, options);
  job::SpliceJobParams params = options.job;
  params.inputs = inputs_of(context, call.command, options);
  check_combination(call.command, options, params.inputs);
  params.out = call.out;
  for (const char* const ending : job::splice_endings) {
    if (drop_ending(params.out, ending)) break;
  }
  params.also = also_of(options);
  params.max_intron = options.max_intron.value_or(splice::intron_prior(params.species).max_intron);
  refuse_own_inputs(options, params);
  if (options.gap_open) params.align.gap_open = params.protein.align.gap_open = *options.gap_open;
  if (options.gap_extend) {
    params.align.gap_extend = params.protein.align.gap_extend = *options.gap_extend;
  }
  params.align.min_intron = options.min_intron.value_or(params.align.min_intron);
  params.candidates = candidates_of(options, params.candidates);
  params.protein_candidates = candidates_of(options, params.protein_candidates);
  params.protein.code = params.protein_candidates.code = splice::GeneticCode(options.genetic_code);
  return params;
}

}  // namespace yupana::cli
