#include <fmt/format.h>

#include <cmath>

#include "yupana/job/understanding.hpp"

namespace yupana::job {
namespace {

/// Scores closer than this read as equal: they are means over individuals.
constexpr double same_score = 0.01;

std::string alpha_text(double alpha) { return fmt::format("\u03b1 = {:g}", alpha); }

std::string share_text(double share) {
  // Never round a share that is not whole to 0 % or 100 %.
  const double percent = 100 * share;
  if (percent > 99.95 && share < 1) return fmt::format("{:.3f} %", std::min(percent, 99.999));
  return fmt::format("{:.1f} %", percent);
}

std::string kept_sentence(const AlphaFindings& run) {
  if (run.kept_edges == 1) {
    return fmt::format(
        "At {} Fermat changed nothing: every pair's direct edge is its own shortest path, so F is "
        "the "
        "plain power of the distance.",
        alpha_text(run.alpha));
  }
  const char* strength = run.kept_edges > 0.9   ? "little"
                         : run.kept_edges > 0.5 ? "a part of the matrix"
                                                : "most of the matrix";
  return fmt::format(
      "At {} {} of the pairs keep their direct edge as shortest path; Fermat replaced the other "
      "{}: it changed {}.",
      alpha_text(run.alpha),
      share_text(run.kept_edges),
      share_text(1 - run.kept_edges),
      strength);
}

std::string compared(const char* what, double fermat, double plain, const std::string& against) {
  if (std::abs(fermat - plain) < same_score) {
    return fmt::format("{} is the same for both ({:.2f})", what, fermat);
  }
  return fmt::format("{} {} from {:.2f} ({}) to {:.2f}",
                     what,
                     fermat > plain ? "rises" : "falls",
                     plain,
                     against,
                     fermat);
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

}  // namespace

std::vector<std::string> findings_in_words(const std::vector<AlphaFindings>& alphas,
                                           const std::vector<MatrixFindings>& matrices) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    sentences.push_back(kept_sentence(alphas[i]));
    const MatrixFindings& plain = matrices[0];
    const MatrixFindings& rooted = matrices[1 + 3 * i];
    const MatrixFindings& power = matrices[2 + 3 * i];
    const MatrixFindings& fermat = matrices[3 + 3 * i];
    if (!plain.scores || !power.scores || !fermat.scores || !rooted.scores) continue;
    sentences.push_back(scores_sentence(
        power,
        fermat,
        "Against the labels, what the paths add beyond the power (F beside d^\u03b1)"));
    sentences.push_back(
        scores_sentence(plain, rooted, "On the scale of the distances (F^(1/\u03b1) beside d)"));
  }
  return sentences;
}

std::vector<std::string> notices_of(const FermatJobParams& params, const AlphaFindings& run) {
  std::vector<std::string> notices;
  const std::string alpha = fmt::format("\u03b1 = {:g}", run.alpha);
  if (run.kept_edges > 0.99 && run.alpha > 1) {
    notices.push_back(
        fmt::format("At {} almost every pair ({:.2f} %) is its own shortest path: F is nearly the "
                    "power d^\u03b1 and its "
                    "pictures say nothing that d does not. --alpha auto looks for an \u03b1 that "
                    "changes half of them.",
                    alpha,
                    100 * run.kept_edges));
  }
  if (run.components > 1) {
    notices.push_back(fmt::format(
        "At {} the graph falls into {} components; distances between them are infinite and no "
        "embedding is drawn. Raise --knn.",
        alpha,
        run.components));
  }
  if (params.fermat.neighbors > 0) {
    notices.push_back(
        fmt::format("At {} paths were searched among the {} nearest neighbours; the largest "
                    "neighbour rank any path "
                    "used is {}{}.",
                    alpha,
                    params.fermat.neighbors,
                    run.largest_rank,
                    run.largest_rank < params.fermat.neighbors
                        ? ", so a larger --knn would very likely change nothing"
                        : ", so a larger --knn may change the result"));
  }
  if (params.fermat.landmarks > 0) {
    notices.push_back(fmt::format("At {} lengths are estimates through {} landmarks, not exact.",
                                  alpha,
                                  params.fermat.landmarks));
  }
  if (run.scale != 1) {
    notices.push_back(
        fmt::format("At {} lengths pass the range of {}: they are in units of {:.8g}^\u03b1.",
                    alpha,
                    run.precision,
                    run.scale));
  }
  if (params.fermat.root) {
    notices.push_back(
        fmt::format("At {} the 1/\u03b1 root of the lengths was taken (--root).", alpha));
  }
  return notices;
}

}  // namespace yupana::job
