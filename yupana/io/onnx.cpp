#include <algorithm>
#include <bit>
#include <concepts>
#include <numeric>
#include <vector>

#include "yupana/core/messages.hpp"
#include "yupana/io/model_binary.hpp"

namespace yupana::io {
namespace {

using forest::Model;
using forest::Node;
using forest::Tree;

/// A message in protobuf's wire format: fields in the order they are put.
class ProtoMessage {
 public:
  void put(int field, std::integral auto value) {
    tag(field, 0);
    varint(static_cast<std::uint64_t>(std::int64_t{value}));
  }
  void put(int field, std::string_view bytes) {
    tag(field, 2);
    varint(bytes.size());
    bytes_ += bytes;
  }
  void put(int field, const ProtoMessage& inner) { put(field, std::string_view(inner.bytes_)); }
  void put(int field, const std::vector<std::int64_t>& values) {
    ProtoMessage inner;
    for (const std::int64_t value : values) inner.varint(static_cast<std::uint64_t>(value));
    put(field, inner);
  }
  void put(int field, const std::vector<float>& values) {
    static_assert(std::endian::native == std::endian::little);
    put(field,
        std::string_view(reinterpret_cast<const char*>(values.data()),
                         values.size() * sizeof(float)));
  }
  void put(int field, const std::vector<std::string>& values) {
    for (const std::string& value : values) put(field, std::string_view(value));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void tag(int field, int kind) { varint(static_cast<std::uint64_t>(field << 3 | kind)); }
  void varint(std::uint64_t value) {
    for (; value > 127; value >>= 7) bytes_ += static_cast<char>(value | 128);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

constexpr int element_float = 1, element_string = 8;  // of tensors

/// One operation of the graph.
class Operation {
 public:
  Operation(const char* name,
            const char* domain,
            const std::vector<std::string>& inputs,
            const std::vector<std::string>& outputs) {
    node_.put(1, inputs);
    node_.put(2, outputs);
    node_.put(3, name);
    node_.put(4, name);
    if (*domain != '\0') node_.put(7, domain);
  }
  // Attributes, each with its field and its number of a type.
  void set(const char* name, std::int64_t value) { attribute(name, value, 3, 2); }
  void set(const char* name, const char* value) { attribute(name, value, 4, 3); }
  void set(const char* name, const std::vector<float>& values) { attribute(name, values, 7, 6); }
  void set(const char* name, const std::vector<std::int64_t>& values) {
    attribute(name, values, 8, 7);
  }
  void set(const char* name, const std::vector<std::string>& values) {
    attribute(name, values, 9, 8);
  }
  const ProtoMessage& message() const { return node_; }

 private:
  template <class Value>
  void attribute(const char* name, const Value& value, int field, int type) {
    ProtoMessage own;
    own.put(1, name);
    own.put(field, value);
    own.put(20, type);
    node_.put(5, own);
  }
  ProtoMessage node_;
};

/// An input or output: a matrix of `columns` columns, or a list (-1), one row or entry a row.
ProtoMessage value_info(const char* name, int element, std::int64_t columns) {
  ProtoMessage rows, shape;
  rows.put(2, "rows");
  shape.put(1, rows);
  if (columns >= 0) {
    ProtoMessage dimension;
    dimension.put(1, columns);
    shape.put(1, dimension);
  }
  ProtoMessage tensor, type, info;
  tensor.put(1, element);
  tensor.put(2, shape);
  type.put(1, tensor);
  info.put(1, name);
  info.put(2, type);
  return info;
}

/// Lists of one entry a node, as the operator has them.
class NodeLists {
 public:
  void add_tree(const Tree& tree) {
    extra_ = std::ssize(tree.nodes);
    // The first node of a tree in the lists is its root; those of chains follow.
    for (std::int64_t i = 0; i < std::ssize(tree.nodes); ++i) {
      const Node& node = tree.nodes[i];
      if (node.set >= 0) {
        add_chain(tree, node, i);
      } else {
        add(i,
            node,
            node.is_leaf() ? "LEAF" : "BRANCH_LEQ",
            forest::rounded_down<float>(node.threshold));
        yes_.back() = std::max(node.left, 0);
        no_.back() = std::max(node.right, 0);
        missing_.back() = node.missing_left ? 1 : 0;
      }
    }
    ++tree_;
  }

  void put(Operation& ensemble) const {
    ensemble.set("nodes_treeids", trees_);
    ensemble.set("nodes_nodeids", numbers_);
    ensemble.set("nodes_featureids", features_);
    ensemble.set("nodes_values", thresholds_);
    ensemble.set("nodes_modes", modes_);
    ensemble.set("nodes_truenodeids", yes_);
    ensemble.set("nodes_falsenodeids", no_);
    ensemble.set("nodes_missing_value_tracks_true", missing_);
  }

 private:
  /// x = c for each category c that goes where missing values do not; else it goes where they do.
  void add_chain(const Tree& tree, const Node& node, std::int64_t number) {
    const forest::CategorySet& set = tree.sets[static_cast<std::size_t>(node.set)];
    std::vector<float> categories;
    for (std::size_t c = 0; c < set.size(); ++c) {
      if (set[c] != node.missing_left) categories.push_back(static_cast<float>(c));
    }
    const std::int32_t other = node.missing_left ? node.left : node.right;
    // onnxruntime joins a chain with one of the same feature that it ends in, whatever their
    // answers are: each begins with a comparison of another kind, which no category passes.
    add(number, node, "BRANCH_LEQ", -1);
    yes_.back() = other;
    no_.back() = categories.empty() ? other : extra_;
    for (std::size_t k = 0; k < categories.size(); ++k) {
      add(extra_++, node, "BRANCH_EQ", categories[k]);
      yes_.back() = node.missing_left ? node.right : node.left;
      no_.back() = k + 1 < categories.size() ? extra_ : other;
    }
  }

  void add(std::int64_t number, const Node& node, const char* mode, float threshold) {
    trees_.push_back(tree_);
    numbers_.push_back(number);
    features_.push_back(std::max(node.feature, 0));
    thresholds_.push_back(threshold);
    modes_.emplace_back(mode);
    yes_.push_back(0);
    no_.push_back(0);
    missing_.push_back(0);
  }

  std::int64_t tree_ = 0;
  std::int64_t extra_ = 0;  ///< number of the next node that the tree does not have
  std::vector<std::int64_t> trees_, numbers_, features_, yes_, no_, missing_;
  std::vector<float> thresholds_;
  std::vector<std::string> modes_;
};

void put_trees(const Model& model, Operation& ensemble) {
  NodeLists lists;
  for (const Tree& tree : model.trees) lists.add_tree(tree);
  lists.put(ensemble);
}

/// What each leaf adds: shares of the classes or a vote, or a number.
void put_leaves(const Model& model, Operation& ensemble) {
  std::vector<std::int64_t> trees, numbers, outputs;
  std::vector<float> weights;
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const Tree& tree = model.trees[t];
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      if (!tree.nodes[i].is_leaf()) continue;
      const double* value = tree.value(static_cast<std::int64_t>(i));
      const auto best = std::max_element(value, value + tree.outputs) - value;
      const double sum = std::accumulate(value, value + tree.outputs, 0.0);
      const bool hard = model.is_class() && model.voting == forest::Voting::hard;
      for (std::int64_t c = 0; c < tree.outputs; ++c) {
        if (model.is_class() && (hard ? c != best : value[c] == 0)) continue;
        trees.push_back(static_cast<std::int64_t>(t));
        numbers.push_back(static_cast<std::int64_t>(i));
        outputs.push_back(c);
        weights.push_back(static_cast<float>(!model.is_class() ? value[c]
                                             : hard            ? 1
                                                               : value[c] / sum));
      }
    }
  }
  ensemble.set("target_treeids", trees);
  ensemble.set("target_nodeids", numbers);
  ensemble.set("target_ids", outputs);
  ensemble.set("target_weights", weights);
}

/// Trees as a sum of what their leaves add. The operator for classes has a rule of its own for two
/// of them (a sum above 0 is the second class) and none for one: classes are chosen by ArgMax,
/// which takes the first of equals, as it is here.
ProtoMessage ensemble_of(const Model& model, std::int64_t outputs, const char* output) {
  Operation ensemble("TreeEnsembleRegressor", "ai.onnx.ml", {"x"}, {output});
  put_trees(model, ensemble);
  put_leaves(model, ensemble);
  ensemble.set("n_targets", outputs);
  ensemble.set("aggregate_function", "SUM");
  ensemble.set("post_transform", "NONE");
  return ensemble.message();
}

void put_classes(const Model& model, ProtoMessage& graph) {
  Operation best("ArgMax", "", {"sums"}, {"class"});
  best.set("axis", 1);
  best.set("keepdims", std::int64_t{0});
  graph.put(1, best.message());
  graph.put(1, Operation("Gather", "", {"classes", "class"}, {"label"}).message());
  ProtoMessage names;
  names.put(1, std::vector<std::int64_t>{std::ssize(model.classes)});
  names.put(2, element_string);
  for (const std::string& name : model.classes) names.put(6, name);
  names.put(8, "classes");
  graph.put(5, names);
  graph.put(12, value_info("label", element_string, -1));
}

ProtoMessage graph_of(const Model& model) {
  const std::int64_t outputs = model.is_class() ? std::ssize(model.classes) : 1;
  const char* const means = model.is_class() ? "probabilities" : "value";
  ProtoMessage graph;
  graph.put(1, ensemble_of(model, outputs, "sums"));
  graph.put(1, Operation("Div", "", {"sums", "trees"}, {means}).message());
  graph.put(2, "yupana");
  ProtoMessage trees;
  trees.put(1, std::vector<std::int64_t>{1});
  trees.put(2, element_float);
  trees.put(4, std::vector{static_cast<float>(model.trees.size())});
  trees.put(8, "trees");
  graph.put(5, trees);
  graph.put(11, value_info("x", element_float, std::ssize(model.features)));
  if (model.is_class()) put_classes(model, graph);
  graph.put(12, value_info(means, element_float, outputs));
  return graph;
}

}  // namespace

std::string onnx_model(const Model& model) {
  ProtoMessage file;
  file.put(1, 8);  // the format's version, as opset 15 has it
  file.put(2, "yupana");
  file.put(7, graph_of(model));
  // What the input's columns are: names, and the numbers of categories.
  ProtoMessage metadata;
  metadata.put(1, "yupana");
  metadata.put(2, model_header("the model", model));
  file.put(14, metadata);
  for (const auto& [domain, version] : {std::pair("", 15), std::pair("ai.onnx.ml", 3)}) {
    ProtoMessage opset;
    opset.put(1, domain);
    opset.put(2, version);
    file.put(8, opset);
  }
  if (file.bytes().size() >= (std::size_t{1} << 31)) {
    throw resource_error(
        "the model takes {} bytes, an ONNX file holds fewer than 2^31; train fewer or shallower "
        "trees",
        file.bytes().size());
  }
  return file.bytes();
}

}  // namespace yupana::io
