#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "yupana/core/messages.hpp"
#include "yupana/job/describe.hpp"
#include "yupana/report/text.hpp"

namespace yupana::job {
namespace {

/// Scores closer than this count as equal: they are means over individuals.
constexpr double same_score = 0.01;

bool reads_false(double share, int decimals) {
  const double shown = std::stod(fmt::format("{:.{}f}", 100 * share, decimals));
  return (shown == 0 && share > 0) || (shown == 100 && share < 1);
}

/// "little" and so on, by the share of the joined pairs that a path replaced.
std::string changed_text(const AlphaFindings& run) {
  const double kept = run.kept_edges / (run.kept_edges + run.replaced_edges);
  if (kept >= 0.5) return kept > 0.9 ? "little" : "a part of the matrix";
  return run.unreachable_pairs > 0 ? "most of the pairs that a path joins" : "most of the matrix";
}

/// Percentages of the pairs whose edges are known: kept, replaced, longer, unreachable.
std::vector<std::string> known_texts(const graph::KnownEdges& edges) {
  std::vector<double> shares;
  for (const std::int64_t count : {edges.kept, edges.replaced, edges.longer, edges.unreachable}) {
    shares.push_back(static_cast<double>(count) / static_cast<double>(edges.known()));
  }
  return percent_texts(shares);
}

/// Weights that are zero, or lost digits, do not say which path is the shorter; those of the other
/// pairs do.
std::string unknown_sentence(const AlphaFindings& run) {
  const graph::KnownEdges& edges = run.known;
  const std::string lead = fmt::format(
      "At {} {} below the range of {} or next to its end",
      alpha_text(run.alpha),
      edges.left_out == 0   ? "the smallest weights are"
      : edges.left_out == 1 ? "the weight of 1 pair is"
                            : fmt::format("the weights of {} pairs are", edges.left_out),
      run.weights_precision);
  if (edges.known() == 0) {
    return lead +
           ", so which pairs keep their direct edge is not known; a smaller \u03b1 shows it.";
  }
  if (edges.known() == 1) {
    return fmt::format("{}, and left out here: the only other pair {}. A smaller \u03b1 shows all.",
                       lead,
                       edges.kept > 0       ? "keeps its direct edge as shortest path"
                       : edges.replaced > 0 ? "has a shorter path than its direct edge"
                       : edges.longer > 0
                           ? "has only a longer path, as its direct edge was left out"
                           : "is joined by no path");
  }
  const auto texts = known_texts(edges);
  std::string sentence = fmt::format(
      "{}, and left out here: of the other {}, {} keep their direct edge as shortest path and {} "
      "have a shorter one",
      lead,
      counted(edges.known(), "pair"),
      texts[0],
      texts[1]);
  if (edges.longer > 0) {
    sentence +=
        fmt::format("; {} have only longer paths, as their direct edge was left out", texts[2]);
  }
  if (edges.unreachable > 0) sentence += fmt::format("; {} are joined by no path", texts[3]);
  return sentence + ". A smaller \u03b1 shows all.";
}

/// Paths over all edges: the shares are those of F.
std::string exact_sentence(const AlphaFindings& run) {
  const std::string alpha = alpha_text(run.alpha);
  const auto texts = percent_texts({run.kept_edges, run.replaced_edges, run.unreachable_pairs});
  const std::string unjoined =
      run.unreachable_pairs > 0
          ? fmt::format(" No path joins {} of the pairs, whose length is infinite.", texts[2])
          : "";
  if (run.kept_edges + run.replaced_edges == 0) {
    return fmt::format("At {} no two individuals are joined by an edge: every length is infinite.",
                       alpha);
  }
  if (run.replaced_edges == 0) {
    return fmt::format(
        "At {} Fermat changed nothing: {} direct edge is its own shortest path, so F is "
        "the plain power of the distance.{}",
        alpha,
        run.unreachable_pairs > 0 ? "of every pair that a path joins the" : "every pair's",
        unjoined);
  }
  return fmt::format(
      "At {} {} of the pairs keep their direct edge as shortest path; Fermat replaced {}{}: it "
      "changed {}.{}",
      alpha,
      texts[0],
      run.unreachable_pairs > 0 ? "" : "the other ",
      texts[1],
      changed_text(run),
      unjoined);
}

/// Paths over some edges: a shorter path than the direct edge is one of all edges too, and nothing
/// else of the exact lengths is known.
std::string neighbors_sentence(const AlphaFindings& run, std::int64_t neighbors) {
  const auto texts =
      percent_texts({run.replaced_edges, run.kept_edges, run.longer_edges, run.unreachable_pairs});
  std::string sentence = fmt::format("At {} ", alpha_text(run.alpha));
  if (run.replaced_edges > 0) {
    sentence += fmt::format(
        "paths over the edges to the {} are shorter than the direct edge of {} "
        "of the pairs: so many, at least, would be replaced over all edges",
        counted(neighbors, "nearest neighbour"),
        texts[0]);
  } else {
    sentence += fmt::format("no path over the edges to the {} is shorter than a direct edge",
                            counted(neighbors, "nearest neighbour"));
  }
  if (run.kept_edges > 0) sentence += fmt::format("; {} keep their direct edge", texts[1]);
  if (run.longer_edges > 0) {
    sentence +=
        fmt::format("; {} have only longer paths, as their direct edge was left out", texts[2]);
  }
  if (run.unreachable_pairs > 0) {
    sentence += fmt::format("; {} are joined by no path and have infinite lengths", texts[3]);
  }
  return sentence + ".";
}

std::string landmarks_sentence(const AlphaFindings& run, const graph::FermatParams& fermat) {
  const std::string lead =
      fmt::format("At {} lengths are an {}", alpha_text(run.alpha), run.method);
  const auto texts = percent_texts({run.replaced_edges, run.kept_edges});
  if (fermat.estimate == graph::LandmarkEstimate::upper && run.replaced_edges == 0) {
    return fmt::format("{}. No path through a landmark is shorter than a direct edge.", lead);
  }
  if (fermat.estimate == graph::LandmarkEstimate::upper) {
    return fmt::format(
        "{}. Paths through landmarks are shorter than the direct edge of {} of the pairs: so many, "
        "at least, are replaced in the exact lengths.",
        lead,
        texts[0]);
  }
  if (fermat.estimate == graph::LandmarkEstimate::lower) {
    return fmt::format(
        "{}. The bound equals the direct edge of {} of the pairs: so many, at least, keep it in "
        "the exact "
        "lengths.",
        lead,
        texts[1]);
  }
  return fmt::format("{}. It does not show which pairs keep their direct edge.", lead);
}

std::string kept_sentence(const FermatJobParams& params, const AlphaFindings& run) {
  if (std::isnan(run.kept_edges)) return unknown_sentence(run);
  if (params.fermat.landmarks > 0) return landmarks_sentence(run, params.fermat);
  // With every length certified they are those of all edges.
  if (params.fermat.neighbors > 0 && run.certified < 1) {
    return neighbors_sentence(run, params.fermat.neighbors);
  }
  return exact_sentence(run);
}

/// Two decimals, and no minus before a zero.
std::string score_text(double score) {
  const std::string text = fmt::format("{:.2f}", score);
  return text == "-0.00" ? "0.00" : text;
}

std::string compared(const char* what, double fermat, double plain, const std::string& against) {
  if (std::abs(fermat - plain) < same_score) {
    // As the table prints them.
    const auto text = [](double score) { return fmt::format("{:.3f}", score); };
    if (fermat == plain) return fmt::format("{} is the same for both ({})", what, text(plain));
    if (text(fermat) == text(plain)) return fmt::format("{} is {} for both", what, text(plain));
    return fmt::format(
        "{} changes by less than {} ({} to {})", what, same_score, text(plain), text(fermat));
  }
  return fmt::format("{} {} from {} ({}) to {}",
                     what,
                     fermat > plain ? "rises" : "falls",
                     score_text(plain),
                     against,
                     score_text(fermat));
}

std::string scores_sentence(const MatrixFindings& plain,
                            const MatrixFindings& fermat,
                            const std::string& lead) {
  return fmt::format(
      "{}: {}, {}, {}.",
      lead,
      compared(
          "the mean silhouette", fermat.scores->silhouette, plain.scores->silhouette, plain.name),
      compared("the adjusted Rand index",
               fermat.scores->adjusted_rand,
               plain.scores->adjusted_rand,
               plain.name),
      compared("nearest-neighbour accuracy",
               fermat.scores->nearest_neighbor,
               plain.scores->nearest_neighbor,
               plain.name));
}

/// Share of the first two axes, those of the pictures; none without two.
std::optional<double> two_axes(const MatrixFindings& matrix) {
  if (matrix.share.size() < 2) return {};
  return matrix.share[0] + matrix.share[1];
}

/// What the pictures of d and F show of them; empty where F is no more than the power.
std::string axes_sentence(const AlphaFindings& run,
                          const MatrixFindings& plain,
                          const MatrixFindings& power,
                          const MatrixFindings& fermat,
                          bool estimated) {
  const auto d = two_axes(plain), weights = two_axes(power), f = two_axes(fermat);
  if (run.replaced_edges == 0 || !d || !weights || !f) return {};
  return fmt::format("{} axes hold {} of d and {} of F (of the bare power d^{} {}).{}",
                     estimated ? "Estimate: two" : "Two",
                     report::percent(*d),
                     report::percent(*f),
                     number_text(run.alpha),
                     report::percent(*weights),
                     std::max(*f, *weights) >= 1.0005  // as it is printed
                         ? " More than 100 %: no Euclidean space holds such distances."
                         : "");
}

}  // namespace

std::string alpha_text(double alpha) { return "\u03b1 = " + number_text(alpha); }

std::vector<std::string> percent_texts(const std::vector<double>& shares) {
  int decimals = 1;
  while (decimals < 12 && std::any_of(shares.begin(), shares.end(), [&](double share) {
           return reads_false(share, decimals);
         })) {
    ++decimals;
  }
  std::vector<std::string> texts;
  for (const double share : shares) {
    texts.push_back(fmt::format("{:.{}f} %", 100 * share, decimals));
  }
  return texts;
}

std::string shares_text(const AlphaFindings& run) {
  if (run.estimated) return "which edges are kept is not known from an estimate";
  if (std::isnan(run.kept_edges) && run.known.known() > 0) {
    const auto texts = known_texts(run.known);
    return fmt::format(
        "{} of the edges kept, {} replaced by shorter paths, without {} whose weight "
        "vanishes",
        texts[0],
        texts[1],
        counted(run.known.left_out, "pair"));
  }
  if (std::isnan(run.kept_edges)) return "which edges are kept is not known";
  const auto texts =
      percent_texts({run.kept_edges, run.replaced_edges, run.longer_edges, run.unreachable_pairs});
  std::string text = texts[0] + " of the edges kept";
  if (run.replaced_edges > 0) text += fmt::format(", {} replaced by shorter paths", texts[1]);
  if (run.longer_edges > 0) text += fmt::format(", {} left out for longer paths", texts[2]);
  if (run.unreachable_pairs > 0) text += fmt::format(", {} of the pairs not joined", texts[3]);
  return text;
}

nlohmann::ordered_json edges_json(const AlphaFindings& run) {
  const auto share = [&](double known) {
    return run.estimated ? nlohmann::ordered_json() : nlohmann::ordered_json(known);
  };
  nlohmann::ordered_json json{{"kept_edges", share(run.kept_edges)},
                              {"replaced_edges", share(run.replaced_edges)},
                              {"longer_edges", share(run.longer_edges)},
                              {"unreachable_pairs", run.unreachable_pairs}};
  if (!run.estimated && std::isnan(run.kept_edges)) {
    json["known_pairs"] = {{"left_out", run.known.left_out},
                           {"kept", run.known.kept},
                           {"replaced", run.known.replaced},
                           {"longer", run.known.longer},
                           {"unreachable", run.known.unreachable}};
  }
  return json;
}

std::vector<std::string> findings_in_words(const FermatJobParams& params,
                                           const std::vector<AlphaFindings>& alphas,
                                           const std::vector<MatrixFindings>& matrices) {
  const bool estimated = params.fermat.landmarks > 0;
  const char* const against = estimated ? "Estimate: against" : "Against";
  const char* const on = estimated ? "Estimate: on" : "On";
  const char* const what = params.fermat.neighbors > 0 ? "paths over nearest neighbours change"
                                                       : "the paths add beyond the power";
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    sentences.push_back(kept_sentence(params, alphas[i]));
    const MatrixFindings& plain = matrices[0];
    const MatrixFindings& rooted = matrices[1 + 3 * i];
    const MatrixFindings& power = matrices[2 + 3 * i];
    const MatrixFindings& fermat = matrices[3 + 3 * i];
    const std::string axes = axes_sentence(alphas[i], plain, power, fermat, estimated);
    if (!axes.empty()) sentences.push_back(axes);
    if (!plain.scores || !power.scores || !fermat.scores || !rooted.scores) continue;
    const std::string a = number_text(alphas[i].alpha);
    sentences.push_back(scores_sentence(
        power, fermat, fmt::format("{} the labels, what {} (F beside d^{})", against, what, a)));
    sentences.push_back(scores_sentence(
        plain, rooted, fmt::format("{} the scale of the distances (F^(1/{}) beside d)", on, a)));
  }
  return sentences;
}

}  // namespace yupana::job
