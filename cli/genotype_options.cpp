#include "cli/genotype_options.hpp"

#include <algorithm>
#include <filesystem>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"

namespace yupana::cli {
namespace {

// Headings of --help.
constexpr const char* inputs = "Input";
constexpr const char* filters = "Filters";
constexpr const char* long_runs = "Long runs";

/// PLINK's names of species, with their autosomes.
struct Species {
  const char* option;
  std::int64_t autosomes;
};
constexpr Species species[] = {
    {"--cow", 29}, {"--dog", 38}, {"--horse", 31}, {"--mouse", 19}, {"--sheep", 26}};

void add_inputs(Command& command, job::InputParams& input) {
  const auto path = [&](const char* name, job::InputKind kind, const char* help) {
    const bool is_file = name == std::string_view("--bed") || name == std::string_view("--pgen");
    const auto take = [&input, kind, is_file](const std::string& given) {
      input.path = given;
      input.kind = kind;
      input.names_file = is_file;
    };
    command.word(name, take, help);
  };
  command.text(
      "input",
      input.path,
      ".bed, .ped, .tped, .pgen, .bgen, .vcf, .vcf.gz, .bcf, .npy, a PLINK prefix, a folder of "
      "VCF-Zarr, - (VCF or BCF on standard input), or simulate:SAMPLESxSITES");
  path("--bfile", job::InputKind::plink, "PLINK prefix of .bed, .bim, .fam");
  path("--bed", job::InputKind::plink, "a .bed file");
  command.text("--bim", input.bim, "its .bim, where the name differs");
  command.text("--fam", input.fam, "its .fam, where the name differs");
  const auto text_prefix = [&](const char* name, const char* ending, const char* help) {
    const auto take = [&input, ending](const std::string& given) {
      input.path = given.ends_with(ending) ? given : given + ending;
      input.kind = job::InputKind::text;
    };
    command.word(name, take, help);
  };
  text_prefix("--file", ".ped", "PLINK prefix of .ped, .map");
  text_prefix("--tfile", ".tped", "PLINK prefix of .tped, .tfam");
  path("--pfile", job::InputKind::pgen, "PLINK 2 prefix of .pgen, .pvar (.zst), .psam");
  path("--pgen", job::InputKind::pgen, "a .pgen file; its hard calls are read");
  command.text("--pvar", input.pvar, "its .pvar or .bim, where the name differs");
  command.text("--psam", input.psam, "its .psam or .fam, where the name differs");
  command
      .words(
          "--bgen",
          [&input](const Names& words) {
            input.path = words[0];
            input.kind = job::InputKind::bgen;
            input.ref_last = words.size() == 2 && words[1] == "ref-last";
            if (words.size() == 1 || input.ref_last || words[1] == "ref-first") return;
            throw usage_error("--bgen: expected ref-first or ref-last after the file, got '{}'",
                              words[1]);
          },
          "a BGEN 1.2 or 1.3 file; with ref-last after it, REF is the last allele of each variant "
          "(default: ref-first)")
      .takes(1, 2);
  command.text("--sample", input.sample, "its .sample, where the name differs");
  command.number("--hard-call-threshold",
                 input.hard_call_threshold,
                 "BGEN: the most that a dosage may be away from a call, above which it is missing",
                 0,
                 0.499999);
  path("--vcf", job::InputKind::vcf, "a VCF or BCF file, or a folder of VCF-Zarr");
  command.text("--region",
               input.region,
               "sites of one contig and interval, chr1:1000-2000, of any input but .npy and "
               "simulations; an index (.tbi, .csi) spares reading the rest");
  command.text(
      "--half-call", input.half_call, "calls such as ./1: missing, haploid, reference, error");
  command.choice("--polyploid",
                 input.polyploid,
                 {"error", "missing"},
                 "calls of more than two alleles: error, missing");
  command.choice(
      "--multiallelic",
      input.multiallelic,
      {"skip", "split", "collapse"},
      "sites of several ALT alleles (VCF, .pgen, .bgen, VCF-Zarr): skip; split into a site for "
      "each; collapse, "
      "which counts every ALT alike, as PLINK 2's --make-king does");
  command.flag("--round", input.round, ".npy: round other values to the nearest genotype");
}

/// PLINK's filters of variants by what files say of them.
void add_variant_filters(Command& command, job::InputParams& input) {
  command
      .words(
          "--snps-only",
          [&input](const Names& words) {
            input.snps_only = true;
            input.just_acgt = !words.empty();
            if (words.empty() || words[0] == "just-acgt") return;
            throw usage_error("--snps-only: expected just-acgt or nothing, got '{}'", words[0]);
          },
          "leave out variants with an allele of several characters (default: all biallelic "
          "variants are kept, insertions and deletions too); with just-acgt also other letters")
      .takes(0, 1);
  command
      .words(
          "--var-filter",
          [&input](const Names& words) {
            for (const std::string& word : words) {
              std::error_code none;
              if (!std::filesystem::exists(word, none)) continue;
              throw usage_error("--var-filter: expected names of filters, got the file '{}'", word);
            }
            input.filtered = true;
            input.ignored_filters = words;
          },
          "leave out sites (VCF, .pvar) whose FILTER is neither PASS nor '.'; the filters named "
          "after it "
          "are ignored")
      .takes(0, 1000);
  command.number(
      "--var-min-qual", input.min_qual, "leave out sites (VCF, .pvar) with a lower QUAL or none");
}

/// PLINK's lists of variants to take or leave out.
void add_variant_lists(Command& command, job::InputParams& input) {
  const auto list = [&](const std::string& name, io::VariantListParams& params, const char* help) {
    command
        .words(
            name,
            [name, &params](const Names& words) {
              params.lines = words.size() == 2 ? io::variant_lines_from_name(name, words[0])
                                               : io::VariantLines::ids;
              params.path = words.back();
              if (params.path.empty()) {
                throw usage_error("{}: expected a file, got ''; leave it out", name);
              }
            },
            help)
        .takes(1, 2);
  };
  list("--extract",
       input.extract,
       "file of the variants to keep: names; with bed0 before it intervals as UCSC's BED (contig, "
       "start from 0, end), with bed1 intervals from 1 with both ends");
  list("--exclude", input.exclude, "file of the variants to leave out, as --extract");
}

/// Chromosomes and the species they are counted for.
void add_chromosomes(Command& command, job::InputParams& input) {
  command.text(
      "--chr", input.chromosomes, "chromosomes to read: 1-4,22,X; default: all but X, Y and MT");
  command.number("--from-bp", input.from_bp, "first position, of the one chromosome of --chr", 0);
  command.number("--to-bp", input.to_bp, "last position", 0);
  command.flag("--all-chr", input.all_chromosomes, "read every chromosome");
  command.number("--chr-set,--autosome-num",
                 input.autosomes,
                 "autosomes of the species; X, Y, XY and MT are the numbers after them",
                 1,
                 9995);
  for (const Species& animal : species) {
    command.flag(
        animal.option,
        [&input, animal] { input.autosomes = animal.autosomes; },
        fmt::format("--chr-set {}", animal.autosomes));
  }
}

void add_filters(Command& command, job::InputParams& input) {
  genotype::CohortParams& cohort = input.cohort;
  const auto share = [&](const char* name, double& value, const char* help, double most = 1) {
    command.number(name, value, help, 0, most);
  };
  command.text(
      "--keep",
      input.keep_file,
      "file of samples to keep, one a line: IID, FID and IID, or with SID; others are noted");
  command.text("--remove", input.remove_file, "file of samples to leave out");
  command.text("--keep-fam", input.keep_fam_file, "file of families to keep, its first column");
  command.text("--remove-fam", input.remove_fam_file, "file of families to leave out");
  add_chromosomes(command, input);
  add_variant_lists(command, input);
  add_variant_filters(command, input);
  share("--maf",
        cohort.min_maf,
        "leave out sites with a lower minor-allele frequency, over founders: samples without "
        "parents in the .fam or .psam",
        0.5);
  command
      .words(
          "--hwe",
          [&cohort](const Names& words) {
            const std::optional<double> p = number_of<double>(words[0]);
            if (!p || *p < 0 || *p > 1 || (words.size() == 2 && words[1] != "midp")) {
              throw usage_error("--hwe: expected a number from 0 to 1, and perhaps midp, got '{}'",
                                joined(words, " "));
            }
            cohort.min_hwe = *p;
            cohort.hwe_mid_p = words.size() == 2;
          },
          "leave out sites whose exact test of Hardy-Weinberg equilibrium, over founders, has a "
          "smaller p-value; with midp after it, the mid-p correction")
      .takes(1, 2);
  share("--max-maf", cohort.max_maf, "leave out sites with a higher one", 0.5);
  command.count("--mac", cohort.min_mac, "leave out sites with fewer copies of the minor allele");
  command.flag(
      "--nonfounders", cohort.nonfounders, "--maf, --max-maf, --mac and others count every sample");
  share("--geno", cohort.max_site_missing, "leave out sites with more missing calls");
  share("--mind", cohort.max_sample_missing, "leave out samples with more missing calls");
  share("--thin", cohort.thin, "keep each site with this probability");
  command.seed(cohort.seed, "of what is drawn at random");
  command
      .words(
          "--king-cutoff",
          [&input](const Names& words) {
            input.king_cutoff = number_of<double>(words[0]);
            input.king_largest = words.size() == 2;
            if (input.king_cutoff && (words.size() == 1 || words[1] == "largest")) return;
            throw usage_error("--king-cutoff: expected a kinship, and perhaps largest, got '{}'",
                              joined(words, " "));
          },
          "after the filters of sites leave out samples until no KING-robust kinship is larger: "
          "0.354 leaves no duplicates, 0.177 no first-degree relatives, 0.0884 no second-degree; "
          "the same samples as PLINK 2, or, with largest after it, as few as can be in families "
          "of up to 200")
      .takes(1, 2);
  command
      .words(
          "--indep-pairwise",
          [&input](const Names& words) { input.indep_pairwise = genotype::ld_prune_params(words); },
          "leave out sites until no two of a window are correlated by more than R2, the same list "
          "as PLINK 2's; after all other filters, over founders: WINDOW STEP R2, where the window "
          "is a number of sites or, with kb after it, kilobases: 50 5 0.2; 200kb 1 0.2")
      .takes(1, 4);
  command.choice("--missing",
                 cohort.missing,
                 {{"pairwise", genotype::Missing::pairwise},
                  {"mode", genotype::Missing::mode},
                  {"error", genotype::Missing::error}},
                 "missing calls");
}

/// How processes that mpirun starts share the counting, and checkpoints.
void add_long_runs(Command& command, job::InputParams& input, job::CheckpointParams& checkpoint) {
  command.number("--pair-groups",
                 input.pair_groups,
                 "under mpirun: groups of ranks, each with pairs of its own, whose ranks share the "
                 "sites; a divisor of the ranks; default: what memory and reading allow",
                 1);
  command.text("--checkpoint", checkpoint.folder, "folder to save counts in; a rerun continues");
  command.number("--checkpoint-interval", checkpoint.interval, "seconds between two saves", 0, 1e9);
}

}  // namespace

void add_genotype_options(Command& command,
                          job::InputParams& input,
                          job::CheckpointParams& checkpoint,
                          const std::string& replaced_by,
                          const Names& drawing) {
  if (!replaced_by.empty()) {
    command.excludes_groups({inputs, filters, long_runs}, replaced_by, "it is for genotypes");
  }
  add_cohort_options(command, input, drawing);
  command.under(long_runs, [&] { add_long_runs(command, input, checkpoint); });
  command.needs({"--checkpoint-interval"}, {"--checkpoint"});
}

void add_cohort_options(Command& command, job::InputParams& input, const Names& drawing) {
  command.under(inputs, [&] { add_inputs(command, input); });
  command.under(filters, [&] { add_filters(command, input); });
  command.only_one(
      {"input", "--bfile", "--bed", "--file", "--tfile", "--pfile", "--pgen", "--bgen", "--vcf"});
  command.only_one({"--chr-set", "--cow", "--dog", "--horse", "--mouse", "--sheep"});
  command.only_one({"--all-chr", "--chr"});
  command.excludes({"--all-chr"}, "--region", "a region names its chromosome");
  command.needs({"--from-bp", "--to-bp"}, {"--chr"});
  command.excludes({"--from-bp", "--to-bp"}, "--region", "a region has its own");
  command.needs({"--nonfounders"}, {"--maf", "--max-maf", "--mac", "--hwe", "--indep-pairwise"});
  Names drawn_by = {"--thin"};
  drawn_by.insert(drawn_by.end(), drawing.begin(), drawing.end());
  command.needs({"--seed"}, drawn_by);
}

void check_genotype_options(const Call& call, const job::InputParams& input) {
  check_cohort_options(call, input);
  if (call.context.comm == nullptr) {
    call.command.refuse({"--pair-groups"}, "without mpirun: one process counts every pair");
  }
}

void check_cohort_options(const Call& call, const job::InputParams& input) {
  if (input.path.empty()) {
    const std::string command = call.command.name();
    throw usage_error(
        "{}: expected an input file, got none; see 'yupana {} --help'", command, command);
  }
  const job::InputKind kind = job::input_kind(input);
  for (const job::InputOption& option : job::input_options()) {
    const auto& kinds = option.kinds;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    Names names = {option.name};
    if (names[0] == "--dosage" && !input.cohort.dosage) continue;  // of some commands alone
    if (names[0] == "--chr-set") {
      for (const Species& animal : species) names.push_back(animal.option);
    }
    call.command.refuse(names, job::no_effect(option, input, kind));
  }
}

void add_pictures(Command& command, report::PictureParams& pictures) {
  command.words(
      "--figures",
      [&pictures](const Names& words) {
        pictures.figures = report::formats_named(cut_at_commas(words));
      },
      "also each figure of the page by itself, 85 mm wide or as --figure-width says: "
      "PREFIX.embedding1.pdf, PREFIX.tree1.pdf, ...; svg, pdf, png");
  command
      .number(
          "--figure-width",
          pictures.width,
          "millimetres of the pictures .svg, .pdf and .png: 85 for a column of a journal, panels "
          "and legend below each other, letters of 6 to 12 points",
          report::smallest_figure_width,
          report::largest_figure_width)
      .shows("271, side by side");
}

void add_dosage(Command& command, job::InputParams& input) {
  command.flag("--dosage",
               input.cohort.dosage,
               "dosages instead of hard calls, as PLINK 2 takes them: of .pgen, .bgen (its "
               "probabilities) and FORMAT/DS of VCF; where a site or a call has none, the hard "
               "call; --maf, --max-maf and --mac count dosages");
}

void add_standardize(Command& command, genotype::Standardize& standardize) {
  command.choice(
      "--standardize",
      standardize,
      {{"gcta", genotype::Standardize::gcta}, {"eigensoft", genotype::Standardize::eigensoft}},
      "variance of a site by its allele frequency p, over all samples kept: 2p(1-p), as "
      "GCTA has it, and PLINK 2 with --nonfounders, or q(1-q) with q = (1 + alleles) / (2 + 2 "
      "calls)");
}

std::string account_text(const genotype::CohortSummary& summary) {
  std::string text =
      fmt::format("samples  {} of {} kept", summary.samples_kept, summary.samples_read);
  for (const auto& [reason, count] : summary.samples_dropped) {
    text += fmt::format("; {} {}", count, reason);
  }
  text += fmt::format("\nsites    {} of {} kept", summary.sites.kept, summary.sites.read);
  for (const auto& [reason, count] : summary.sites.skipped) {
    text += fmt::format("; {} {}", count, reason);
  }
  return text + fmt::format("\nmissing  {:.4g} % of the calls\n", 100 * summary.missing_rate());
}

nlohmann::ordered_json account_json(const genotype::CohortSummary& summary) {
  return {{"samples_read", summary.samples_read},
          {"samples_kept", summary.samples_kept},
          {"samples_dropped", summary.samples_dropped},
          {"sites_read", summary.sites.read},
          {"sites_kept", summary.sites.kept},
          {"sites_skipped", summary.sites.skipped},
          {"missing_rate", summary.missing_rate()}};
}

Answer cohort_answer(const Context& context,
                     const Call& call,
                     const genotype::CohortSummary& summary,
                     const std::vector<std::string>& files,
                     const std::string& text) {
  Answer answer;
  answer.text = account_text(summary) + text;
  answer.json = {{"command", call.command.name()},
                 {"samples", summary.samples_kept},
                 {"sites", summary.sites.kept},
                 {"account", account_json(summary)},
                 {"stages", stages_json(context)},
                 {"peak_memory", peak_memory()}};
  answer.add_files(files);
  return answer;
}

}  // namespace yupana::cli
