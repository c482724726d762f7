#include "yupana/job/describe.hpp"

#include <fmt/core.h>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/job/phylogeny.hpp"

namespace yupana::job {
namespace {

bool from_matrix(const FermatJobParams& params) { return !params.distances.empty(); }

std::string metric_sentence(const FermatJobParams& params) {
  if (from_matrix(params)) {
    return params.squared ? "square roots of the matrix given" : "the matrix given";
  }
  std::string text = "Euclidean distance of allele counts (0, 1, 2 a site)";
  if (params.input.cohort.missing == genotype::Missing::pairwise) {
    text +=
        "; pairs with missing calls over the sites they share, d\u00b2 scaled by sites / shared";
  }
  return text;
}

std::string missing_sentence(const FermatJobParams& params, const FermatJobResult& result) {
  std::string text;
  switch (params.input.cohort.missing) {
    case genotype::Missing::pairwise:
      text = "left out of the pairs they touch (--missing pairwise)";
      break;
    case genotype::Missing::mode:
      text = "replaced by the site's most frequent genotype (--missing mode)";
      break;
    case genotype::Missing::error:
      text = "refused (--missing error)";
      break;
  }
  if (!result.cohort) return text;
  const double percent = 100 * result.cohort->missing_rate();
  const bool tiny = percent > 0 && percent < 0.005;
  return fmt::format(
      "{} of the calls; {}", tiny ? "below 0.01 %" : fmt::format("{:.2f} %", percent), text);
}

std::string graph_sentence(const FermatJobParams& params) {
  const graph::FermatParams& fermat = params.fermat;
  if (fermat.neighbors > 0) {
    return fmt::format("paths among the {} (--knn {})",
                       counted(fermat.neighbors, "nearest neighbour"),
                       fermat.neighbors);
  }
  if (fermat.landmarks > 0) {
    return fmt::format("estimated through {} (--landmarks {})",
                       counted(fermat.landmarks, "landmark"),
                       fermat.landmarks);
  }
  return from_matrix(params) ? "all given edges: one for every pair of finite distance"
                             : "complete: every pair has its direct edge";
}

std::string pruning_text(const genotype::LdPruneParams& params) {
  const auto window = static_cast<double>(params.window);
  return fmt::format("--indep-pairwise {} {} {}",
                     params.in_base_pairs ? fmt::format("{:.10g}kb", window / 1000)
                                          : fmt::format("{}", params.window),
                     params.step,
                     params.max_r2);
}

/// Where graph::automatic_alpha() ends its search.
constexpr double largest_automatic_alpha = 64;

/// Pairs that no path joins, and what to do about it.
std::string components_notice(const FermatJobParams& params, const AlphaFindings& run) {
  const bool neighbors = params.fermat.neighbors > 0;
  return fmt::format(
      "At {} the graph {} falls into {} components; {} of the pairs are joined by no path{}, and "
      "their lengths are infinite.{}",
      alpha_text(run.alpha),
      neighbors ? "of nearest neighbours" : "of the given distances",
      run.components,
      percent_texts({run.unreachable_pairs})[0],
      params.fermat.landmarks > 0 ? " that the landmarks show" : "",
      neighbors && run.certified < 1 ? " Raise --knn." : "");
}

std::string neighbors_notice(const FermatJobParams& params, const AlphaFindings& run) {
  const std::string proven =
      run.certified == 1
          ? "every length is proven to be that of all edges"
          : fmt::format(
                "{} of the lengths are proven to be those of all edges, and a larger --knn "
                "may change the others",
                percent_texts({run.certified})[0]);
  return fmt::format(
      "At {} paths were searched among the {}; the largest neighbour rank any "
      "path used is {}; {}.",
      alpha_text(run.alpha),
      counted(params.fermat.neighbors, "nearest neighbour"),
      run.max_neighbor_rank,
      proven);
}

/// Lengths of all pairs by paths over all edges, or proven to be.
bool exact(const FermatJobParams& params, const AlphaFindings& run) {
  return params.fermat.landmarks == 0 && (params.fermat.neighbors == 0 || run.certified == 1);
}

std::string nearly_powers_notice(const FermatJobParams& params, const AlphaFindings& run) {
  return fmt::format(
      "At {} {} is its own shortest path: F is {}the power d^\u03b1 and {} nothing that d does "
      "not.{}",
      alpha_text(run.alpha),
      run.replaced_edges == 0 ? "every direct edge"
                              : fmt::format("almost every direct edge ({} of the pairs)",
                                            percent_texts({run.kept_edges})[0]),
      run.replaced_edges == 0 ? "" : "nearly ",
      params.matrix_only ? "says" : "its pictures say",
      params.automatic_alpha ? "" : " --alpha auto looks for an \u03b1 that changes half of them.");
}

/// What paths did, or how they were searched.
std::vector<std::string> notices_of_paths(const FermatJobParams& params, const AlphaFindings& run) {
  std::vector<std::string> notices;
  const double joined = run.kept_edges + run.replaced_edges;
  if (exact(params, run) && joined > 0 && run.kept_edges > 0.99 * joined && run.alpha > 1) {
    notices.push_back(nearly_powers_notice(params, run));
  }
  if (params.automatic_alpha && exact(params, run) && run.alpha >= largest_automatic_alpha &&
      run.kept_edges > run.replaced_edges) {
    notices.push_back(
        fmt::format("--alpha auto: no \u03b1 up to {} changes half of {}.",
                    number_text(run.alpha),
                    run.unreachable_pairs > 0 ? "the pairs that a path joins" : "the edges"));
  }
  if (run.components > 1) notices.push_back(components_notice(params, run));
  if (params.fermat.neighbors > 0) notices.push_back(neighbors_notice(params, run));
  if (params.fermat.landmarks > 0) {
    notices.push_back(
        fmt::format("At {} lengths are estimates through {}, not exact, and so is every figure, "
                    "tree and picture made from F.",
                    alpha_text(run.alpha),
                    counted(params.fermat.landmarks, "landmark")));
  }
  return notices;
}

}  // namespace

std::string grouped(std::int64_t count) {
  std::string text = std::to_string(count);
  for (auto at = std::ssize(text) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

std::string grouped(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string labels_text(const std::string& path, const std::string& column) {
  return column.empty() ? path : path + ", column " + column;
}

std::string missing_name(genotype::Missing missing) {
  constexpr const char* names[] = {"pairwise", "mode", "error"};  // by Missing
  return names[static_cast<std::size_t>(missing)];
}

std::string tree_name(analysis::TreeMethod method) {
  if (analysis::is_linkage(method)) return linkage_name(method);
  return method == analysis::TreeMethod::nj ? "nj" : "bionj";
}

std::string linkage_name(analysis::TreeMethod method) {
  constexpr const char* names[] = {
      "single", "average", "complete", "weighted", "ward"};  // by Linkage
  return names[static_cast<std::size_t>(analysis::linkage_of(method))];
}

std::string curve_note(const FermatJobParams& params,
                       std::int64_t individuals,
                       std::int64_t sample) {
  std::string text = "The curve is of the full matrix: every pair's direct edge against all paths ";
  if (individuals <= sample) {
    text += fmt::format("between the {}.", grouped(individuals, "individual"));
  } else {
    text += fmt::format(
        "between {} individuals drawn at random from the {}; among all of them more paths compete, "
        "so that the share kept is lower or the same.",
        grouped(sample),
        grouped(individuals));
  }
  const graph::FermatParams& fermat = params.fermat;
  if (fermat.neighbors > 0 || fermat.landmarks > 0) {
    text += fmt::format(
        " This run did not use all edges ({}): its own shares, in the findings above, can differ.",
        fermat.neighbors > 0 ? fmt::format("--knn {}", fermat.neighbors)
                             : fmt::format("--landmarks {}", fermat.landmarks));
  }
  return text;
}

std::string metric_of(const FermatJobParams& params) {
  if (!from_matrix(params)) return "euclidean";
  return params.squared ? "given, squared" : "given";
}

std::string filters_of(const InputParams& input) {
  const genotype::CohortParams& cohort = input.cohort;
  std::string text;
  const auto add = [&](const std::string& filter) {
    if (!text.empty()) text += ", ";
    text += filter;
  };
  if (input.all_chromosomes) add("all chromosomes (--all-chr)");
  if (!input.chromosomes.empty()) add("--chr " + input.chromosomes);
  if (!input.region.empty()) add("--region " + input.region);
  if (input.from_bp) add(fmt::format("--from-bp {}", *input.from_bp));
  if (input.to_bp) add(fmt::format("--to-bp {}", *input.to_bp));
  if (text.empty()) add("X, Y and MT left out");
  if (input.autosomes != genotype::human_autosomes)
    add(fmt::format("--chr-set {}", input.autosomes));
  if (!input.keep_file.empty()) add("--keep " + input.keep_file);
  if (!input.remove_file.empty()) add("--remove " + input.remove_file);
  if (!input.keep_fam_file.empty()) add("--keep-fam " + input.keep_fam_file);
  if (!input.remove_fam_file.empty()) add("--remove-fam " + input.remove_fam_file);
  if (!input.extract.path.empty()) add("--extract " + input.extract.path);
  if (!input.exclude.path.empty()) add("--exclude " + input.exclude.path);
  if (cohort.max_sample_missing < 1) add(fmt::format("--mind {:g}", cohort.max_sample_missing));
  if (cohort.max_site_missing < 1) add(fmt::format("--geno {:g}", cohort.max_site_missing));
  const char* samples = cohort.nonfounders ? " --nonfounders" : "";
  if (cohort.min_hwe > 0) {
    add(fmt::format("--hwe {:g}{}{}", cohort.min_hwe, cohort.hwe_mid_p ? " midp" : "", samples));
  }
  if (cohort.min_maf > 0) add(fmt::format("--maf {:g}{}", cohort.min_maf, samples));
  if (cohort.max_maf < 0.5) add(fmt::format("--max-maf {:g}{}", cohort.max_maf, samples));
  if (cohort.min_mac > 0) add(fmt::format("--mac {}{}", cohort.min_mac, samples));
  if (input.king_cutoff) {
    add(fmt::format(
        "--king-cutoff {:g}{}", *input.king_cutoff, input.king_largest ? " largest" : ""));
  }
  if (input.indep_pairwise.window > 0) add(pruning_text(input.indep_pairwise));
  if (cohort.thin < 1) add(fmt::format("--thin {:g} --seed {}", cohort.thin, cohort.seed));
  if (input.snps_only) add(input.just_acgt ? "--snps-only just-acgt" : "--snps-only");
  if (input.filtered) add(fmt::format("--var-filter {}", joined(input.ignored_filters, " ")));
  if (input.min_qual) add(fmt::format("--var-min-qual {:g}", *input.min_qual));
  if (input.hard_call_threshold != InputParams{}.hard_call_threshold) {
    add(fmt::format("--hard-call-threshold {:g}", input.hard_call_threshold));
  }
  if (input.ref_last) add("--bgen ref-last");
  if (input.round) add("--round");
  if (input.half_call != "missing") add("--half-call " + input.half_call);
  if (input.polyploid != "error") add("--polyploid " + input.polyploid);
  if (input.multiallelic != "skip") add("--multiallelic " + input.multiallelic);
  return text;
}

std::string distance_unit(const FermatJobParams& params) {
  return from_matrix(params) ? "input units" : "alleles";
}

std::string powered_unit(const FermatJobParams& params, double alpha, double scale) {
  std::string unit = distance_unit(params);
  if (scale != 1) unit = fmt::format("({:.4g} {})", scale, unit);
  return alpha == 1 ? unit : fmt::format("{}^{}", unit, alpha);
}

Rows run_rows(const FermatJobParams& params, const FermatJobResult& result) {
  Rows rows;
  if (!params.command.empty()) rows.emplace_back("command", params.command);
  rows.emplace_back("input", from_matrix(params) ? params.distances : params.input.path);
  if (!params.labels.empty()) {
    rows.emplace_back("labels", labels_text(params.labels, params.label_column));
  }
  rows.emplace_back("metric", metric_sentence(params));
  if (!from_matrix(params)) {
    rows.emplace_back("missing calls", missing_sentence(params, result));
    rows.emplace_back("filters", filters_of(params.input));
  }
  rows.emplace_back("graph", graph_sentence(params));
  rows.emplace_back("linkage of the trees drawn", linkage_name(params.tree));
  if (!analysis::is_linkage(params.tree)) rows.emplace_back("tree written", tree_name(params.tree));
  if (result.bootstrap_blocks > 0) {
    rows.emplace_back("support", support_sentence(params.bootstrap, result.bootstrap_blocks));
  }
  rows.emplace_back("individuals", grouped(result.samples));
  return rows;
}

std::string run_subtitle(const FermatJobParams& params, const FermatJobResult& result) {
  std::string text = grouped(result.samples, "individual");
  if (result.cohort) text += ", " + grouped(result.cohort->sites.kept, "site");
  text += from_matrix(params) ? ", distances as given" : ", Euclidean distance of allele counts";
  if (params.fermat.neighbors > 0) text += fmt::format(", --knn {}", params.fermat.neighbors);
  if (params.fermat.landmarks > 0) text += fmt::format(", --landmarks {}", params.fermat.landmarks);
  return text;
}

std::vector<std::string> notices_of(const FermatJobParams& params,
                                    const AlphaFindings& run,
                                    bool has_paths) {
  std::vector<std::string> notices;
  if (has_paths) notices = notices_of_paths(params, run);
  const std::string alpha = alpha_text(run.alpha);
  if (run.unit.scale != 1 && !run.unit.rooted) {
    notices.push_back(
        fmt::format("At {} lengths of d^{} would leave the range of {}: a length is "
                    "a {}.",
                    alpha,
                    number_text(run.alpha),
                    run.lengths_precision,
                    run.unit.length_name()));
  }
  if (run.unit.rooted) {
    notices.push_back(fmt::format(
        "At {} the 1/\u03b1 root of the lengths was taken (--root): .fermat.npy {} F^(1/\u03b1){}.",
        alpha,
        params.matrix_only ? "holds" : "and .nwk hold",
        params.matrix_only ? "" : "; pictures, coordinates and scores show F beside it"));
  }
  return notices;
}

std::vector<std::string> notices_of_scale(const AlphaFindings& run) {
  std::vector<std::string> notices;
  const std::string a = number_text(run.alpha);
  const auto units = [&](double scale) { return fmt::format("{}^{}", number_text(scale), a); };
  if (run.shown_scale != run.shown_weight_scale) {
    notices.push_back(fmt::format(
        "At \u03b1 = {} pictures and coordinates of F are in units of {}, those of d^\u03b1 in "
        "units of {}: no float32 holds both.",
        a,
        units(run.shown_scale),
        units(run.shown_weight_scale)));
  } else if (run.shown_scale != run.unit.length_scale()) {
    notices.push_back(
        fmt::format("At \u03b1 = {} pictures and coordinates of F and d^\u03b1 are in units of {}.",
                    a,
                    units(run.shown_scale)));
  }
  if (run.shown_distance_scale != 1) {
    notices.push_back(fmt::format(
        "At \u03b1 = {} pictures and coordinates of d and F^(1/\u03b1) are in units of {}.",
        a,
        number_text(run.shown_distance_scale)));
  }
  return notices;
}

std::vector<std::string> notices_of_infinite(const std::vector<MatrixFindings>& matrices) {
  std::string names;
  for (const MatrixFindings& matrix : matrices) {
    if (!matrix.finite) names += (names.empty() ? "" : "; ") + matrix.name;
  }
  if (names.empty()) return {};
  return {
      fmt::format("Matrices with infinite entries have no embedding and no scores: {}.", names)};
}

}  // namespace yupana::job
