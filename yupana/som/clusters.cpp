#include "yupana/som/clusters.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "yupana/core/messages.hpp"

namespace yupana::som {
namespace {

/// Clusters by their first neuron, joined pair by pair.
class Ward {
 public:
  Ward(MatrixView<const float> codebook, const Grid& grid)
      : sums_(codebook.rows, codebook.cols),
        sizes_(codebook.rows, 1),
        versions_(codebook.rows, 0),
        neighbors_(codebook.rows) {
    for (std::int64_t i = 0; i < codebook.rows; ++i) {
      std::copy_n(codebook.row(i), codebook.cols, sums_.row(i));
      for (const std::int64_t other : neighbors_of(grid, i, default_neighbors(grid))) {
        neighbors_[i].insert(other);
      }
    }
    for (std::int64_t i = 0; i < codebook.rows; ++i) {
      for (const std::int64_t other : neighbors_[i]) {
        if (i < other) offer(i, other);
      }
    }
  }

  /// Joins the best pair and returns it, the smaller first neuron first.
  std::pair<std::int64_t, std::int64_t> join() {
    while (true) {
      const Pair best = pairs_.top();
      pairs_.pop();
      if (versions_[best.a] != best.version_a || versions_[best.b] != best.version_b) continue;
      join(best.a, best.b);
      return {best.a, best.b};
    }
  }

 private:
  struct Pair {
    double cost;
    std::int64_t a, b;
    std::int64_t version_a, version_b;  ///< an older one's cluster is another by now

    bool operator>(const Pair& other) const {
      return std::tie(cost, a, b) > std::tie(other.cost, other.a, other.b);
    }
  };

  double cost(std::int64_t a, std::int64_t b) const {
    const auto na = static_cast<double>(sizes_[a]), nb = static_cast<double>(sizes_[b]);
    double square = 0;
    for (std::int64_t j = 0; j < sums_.cols(); ++j) {
      const double difference = sums_(a, j) / na - sums_(b, j) / nb;
      square += difference * difference;
    }
    return na * nb / (na + nb) * square;
  }

  void offer(std::int64_t a, std::int64_t b) {
    pairs_.push({cost(a, b), a, b, versions_[a], versions_[b]});
  }

  void join(std::int64_t a, std::int64_t b) {
    for (std::int64_t j = 0; j < sums_.cols(); ++j) sums_(a, j) += sums_(b, j);
    sizes_[a] += sizes_[b];
    ++versions_[a];
    ++versions_[b];
    for (const std::int64_t other : neighbors_[b]) {
      neighbors_[other].erase(b);
      if (other == a) continue;
      neighbors_[other].insert(a);
      neighbors_[a].insert(other);
    }
    neighbors_[b].clear();
    for (const std::int64_t other : neighbors_[a]) offer(std::min(a, other), std::max(a, other));
  }

  Matrix<double> sums_;
  std::vector<std::int64_t> sizes_, versions_;
  std::vector<std::set<std::int64_t>> neighbors_;
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> pairs_;
};

using Joined = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The cluster of each neuron after the first joins, numbered as they first come.
std::vector<std::int64_t> cut(const Joined& joined, std::int64_t neurons, std::int64_t count) {
  std::vector<std::int64_t> of(static_cast<std::size_t>(neurons));
  std::iota(of.begin(), of.end(), 0);
  for (std::int64_t k = 0; k < neurons - count; ++k) of[joined[k].second] = joined[k].first;
  // A cluster is named by its first neuron, which comes before all others.
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < neurons; ++i) of[i] = of[i] == i ? next++ : of[of[i]];
  return of;
}

double distance(const float* x, const double* mean, std::int64_t features) {
  double square = 0;
  for (std::int64_t j = 0; j < features; ++j) {
    const double difference = x[j] - mean[j];
    square += difference * difference;
  }
  return std::sqrt(square);
}

/// Means of clusters over their samples, each at its neuron; of one without samples over its
/// neurons.
Matrix<double> means_of(MatrixView<const float> codebook,
                        const std::vector<std::int64_t>& hits,
                        const std::vector<std::int64_t>& of,
                        std::int64_t count) {
  std::vector<std::int64_t> samples(static_cast<std::size_t>(count), 0), weights(samples);
  for (std::size_t i = 0; i < of.size(); ++i) samples[of[i]] += hits[i];
  Matrix<double> means(count, codebook.cols);
  std::fill_n(means.data(), count * codebook.cols, 0.0);
  for (std::size_t i = 0; i < of.size(); ++i) {
    const std::int64_t weight = samples[of[i]] > 0 ? hits[i] : 1;
    const float* neuron = codebook.row(static_cast<std::int64_t>(i));
    weights[of[i]] += weight;
    for (std::int64_t j = 0; j < codebook.cols; ++j) {
      means(of[i], j) += static_cast<double>(weight) * neuron[j];
    }
  }
  for (std::int64_t c = 0; c < count; ++c) {
    for (std::int64_t j = 0; j < codebook.cols; ++j) means(c, j) /= static_cast<double>(weights[c]);
  }
  return means;
}

double mean_silhouette(Context& context,
                       MatrixView<const float> codebook,
                       const std::vector<std::int64_t>& hits,
                       const std::vector<std::int64_t>& of,
                       std::int64_t count) {
  const std::int64_t neurons = codebook.rows, d = codebook.cols;
  const Matrix<double> means = means_of(codebook, hits, of, count);
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), 0);
  for (const std::int64_t c : of) ++sizes[c];
  std::vector<double> values(static_cast<std::size_t>(neurons), 0);
  context.parallel_for(neurons, 256, [&](std::int64_t i) {
    context.check_cancelled();
    if (sizes[of[i]] == 1 || hits[i] == 0) return;
    const double own = distance(codebook.row(i), means.row(of[i]), d);
    double other = std::numeric_limits<double>::infinity();
    for (std::int64_t c = 0; c < count; ++c) {
      if (c != of[i]) other = std::min(other, distance(codebook.row(i), means.row(c), d));
    }
    const double most = std::max(own, other);
    values[i] = most > 0 ? static_cast<double>(hits[i]) * (other - own) / most : 0;
  });
  const auto samples = std::accumulate(hits.begin(), hits.end(), std::int64_t{0});
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(std::max<std::int64_t>(1, samples));
}

/// The number of clusters up to which silhouettes are compared, of 3 neurons or more.
std::int64_t max_tried(std::int64_t neurons) {
  std::int64_t root = 2;
  while (root < max_chosen_clusters && (root + 1) * (root + 1) <= neurons) ++root;
  return root;
}

}  // namespace

Clusters cluster_neurons(Context& context,
                         MatrixView<const float> codebook,
                         const Grid& grid,
                         const std::vector<std::int64_t>& hits,
                         std::int64_t count) {
  const std::int64_t neurons = codebook.rows;
  if (!hits.empty() && std::ssize(hits) != neurons) {
    throw usage_error("clusters: expected hits of {} neurons, got {}", neurons, hits.size());
  }
  if (count < 0 || count > neurons) {
    throw usage_error("clusters: expected 1 to {}, the neurons, got {}", neurons, count);
  }
  Ward ward(codebook, grid);
  Joined joined;
  while (std::ssize(joined) + 1 < neurons) {
    context.check_cancelled();
    joined.push_back(ward.join());
  }
  const std::vector<std::int64_t> weights =
      hits.empty() ? std::vector<std::int64_t>(static_cast<std::size_t>(neurons), 1) : hits;
  Clusters result;
  result.count = count > 0 ? count : 1;
  const std::int64_t most = count > 0 || neurons < 3 ? 1 : max_tried(neurons);
  for (std::int64_t k = 2; k <= most; ++k) {
    const double own = mean_silhouette(context, codebook, weights, cut(joined, neurons, k), k);
    if (result.silhouettes.empty() || own > result.silhouettes[result.count - 2]) result.count = k;
    result.silhouettes.push_back(own);
  }
  if (!result.silhouettes.empty() && result.silhouettes[result.count - 2] <= 0) {
    result.count = 1;
    result.silhouettes.clear();
  }
  result.of = cut(joined, neurons, result.count);
  return result;
}

}  // namespace yupana::som
