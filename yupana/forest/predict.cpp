#include "yupana/forest/predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "yupana/core/error.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/tree_backends.hpp"
#include "yupana/forest/tree_cuda.hpp"

namespace yupana::forest {
namespace {

// Rows that go through a tree together: with 18 features and a tree of 1,000 nodes both fit in the
// first cache.
constexpr std::int64_t block_rows = 256;
// Rows that take a step side by side, so that their loads overlap.
constexpr std::int64_t lanes = 16;

/// Children stand together, the right one behind the left. A leaf is its own left child, and every
/// value goes left there: descents of equal length need no branch.
template <class T>
struct PackedNode {
  T threshold;
  std::int32_t child;
  std::int32_t feature;  ///< or its complement, where missing values go left
};

template <class T>
struct PackedTree {
  std::vector<PackedNode<T>> nodes;  ///< breadth first
  std::vector<std::int32_t> origin;  ///< their numbers in the tree
  std::int64_t depth = 0;
};

/// The largest T that is not above the threshold: x <= threshold holds for the same x.
template <class T>
T rounded_down(double threshold) {
  const T near = static_cast<T>(threshold);
  if (static_cast<double>(near) <= threshold) return near;
  return std::nextafter(near, -std::numeric_limits<T>::infinity());
}

template <class T>
PackedTree<T> packed(const Tree& tree) {
  PackedTree<T> result;
  result.depth = tree.depth();
  result.origin = {0};
  for (std::size_t i = 0; i < result.origin.size(); ++i) {
    const Node& node = tree.nodes[static_cast<std::size_t>(result.origin[i])];
    if (node.is_leaf()) {
      const T most = std::numeric_limits<T>::infinity();
      result.nodes.push_back({most, static_cast<std::int32_t>(i), ~0});
      continue;
    }
    const auto child = static_cast<std::int32_t>(result.origin.size());
    result.nodes.push_back(
        {rounded_down<T>(node.threshold), child, node.missing_left ? ~node.feature : node.feature});
    result.origin.push_back(node.left);
    result.origin.push_back(node.right);
  }
  return result;
}

template <class T>
class Descent {
 public:
  Descent(const Model& model, TableView<T> table) : table_(table) {
    if (table.columns != std::ssize(model.features)) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("the model has {} features, the table {}; give the columns it was "
                              "trained on",
                              model.features.size(),
                              table.columns));
    }
    for (const Tree& tree : model.trees) trees_.push_back(packed<T>(tree));
  }

  /// body(first row, rows, tree, packed tree, leaf of each row) for every block of rows and tree.
  template <class Body>
  void run(Context& context, const Body& body) const {
    const std::int64_t blocks = divide_up(table_.rows, block_rows);
    context.parallel_for(blocks, 16, [&](std::int64_t begin, std::int64_t end) {
      Array<T> values = Array<T>::zeros(block_rows * table_.columns);
      std::int32_t leaves[block_rows];
      for (std::int64_t b = begin; b < end; ++b) {
        context.check_cancelled();
        const std::int64_t first = b * block_rows;
        const std::int64_t rows = std::min(block_rows, table_.rows - first);
        bool has_missing = false;
        for (std::int64_t f = 0; f < table_.columns; ++f) {
          const T* column = table_.column(f) + first;
          for (std::int64_t i = 0; i < rows; ++i) {
            values[i * table_.columns + f] = column[i];
            has_missing |= column[i] != column[i];
          }
        }
        for (std::size_t t = 0; t < trees_.size(); ++t) {
          for (std::int64_t i = 0; i < rows; i += lanes) {
            const T* from = values.data() + i * table_.columns;
            if (has_missing) {
              descend<true>(trees_[t], from, leaves + i);
            } else {
              descend<false>(trees_[t], from, leaves + i);
            }
          }
          body(first, rows, t, trees_[t], leaves);
        }
      }
    });
  }

 private:
  template <bool has_missing>
  void descend(const PackedTree<T>& tree, const T* values, std::int32_t* leaves) const {
    std::int32_t at[lanes] = {};
    const PackedNode<T>* nodes = tree.nodes.data();
    for (std::int64_t level = 0; level < tree.depth; ++level) {
      for (std::int64_t k = 0; k < lanes; ++k) {
        const PackedNode<T> node = nodes[at[k]];
        const std::int32_t turn = node.feature >> 31;  // all ones: missing goes left
        const T x = values[k * table_.columns + (node.feature ^ turn)];
        // x <= t is false for NaN, and so is x > t.
        const std::int32_t above = x > node.threshold;
        if constexpr (has_missing) {
          const std::int32_t not_below = !(x <= node.threshold);
          at[k] = node.child + (above | (not_below & ~turn));
        } else {
          at[k] = node.child + above;
        }
      }
    }
    for (std::int64_t k = 0; k < lanes; ++k) leaves[k] = at[k];
  }

  TableView<T> table_;
  std::vector<PackedTree<T>> trees_;
};

/// What a tree adds to the sums of a row that ends in each node: shares, a vote, or a number.
std::vector<double> votes_of(const Model& model,
                             const Tree& tree,
                             const std::vector<std::int32_t>& origin) {
  const std::int64_t outputs = tree.outputs;
  std::vector<double> votes(origin.size() * static_cast<std::size_t>(outputs), 0.0);
  for (std::size_t i = 0; i < origin.size(); ++i) {
    const double* value = tree.value(origin[i]);
    double* vote = votes.data() + static_cast<std::int64_t>(i) * outputs;
    if (!model.is_class()) {
      *vote = *value;
    } else if (model.voting == Voting::hard) {
      vote[std::max_element(value, value + outputs) - value] = 1;
    } else {
      const double weight = std::accumulate(value, value + outputs, 0.0);
      for (std::int64_t c = 0; c < outputs; ++c) vote[c] = value[c] / weight;
    }
  }
  return votes;
}

}  // namespace

template <class T>
Matrix<double> predict_shares(Context& context, const Model& model, TableView<T> table) {
  check_backend(context);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return cuda::predict_shares(context, model, table);
#endif
  const Descent<T> descent(model, table);
  const std::int64_t outputs = model.is_class() ? std::ssize(model.classes) : 1;
  std::vector<std::vector<double>> votes;
  for (const Tree& tree : model.trees) {
    votes.push_back(votes_of(model, tree, packed<T>(tree).origin));
  }
  Matrix<double> shares(table.rows, outputs);
  std::fill(shares.data(), shares.data() + table.rows * outputs, 0.0);
  const double trees = static_cast<double>(model.trees.size());
  descent.run(context,
              [&](std::int64_t first,
                  std::int64_t rows,
                  std::size_t tree,
                  const PackedTree<T>&,
                  const std::int32_t* leaves) {
                const double* vote = votes[tree].data();
                const bool last = tree + 1 == model.trees.size();
                for (std::int64_t i = 0; i < rows; ++i) {
                  double* sum = shares.row(first + i);
                  const double* own = vote + leaves[i] * outputs;
                  for (std::int64_t c = 0; c < outputs; ++c) sum[c] += own[c];
                  if (!last) continue;
                  for (std::int64_t c = 0; c < outputs; ++c) sum[c] /= trees;
                }
              });
  return shares;
}

template <class T>
Array<std::int32_t> predict_classes(Context& context, const Model& model, TableView<T> table) {
  const Matrix<double> shares = predict_shares(context, model, table);
  Array<std::int32_t> codes(table.rows);
  for (std::int64_t i = 0; i < table.rows; ++i) {
    const double* row = shares.row(i);
    codes[i] = static_cast<std::int32_t>(std::max_element(row, row + shares.cols()) - row);
  }
  return codes;
}

template <class T>
Matrix<std::int32_t> apply(Context& context, const Model& model, TableView<T> table) {
  check_backend(context);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return cuda::apply(context, model, table);
#endif
  const Descent<T> descent(model, table);
  Matrix<std::int32_t> nodes(table.rows, std::ssize(model.trees));
  descent.run(context,
              [&](std::int64_t first,
                  std::int64_t rows,
                  std::size_t tree,
                  const PackedTree<T>& own,
                  const std::int32_t* leaves) {
                for (std::int64_t i = 0; i < rows; ++i) {
                  nodes(first + i, static_cast<std::int64_t>(tree)) =
                      own.origin[static_cast<std::size_t>(leaves[i])];
                }
              });
  return nodes;
}

template Matrix<double> predict_shares(Context&, const Model&, TableView<float>);
template Matrix<double> predict_shares(Context&, const Model&, TableView<double>);
template Array<std::int32_t> predict_classes(Context&, const Model&, TableView<float>);
template Array<std::int32_t> predict_classes(Context&, const Model&, TableView<double>);
template Matrix<std::int32_t> apply(Context&, const Model&, TableView<float>);
template Matrix<std::int32_t> apply(Context&, const Model&, TableView<double>);

}  // namespace yupana::forest
