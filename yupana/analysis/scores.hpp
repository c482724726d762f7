#pragma once

#include <cstdint>
#include <vector>

#include "yupana/analysis/clustering.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::analysis {

/// Class of every individual, 0 ..; -1 where it has no label (left out of every score).
using Labels = std::vector<std::int32_t>;

/// How well distances agree with labels.
struct LabelScores {
  double silhouette = 0;        ///< mean over labelled individuals (Rousseeuw 1987)
  double adjusted_rand = 0;     ///< average-linkage tree cut at the number of classes
  double nearest_neighbor = 0;  ///< share whose nearest other labelled individual has its label
  std::int64_t individuals = 0;
  std::int64_t classes = 0;
};

/// Mean silhouette: (b - a) / max(a, b), a = mean distance to the own class, b = smallest mean
/// distance to another; 0 for a class of one and where both are 0. Ties of nearest neighbours go to
/// the smaller index.
///   `average_tree`, if given, is linkage(context, distances, Linkage::average) of the same matrix:
///   it saves making it again. Used where everybody has a label; else the tree of the labelled
///   individuals alone is made.
///   work O(n^2), each row read once; sums in double, the same bits for any number of threads
///   errors (bad_input): fewer than two classes, all_alone(labels), labels that are not one an
///   individual, not square, NaN, negative or unreachable distances
template <class T>
LabelScores label_scores(Context& context,
                         MatrixView<const T> distances,
                         const Labels& labels,
                         const std::vector<Merge>* average_tree = nullptr);

/// Whether no two individuals share a label: then no score means anything, since no distance could
/// agree with the labels more or less than another.
bool all_alone(const Labels& labels);

/// Adjusted Rand index of two partitions (Hubert, Arabie 1985); 1 for two equal trivial ones.
/// Different lengths are usage.
double adjusted_rand(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b);

}  // namespace yupana::analysis
