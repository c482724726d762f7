#include "yupana/analysis/scores.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "yupana/analysis/unreachable.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::analysis {
namespace {

/// The labelled individuals, their classes renumbered 0 .. by first appearance.
struct Classes {
  std::vector<std::int64_t> individual;
  std::vector<std::int64_t> of;      // class of individual[i]
  std::vector<std::int64_t> counts;  // individuals in each class

  std::int64_t size() const { return static_cast<std::int64_t>(individual.size()); }
};

Classes classes_of(const Labels& labels) {
  Classes classes;
  std::map<std::int32_t, std::int64_t> number;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0) continue;
    const std::int64_t next = static_cast<std::int64_t>(number.size());
    const std::int64_t mine = number.try_emplace(labels[i], next).first->second;
    if (mine == next) classes.counts.push_back(0);
    ++classes.counts[static_cast<std::size_t>(mine)];
    classes.individual.push_back(static_cast<std::int64_t>(i));
    classes.of.push_back(mine);
  }
  return classes;
}

struct IndividualScore {
  double silhouette = 0;
  bool nearest_agrees = false;
};

double silhouette(const std::vector<double>& sums, const Classes& classes, std::int64_t own) {
  double a = 0, b = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const double others = static_cast<double>(classes.counts[c]);
    if (static_cast<std::int64_t>(c) != own) {
      b = std::min(b, sums[c] / others);
    } else if (others > 1) {
      a = sums[c] / (others - 1);
    } else {
      return 0;
    }
  }
  const double larger = std::max(a, b);
  return larger > 0 ? (b - a) / larger : 0;
}

/// Scores of labelled individual i; `sums` is scratch, one a class.
template <class T>
IndividualScore individual_score(const T* row,
                                 const Classes& classes,
                                 std::int64_t i,
                                 std::vector<double>& sums) {
  std::fill(sums.begin(), sums.end(), 0.0);
  T closest{};
  std::int64_t nearest = -1;
  for (std::int64_t j = 0; j < classes.size(); ++j) {
    if (j == i) continue;
    const std::size_t at = static_cast<std::size_t>(j);
    const T distance = row[classes.individual[at]];
    sums[static_cast<std::size_t>(classes.of[at])] += static_cast<double>(distance);
    if (nearest < 0 || distance < closest) closest = distance, nearest = j;
  }
  const std::int64_t own = classes.of[static_cast<std::size_t>(i)];
  return {silhouette(sums, classes, own), classes.of[static_cast<std::size_t>(nearest)] == own};
}

template <class T>
std::vector<Merge> tree_of_labelled(Context& context,
                                    MatrixView<const T> distances,
                                    const Classes& classes) {
  if (classes.size() == distances.rows) return linkage(context, distances, Linkage::average);
  SquareMatrix<T> labelled(classes.size());
  context.parallel_for(classes.size(), 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const T* row = distances.row(classes.individual[static_cast<std::size_t>(i)]);
      std::transform(classes.individual.begin(),
                     classes.individual.end(),
                     labelled.row(i),
                     [&](std::int64_t j) { return row[j]; });
    }
  });
  return linkage<T>(context, std::as_const(labelled).view(), Linkage::average);
}

double pairs(std::int64_t items) {
  return static_cast<double>(items) * static_cast<double>(items - 1) / 2;
}

}  // namespace

template <class T>
LabelScores label_scores(Context& context,
                         MatrixView<const T> distances,
                         const Labels& labels,
                         const std::vector<Merge>* average_tree) {
  check_distances(context, distances, "label_scores", Unreachable::refused);
  if (static_cast<std::int64_t>(labels.size()) != distances.rows) {
    throw input_error("label_scores: expected {} labels, one an individual, got {}",
                      distances.rows,
                      labels.size());
  }
  const Classes classes = classes_of(labels);
  LabelScores scores;
  scores.individuals = classes.size();
  scores.classes = static_cast<std::int64_t>(classes.counts.size());
  if (scores.classes < 2) {
    throw input_error(
        "label_scores: expected individuals of at least 2 classes, got {} individuals of {}; check "
        "that the labels name these individuals",
        scores.individuals,
        scores.classes);
  }
  if (scores.classes == scores.individuals) {
    throw input_error(
        "label_scores: expected a label that two individuals share, got {} individuals with a "
        "label "
        "of their own each: no score means anything then",
        scores.individuals);
  }
  std::vector<IndividualScore> each(classes.individual.size());
  context.parallel_for(classes.size(), 32, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    std::vector<double> sums(classes.counts.size());
    for (std::int64_t i = begin; i < end; ++i) {
      const T* row = distances.row(classes.individual[static_cast<std::size_t>(i)]);
      each[static_cast<std::size_t>(i)] = individual_score(row, classes, i, sums);
    }
  });
  for (const IndividualScore& score : each) {
    scores.silhouette += score.silhouette / static_cast<double>(each.size());
    scores.nearest_neighbor += score.nearest_agrees ? 1 : 0;
  }
  scores.nearest_neighbor /= static_cast<double>(each.size());

  const bool reuse = average_tree != nullptr && classes.size() == distances.rows;
  const std::vector<Merge> own =
      reuse ? std::vector<Merge>() : tree_of_labelled(context, distances, classes);
  scores.adjusted_rand =
      adjusted_rand(cut_tree(reuse ? *average_tree : own, scores.classes), classes.of);
  return scores;
}

bool all_alone(const Labels& labels) {
  const Classes classes = classes_of(labels);
  return !classes.counts.empty() && classes.size() == std::ssize(classes.counts);
}

double adjusted_rand(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  if (a.size() != b.size()) {
    throw usage_error("adjusted_rand: expected two partitions of the same items, got {} and {}",
                      a.size(),
                      b.size());
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> both;
  std::map<std::int64_t, std::int64_t> in_a, in_b;
  for (std::size_t i = 0; i < a.size(); ++i) ++both[{a[i], b[i]}], ++in_a[a[i]], ++in_b[b[i]];
  double together = 0, together_a = 0, together_b = 0;
  for (const auto& [classes, items] : both) together += pairs(items);
  for (const auto& [number, items] : in_a) together_a += pairs(items);
  for (const auto& [number, items] : in_b) together_b += pairs(items);
  const double all = pairs(static_cast<std::int64_t>(a.size()));
  const double expected = all > 0 ? together_a * together_b / all : 0;
  const double most = (together_a + together_b) / 2;
  // Only where both are one class, or both all singletons, is there nothing to expect beyond.
  return most == expected ? 1 : (together - expected) / (most - expected);
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, label_scores)

}  // namespace yupana::analysis
