#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "yupana/core/counted.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/io/number_text.hpp"

namespace yupana::io {
namespace {

using forest::Model;
using forest::Node;
using forest::Tree;

std::string shortest(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

const Tree& tree_at(const Model& model, std::int64_t tree) {
  if (tree >= 0 && tree < std::ssize(model.trees)) return model.trees[tree];
  throw usage_error("--tree: expected a tree from 1 to {}, got {}", model.trees.size(), tree + 1);
}

std::string prediction(const Model& model, const Tree& tree, std::int64_t node) {
  const double* value = tree.value(node);
  if (!model.is_class()) return shortest(*value);
  const auto best = std::max_element(value, value + tree.outputs) - value;
  return model.classes[best];
}

std::string feature_name(const Model& model, const Node& node) {
  const std::string& name = model.features[node.feature];
  // Without a header a column's name is its number, which would read as a value.
  const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "column " + name : name;
}

/// Whether every known value goes left and missing ones go right.
bool splits_missing(const Node& node) {
  return node.threshold > std::numeric_limits<double>::max() && !node.missing_left;
}

/// The name of a category of a feature; its number where the feature was not text.
std::string category_name(const Model& model, const Node& node, std::size_t category) {
  for (const forest::Encoding& own : model.encodings) {
    if (own.feature == node.feature && !own.one_hot && category < own.categories.size()) {
      return own.categories[category];
    }
  }
  return std::to_string(category);
}

constexpr std::int64_t max_named = 12;

/// "x in {a, b}", or by the fewer categories "x not in {c}"; of the right child the opposite.
std::string set_question(const Model& model, const Tree& tree, const Node& node, bool is_right) {
  const forest::CategorySet& set = tree.sets[static_cast<std::size_t>(node.set)];
  const std::int64_t left = std::count(set.begin(), set.end(), true);
  const bool names_left = 2 * left <= std::ssize(set);
  std::int64_t unnamed = names_left ? left : std::ssize(set) - left;
  std::string text = feature_name(model, node) + (names_left != is_right ? " in {" : " not in {");
  std::int64_t named = 0;
  for (std::size_t c = 0; c < set.size() && named < max_named; ++c) {
    if (set[c] != names_left) continue;
    text += (named++ > 0 ? ", " : "") + category_name(model, node, c);
    --unnamed;
  }
  if (unnamed > 0) text += fmt::format(", {} more", unnamed);
  return text + "}";
}

std::string question(const Model& model, const Tree& tree, const Node& node) {
  if (node.set >= 0) return set_question(model, tree, node, false);
  const std::string name = feature_name(model, node);
  if (node.threshold > std::numeric_limits<double>::max()) return name + " is known";
  return fmt::format("{} <= {}", name, shortest(node.threshold));
}

std::string summary(const Model& model, const Tree& tree, std::int64_t i) {
  const Node& node = tree.nodes[i];
  return fmt::format("{} ({}, impurity {:.4g})",
                     prediction(model, tree, i),
                     counted(node.rows, "row"),
                     node.impurity);
}

/// visit(node, depth) in preorder.
void each_node(const Tree& tree, const std::function<void(std::int32_t, std::int64_t)>& visit) {
  std::vector<std::pair<std::int32_t, std::int64_t>> stack{{0, 0}};
  while (!stack.empty()) {
    const auto [i, depth] = stack.back();
    stack.pop_back();
    visit(i, depth);
    const Node& node = tree.nodes[i];
    if (node.is_leaf()) continue;
    stack.emplace_back(node.right, depth + 1);
    stack.emplace_back(node.left, depth + 1);
  }
}

std::string escaped(std::string_view text, bool xml) {
  std::string out;
  for (const char c : text) {
    if (xml && c == '<') {
      out += "&lt;";
    } else if (xml && c == '>') {
      out += "&gt;";
    } else if (xml && c == '&') {
      out += "&amp;";
    } else if (!xml && (c == '"' || c == '\\')) {
      out += '\\';
      out += c;
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

}  // namespace

std::string rules_text(const Model& model, std::int64_t number) {
  const Tree& tree = tree_at(model, number);
  std::string text;
  // Of each node, the condition that leads there.
  std::vector<std::string> conditions(tree.nodes.size());
  each_node(tree, [&](std::int32_t i, std::int64_t depth) {
    const Node& node = tree.nodes[i];
    std::string line(2 * std::max<std::int64_t>(0, depth - 1), ' ');
    const std::string& condition = conditions[i];
    if (depth > 0) line += condition;
    if (node.is_leaf()) line += (depth > 0 ? ": " : "") + summary(model, tree, i);
    if (depth > 0 || node.is_leaf()) text += line + "\n";
    if (node.is_leaf()) return;
    std::string& left = conditions[node.left];
    std::string& right = conditions[node.right];
    if (splits_missing(node)) {
      left = fmt::format("if {} is known", feature_name(model, node));
      right = fmt::format("if {} is missing", feature_name(model, node));
      return;
    }
    const std::string rule = question(model, tree, node);
    const char* known = node.missing_left ? " or missing" : "";
    const char* other = node.missing_left ? "" : " or missing";
    left = fmt::format("if {}{}", rule, known);
    right = node.set < 0 ? fmt::format("if not {}{}", rule, other)
                         : fmt::format("if {}{}", set_question(model, tree, node, true), other);
  });
  return text;
}

std::string tree_dot(const Model& model, std::int64_t number) {
  const Tree& tree = tree_at(model, number);
  std::string text = "digraph tree {\n  node [shape=box, fontname=\"sans-serif\"];\n";
  each_node(tree, [&](std::int32_t i, std::int64_t) {
    const Node& node = tree.nodes[i];
    const std::string first =
        node.is_leaf() ? "" : escaped(question(model, tree, node), false) + "\\n";
    text +=
        fmt::format("  n{} [label=\"{}{}\"];\n", i, first, escaped(summary(model, tree, i), false));
    if (node.is_leaf()) return;
    const bool left = node.missing_left;
    text += fmt::format("  n{} -> n{} [label=\"yes{}\"];\n", i, node.left, left ? ", missing" : "");
    text += fmt::format("  n{} -> n{} [label=\"no{}\"];\n", i, node.right, left ? "" : ", missing");
  });
  return text + "}\n";
}

std::string tree_svg(const Model& model, std::int64_t number) {
  const Tree& tree = tree_at(model, number);
  constexpr double width = 190, height = 90, box = 44, margin = 10;
  // Leaves are side by side in order, a node over the middle of its children.
  std::vector<double> x(tree.nodes.size(), 0);
  std::vector<std::int64_t> depths(tree.nodes.size(), 0);
  std::vector<std::int32_t> order;
  double leaves = 0;
  std::int64_t deepest = 0;
  each_node(tree, [&](std::int32_t i, std::int64_t depth) {
    const auto at = static_cast<std::size_t>(i);
    depths[at] = depth;
    deepest = std::max(deepest, depth);
    order.push_back(i);
    if (tree.nodes[at].is_leaf()) x[at] = leaves++;
  });
  for (std::size_t k = order.size(); k-- > 0;) {
    const Node& node = tree.nodes[order[k]];
    if (node.is_leaf()) continue;
    x[order[k]] = (x[node.left] + x[node.right]) / 2;
  }
  const double w = leaves * width + 2 * margin;
  const double h = static_cast<double>(deepest) * height + box + 2 * margin;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" "
      "font-family=\"sans-serif\" font-size=\"11\" text-anchor=\"middle\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      w,
      h);
  const auto centre = [&](std::size_t i) { return margin + (x[i] + 0.5) * width; };
  const auto top = [&](std::size_t i) { return margin + static_cast<double>(depths[i]) * height; };
  for (const std::int32_t number_of_node : order) {
    const auto i = static_cast<std::size_t>(number_of_node);
    const Node& node = tree.nodes[i];
    if (!node.is_leaf()) {
      for (const bool left : {true, false}) {
        const auto c = static_cast<std::size_t>(left ? node.left : node.right);
        text += fmt::format("<path d=\"M{} {}L{} {}\" stroke=\"#777\" fill=\"none\"/>\n",
                            centre(i),
                            top(i) + box,
                            centre(c),
                            top(c));
        // Beside the line, near the child and on the side away from its sibling.
        text +=
            fmt::format("<text x=\"{}\" y=\"{}\" fill=\"#555\" text-anchor=\"{}\">{}{}</text>\n",
                        centre(c) + (left ? -4 : 4) + 0.3 * (centre(i) - centre(c)),
                        top(c) - 0.3 * (height - box),
                        left ? "end" : "start",
                        left ? "yes" : "no",
                        left == node.missing_left ? ", missing" : "");
      }
    }
    text += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"{}\" "
        "stroke=\"#444\"/>\n<text x=\"{}\" y=\"{}\">{}</text>\n<text x=\"{}\" y=\"{}\">{}</text>\n",
        centre(i) - width / 2 + 4,
        top(i),
        width - 8,
        box,
        node.is_leaf() ? "#e8f0e4" : "#e4ecf4",
        centre(i),
        top(i) + 18,
        escaped(
            node.is_leaf() ? prediction(model, tree, number_of_node) : question(model, tree, node),
            true),
        centre(i),
        top(i) + 34,
        escaped(node.is_leaf()
                    ? counted(node.rows, "row")
                    : fmt::format("{}, impurity {:.3g}", counted(node.rows, "row"), node.impurity),
                true));
  }
  return text + "</svg>\n";
}

}  // namespace yupana::io
