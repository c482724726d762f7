#include "yupana/io/onnx.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "yupana/core/error.hpp"

namespace yupana::io {
namespace {

using forest::Model;
using forest::Node;
using forest::Tree;

/// A message in protobuf's wire format: fields in the order they are put.
class Message {
 public:
  void number(int field, std::int64_t value) {
    tag(field, 0);
    varint(static_cast<std::uint64_t>(value));
  }
  void real(int field, float value) {
    tag(field, 5);
    append(value);
  }
  void text(int field, std::string_view bytes) {
    tag(field, 2);
    varint(bytes.size());
    bytes_ += bytes;
  }
  void message(int field, const Message& inner) { text(field, inner.bytes_); }
  void numbers(int field, const std::vector<std::int64_t>& values) {
    Message inner;
    for (const std::int64_t value : values) inner.varint(static_cast<std::uint64_t>(value));
    message(field, inner);
  }
  void reals(int field, const std::vector<float>& values) {
    Message inner;
    for (const float value : values) inner.append(value);
    message(field, inner);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void tag(int field, int kind) { varint(static_cast<std::uint64_t>(field << 3 | kind)); }
  void varint(std::uint64_t value) {
    for (; value > 127; value >>= 7) bytes_ += static_cast<char>(value | 128);
    bytes_ += static_cast<char>(value);
  }
  void append(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int i = 0; i < 4; ++i) bytes_ += static_cast<char>(bits >> (8 * i));
  }
  std::string bytes_;
};

// Numbers of the format: types of attributes, of tensors' elements.
constexpr int type_text = 3, type_reals = 6, type_numbers = 7, type_texts = 8;
constexpr int element_float = 1, element_string = 8;

/// One operation of the graph.
class Operation {
 public:
  Operation(const char* name,
            const char* domain,
            std::vector<std::string> inputs,
            std::vector<std::string> outputs) {
    for (const std::string& input : inputs) node_.text(1, input);
    for (const std::string& output : outputs) node_.text(2, output);
    node_.text(3, name);
    node_.text(4, name);
    if (*domain != '\0') node_.text(7, domain);
  }
  void text(const char* name, const std::string& value) {
    attribute(name, type_text, [&](Message& own) { own.text(4, value); });
  }
  void integer(const char* name, std::int64_t value) {
    attribute(name, 2, [&](Message& own) { own.number(3, value); });
  }
  void reals(const char* name, const std::vector<float>& values) {
    attribute(name, type_reals, [&](Message& own) { own.reals(7, values); });
  }
  void numbers(const char* name, const std::vector<std::int64_t>& values) {
    attribute(name, type_numbers, [&](Message& own) { own.numbers(8, values); });
  }
  void texts(const char* name, const std::vector<std::string>& values) {
    attribute(name, type_texts, [&](Message& own) {
      for (const std::string& value : values) own.text(9, value);
    });
  }
  const Message& message() const { return node_; }

 private:
  template <class Put>
  void attribute(const char* name, int type, const Put& put) {
    Message own;
    own.text(1, name);
    put(own);
    own.number(20, type);
    node_.message(5, own);
  }
  Message node_;
};

/// An input or output: a matrix of `columns` columns, or a list (-1), one row or entry a row.
Message value_info(const char* name, int element, std::int64_t columns) {
  Message rows, shape;
  rows.text(2, "rows");
  shape.message(1, rows);
  if (columns >= 0) {
    Message dimension;
    dimension.number(1, columns);
    shape.message(1, dimension);
  }
  Message tensor, type, info;
  tensor.number(1, element);
  tensor.message(2, shape);
  type.message(1, tensor);
  info.text(1, name);
  info.message(2, type);
  return info;
}

float rounded_down(double threshold) {
  const auto near = static_cast<float>(threshold);
  if (static_cast<double>(near) <= threshold) return near;
  return std::nextafter(near, -std::numeric_limits<float>::infinity());
}

void put_trees(const Model& model, Operation& ensemble) {
  std::vector<std::int64_t> trees, numbers, features, yes, no, missing;
  std::vector<float> thresholds;
  std::vector<std::string> modes;
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const auto& nodes = model.trees[t].nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Node& node = nodes[i];
      trees.push_back(static_cast<std::int64_t>(t));
      numbers.push_back(static_cast<std::int64_t>(i));
      features.push_back(std::max(node.feature, 0));
      thresholds.push_back(node.is_leaf() ? 0 : rounded_down(node.threshold));
      modes.push_back(node.is_leaf() ? "LEAF" : "BRANCH_LEQ");
      yes.push_back(std::max(node.left, 0));
      no.push_back(std::max(node.right, 0));
      missing.push_back(node.missing_left ? 1 : 0);
    }
  }
  ensemble.numbers("nodes_treeids", trees);
  ensemble.numbers("nodes_nodeids", numbers);
  ensemble.numbers("nodes_featureids", features);
  ensemble.reals("nodes_values", thresholds);
  ensemble.texts("nodes_modes", modes);
  ensemble.numbers("nodes_truenodeids", yes);
  ensemble.numbers("nodes_falsenodeids", no);
  ensemble.numbers("nodes_missing_value_tracks_true", missing);
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
  ensemble.numbers("target_treeids", trees);
  ensemble.numbers("target_nodeids", numbers);
  ensemble.numbers("target_ids", outputs);
  ensemble.reals("target_weights", weights);
}

/// Trees as a sum of what their leaves add. The operator for classes has a rule of its own for two
/// of them (a sum above 0 is the second class) and none for one: classes are chosen by ArgMax,
/// which takes the first of equals, as it is here.
Message ensemble_of(const Model& model, std::int64_t outputs, const char* output) {
  Operation ensemble("TreeEnsembleRegressor", "ai.onnx.ml", {"x"}, {output});
  put_trees(model, ensemble);
  put_leaves(model, ensemble);
  ensemble.integer("n_targets", outputs);
  ensemble.text("aggregate_function", "SUM");
  ensemble.text("post_transform", "NONE");
  return ensemble.message();
}

void put_classes(const Model& model, Message& graph) {
  Operation best("ArgMax", "", {"sums"}, {"class"});
  best.integer("axis", 1);
  best.integer("keepdims", 0);
  graph.message(1, best.message());
  graph.message(1, Operation("Gather", "", {"classes", "class"}, {"label"}).message());
  Message names;
  names.numbers(1, {std::ssize(model.classes)});
  names.number(2, element_string);
  for (const std::string& name : model.classes) names.text(6, name);
  names.text(8, "classes");
  graph.message(5, names);
  graph.message(12, value_info("label", element_string, -1));
}

Message graph_of(const Model& model) {
  const std::int64_t outputs = model.is_class() ? std::ssize(model.classes) : 1;
  const char* const means = model.is_class() ? "probabilities" : "value";
  Message graph;
  graph.message(1, ensemble_of(model, outputs, "sums"));
  graph.message(1, Operation("Div", "", {"sums", "trees"}, {means}).message());
  graph.text(2, "yupana");
  Message trees;
  trees.numbers(1, {1});
  trees.number(2, element_float);
  trees.reals(4, {static_cast<float>(model.trees.size())});
  trees.text(8, "trees");
  graph.message(5, trees);
  graph.message(11, value_info("x", element_float, std::ssize(model.features)));
  if (model.is_class()) put_classes(model, graph);
  graph.message(12, value_info(means, element_float, outputs));
  return graph;
}

}  // namespace

std::string onnx_model(const Model& model) {
  Message file;
  file.number(1, 8);  // the format's version, as opset 15 has it
  file.text(2, "yupana");
  file.message(7, graph_of(model));
  for (const auto& [domain, version] : {std::pair("", 15), std::pair("ai.onnx.ml", 3)}) {
    Message opset;
    opset.text(1, domain);
    opset.number(2, version);
    file.message(8, opset);
  }
  if (file.bytes().size() >= (std::size_t{1} << 31)) {
    throw Error(
        ErrorCode::out_of_resources,
        fmt::format("the model takes {} bytes, an ONNX file holds fewer than 2^31: fewer or "
                    "shallower trees are wanted",
                    file.bytes().size()));
  }
  return file.bytes();
}

}  // namespace yupana::io
