#include "yupana/io/model_files.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/json_text.hpp"
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

/// The library would take what is no whole number, or beyond its type, for some other number.
template <class Int>
Int whole(const std::string& path, const Json& json) {
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<Int>::max());
  const bool fits = json.is_number_unsigned()
                        ? json.get<std::uint64_t>() <= most
                        : json.is_number_integer() &&
                              json.get<std::int64_t>() >= std::numeric_limits<Int>::min() &&
                              json.get<std::int64_t>() <= std::numeric_limits<Int>::max();
  if (!fits) {
    throw bad_file(path,
                   "is no model of trees (expected a whole number from {} to {}, got {})",
                   std::numeric_limits<Int>::min(),
                   most,
                   printable(json.dump()));
  }
  return json.get<Int>();
}

/// Encodings are in order, over features that are there.
std::vector<forest::Encoding> encodings_of(const std::string& path,
                                           const Json& json,
                                           std::int64_t features) {
  std::vector<forest::Encoding> encodings;
  std::int64_t next = 0;
  for (const Json& own : json) {
    forest::Encoding& encoding = encodings.emplace_back();
    encoding.column = own.at("column").get<std::string>();
    encoding.feature = whole<std::int64_t>(path, own.at("feature"));
    encoding.one_hot = own.at("one_hot").get<bool>();
    encoding.categories = own.at("categories").get<std::vector<std::string>>();
    for (const Json& value : own.at("values")) {
      encoding.values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                                : value.get<double>());
    }
    const std::size_t wanted = encoding.one_hot ? 0 : encoding.categories.size();
    if (encoding.feature < next || encoding.feature > features - encoding.width() ||
        encoding.values.size() != wanted) {
      throw bad_file(path, "the categories of a column are damaged; train the model again");
    }
    next = encoding.feature + encoding.width();
  }
  return encodings;
}

Json tree_json(const Tree& tree) {
  Json json = Json::object();
  const auto list = [&](const char* name, auto field) {
    Json values = Json::array();
    for (const Node& node : tree.nodes) values.push_back(field(node));
    json[name] = std::move(values);
  };
  list("feature", [](const Node& node) { return node.feature; });
  // JSON has no infinite numbers.
  list("threshold", [](const Node& node) {
    if (std::isinf(node.threshold)) return Json(node.threshold > 0 ? "inf" : "-inf");
    return Json(node.threshold);
  });
  list("left", [](const Node& node) { return node.left; });
  list("right", [](const Node& node) { return node.right; });
  list("missing_left", [](const Node& node) { return node.missing_left; });
  list("rows", [](const Node& node) { return node.rows; });
  list("weight", [](const Node& node) { return node.weight; });
  list("impurity", [](const Node& node) { return node.impurity; });
  if (!tree.sets.empty()) {
    list("set", [](const Node& node) { return node.set; });
    for (const forest::CategorySet& set : tree.sets) {
      std::string& text = json["sets"].emplace_back("").get_ref<std::string&>();
      for (const bool left : set) text += left ? '1' : '0';
    }
  }
  json["values"] = tree.values;
  return json;
}

Model model_of(const std::string& path, const Json& json) {
  if (json.value("format", "") != format_name) {
    throw bad_file(path,
                   "is no model of trees; give a file that yupana tree fit or forest fit wrote");
  }
  const int version = whole<int>(path, json.at("version"));
  if (version < 1 || version > model_version) {
    throw bad_file(path,
                   "is a model of version {}; this reads up to {}: train it again",
                   version,
                   model_version);
  }
  Model model;
  model.label = json.at("label").get<std::string>();
  model.classes = json.at("classes").get<std::vector<std::string>>();
  model.features = json.at("features").get<std::vector<std::string>>();
  if (json.contains("encodings")) {
    model.encodings = encodings_of(path, json["encodings"], std::ssize(model.features));
  }
  const std::string voting = json.at("voting").get<std::string>();
  if (voting != "hard" && voting != "soft") throw bad_file(path, "voting is neither hard nor soft");
  model.voting = voting == "hard" ? forest::Voting::hard : forest::Voting::soft;
  return model;
}

double threshold_of(const std::string& path, const Json& json) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (json == "inf") return infinity;
  if (json == "-inf") return -infinity;
  if (json.is_null()) {
    throw bad_file(path,
                   "has a threshold of null, which an earlier version wrote for either infinity; "
                   "train the model again");
  }
  return json.get<double>();
}

std::vector<forest::CategorySet> sets_of(const std::string& path, const Json& json) {
  std::vector<forest::CategorySet> sets;
  for (const Json& own : json) {
    const std::string text = own.get<std::string>();
    if (text.find_first_not_of("01") != std::string::npos) {
      throw bad_file(path,
                     "has a set of categories that is no text of 0 and 1; train the model again");
    }
    forest::CategorySet& set = sets.emplace_back();
    for (const char c : text) set.push_back(c == '1');
  }
  return sets;
}

Tree tree_of(const std::string& path, const Json& json) {
  Tree tree;
  tree.nodes.resize(json.at("feature").size());
  tree.values = json.at("values").get<std::vector<double>>();
  const bool has_sets = json.contains("sets");
  if (has_sets) tree.sets = sets_of(path, json["sets"]);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    Node& node = tree.nodes[i];
    node.feature = whole<std::int32_t>(path, json.at("feature").at(i));
    node.threshold = threshold_of(path, json.at("threshold").at(i));
    node.left = whole<std::int32_t>(path, json.at("left").at(i));
    node.right = whole<std::int32_t>(path, json.at("right").at(i));
    node.missing_left = json.at("missing_left").at(i).get<bool>();
    node.rows = whole<std::int64_t>(path, json.at("rows").at(i));
    node.weight = json.at("weight").at(i).get<double>();
    node.impurity = json.at("impurity").at(i).get<double>();
    if (has_sets) node.set = whole<std::int32_t>(path, json.at("set").at(i));
  }
  return tree;
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
Model json_model(const std::string& path, std::string_view text) {
  std::vector<Tree> trees;
  std::string key;
  const auto take = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth == 1 && event == Json::parse_event_t::key) key = parsed.get<std::string>();
    if (depth != 2 || event != Json::parse_event_t::object_end || key != "trees") return true;
    trees.push_back(tree_of(path, parsed));
    return false;
  };
  const Json json = Json::parse(text.begin(), text.end(), take);
  if (!json.is_object()) throw bad_file(path, "is no model of trees");
  Model model = model_of(path, json);
  if (!json.at("trees").is_array() || !json.at("trees").empty()) {
    throw bad_file(path, "is no model of trees (its trees are no list of objects)");
  }
  const auto outputs = model.is_class() ? std::ssize(model.classes) : 1;
  for (Tree& tree : trees) tree.outputs = static_cast<std::int32_t>(outputs);
  model.trees = std::move(trees);
  return model;
}

/// out_of_resources where the text, its largest tree as a document and the trees are beyond
/// `max_bytes`.
void check_memory(const std::string& path, std::string_view text, std::uint64_t max_bytes) {
  // A number is followed by a comma: 8 bytes in a tree; 16 in a document, whose lists may have
  // twice the room that they need.
  std::uint64_t numbers = 0, own = 0, largest = 0;
  for (const char c : text) {
    if (c == '{') own = 0;
    own += c == ',';
    numbers += c == ',';
    largest = std::max(largest, own);
  }
  const std::uint64_t wanted = text.size() + 8 * numbers + 32 * largest;
  if (wanted <= max_bytes) return;
  throw model_too_large(path, wanted, max_bytes, ", or the .model that fit --binary writes");
}

}  // namespace

Error model_too_large(const std::string& path,
                      std::uint64_t wanted,
                      std::uint64_t max_bytes,
                      const char* instead) {
  return resource_error(
      "{}: reading the model takes {}; memory is limited to {}; give --memory {}{}",
      path,
      needed_bytes(wanted),
      allowed_bytes(max_bytes),
      memory_option(static_cast<double>(wanted)),
      instead);
}

void write_model_json(AtomicFile& file, const Model& model) {
  // The trees one by one: a forest's JSON as a whole would take many times its memory.
  std::string head = json_text(file.path(), header_json(model), 1);
  head.resize(head.size() - 2);  // "\n}"
  file.write(head + ",\n \"trees\": [");
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    file.write(t == 0 ? "\n  " : ",\n  ");
    file.write(tree_json(model.trees[t]).dump());
  }
  file.write("\n ]\n}\n");
}

Model model_from_bytes(const std::string& name, std::string_view bytes, std::uint64_t max_bytes) {
  Model model;
  try {
    if (is_binary_model(bytes)) {
      model = binary_model(name, bytes, max_bytes);
    } else {
      check_memory(name, bytes, max_bytes);
      model = json_model(name, bytes);
    }
  } catch (const Json::parse_error&) {
    throw bad_file(name, "is no model of trees: no whole JSON document; copy it again");
  } catch (const Json::exception& error) {
    // The parser's own words begin with its name in brackets.
    std::string_view what = error.what();
    what.remove_prefix(std::min(what.size(), what.find("] ") + 2));
    throw bad_file(name, "is no model of trees ({})", printable(what));
  }
  check_model(name, model);
  return model;
}

Model read_model(const std::string& path, std::uint64_t max_bytes) {
  const InputFile file(path);
  const Array<char> text = read_text(file, max_bytes);
  return model_from_bytes(
      path, {text.data(), static_cast<std::size_t>(text.size() - 1)}, max_bytes);
}

std::string model_header(std::string_view path, const Model& model) {
  return json_text(path, header_json(model));
}

Model model_of_header(const std::string& path, std::string_view text) {
  return model_of(path, Json::parse(text.begin(), text.end()));
}

}  // namespace yupana::io
