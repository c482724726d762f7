#include "yupana/io/model_files.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/json_fields.hpp"
#include "yupana/io/json_reader.hpp"
#include "yupana/io/model_binary.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/tree_json.hpp"

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
  if (!model.encodings.empty()) header["encodings"] = Json::array();
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

bool is_model(const Json& json) {
  return json.is_object() && json.contains("format") && json["format"] == format_name;
}

bool is_document(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{';
}

Error no_model(const std::string& path) {
  return bad_file(path,
                  "is no model of trees; give a file that yupana tree fit or forest fit wrote");
}

constexpr const char* no_document = "is no model of trees: no whole JSON document; copy it again";

Error damaged(const std::string& path, std::string_view name, std::string_view expected) {
  return bad_file(path, "is a damaged model: {}: expected {}", printable(name), expected);
}

void check_version(const std::string& path, std::int64_t version) {
  if (version >= 1 && version <= model_version) return;
  throw bad_file(path,
                 "is a model of version {}; this reads up to {}: train it again",
                 version,
                 model_version);
}

Model model_of(const std::string& path, const Json& json) {
  if (!is_model(json)) throw no_model(path);
  const Fields fields(path, json, "");
  check_version(path, fields.whole("version", 0, INT32_MAX));
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

using TakeTree = std::function<void(Tree&& tree)>;

/// A document without trees. Each object of a list is taken out as it ends, for the parser looks at
/// those before it.
Json parsed_header(const std::string& path, std::string_view text) {
  checked_json(path, text);
  Json::array_t encodings;
  std::set<std::string> names, members;  // of the document, of an encoding
  std::string key, own;                  // of the document, of any object
  const auto take = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key) {
      own = parsed.get<std::string>();
      if (depth == 1) key = own;
      if (!(depth == 1 ? names : members).insert(own).second)
        throw damaged(path, own, "one value, got two");
    }
    if (event == Json::parse_event_t::object_start) members.clear();
    if (event == Json::parse_event_t::object_start && depth > 0 &&
        (depth != 2 || key != "encodings")) {
      throw damaged(path, own, depth > 2 ? "a list of numbers or texts" : "a list or a text");
    }
    if (depth != 2 || event != Json::parse_event_t::object_end) return true;
    encodings.push_back(std::move(parsed));
    return false;
  };
  Json json = Json::parse(text.begin(), text.end(), take);
  if (!encodings.empty()) json["encodings"] = std::move(encodings);
  return json;
}

/// A document without its trees, which are passed on one by one: all of a forest's JSON at once
/// would take many times its memory.
Json parsed_model(const std::string& path, std::string_view text, const TakeTree& take_tree) {
  if (!is_document(text)) throw no_model(path);
  if (text.find('\0') != text.npos) {
    throw bad_file(path, "expected text, got a NUL byte; is the file damaged?");
  }
  JsonReader reader(path, text, no_document);
  std::string before;
  std::size_t trees = 0, after = 0;
  bool is_known = false;
  reader.members([&](const std::string& name) {
    if (name == "format") {
      is_known = reader.value() == format_name;
      if (!is_known) throw no_model(path);
      return;
    }
    if (name == "version" && is_known) {
      return check_version(path, reader.whole().value_or(model_version));
    }
    if (name != "trees" || reader.next() != '[') return static_cast<void>(reader.skip());
    if (!before.empty()) throw damaged(path, name, "one value, got two");
    before = text.substr(0, reader.place());
    reader.values([&] {
      if (reader.next() != '{') throw damaged(path, name, "a list of objects");
      take_tree(read_tree(path, reader, ++trees));
    });
    after = reader.place();
  });
  if (!is_known) throw no_model(path);
  if (before.empty()) return parsed_header(path, text);
  return parsed_header(path, before + "[]" + std::string(text.substr(after)));
}

/// The outputs of a node.
std::int32_t outputs_of(const Model& model) {
  return static_cast<std::int32_t>(model.is_class() ? std::ssize(model.classes) : 1);
}

/// `checksum`: what the document says, if it does.
Model json_model(const std::string& path,
                 std::string_view text,
                 std::optional<std::string>& checksum) {
  std::vector<Tree> trees;
  const Json json =
      parsed_model(path, text, [&](Tree&& tree) { trees.push_back(std::move(tree)); });
  Model model = model_of(path, json);
  const Fields fields(path, json, "");
  if (fields.has("checksum")) checksum = fields.text("checksum");
  fields.list("trees");
  for (Tree& tree : trees) tree.outputs = outputs_of(model);
  model.trees = std::move(trees);
  return model;
}

/// out_of_resources where the text, the header as a document and the trees are beyond `max_bytes`.
void check_memory(const std::string& path,
                  std::string_view text,
                  std::uint64_t max_bytes,
                  const ModelWork& work) {
  const auto numbers_of = [](std::string_view part) {
    return static_cast<std::uint64_t>(std::ranges::count(part, ','));
  };
  // 8 bytes in a tree; 16 in a document, whose lists may have twice the room that they need.
  const std::string_view header = text.substr(0, text.find("\"trees\""));
  const std::uint64_t wanted = text.size() + 8 * numbers_of(text) + 32 * numbers_of(header);
  if (wanted <= max_bytes) return;
  double later = 0;
  if (work.of_tree) {
    std::size_t trees = 0;
    const Model model = model_of(path, parsed_model(path, text, [&](Tree&&) { ++trees; }));
    parsed_model(path, text, [&](Tree&& tree) {
      tree.outputs = outputs_of(model);
      later += work.of_tree(model, tree, trees);
    });
  }
  throw model_too_large(
      path, wanted, later, work, max_bytes, ", or the .model that fit --binary writes");
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
      check_memory(name, bytes, max_bytes, work);
      model = json_model(name, bytes, checksum);
    }
  } catch (const Json::parse_error&) {
    if (!is_document(bytes)) throw no_model(name);
    throw bad_file(name, no_document);
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
  const InputFile file(path);
  const std::string head = head_of(file, 4096);
  if (!is_packed(file) && !is_binary_model(head) && !is_document(head)) throw no_model(path);
  const Array<char> text = read_text_for_refusal(file, max_bytes);
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
