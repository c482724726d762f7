// Notices: what a reader of the results should know before them.
#include <fmt/core.h>

#include "yupana/core/counted.hpp"
#include "yupana/job/describe.hpp"

namespace yupana::job {
namespace {

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
