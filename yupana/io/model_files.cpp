#include "yupana/io/model_files.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/json_fields.hpp"
#include "yupana/io/json_shape.hpp"
#include "yupana/io/model_binary.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

using forest::Model;
using forest::Node;
using forest::Tree;
using Json = nlohmann::ordered_json;

constexpr const char* format_name = "yupana trees";

bool has_infinite_threshold(const Model& model) {
  return std::any_of(model.trees.begin(), model.trees.end(), [](const Tree& tree) {
    return std::any_of(tree.nodes.begin(), tree.nodes.end(), [](const Node& node) {
      return std::isinf(node.threshold);
    });
  });
}

/// The first version that can hold the model.
int version_of(const Model& model) {
  if (forest::splits_categories(model.trees)) return 4;
  if (has_infinite_threshold(model)) return 3;
  return model.encodings.empty() ? 1 : 2;
}

Json header_json(const Model& model) {
  Json header = {{"format", format_name},
                 {"version", version_of(model)},
                 {"label", model.label},
                 {"classes", model.classes},
                 {"features", model.features},
                 {"voting", model.voting == forest::Voting::hard ? "hard" : "soft"}};
  if (model.zero_based) header["zero_based"] = true;
  for (const forest::Encoding& encoding : model.encodings) {
    Json values = Json::array();
    for (const double value : encoding.values) {
      values.push_back(value == value ? Json(value) : Json());
    }
    header["encodings"].push_back({{"column", encoding.column},
                                   {"feature", encoding.feature},
                                   {"one_hot", encoding.one_hot},
                                   {"categories", encoding.categories},
                                   {"values", std::move(values)}});
  }
  return header;
}

/// Encodings are in order, over features that are there.
std::vector<forest::Encoding> encodings_of(const std::string& path,
                                           const Json& json,
                                           std::int64_t features) {
  std::vector<forest::Encoding> encodings;
  std::int64_t next = 0;
  for (const Json& own : json) {
    const Fields fields(path, own, fmt::format("encodings {}: ", encodings.size() + 1));
    forest::Encoding& encoding = encodings.emplace_back();
    encoding.column = fields.text("column");
    encoding.feature = fields.whole("feature", next, features);
    encoding.one_hot = fields.flag("one_hot");
    encoding.categories = fields.texts("categories");
    const std::int64_t wanted = encoding.one_hot ? 0 : std::ssize(encoding.categories);
    for (const Json& value : fields.list("values", wanted)) {
      if (!value.is_number() && !value.is_null()) fields.fail("values", "numbers");
      encoding.values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                                : value.get<double>());
    }
    next = encoding.feature + encoding.width();
    if (next > features) fields.fail("categories", "as many as there are features of them");
  }
  return encodings;
}

// Of any number of JSON, with room to spare.
constexpr std::size_t number_letters = 64;

void append_integer(std::int64_t value, std::string& text) {
  char letters[number_letters];
  text.append(letters, std::to_chars(letters, std::end(letters), value).ptr);
}

/// As the JSON library writes it. Most are whole: weights, and sums of them.
void append_integer(double value, std::string& text) {
  if (std::fabs(value) < 1e15 && value == std::trunc(value) && !std::signbit(value)) {
    append_integer(static_cast<std::int64_t>(value), text);
    text += ".0";
  } else if (std::isfinite(value)) {
    char letters[number_letters];
    text.append(letters, nlohmann::detail::to_chars(letters, std::end(letters), value));
  } else {
    text += "null";
  }
}

/// As a JSON object of lists. The library's own takes a fifth of a forest's run.
std::string tree_text(const Tree& tree) {
  std::string text = "{";
  const auto list = [&](const char* name, const auto& all, const auto& append) {
    text += text.size() == 1 ? "\"" : ",\"";
    text += name;
    text += "\":[";
    for (const auto& one : all) {
      append(one);
      text += ',';
    }
    if (text.back() == ',') text.pop_back();
    text += ']';
  };
  const auto numbers = [&](const char* name, auto field) {
    list(name, tree.nodes, [&](const Node& node) { append_integer(field(node), text); });
  };
  numbers("feature", [](const Node& node) { return std::int64_t{node.feature}; });
  // JSON has no infinite numbers.
  list("threshold", tree.nodes, [&](const Node& node) {
    if (!std::isinf(node.threshold)) return append_integer(node.threshold, text);
    text += node.threshold > 0 ? "\"inf\"" : "\"-inf\"";
  });
  numbers("left", [](const Node& node) { return std::int64_t{node.left}; });
  numbers("right", [](const Node& node) { return std::int64_t{node.right}; });
  list("missing_left", tree.nodes, [&](const Node& node) {
    text += node.missing_left ? "true" : "false";
  });
  numbers("rows", [](const Node& node) { return node.rows; });
  numbers("weight", [](const Node& node) { return node.weight; });
  numbers("impurity", [](const Node& node) { return node.impurity; });
  if (!tree.sets.empty()) {
    numbers("set", [](const Node& node) { return std::int64_t{node.set}; });
    list("sets", tree.sets, [&](const forest::CategorySet& set) {
      text += '"';
      for (const bool left : set) text += left ? '1' : '0';
      text += '"';
    });
  }
  list("values", tree.values, [&](double value) { append_integer(value, text); });
  return text + "}";
}

bool is_model(const Json& json) {
  return json.is_object() && json.contains("format") && json["format"] == format_name;
}

Error no_model(const std::string& path) {
  return bad_file(path,
                  "is no model of trees; give a file that yupana tree fit or forest fit wrote");
}

Model model_of(const std::string& path, const Json& json) {
  if (!is_model(json)) throw no_model(path);
  const Fields fields(path, json, "");
  const std::int64_t version = fields.whole("version", 0, INT32_MAX);
  if (version < 1 || version > model_version) {
    throw bad_file(path,
                   "is a model of version {}; this reads up to {}: train it again",
                   version,
                   model_version);
  }
  Model model;
  model.label = fields.text("label");
  model.classes = fields.texts("classes");
  model.features = fields.texts("features");
  model.zero_based = fields.has("zero_based") && fields.flag("zero_based");
  if (fields.has("encodings")) {
    model.encodings = encodings_of(path, fields.list("encodings"), std::ssize(model.features));
  }
  const std::string voting = fields.text("voting");
  if (voting != "hard" && voting != "soft") fields.fail("voting", "hard or soft");
  model.voting = voting == "hard" ? forest::Voting::hard : forest::Voting::soft;
  return model;
}

double threshold_of(const std::string& path, const Fields& fields, const Json& json) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (json == "inf") return infinity;
  if (json == "-inf") return -infinity;
  if (json.is_null()) {
    throw bad_file(path,
                   "has a threshold of null, which an earlier version wrote for either infinity; "
                   "train the model again");
  }
  if (!json.is_number()) fields.fail("threshold", "numbers");
  return json.get<double>();
}

std::vector<forest::CategorySet> sets_of(const Fields& fields) {
  std::vector<forest::CategorySet> sets;
  for (const std::string& text : fields.texts("sets")) {
    if (text.find_first_not_of("01") != std::string::npos) fields.fail("sets", "texts of 0 and 1");
    forest::CategorySet& set = sets.emplace_back();
    for (const char c : text) set.push_back(c == '1');
  }
  return sets;
}

/// Tree `number`, from 1.
Tree tree_of(const std::string& path, const Json& json, std::size_t number) {
  const Fields fields(path, json, fmt::format("tree {}: ", number));
  const std::int64_t count = std::ssize(fields.list("feature"));
  Tree tree;
  tree.nodes.resize(static_cast<std::size_t>(count));
  const auto take = [&](const auto& values, auto&& put) {
    for (std::size_t i = 0; i < values.size(); ++i) put(tree.nodes[i], values[i]);
  };
  const auto whole = [&](const char* name, std::int64_t most, auto&& put) {
    take(fields.wholes(name, count, -1, most), put);
  };
  whole("feature", INT32_MAX, [](Node& node, auto x) { node.feature = static_cast<int>(x); });
  whole("left", INT32_MAX, [](Node& node, auto x) { node.left = static_cast<int>(x); });
  whole("right", INT32_MAX, [](Node& node, auto x) { node.right = static_cast<int>(x); });
  whole("rows", INT64_MAX, [](Node& node, auto x) { node.rows = x; });
  take(fields.list("threshold", count),
       [&](Node& node, const Json& x) { node.threshold = threshold_of(path, fields, x); });
  take(fields.list("missing_left", count), [&](Node& node, const Json& x) {
    if (!x.is_boolean()) fields.fail("missing_left", "true or false");
    node.missing_left = x.get<bool>();
  });
  take(fields.numbers("weight", count), [](Node& node, double x) { node.weight = x; });
  take(fields.numbers("impurity", count), [](Node& node, double x) { node.impurity = x; });
  tree.values = fields.numbers("values");
  if (fields.has("sets")) {
    tree.sets = sets_of(fields);
    whole("set", INT32_MAX, [](Node& node, auto x) { node.set = static_cast<int>(x); });
  }
  return tree;
}

/// A finite number, or weights of classes that have shares.
bool has_value(const Model& model, const double* value, std::int32_t outputs) {
  if (!model.is_class()) return std::isfinite(*value);
  const double sum = std::accumulate(value, value + outputs, 0.0);
  return *std::min_element(value, value + outputs) >= 0 && sum > 0 && std::isfinite(sum);
}

/// Every node but the root is the child of exactly one node before it, and features are there.
void check_model(const std::string& path, const Model& model) {
  if (model.trees.empty()) throw bad_file(path, "a model without trees");
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const Tree& tree = model.trees[t];
    const auto damaged = [&](std::string_view what) {
      return bad_file(path, "tree {}: {}; train the model again", t + 1, what);
    };
    if (tree.nodes.empty()) throw damaged("no nodes");
    if (tree.values.size() != tree.nodes.size() * static_cast<std::size_t>(tree.outputs)) {
      throw damaged("other than one value a node and class");
    }
    std::vector<char> seen(tree.nodes.size(), 0);
    std::size_t children = 0;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const Node& node = tree.nodes[i];
      if (node.feature >= std::ssize(model.features)) throw damaged("a feature that is not there");
      if (node.set < -1 || node.set >= std::ssize(tree.sets)) throw damaged("a set that is none");
      if (node.rows < 0 || !(node.weight >= 0) ||
          !has_value(model, tree.value(static_cast<std::int64_t>(i)), tree.outputs)) {
        throw damaged(fmt::format("node {} has a value or weight that is none", i));
      }
      if (node.is_leaf()) continue;
      if (node.threshold != node.threshold) throw damaged("a threshold that is no number");
      for (const std::int32_t child : {node.left, node.right}) {
        const bool below = child > static_cast<std::int64_t>(i) && child < std::ssize(tree.nodes);
        if (!below || seen[child] != 0) {
          throw damaged(fmt::format("node {} has a child that is none", i));
        }
        seen[child] = 1;
        ++children;
      }
    }
    if (children + 1 != tree.nodes.size()) throw damaged("nodes without a parent");
  }
}

/// Reads a document tree by tree: all of a forest's JSON at once would take many times its memory.
/// Each object of a list is taken out as it ends, for the parser looks at those before it.
/// `checksum`: what the document says, if it does.
Model json_model(const std::string& path,
                 std::string_view text,
                 std::optional<std::string>& checksum) {
  std::vector<Tree> trees;
  Json::array_t encodings;
  std::string key, own;  // of the document, of any object
  bool is_known = false;
  const auto take = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key) {
      own = parsed.get<std::string>();
      if (depth == 1) key = own;
    }
    is_known = is_known || (depth == 1 && key == "format" && parsed == format_name);
    const bool is_encoding = key == "encodings";
    if (event == Json::parse_event_t::object_start && depth > 0 &&
        (depth != 2 || !(is_encoding || key == "trees"))) {
      if (!is_known) throw no_model(path);
      throw bad_file(path,
                     "is a damaged model: {}: expected {}",
                     printable(own),
                     depth > 2 ? "a list of numbers or texts" : "a list or a text");
    }
    if (depth != 2 || event != Json::parse_event_t::object_end) return true;
    if (is_encoding) {
      encodings.push_back(std::move(parsed));
    } else {
      trees.push_back(tree_of(path, parsed, trees.size() + 1));
    }
    return false;
  };
  Json json = Json::parse(text.begin(), text.end(), take);
  if (!encodings.empty()) json["encodings"] = std::move(encodings);
  Model model = model_of(path, json);
  const Fields fields(path, json, "");
  if (fields.has("checksum")) checksum = fields.text("checksum");
  if (!fields.list("trees").empty()) fields.fail("trees", "a list of objects");
  const auto outputs = model.is_class() ? std::ssize(model.classes) : 1;
  for (Tree& tree : trees) tree.outputs = static_cast<std::int32_t>(outputs);
  model.trees = std::move(trees);
  return model;
}

}  // namespace

void write_model_json(Context& context, AtomicFile& file, const Model& model) {
  // The trees one by one: a forest's JSON as a whole would take many times its memory.
  std::string head = json_text(file.path(), header_json(model), 1);
  head.resize(head.size() - 2);  // "\n}"
  file.write(head + ",\n \"trees\": [");
  std::string_view between = "\n  ";
  each_tree_text(&context, model.trees, tree_text, [&](const std::string& text) {
    file.write(std::exchange(between, ",\n  "));
    file.write(text);
  });
  file.write(fmt::format("\n ],\n \"checksum\": \"{}\"\n}}\n",
                         model_checksum(&context, file.path(), model)));
}

Model model_from_bytes(const std::string& name,
                       std::string_view bytes,
                       std::uint64_t max_bytes,
                       const ModelWork& work) {
  Model model;
  std::optional<std::string> checksum;
  try {
    if (is_binary_model(bytes)) {
      model = binary_model(name, bytes, max_bytes, work);
    } else {
      check_model_memory(name, bytes, max_bytes, work);
      model = json_model(name, bytes, checksum);
    }
  } catch (const Json::parse_error&) {
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first == bytes.npos || bytes[first] != '{') throw no_model(name);
    throw bad_file(name, "is no model of trees: no whole JSON document; copy it again");
  } catch (const Json::exception&) {
    throw bad_file(name, "is a damaged model; copy it again");
  }
  check_model(name, model);
  if (checksum && *checksum != model_checksum(nullptr, name, model)) {
    throw bad_file(name,
                   "its checksum is another, so some number or name is damaged; copy it again, or "
                   "take \"checksum\" out of a model that was edited on purpose");
  }
  return model;
}

Model read_model(const std::string& path, std::uint64_t max_bytes, const ModelWork& work) {
  constexpr std::uint64_t least = 64 << 20;  // of a text, read to say what the model takes
  const InputFile file(path);
  const Array<char> text = read_text(file, std::max(max_bytes, least));
  return model_from_bytes(
      path, {text.data(), static_cast<std::size_t>(text.size() - 1)}, max_bytes, work);
}

std::string model_header(std::string_view path, const Model& model) {
  return json_text(path, header_json(model));
}

Model model_of_header(const std::string& path, std::string_view text) {
  checked_json(path, text);
  return model_of(path, Json::parse(text.begin(), text.end()));
}

}  // namespace yupana::io
