#include "yupana/forest/predict.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/forest/descent.hpp"
#include "yupana/forest/tree_backends.hpp"
#include "yupana/forest/tree_cuda.hpp"

namespace yupana::forest {

void check_columns(const Model& model, std::int64_t columns) {
  if (columns == std::ssize(model.features)) return;
  throw input_error("the model has {}, the table {}; give the columns it was trained on",
                    counted(std::ssize(model.features), "feature"),
                    columns);
}

namespace {

std::int32_t largest_of(const double* shares, std::int64_t outputs) {
  return static_cast<std::int32_t>(std::max_element(shares, shares + outputs) - shares);
}

std::int64_t outputs_of(const Model& model) {
  return model.is_class() ? std::ssize(model.classes) : 1;
}

/// What a tree adds to the sums of a row that ends in each leaf.
struct Votes {
  std::vector<double> values;         ///< shares, or a number, of each leaf or each kind of leaf
  std::vector<std::uint8_t> kinds;    ///< of each leaf its place in `values`; empty: its own
  std::vector<std::int32_t> classes;  ///< or one vote
};

/// What a node adds to the sums of its rows, at most tree.outputs numbers; returns their end.
template <class Out>
Out write_shares(const Model& model, const Tree& tree, std::int64_t node, Out shares) {
  const double* const value = tree.value(node);
  if (!model.is_class()) {
    *shares++ = *value;
    return shares;
  }
  const double weight = std::accumulate(value, value + tree.outputs, 0.0);
  return std::transform(value, value + tree.outputs, shares, [=](double v) { return v / weight; });
}

/// Whether each tree gives a row one vote.
bool votes_once(const Model& model) { return model.is_class() && model.voting == Voting::hard; }

Votes votes_of(const Model& model, const Tree& tree, const std::vector<std::int32_t>& origin) {
  Votes votes;
  if (votes_once(model)) {
    votes.classes.reserve(origin.size());
    for (const std::int32_t node : origin) {
      const double* const value = tree.value(node);
      votes.classes.push_back(largest_of(value, tree.outputs));
    }
    return votes;
  }
  const auto outputs = static_cast<std::size_t>(model.is_class() ? tree.outputs : 1);
  votes.values.resize(origin.size() * outputs);
  auto next = votes.values.begin();
  for (const std::int32_t node : origin) next = write_shares(model, tree, node, next);
  return votes;
}

/// A tree with fewer entries keeps shares of each leaf.
constexpr std::size_t numbered_leaves = 4096;

/// The different shares of a tree's leaves, where they are few, and the number of each node's: the
/// cache that holds a large tree has no room for shares of each leaf too. Nodes are read in their
/// own order, that of memory. Without kinds where there are more.
Votes kinds_of_nodes(const Model& model, const Tree& tree) {
  constexpr std::size_t max_kinds = 64;
  const auto outputs = static_cast<std::size_t>(model.is_class() ? tree.outputs : 1);
  Votes votes;
  std::vector<double> own(outputs);
  std::vector<std::uint8_t> of_nodes(tree.nodes.size(), 0);
  for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
    if (!tree.nodes[node].is_leaf()) continue;
    write_shares(model, tree, node, own.begin());
    std::size_t kind = 0;
    while (kind * outputs < votes.values.size() &&
           std::memcmp(own.data(), &votes.values[kind * outputs], outputs * sizeof(double)) != 0) {
      ++kind;
    }
    if (kind == max_kinds) return {};
    if (kind * outputs == votes.values.size()) {
      votes.values.insert(votes.values.end(), own.begin(), own.end());
    }
    of_nodes[node] = static_cast<std::uint8_t>(kind);
  }
  votes.kinds = std::move(of_nodes);
  return votes;
}

/// The same with the numbers of entries; without kinds where shares of each are kept.
Votes kinds_of(const Model& model, const Tree& tree, const std::vector<std::int32_t>& origin) {
  if (origin.size() < numbered_leaves || votes_once(model)) return {};
  Votes votes = kinds_of_nodes(model, tree);
  if (votes.kinds.empty()) return {};
  const std::vector<std::uint8_t> of_nodes = std::exchange(votes.kinds, {});
  votes.kinds.reserve(origin.size());
  for (const std::int32_t node : origin) votes.kinds.push_back(of_nodes[node]);
  return votes;
}

/// Sums of votes of a block of rows.
class Count {
 public:
  Count(const std::vector<Votes>& votes, Matrix<double>& shares, std::int64_t first, std::int64_t n)
      : votes_(votes), outputs_(shares.cols()), sums_(shares.row(first)), rows_(n) {}

  void add(std::size_t tree, const std::uint32_t* leaves) {
    const Votes& votes = votes_[tree];
    // The next tree's come nearer while rows go through it.
    if (tree + 1 < votes_.size()) {
      const std::vector<double>& next = votes_[tree + 1].values;
      for (std::size_t i = 0; i < next.size(); i += 8) __builtin_prefetch(&next[i], 0, 2);
    }
    if (!votes.classes.empty()) {
      for (std::int64_t i = 0; i < rows_; ++i) sums_[i * outputs_ + votes.classes[leaves[i]]] += 1;
    } else if (outputs_ == 1) {
      add_values<1>(votes, leaves);
    } else if (outputs_ == 2) {
      add_values<2>(votes, leaves);
    } else {
      add_values<0>(votes, leaves);
    }
  }
  void finish() {
    const double trees = static_cast<double>(votes_.size());
    for (std::int64_t i = 0; i < rows_ * outputs_; ++i) sums_[i] /= trees;
  }

 private:
  template <int known_outputs>
  void add_values(const Votes& votes, const std::uint32_t* leaves) {
    const std::uint8_t* const kinds = votes.kinds.data();
    if (votes.kinds.empty()) {
      add_values<known_outputs>(votes.values.data(), [&](std::int64_t i) { return leaves[i]; });
    } else {
      add_values<known_outputs>(votes.values.data(),
                                [&](std::int64_t i) { return kinds[leaves[i]]; });
    }
  }
  template <int known_outputs, class PlaceOf>
  void add_values(const double* values, const PlaceOf& place_of) {
    const std::int64_t outputs = known_outputs > 0 ? known_outputs : outputs_;
    for (std::int64_t i = 0; i < rows_; ++i) {
      const double* own = values + place_of(i) * outputs;
      double* sum = sums_ + i * outputs;
      if constexpr (known_outputs == 2) {
        // Both before either is stored: they may be one vector.
        const double first = sum[0] + own[0], second = sum[1] + own[1];
        sum[0] = first;
        sum[1] = second;
      } else {
        for (std::int64_t c = 0; c < outputs; ++c) sum[c] += own[c];
      }
    }
  }

  const std::vector<Votes>& votes_;
  std::int64_t outputs_;
  double* sums_;
  std::int64_t rows_;
};

/// What a model of one tree predicts in each leaf.
std::vector<double> shares_of(const Votes& votes, std::int64_t outputs) {
  std::vector<double> shares = votes.values;
  for (double& share : shares) share += 0.0;  // -0 is 0, as in sums
  shares.resize(shares.size() + votes.classes.size() * static_cast<std::size_t>(outputs));
  for (std::size_t leaf = 0; leaf < votes.classes.size(); ++leaf) {
    shares[leaf * static_cast<std::size_t>(outputs) +
           static_cast<std::size_t>(votes.classes[leaf])] = 1;
  }
  return shares;
}

/// What the leaves of one tree say of a block of rows: written once, where sums are read and
/// divided.
template <class V>
struct LeafValues {
  const V* of_leaves;
  std::int64_t outputs;
  V* values;
  std::int64_t rows;

  void add(std::size_t, const std::uint32_t* leaves) {
    outputs == 1 ? copy<1>(leaves) : outputs == 2 ? copy<2>(leaves) : copy<0>(leaves);
  }
  void finish() {}

 private:
  template <int known_outputs>
  void copy(const std::uint32_t* leaves) {
    const std::int64_t width = known_outputs > 0 ? known_outputs : outputs;
    for (std::int64_t i = 0; i < rows; ++i) {
      std::copy_n(of_leaves + leaves[i] * width, width, values + i * width);
    }
  }
};

constexpr std::int64_t most_share_bytes = std::int64_t{64} << 20;

/// Of a model of one tree, on the CPU.
template <class T>
void classes_of_tree(Context& context,
                     const Model& model,
                     TableView<T> table,
                     Infinite infinite,
                     std::int32_t* codes) {
  Descent<T> descent(context, model, table, infinite);
  const std::int64_t outputs = outputs_of(model);
  const std::vector<double> shares =
      shares_of(votes_of(model, model.trees[0], descent.origin(0)), outputs);
  std::vector<std::int32_t> of_leaves;
  for (std::size_t i = 0; i < shares.size(); i += static_cast<std::size_t>(outputs)) {
    of_leaves.push_back(largest_of(&shares[i], outputs));
  }
  descent.run(context, [&](std::int64_t first, std::int64_t rows) {
    return LeafValues<std::int32_t>{of_leaves.data(), 1, codes + first, rows};
  });
}

}  // namespace

template <class T>
Matrix<double> predict_shares(Context& context,
                              const Model& model,
                              TableView<T> table,
                              Infinite infinite) {
  check_columns(model, table.columns);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) {
    if (infinite == Infinite::refused) check_finite(all_finite(context, table, true));
    Array<T> turned;
    return cuda::predict_shares(context, model, in_columns(context, table, turned));
  }
#endif
  Descent<T> descent(context, model, table, infinite);
  std::vector<Votes> votes(model.trees.size());
  context.parallel_for(std::ssize(votes), 1, [&](std::size_t t) {
    if (votes.size() > 1) votes[t] = kinds_of(model, model.trees[t], descent.origin(t));
    if (votes[t].kinds.empty()) votes[t] = votes_of(model, model.trees[t], descent.origin(t));
  });
  Matrix<double> shares(table.rows, outputs_of(model));
  if (votes.size() == 1) {
    const std::vector<double> of_leaves = shares_of(votes[0], shares.cols());
    descent.run(context, [&](std::int64_t first, std::int64_t rows) {
      return LeafValues<double>{of_leaves.data(), shares.cols(), shares.row(first), rows};
    });
    return shares;
  }
  descent.run(context, [&](std::int64_t first, std::int64_t rows) {
    std::fill(shares.row(first), shares.row(first) + rows * shares.cols(), 0.0);
    return Count(votes, shares, first, rows);
  });
  return shares;
}

double vote_bytes(const Model& model, const Tree& tree, std::size_t trees) {
  const auto nodes = static_cast<double>(tree.nodes.size());
  const double entries = nodes + std::min(4 * nodes, 1024.0);
  if (votes_once(model)) return entries * 4;
  const bool numbered =
      trees > 1 && entries >= numbered_leaves && !kinds_of_nodes(model, tree).kinds.empty();
  return numbered ? entries : entries * 8 * static_cast<double>(tree.outputs);
}

std::pair<Model, std::vector<std::int64_t>> on_asked_columns(const Model& model) {
  std::vector<std::int32_t> place(std::max<std::size_t>(1, model.features.size()), -1);
  for (const Tree& tree : model.trees) {
    for (const Node& node : tree.nodes) {
      if (!node.is_leaf()) place[static_cast<std::size_t>(node.feature)] = 0;
    }
  }
  if (std::all_of(place.begin(), place.end(), [](std::int32_t p) { return p < 0; })) place[0] = 0;
  Model own = model;
  own.features.clear();
  own.encodings.clear();
  std::vector<std::int64_t> columns;
  for (std::size_t f = 0; f < place.size(); ++f) {
    if (place[f] < 0) continue;
    place[f] = static_cast<std::int32_t>(columns.size());
    columns.push_back(static_cast<std::int64_t>(f));
    own.features.push_back(model.features[f]);
  }
  for (Tree& tree : own.trees) {
    for (Node& node : tree.nodes) {
      if (!node.is_leaf()) node.feature = place[static_cast<std::size_t>(node.feature)];
    }
  }
  return {std::move(own), std::move(columns)};
}

template <class T>
Array<std::int32_t> predict_classes(Context& context,
                                    const Model& model,
                                    TableView<T> table,
                                    Infinite infinite) {
  Array<std::int32_t> codes(table.rows);
  if (model.trees.size() == 1 && context.backend() != Backend::cuda) {
    check_columns(model, table.columns);
    classes_of_tree(context, model, table, infinite, codes.data());
    return codes;
  }
  // Shares of some rows at a time: of many classes they would be larger than the table.
  const std::int64_t bytes =
      std::min(most_share_bytes, static_cast<std::int64_t>(context.memory() / 8));
  const std::int64_t row_bytes = 8 * std::max<std::int64_t>(1, std::ssize(model.classes));
  const std::int64_t some = std::max<std::int64_t>(64, bytes / row_bytes);
  for (std::int64_t first = 0; first < table.rows; first += some) {
    const TableView<T> part = table.part(first, std::min(some, table.rows - first));
    const Matrix<double> shares = predict_shares(context, model, part, infinite);
    for (std::int64_t i = 0; i < part.rows; ++i) {
      codes[first + i] = largest_of(shares.row(i), shares.cols());
    }
  }
  return codes;
}

template <class T>
Matrix<std::int32_t> apply(Context& context,
                           const Model& model,
                           TableView<T> table,
                           Infinite infinite) {
  check_columns(model, table.columns);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) {
    if (infinite == Infinite::refused) check_finite(all_finite(context, table, true));
    Array<T> turned;
    return cuda::apply(context, model, in_columns(context, table, turned));
  }
#endif
  Descent<T> descent(context, model, table, infinite);
  Matrix<std::int32_t> nodes(table.rows, std::ssize(model.trees));
  struct Block {
    const Descent<T>& descent;
    Matrix<std::int32_t>& nodes;
    std::int64_t first, rows;
    void add(std::size_t tree, const std::uint32_t* leaves) {
      const std::vector<std::int32_t>& origin = descent.origin(tree);
      for (std::int64_t i = 0; i < rows; ++i) {
        nodes(first + i, static_cast<std::int64_t>(tree)) = origin[leaves[i]];
      }
    }
    void finish() {}
  };
  descent.run(context, [&](std::int64_t first, std::int64_t rows) {
    return Block{descent, nodes, first, rows};
  });
  return nodes;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, predict_shares, predict_classes, apply)

}  // namespace yupana::forest
