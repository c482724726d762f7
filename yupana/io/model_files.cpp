#include "yupana/io/model_files.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "yupana/core/error.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

using forest::Model;
using forest::Node;
using forest::Tree;
using Json = nlohmann::ordered_json;

constexpr char magic[] = "YUPTREES";
constexpr const char* format_name = "yupana trees";

Json header_json(const Model& model) {
  Json header = {{"format", format_name},
                 {"version", model.encodings.empty() ? 1 : model_version},
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
                   fmt::format("is no model of trees ({} found where a whole number from {} to {} "
                               "is wanted)",
                               printable(json.dump()),
                               std::numeric_limits<Int>::min(),
                               most));
  }
  return json.get<Int>();
}

/// Encodings stand in order, over features that are there.
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
  list("threshold", [](const Node& node) {
    return std::isinf(node.threshold) && node.threshold > 0 ? Json() : Json(node.threshold);
  });
  list("left", [](const Node& node) { return node.left; });
  list("right", [](const Node& node) { return node.right; });
  list("missing_left", [](const Node& node) { return node.missing_left; });
  list("rows", [](const Node& node) { return node.rows; });
  list("weight", [](const Node& node) { return node.weight; });
  list("impurity", [](const Node& node) { return node.impurity; });
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
                   fmt::format("is a model of version {}; this reads up to {}: train it again",
                               version,
                               model_version));
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

Tree tree_of(const std::string& path, const Json& json, std::int32_t outputs) {
  Tree tree;
  tree.outputs = outputs;
  tree.nodes.resize(json.at("feature").size());
  tree.values = json.at("values").get<std::vector<double>>();
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    Node& node = tree.nodes[i];
    node.feature = whole<std::int32_t>(path, json.at("feature").at(i));
    const Json& threshold = json.at("threshold").at(i);
    node.threshold =
        threshold.is_null() ? std::numeric_limits<double>::infinity() : threshold.get<double>();
    node.left = whole<std::int32_t>(path, json.at("left").at(i));
    node.right = whole<std::int32_t>(path, json.at("right").at(i));
    node.missing_left = json.at("missing_left").at(i).get<bool>();
    node.rows = whole<std::int64_t>(path, json.at("rows").at(i));
    node.weight = json.at("weight").at(i).get<double>();
    node.impurity = json.at("impurity").at(i).get<double>();
  }
  return tree;
}

/// Every node but the root is the child of exactly one node before it, and features are there.
void check_model(const std::string& path, const Model& model) {
  if (model.trees.empty()) throw bad_file(path, "a model without trees");
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const Tree& tree = model.trees[t];
    const auto damaged = [&](std::string_view what) {
      return bad_file(path, fmt::format("tree {}: {}; train the model again", t + 1, what));
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
      if (node.is_leaf()) continue;
      if (node.threshold != node.threshold) throw damaged("a threshold that is no number");
      for (const std::int32_t child : {node.left, node.right}) {
        const bool below = child > static_cast<std::int64_t>(i) && child < std::ssize(tree.nodes);
        if (!below || seen[static_cast<std::size_t>(child)] != 0) {
          throw damaged(fmt::format("node {} has a child that is none", i));
        }
        seen[static_cast<std::size_t>(child)] = 1;
        ++children;
      }
    }
    if (children + 1 != tree.nodes.size()) throw damaged("nodes without a parent");
  }
}

/// Numbers one after the other as the machine holds them.
class Bytes {
 public:
  Bytes(const std::string& path, const char* at, const char* end)
      : path_(path), at_(at), end_(end) {}
  template <class V>
  V take() {
    V value;
    std::memcpy(&value, skip(sizeof(V)), sizeof(V));
    return value;
  }
  const char* skip(std::uint64_t bytes) {
    if (bytes > static_cast<std::uint64_t>(end_ - at_)) {
      throw bad_file(path_, "the model is cut short; copy it again");
    }
    return std::exchange(at_, at_ + bytes);
  }
  bool empty() const { return at_ == end_; }

 private:
  const std::string& path_;
  const char* at_;
  const char* end_;
};

Model read_binary(const std::string& path, std::string_view text) {
  Bytes bytes(path, text.data() + 8, text.data() + text.size());
  const auto length = bytes.take<std::uint64_t>();
  const char* header = bytes.skip(length);
  Model model = model_of(path, Json::parse(header, header + length));
  const auto trees = bytes.take<std::uint64_t>();
  for (std::uint64_t t = 0; t < trees; ++t) {
    Tree& tree = model.trees.emplace_back();
    tree.outputs = model.is_class() ? static_cast<std::int32_t>(model.classes.size()) : 1;
    const auto nodes = bytes.take<std::uint64_t>();
    for (std::uint64_t i = 0; i < nodes; ++i) {
      Node& node = tree.nodes.emplace_back();
      node.feature = bytes.take<std::int32_t>();
      node.left = bytes.take<std::int32_t>();
      node.right = bytes.take<std::int32_t>();
      node.missing_left = bytes.take<std::uint8_t>() != 0;
      node.threshold = bytes.take<double>();
      node.rows = bytes.take<std::int64_t>();
      node.weight = bytes.take<double>();
      node.impurity = bytes.take<double>();
      for (std::int32_t c = 0; c < tree.outputs; ++c) tree.values.push_back(bytes.take<double>());
    }
  }
  if (!bytes.empty()) throw bad_file(path, "bytes follow the model; copy it again");
  return model;
}

template <class V>
void append(std::string& bytes, V value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append_header(std::string& bytes, const Model& model) {
  const std::string head = header_json(model).dump();
  append(bytes, static_cast<std::uint64_t>(head.size()));
  bytes += head;
  append(bytes, static_cast<std::uint64_t>(model.trees.size()));
}

void append_tree(std::string& bytes, const Tree& tree) {
  append(bytes, static_cast<std::uint64_t>(tree.nodes.size()));
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    append(bytes, node.feature);
    append(bytes, node.left);
    append(bytes, node.right);
    append(bytes, static_cast<std::uint8_t>(node.missing_left));
    append(bytes, node.threshold);
    append(bytes, node.rows);
    append(bytes, node.weight);
    append(bytes, node.impurity);
    for (std::int32_t c = 0; c < tree.outputs; ++c) {
      append(bytes, tree.value(static_cast<std::int64_t>(i))[c]);
    }
  }
}

}  // namespace

void write_model_json(AtomicFile& file, const Model& model) {
  // The trees one by one: a forest's JSON as a whole would take many times its memory.
  std::string head = header_json(model).dump(1);
  head.resize(head.size() - 2);  // "\n}"
  file.write(head + ",\n \"trees\": [");
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    file.write(t == 0 ? "\n  " : ",\n  ");
    file.write(tree_json(model.trees[t]).dump());
  }
  file.write("\n ]\n}\n");
}

std::string model_bytes(const Model& model) {
  std::string bytes(magic, 8);
  append_header(bytes, model);
  for (const Tree& tree : model.trees) append_tree(bytes, tree);
  return bytes;
}

void write_model_binary(AtomicFile& file, const Model& model) {
  std::string bytes(magic, 8);
  append_header(bytes, model);
  for (const Tree& tree : model.trees) {
    append_tree(bytes, tree);
    file.write(bytes);
    bytes.clear();
  }
}

Model model_from_bytes(const std::string& name, std::string_view bytes) {
  Model model;
  try {
    if (bytes.size() >= 8 && std::memcmp(bytes.data(), magic, 8) == 0) {
      model = read_binary(name, bytes);
    } else {
      const Json json = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
      if (json.is_discarded()) {
        throw bad_file(name, "is no model of trees: no whole JSON document; copy it again");
      }
      if (!json.is_object()) throw bad_file(name, "is no model of trees");
      model = model_of(name, json);
      const auto outputs = model.is_class() ? std::ssize(model.classes) : 1;
      for (const Json& tree : json.at("trees")) {
        model.trees.push_back(tree_of(name, tree, static_cast<std::int32_t>(outputs)));
      }
    }
  } catch (const nlohmann::json::exception& error) {
    throw bad_file(name, fmt::format("is no model of trees ({})", printable(error.what())));
  }
  check_model(name, model);
  return model;
}

Model read_model(const std::string& path, std::uint64_t most_bytes) {
  const InputFile file(path);
  const Array<char> text = read_text(file, most_bytes);
  return model_from_bytes(path, {text.data(), static_cast<std::size_t>(text.size() - 1)});
}

}  // namespace yupana::io
