#include "yupana/io/tree_json.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/io/json_writer.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

using forest::Node;
using forest::Tree;

/// Fills a tree from its members, in whatever order they come.
class TreeReader {
 public:
  TreeReader(const std::string& path, JsonReader& reader, std::size_t number)
      : path_(path), reader_(reader), number_(number) {}

  Tree read() {
    reader_.members([&](const std::string& name) {
      name_ = name;
      const auto member =
          static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
      if (member == names.size()) {
        throw bad_file(path_,
                       "is a damaged model: tree {} has a member '{}', which no version writes",
                       number_,
                       printable(name));
      }
      if (seen_[member]) fail("one value, got two");
      seen_[member] = true;
      if (reader_.next() != '[') fail("a list");
      take(static_cast<Member>(member));
    });
    for (std::size_t member = 0; member < names.size(); ++member) {
      name_ = names[member];
      if (!seen_[member] && (member < sets || (member == set && seen_[sets]))) fail("a value");
    }
    return std::move(tree_);
  }

 private:
  enum Member : std::size_t {
    feature,
    left,
    right,
    rows,
    threshold,
    missing_left,
    weight,
    impurity,
    values,
    sets,
    set
  };
  static constexpr std::array names = {"feature",
                                       "left",
                                       "right",
                                       "rows",
                                       "threshold",
                                       "missing_left",
                                       "weight",
                                       "impurity",
                                       "values",
                                       "sets",
                                       "set"};

  [[noreturn]] void fail(std::string_view expected) const {
    throw bad_file(
        path_, "is a damaged model: tree {}: {}: expected {}", number_, printable(name_), expected);
  }

  void take(Member member) {
    switch (member) {
      case feature:
        return take_wholes(&Node::feature, INT32_MAX);
      case left:
        return take_wholes(&Node::left, INT32_MAX);
      case right:
        return take_wholes(&Node::right, INT32_MAX);
      case rows:
        return take_wholes(&Node::rows, INT64_MAX);
      case set:
        return take_wholes(&Node::set, INT32_MAX);
      case threshold:
        return take_each([&](Node& node) { node.threshold = take_threshold(); });
      case missing_left:
        return take_each([&](Node& node) { node.missing_left = take_flag(); });
      case weight:
        return take_each([&](Node& node) { node.weight = take_number(); });
      case impurity:
        return take_each([&](Node& node) { node.impurity = take_number(); });
      case values:
        tree_.values.reserve(reader_.count());
        return reader_.values([&] { tree_.values.push_back(take_number()); });
      case sets:
        return reader_.values([&] { take_set(); });
    }
  }

  /// A list of a value a node; the first one says how many nodes there are.
  template <class Put>
  void take_each(const Put& put) {
    const bool is_first = !std::exchange(is_counted_, true);
    // Of each node eight more values follow, of two bytes or more.
    if (is_first) tree_.nodes.reserve(std::min(reader_.count(), reader_.size() / 16));
    std::size_t count = 0;
    reader_.values([&] {
      if (is_first) tree_.nodes.emplace_back();
      if (count == tree_.nodes.size()) fail(fmt::format("a list of {}", count));
      put(tree_.nodes[count++]);
    });
    if (count != tree_.nodes.size()) fail(fmt::format("a list of {}", tree_.nodes.size()));
  }
  template <class Int>
  void take_wholes(Int Node::*field, std::int64_t most) {
    take_each([&](Node& node) {
      const std::optional<std::int64_t> found = reader_.whole();
      if (!found || *found < -1 || *found > most) {
        fail(fmt::format("a list of integers from -1 to {}", most));
      }
      node.*field = static_cast<Int>(*found);
    });
  }
  double take_number() {
    const std::optional<double> found = reader_.number();
    if (!found) fail("a list of numbers");
    return *found;
  }
  bool take_flag() {
    const std::optional<bool> found = reader_.flag();
    if (!found) fail("true or false");
    return *found;
  }
  double take_threshold() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const char first = reader_.next();
    if (first != '"' && first != 'n') {
      const std::optional<double> found = reader_.number();
      if (!found) fail("numbers");
      return *found;
    }
    const JsonReader::Json json = reader_.value();
    if (json == "inf") return infinity;
    if (json == "-inf") return -infinity;
    if (json.is_string()) fail("numbers");
    throw bad_file(path_,
                   "has a threshold of null, which an earlier version wrote for either infinity; "
                   "train the model again");
  }
  void take_set() {
    const JsonReader::Json json = reader_.value();
    if (!json.is_string()) fail("a list of texts");
    const auto& text = json.get_ref<const std::string&>();
    if (text.find_first_not_of("01") != std::string::npos) fail("texts of 0 and 1");
    forest::CategorySet& own = tree_.sets.emplace_back();
    for (const char c : text) own.push_back(c == '1');
  }
  const std::string& path_;
  JsonReader& reader_;
  std::size_t number_;
  std::string name_;  ///< of the member
  bool is_counted_ = false;
  std::bitset<names.size()> seen_;
  Tree tree_;
};

}  // namespace

std::string tree_text(const Tree& tree) {
  JsonWriter text;
  const auto list = [&](std::string_view name, const auto& all, const auto& put) {
    text.put(name);
    for (const auto& one : all) {
      put(one);
      text.put(",");
    }
    if (!all.empty()) text.drop_last();
    text.put("]");
  };
  const auto numbers = [&](std::string_view name, auto field) {
    list(name, tree.nodes, [&](const Node& node) { text.put(field(node)); });
  };
  numbers("{\"feature\":[", [](const Node& node) { return std::int64_t{node.feature}; });
  // JSON has no infinite numbers.
  list(",\"threshold\":[", tree.nodes, [&](const Node& node) {
    if (!std::isinf(node.threshold)) return text.put(node.threshold);
    text.put(node.threshold > 0 ? "\"inf\"" : "\"-inf\"");
  });
  numbers(",\"left\":[", [](const Node& node) { return std::int64_t{node.left}; });
  numbers(",\"right\":[", [](const Node& node) { return std::int64_t{node.right}; });
  list(",\"missing_left\":[", tree.nodes, [&](const Node& node) {
    text.put(node.missing_left ? "true" : "false");
  });
  numbers(",\"rows\":[", [](const Node& node) { return node.rows; });
  numbers(",\"weight\":[", [](const Node& node) { return node.weight; });
  numbers(",\"impurity\":[", [](const Node& node) { return node.impurity; });
  if (!tree.sets.empty()) {
    numbers(",\"set\":[", [](const Node& node) { return std::int64_t{node.set}; });
    list(",\"sets\":[", tree.sets, [&](const forest::CategorySet& set) {
      text.put("\"");
      for (const bool left : set) text.put(left ? "1" : "0");
      text.put("\"");
    });
  }
  list(",\"values\":[", tree.values, [&](double value) { text.put(value); });
  text.put("}");
  return text.take();
}

forest::Tree read_tree(const std::string& path, JsonReader& reader, std::size_t number) {
  return TreeReader(path, reader, number).read();
}

}  // namespace yupana::io
