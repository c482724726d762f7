#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "yupana/core/messages.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

using forest::Encoding;
using forest::Model;
using forest::Node;
using forest::Tree;

// A set of categories in a rule, and in a box of 190 points.
constexpr std::size_t letters_of_rules = 240, letters_of_pictures = 16;
// Texts of more letters than a box of a picture has room for are squeezed, as far as can be read.
constexpr std::size_t letters_of_boxes = 33, squeezed_letters = 44;

std::string shortest(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

/// A number in a picture: what many digits hide is seen with six.
std::string rounded(double value) {
  constexpr std::size_t most_letters = 9;
  const std::string whole = shortest(value);
  return whole.size() <= most_letters ? whole : fmt::format("{:.6g}", value);
}

const Tree& tree_at(const Model& model, std::int64_t tree) {
  if (tree >= 0 && tree < std::ssize(model.trees)) return model.trees[tree];
  throw usage_error("--tree: expected a tree from 1 to {}, got {}", model.trees.size(), tree + 1);
}

std::string prediction(const Model& model, const Tree& tree, std::int64_t node, bool is_rounded) {
  const double* value = tree.value(node);
  if (!model.is_class()) return is_rounded ? rounded(*value) : shortest(*value);
  const auto best = std::max_element(value, value + tree.outputs) - value;
  return model.classes[best];
}

/// What pictures and rules say once of a tree whose training missed nothing.
constexpr const char* missing_to_larger =
    "missing values go to the child of more rows, of equal ones to the second";

/// Whether every known value goes left and missing ones go right.
bool splits_missing(const Node& node) {
  return node.threshold > std::numeric_limits<double>::max() && !node.missing_left;
}

/// How the column that a feature was made of was encoded; null: it had numbers.
const Encoding* encoding_of(const Model& model, std::int64_t feature) {
  for (const Encoding& own : model.encodings) {
    if (feature >= own.feature && feature < own.feature + own.width()) return &own;
  }
  return nullptr;
}

std::string column_name(const Model& model, const Node& node) {
  const Encoding* const encoding = encoding_of(model, node.feature);
  return column_words(encoding != nullptr ? encoding->column : model.features[node.feature]);
}

/// "{a, b and 7 more}": as many names as fit into `letters`, but one at least.
std::string set_text(const std::vector<std::string>& names, std::size_t letters) {
  std::string text = "{";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool plain = names[i].find_first_of(",{}\"") == std::string::npos;
    const std::string own = plain ? names[i] : fmt::format("\"{}\"", names[i]);
    if (i > 0 && text.size() + own.size() > letters) {
      return text + fmt::format(" and {} more}}", names.size() - i);
    }
    text += (i > 0 ? ", " : "") + own;
  }
  return text + "}";
}

/// What holds where a node's row goes left, and where it goes right.
struct Question {
  std::string left, right;
};

/// The categories that a node sends left and right; numbers where the feature was not text.
struct Parts {
  std::vector<std::string> left, right;
};

Parts parts_of(const Encoding* encoding, const Tree& tree, const Node& node) {
  Parts parts;
  if (node.set < 0) {
    for (std::size_t c = 0; c < encoding->categories.size(); ++c) {
      const double value = encoding->values[c];
      if (value <= node.threshold) parts.left.push_back(encoding->categories[c]);
      if (value > node.threshold) parts.right.push_back(encoding->categories[c]);
    }
    return parts;
  }
  const forest::CategorySet& set = tree.sets[static_cast<std::size_t>(node.set)];
  for (std::size_t c = 0; c < set.size(); ++c) {
    const bool named = encoding != nullptr && c < encoding->categories.size();
    (set[c] ? parts.left : parts.right)
        .push_back(named ? encoding->categories[c] : std::to_string(c));
  }
  return parts;
}

/// Categories are named on the side that has fewer of them.
Question question_of_categories(const std::string& name, const Parts& parts, std::size_t letters) {
  const auto& [left, right] = parts;
  const bool is_left = left.size() <= right.size();
  const std::string set = set_text(is_left ? left : right, letters);
  const std::string in = fmt::format("{} in {}", name, set);
  const std::string out = fmt::format("{} not in {}", name, set);
  return is_left ? Question{in, out} : Question{out, in};
}

/// `letters`: about as many as a set of categories may take.
Question question_of(
    const Model& model, const Tree& tree, const Node& node, std::size_t letters, bool is_rounded) {
  const std::string name = column_name(model, node);
  const Encoding* const encoding = encoding_of(model, node.feature);
  if (node.set >= 0) return question_of_categories(name, parts_of(encoding, tree, node), letters);
  if (node.threshold > std::numeric_limits<double>::max()) {
    return {name + " is known", "not " + name + " is known"};
  }
  if (encoding == nullptr) {
    const double threshold = node.threshold;
    const std::string number = is_rounded ? rounded(threshold) : shortest(threshold);
    return {fmt::format("{} <= {}", name, number), fmt::format("{} > {}", name, number)};
  }
  if (!encoding->one_hot) {
    return question_of_categories(name, parts_of(encoding, tree, node), letters);
  }
  const std::string& category = encoding->categories[node.feature - encoding->feature];
  return {fmt::format("{} is not {}", name, category), fmt::format("{} is {}", name, category)};
}

std::string summary(const Model& model, const Tree& tree, std::int64_t i, bool is_rounded) {
  const Node& node = tree.nodes[i];
  return fmt::format("{} ({}, impurity {:.4g})",
                     prediction(model, tree, i, is_rounded),
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

/// Whether each node sends missing values to its larger child (of equal ones to the second), as
/// where the training had none.
bool sends_missing_to_larger(const Tree& tree) {
  return std::all_of(tree.nodes.begin(), tree.nodes.end(), [&](const Node& node) {
    if (node.is_leaf()) return true;
    return node.missing_left == (2 * tree.nodes[node.left].rows > node.rows) &&
           node.threshold <= std::numeric_limits<double>::max();
  });
}

/// Places of a picture's nodes: columns by depth, rows by the leaves above.
struct TreeLayout {
  static constexpr double column = 286, row = 50, width = 216, box = 40, margin = 10, note = 16;
  std::vector<std::int32_t> order;   ///< of the drawn nodes, in preorder
  std::vector<double> y;             ///< of each node, in rows
  std::vector<std::int64_t> depths;  ///< of each node
  std::vector<std::int64_t> folded;  ///< leaves below a node that is drawn without them; 0: none
  double rows = 0;
  std::int64_t columns = 1;

  double left(std::size_t i) const { return margin + static_cast<double>(depths[i]) * column; }
  double top(std::size_t i) const { return margin + y[i] * row; }
};

TreeLayout layout_of(const Tree& tree, std::int64_t deepest) {
  const std::size_t count = tree.nodes.size();
  TreeLayout layout{{},
                    std::vector<double>(count),
                    std::vector<std::int64_t>(count),
                    std::vector<std::int64_t>(count)};
  std::size_t folding = count;  // the node at `deepest` whose leaves are counted
  each_node(tree, [&](std::int32_t number, std::int64_t depth) {
    const auto i = static_cast<std::size_t>(number);
    layout.depths[i] = depth;
    const bool leaf = tree.nodes[i].is_leaf();
    if (depth > deepest) {
      layout.folded[folding] += leaf ? 1 : 0;
      return;
    }
    layout.order.push_back(number);
    layout.columns = std::max(layout.columns, depth + 1);
    if (depth == deepest) folding = i;
    if (leaf || depth == deepest) layout.y[i] = layout.rows++;
  });
  for (std::size_t k = layout.order.size(); k-- > 0;) {
    const Node& node = tree.nodes[layout.order[k]];
    if (node.is_leaf() || layout.depths[layout.order[k]] == deepest) continue;
    layout.y[layout.order[k]] = (layout.y[node.left] + layout.y[node.right]) / 2;
  }
  return layout;
}

/// The lines from a node to its children, and which way they are.
std::string branches_svg(const TreeLayout& at, const Tree& tree, std::size_t i, bool with_missing) {
  std::string text;
  for (const bool left : {true, false}) {
    const auto c = static_cast<std::size_t>(left ? tree.nodes[i].left : tree.nodes[i].right);
    const double from = at.left(i) + TreeLayout::width, to = at.left(c);
    text += fmt::format(
        "<path d=\"M{0} {1}C{2} {1} {2} {3} {4} {3}\" stroke=\"#777\" fill=\"none\"/>\n"
        "<text x=\"{5}\" y=\"{6}\" fill=\"#555\" text-anchor=\"end\">{7}{8}</text>\n",
        from,
        at.top(i) + TreeLayout::box / 2,
        (from + to) / 2,
        at.top(c) + TreeLayout::box / 2,
        to,
        to - 3,
        at.top(c) + TreeLayout::box / 2 + (left ? -5 : 14),
        left ? "yes" : "no",
        with_missing && left == tree.nodes[i].missing_left ? ", missing" : "");
  }
  return text;
}

std::string box_svg(const TreeLayout& at, const Model& model, const Tree& tree, std::size_t i) {
  const Node& node = tree.nodes[i];
  const auto number = static_cast<std::int64_t>(i);
  const std::int64_t folded = at.folded[i];
  const std::string whole = node.is_leaf() || folded > 0
                                ? prediction(model, tree, number, true)
                                : question_of(model, tree, node, letters_of_pictures, true).left;
  const std::string first = without_middle(whole, squeezed_letters);
  std::string second = counted(node.rows, "row");
  if (folded > 0) {
    second += fmt::format(", {} below", counted(folded, "leaf", "leaves"));
  } else if (!node.is_leaf()) {
    second += fmt::format(", impurity {:.3g}", node.impurity);
  }
  const double middle = at.left(i) + TreeLayout::width / 2;
  const std::string squeezed =
      fmt::format(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", TreeLayout::width - 10);
  return fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"{}\" "
      "stroke=\"#444\"{}/>\n<text x=\"{}\" y=\"{}\"{}>{}{}</text>\n<text x=\"{}\" "
      "y=\"{}\">{}</text>\n",
      at.left(i),
      at.top(i),
      TreeLayout::width,
      TreeLayout::box,
      node.is_leaf() ? "#e8f0e4" : "#e4ecf4",
      folded > 0 ? " stroke-dasharray=\"4 3\"" : "",
      middle,
      at.top(i) + 16,
      first.size() > letters_of_boxes ? squeezed : std::string(),
      first != whole ? "<title>" + escaped(whole, true) + "</title>" : "",
      escaped(first, true),
      middle,
      at.top(i) + 32,
      escaped(second, true));
}

}  // namespace

std::string column_words(const std::string& name) {
  // Without a header a column's name is its number, which would read as a value.
  const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "column " + name : name;
}

std::vector<NodeWords> node_words(const Model& model,
                                  std::int64_t number,
                                  const WordParams& params) {
  const Tree& tree = tree_at(model, number);
  std::vector<NodeWords> words;
  // Of each node, the condition that leads there.
  std::vector<std::string> conditions(tree.nodes.size());
  each_node(tree, [&](std::int32_t i, std::int64_t depth) {
    const Node& node = tree.nodes[i];
    words.push_back({i, depth, conditions[i], prediction(model, tree, i, params.rounded)});
    if (node.is_leaf()) return;
    std::string& left = conditions[node.left];
    std::string& right = conditions[node.right];
    if (splits_missing(node)) {
      left = column_name(model, node) + " is known";
      right = column_name(model, node) + " is missing";
      return;
    }
    const Question rule = question_of(model, tree, node, letters_of_rules, params.rounded);
    left = rule.left + (params.missing && node.missing_left ? " or missing" : "");
    right = rule.right + (params.missing && !node.missing_left ? " or missing" : "");
  });
  return words;
}

std::string rules_text(const Model& model, std::int64_t number) {
  const Tree& tree = tree_at(model, number);
  std::string text;
  const bool to_larger = sends_missing_to_larger(tree);
  for (const NodeWords& own : node_words(model, number, {.missing = !to_larger})) {
    const bool is_leaf = tree.nodes[own.node].is_leaf(), is_root = own.depth == 0;
    if (is_root && !is_leaf) continue;
    if (!is_root) text += std::string(2 * (own.depth - 1), ' ') + "if " + own.condition;
    if (is_leaf) text += (is_root ? "" : ": ") + summary(model, tree, own.node, false);
    text += "\n";
  }
  if (to_larger && tree.nodes.size() > 1) text += fmt::format("{}\n", missing_to_larger);
  return text;
}

std::string tree_dot(const Model& model, std::int64_t number) {
  const Tree& tree = tree_at(model, number);
  std::string text = "digraph tree {\n  node [shape=box, fontname=\"sans-serif\"];\n";
  const bool to_larger = sends_missing_to_larger(tree);
  if (to_larger && tree.nodes.size() > 1) {
    text += fmt::format("  label=\"{}\"; fontname=\"sans-serif\";\n", missing_to_larger);
  }
  each_node(tree, [&](std::int32_t i, std::int64_t) {
    const Node& node = tree.nodes[i];
    const std::string first =
        node.is_leaf()
            ? ""
            : escaped(question_of(model, tree, node, letters_of_pictures, true).left, false) +
                  "\\n";
    text += fmt::format(
        "  n{} [label=\"{}{}\"];\n", i, first, escaped(summary(model, tree, i, true), false));
    if (node.is_leaf()) return;
    const bool left = node.missing_left;
    const auto missing = [&](bool own) { return own && !to_larger ? ", missing" : ""; };
    text += fmt::format("  n{} -> n{} [label=\"yes{}\"];\n", i, node.left, missing(left));
    text += fmt::format("  n{} -> n{} [label=\"no{}\"];\n", i, node.right, missing(!left));
  });
  return text + "}\n";
}

std::string tree_svg(const Model& model, std::int64_t number, std::int64_t deepest) {
  const Tree& tree = tree_at(model, number);
  const TreeLayout at = layout_of(tree, deepest);
  const bool to_larger = sends_missing_to_larger(tree);
  const double height = (at.rows - 1) * TreeLayout::row + TreeLayout::box + 2 * TreeLayout::margin;
  const bool has_note = to_larger && tree.nodes.size() > 1;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"11\" text-anchor=\"middle\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      static_cast<double>(at.columns - 1) * TreeLayout::column + TreeLayout::width +
          2 * TreeLayout::margin,
      height + (has_note ? TreeLayout::note : 0));
  if (has_note) {
    text += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"#555\" text-anchor=\"start\">{}</text>\n",
                        TreeLayout::margin,
                        height + 6,
                        missing_to_larger);
  }
  for (const std::int32_t node : at.order) {
    const auto i = static_cast<std::size_t>(node);
    if (!tree.nodes[i].is_leaf() && at.folded[i] == 0)
      text += branches_svg(at, tree, i, !to_larger);
    text += box_svg(at, model, tree, i);
  }
  return text + "</svg>\n";
}

}  // namespace yupana::io
