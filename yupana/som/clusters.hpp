#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/som/grid.hpp"

namespace yupana::som {

/// Groups of neurons, each connected on the map.
struct Clusters {
  std::int64_t count = 0;
  std::vector<std::int64_t> of;  ///< the cluster of each neuron, numbered as they first come
  /// Mean silhouette of 2, 3, ... clusters, by which their number was chosen; empty if it was
  /// given, or none parts the neurons.
  std::vector<double> silhouettes;
};

/// Clusters that are tried at most where their number is chosen: the root of the neurons, or this.
/// Of more, a cluster's few neurons would be nearer to their mean the fewer they are.
inline constexpr std::int64_t max_chosen_clusters = 20;

/// Ward's clusters of a codebook along the map: of all pairs of clusters with adjacent neurons (8
/// neighbours or, hexagonal, 6) those are joined whose union adds least to the squared distances of
/// neurons to their cluster's mean, |A| |B| / (|A| + |B|) |mean A - mean B|^2; ties to the pair of
/// the smallest first neurons. Every neuron counts once, whether it has samples or not.
///   count 0: the number, 2 to the root of K, with the largest mean silhouette over the
///   samples (the smaller if equal), as if each were at its neuron: (b - a) / max(a, b), a the
///   neuron's distance to its cluster's mean, b that to the nearest other cluster's, 0 where the
///   neuron is alone. Means weigh neurons by `hits`, those of clusters without samples alike. Of
///   fewer than 3 neurons, and where no silhouette is above 0: one cluster.
///   hits: samples of each neuron; empty: one each
///   work: K log K d for maps of K neurons; chosen: 210 K d more
///   determinism: the same for any number of threads
///   errors: usage for a count that is not 0 to K, hits that are not one a neuron
///   source: Ward 1963; Vesanto, Alhoniemi, Clustering of the self-organizing map, 2000;
///   silhouettes by means: Hruschka, de Castro, Campello 2004
Clusters cluster_neurons(Context& context,
                         MatrixView<const float> codebook,
                         const Grid& grid,
                         const std::vector<std::int64_t>& hits,
                         std::int64_t count = 0);

}  // namespace yupana::som
