// Neighbour joining that reads few rows in a step. With u = r / (m - 2), a cell of row i has
//   Q = (m - 2) (d - u_j) - r_i >= (m - 2) (key - drift) - r_i,
// where key is the smallest d - known_j of the row when it was last read, and drift the largest
// u_j - known_j now. Only rows whose bound reaches the smallest Q are read; `known` becomes u
// again, for one pass over all rows, when as many cells were read since it last did.
#include <algorithm>
#include <cmath>
#include <limits>

#include "yupana/analysis/neighbor_joining_backends.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::analysis::cpu {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t piece = 16384;  // cells that are worth another thread

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The lower triangle of a symmetric matrix. Clusters that are gone keep their columns until the
/// rows are closed up; these keep their places and become shorter.
struct Triangle {
  Array<double> cells;
  std::vector<double*> rows;

  explicit Triangle(std::int64_t n) : cells(n * (n - 1) / 2) {
    for (std::int64_t i = 0; i < n; ++i) rows.push_back(cells.data() + i * (i - 1) / 2);
  }
  double& operator()(std::int64_t i, std::int64_t j) {
    return i > j ? rows[at(i)][j] : rows[at(j)][i];
  }
  /// Reads ahead what is about to be read or written of row k.
  void prefetch(std::int64_t k, std::int64_t a, std::int64_t b) const {
    __builtin_prefetch(rows[at(k)] + a, 1);
    __builtin_prefetch(rows[at(k)] + b, 1);
  }
  void close_up(Context& context, const std::vector<std::int64_t>& living) {
    for (std::size_t i = 0; i < living.size(); ++i) rows[i] = rows[at(living[i])];
    rows.resize(living.size());
    context.parallel_for(std::ssize(living), 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        double* const row = rows[at(i)];
        std::transform(living.begin(), living.begin() + i, row, [&](auto j) { return row[j]; });
      }
    });
  }
};

/// The clusters by place, in the order of their numbers (the largest leaf of each).
class Clusters {
 public:
  template <class T>
  Clusters(Context& context, MatrixView<const T> distances, Joining method)
      : context_(context),
        method_(method),
        alive_(distances.rows),
        d_(alive_),
        v_(method == Joining::bionj ? alive_ : 1),
        sum_(at(alive_)),
        variance_sum_(method == Joining::bionj ? at(alive_) : 0),
        known_(at(alive_)),
        key_(at(alive_)),
        fresh_(at(alive_)) {
    for (std::int64_t i = 0; i < alive_; ++i) node_.push_back(i);
    std::vector<double> largest(at(alive_));
    context.parallel_for(alive_, 16, [&](std::int64_t i) {
      double* const row = d_.rows[at(i)];
      for (std::int64_t j = 0; j < i; ++j) {
        row[j] = static_cast<double>(distances(i, j));
        largest[at(i)] = std::max(largest[at(i)], row[j]);
      }
      if (method == Joining::bionj) std::copy_n(row, i, v_.rows[at(i)]);
    });
    largest_ = *std::max_element(largest.begin(), largest.end());
    check_sums(alive_, largest_);
    take_sums();
    take_keys();
  }

  std::int64_t alive() const { return alive_; }

  void join_closest(Phylogeny& tree) {
    const auto [a, b] = closest();
    join(a, b, tree);
    if (2 * alive_ <= summed_) {
      close_up();
      take_sums();
    } else if (8 * alive_ < 7 * width()) {
      close_up();
    }
    if (read_ > alive_ * alive_ / 2) take_keys();
  }

  void join_last(Phylogeny& tree) {
    close_up();
    const LastJoin last = LastJoin::of(d_(0, 1), d_(0, 2), d_(1, 2));
    const std::int64_t root = tree.add_node();
    for (const std::int64_t i : {0, 1, 2}) tree.attach(node_[at(i)], root, last.branch[i]);
  }

 private:
  std::int64_t width() const { return std::ssize(node_); }
  double others() const { return static_cast<double>(alive_ - 2); }
  bool gone(std::int64_t i) const { return node_[at(i)] < 0; }
  std::int64_t grain() const { return divide_up(piece, width()); }

  void take_sums() {
    add_up(d_, sum_);
    if (method_ == Joining::bionj) add_up(v_, variance_sum_);
    summed_ = alive_;
  }

  /// Sums in the order of the columns: first those of the row, then those of the rows after it.
  void add_up(const Triangle& cells, std::vector<double>& sums) {
    context_.parallel_for(width(), grain(), [&](std::int64_t i) {
      double sum = 0;
      for (std::int64_t j = 0; j < i; ++j) sum += cells.rows[at(i)][j];
      sums[at(i)] = sum;
    });
    context_.parallel_for(width(), 256, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin + 1; i < width(); ++i) {
        const double* const row = cells.rows[at(i)];
        for (std::int64_t j = begin; j < std::min(i, end); ++j) sums[at(j)] += row[j];
      }
    });
  }

  void take_keys() {
    for (std::int64_t j = 0; j < width(); ++j) {
      known_[at(j)] = gone(j) ? -infinity : sum_[at(j)] / others();
    }
    context_.parallel_for(width(), grain(), [&](std::int64_t i) {
      key_[at(i)] = gone(i) ? infinity : read_row(i).key;
    });
    read_ = 0;
  }

  RowMinima read_row(std::int64_t i) const {
    return row_minima(d_.rows[at(i)], sum_.data(), known_.data(), i, others(), sum_[at(i)]);
  }

  /// A lower bound of the row's Q, for each row.
  void take_bounds() {
    double drift = -infinity;
    const double share = 1 / others();
    for (std::int64_t j = 0; j < width(); ++j) {
      const double by = sum_[at(j)] * share - known_[at(j)];
      if (by > drift) drift = by;  // NaN where the cluster is gone
    }
    const double rounding = static_cast<double>(alive_) * largest_ * bound_roundings;
    bound_.resize(at(width()));
    for (std::int64_t i = 0; i < width(); ++i) {
      bound_[at(i)] = others() * (key_[at(i)] - drift) - sum_[at(i)] - rounding;
    }
  }

  struct Place {
    double q = infinity;
    std::int64_t row = -1;
  };

  /// Reads the candidates of [begin, end) and takes the best of them.
  void read_rows(std::int64_t begin, std::int64_t end, Place& best) {
    found_.resize(candidates_.size());
    context_.parallel_for(end - begin, grain(), [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t c = begin + from; c < begin + to; ++c) {
        const RowMinima minima = read_row(candidates_[at(c)]);
        found_[at(c)] = minima.criterion;
        key_[at(candidates_[at(c)])] = minima.key;
      }
    });
    for (std::int64_t c = begin; c < end; ++c) {
      const std::int64_t row = candidates_[at(c)];
      read_ += row;
      const double q = found_[at(c)];
      if (q < best.q || (q == best.q && row < best.row)) best = {q, row};
    }
  }

  std::pair<std::int64_t, std::int64_t> closest() {
    take_bounds();
    const auto by_bound = [&](std::int64_t x, std::int64_t y) {
      return bound_[at(x)] < bound_[at(y)];
    };
    candidates_ = {std::min_element(bound_.begin(), bound_.end()) - bound_.begin()};
    Place best;
    read_rows(0, 1, best);
    const std::int64_t first = candidates_[0];
    candidates_.clear();
    for (std::int64_t i = 1; i < width(); ++i) {
      if (i != first && bound_[at(i)] <= best.q) candidates_.push_back(i);
    }
    std::sort(candidates_.begin(), candidates_.end(), by_bound);
    // Lowest bounds first, some at a time: the best of them rules out most of the rest.
    const std::int64_t batch = 4 * context_.threads() * grain();
    for (std::int64_t c = 0; c < std::ssize(candidates_); c += batch) {
      if (bound_[at(candidates_[at(c)])] > best.q) break;
      read_rows(c, std::min(c + batch, std::ssize(candidates_)), best);
    }
    const double* const row = d_.rows[at(best.row)];
    std::int64_t a = 0;
    while (criterion(others(), row[a], sum_[at(best.row)], sum_[at(a)]) != best.q) ++a;
    return {a, best.row};
  }

  template <class Body>
  void for_others(std::int64_t a, std::int64_t b, const Body& body) {
    context_.parallel_for(width(), 512, [&](std::int64_t begin, std::int64_t end) {
      constexpr std::int64_t ahead = 16;
      for (std::int64_t k = begin; k < end; ++k) {
        if (k > a && k + ahead < width()) d_.prefetch(k + ahead, a, b);
        if (k != a && k != b && !gone(k)) body(k);
      }
    });
  }

  ClusterSums sums_of(std::int64_t i) const {
    return {sum_[at(i)], method_ == Joining::bionj ? variance_sum_[at(i)] : 0};
  }

  /// Joins a < b; the new cluster takes b's place.
  void join(std::int64_t a, std::int64_t b, Phylogeny& tree) {
    const bool weighted = method_ == Joining::bionj;
    const Union both(method_, others(), d_(a, b), weighted ? v_(a, b) : 0, sums_of(a), sums_of(b));
    const double known = both.sums.distance / (others() - 1);
    for_others(a, b, [&](std::int64_t k) {
      const double to_a = d_(k, a);
      double& to_b = d_(k, b);
      const double fresh = both.distance(to_a, to_b);
      sum_[at(k)] = joined_sum(sum_[at(k)], to_a, to_b, fresh);
      to_b = fresh_[at(k)] = fresh;
      if (k > b) key_[at(k)] = std::min(key_[at(k)], fresh - known);
      if (weighted) {
        double& variance = v_(k, b);
        const double to_new = both.variance_to(v_(k, a), variance);
        variance_sum_[at(k)] = joined_sum(variance_sum_[at(k)], v_(k, a), variance, to_new);
        variance = to_new;
      }
    });
    const std::int64_t made = tree.add_node();
    tree.attach(node_[at(a)], made, both.branch_a);
    tree.attach(node_[at(b)], made, both.branch_b);
    key_[at(b)] = infinity;
    for (std::int64_t k = 0; k < width(); ++k) {
      if (k == a || k == b || gone(k)) continue;
      largest_ = std::max(largest_, std::abs(fresh_[at(k)]));
      if (k < b) key_[at(b)] = std::min(key_[at(b)], fresh_[at(k)] - known_[at(k)]);
    }
    node_[at(b)] = made;
    sum_[at(b)] = both.sums.distance;
    if (weighted) variance_sum_[at(b)] = both.sums.variance;
    known_[at(b)] = known;
    node_[at(a)] = -1;
    sum_[at(a)] = known_[at(a)] = -infinity;
    key_[at(a)] = infinity;
    --alive_;
  }

  void close_up() {
    std::vector<std::int64_t> living;
    for (std::int64_t i = 0; i < width(); ++i) {
      if (!gone(i)) living.push_back(i);
    }
    d_.close_up(context_, living);
    if (method_ == Joining::bionj) v_.close_up(context_, living);
    const auto close = [&](auto& values) {
      for (std::size_t i = 0; i < living.size(); ++i) values[i] = values[at(living[i])];
      values.resize(living.size());
    };
    close(sum_);
    if (method_ == Joining::bionj) close(variance_sum_);
    close(known_);
    close(key_);
    close(node_);
  }

  Context& context_;
  Joining method_;
  std::int64_t alive_;
  Triangle d_, v_;           ///< v: variances of bionj
  std::vector<double> sum_;  ///< r; -inf where a cluster is gone
  std::vector<double> variance_sum_;
  std::vector<double> known_;  ///< u of an earlier step; -inf where a cluster is gone
  std::vector<double> key_;    ///< at most the smallest d - known of the row; +inf ...
  std::vector<double> bound_, fresh_, found_;
  std::vector<std::int64_t> node_;  ///< of the tree; -1 where a cluster is gone
  std::vector<std::int64_t> candidates_;
  double largest_ = 0;       ///< of all distances so far
  std::int64_t summed_ = 0;  ///< clusters when the sums were taken
  std::int64_t read_ = 0;    ///< cells since the keys were taken
};

}  // namespace

template <class T>
Phylogeny neighbor_joining(Context& context, MatrixView<const T> distances, Joining method) {
  return context.run([&] {
    Clusters clusters(context, distances, method);
    Phylogeny tree = leaves_alone(distances.rows);
    while (clusters.alive() > 3) {
      context.check_cancelled();
      clusters.join_closest(tree);
    }
    clusters.join_last(tree);
    return tree;
  });
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, neighbor_joining)

}  // namespace yupana::analysis::cpu
