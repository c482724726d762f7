#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yupana/core/error.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::io {

/// Values of a document; what is not there or of another kind is an error (bad_input) that names
/// it.
class Fields {
 public:
  using Json = nlohmann::ordered_json;

  /// `place`: comes before the names in errors.
  Fields(const std::string& path, const Json& json, std::string place)
      : path_(path), json_(json), place_(std::move(place)) {
    if (!json.is_object()) fail("", "an object");
  }

  bool has(const char* name) const { return json_.contains(name) && !json_[name].is_null(); }
  Fields in(const char* name) const { return {path_, at(name), place_ + name + "."}; }

  std::int64_t whole(const char* name, std::int64_t least, std::int64_t most) const {
    const Json& value = at(name);
    if (!value.is_number_integer() || !within(value, least, most)) {
      fail(name, fmt::format("an integer from {} to {}", least, most));
    }
    return value.get<std::int64_t>();
  }
  std::uint64_t seed(const char* name) const {
    if (!at(name).is_number_unsigned()) fail(name, "an integer of 64 bits");
    return at(name).get<std::uint64_t>();
  }
  double number(const char* name) const {
    if (!at(name).is_number()) fail(name, "a number");
    return at(name).get<double>();
  }
  /// null: NaN, which JSON does not have.
  double number_or_nan(const char* name) const {
    return at(name).is_null() ? std::numeric_limits<double>::quiet_NaN() : number(name);
  }
  bool flag(const char* name) const {
    if (!at(name).is_boolean()) fail(name, "true or false");
    return at(name).get<bool>();
  }
  std::string text(const char* name) const {
    if (!at(name).is_string()) fail(name, "a text");
    return at(name).get<std::string>();
  }
  template <class Enum, class Names>
  Enum choice(const char* name, const Names& names) const {
    const std::string found = text(name);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (found == names[i]) return static_cast<Enum>(i);
    }
    fail(name, "a word that this version knows");
  }
  std::vector<std::string> texts(const char* name, std::int64_t count = -1) const {
    std::vector<std::string> values;
    for (const Json& value : list(name, count)) {
      if (!value.is_string()) fail(name, "a list of texts");
      values.push_back(value.get<std::string>());
    }
    return values;
  }
  std::vector<double> numbers(const char* name, std::int64_t count = -1) const {
    std::vector<double> values;
    for (const Json& value : list(name, count)) {
      if (!value.is_number()) fail(name, "a list of numbers");
      values.push_back(value.get<double>());
    }
    return values;
  }
  std::vector<std::int64_t> wholes(const char* name,
                                   std::int64_t count,
                                   std::int64_t least,
                                   std::int64_t most) const {
    std::vector<std::int64_t> values;
    for (const Json& value : list(name, count)) {
      if (!value.is_number_integer() || !within(value, least, most)) {
        fail(name, fmt::format("a list of integers from {} to {}", least, most));
      }
      values.push_back(value.get<std::int64_t>());
    }
    return values;
  }
  /// A list of any length, or of `count`.
  const Json& list(const char* name, std::int64_t count = -1) const {
    const Json& value = at(name);
    if (!value.is_array() || (count >= 0 && std::ssize(value) != count)) {
      fail(name, count < 0 ? "a list" : fmt::format("a list of {}", count));
    }
    return value;
  }
  [[noreturn]] void fail(const char* name, std::string_view expected) const {
    throw bad_file(path_, "is a damaged model: {}{}: expected {}", place_, name, expected);
  }

 private:
  const Json& at(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end()) fail(name, "a value");
    return *found;
  }
  static bool within(const Json& value, std::int64_t least, std::int64_t most) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return false;
    return value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most;
  }

  const std::string& path_;
  const Json& json_;
  std::string place_;
};

/// The document as text. JSON holds UTF-8 alone: bad_input for a name with other bytes. `path` is
/// the file that it is for.
inline std::string json_text(std::string_view path,
                             const nlohmann::ordered_json& json,
                             int indent = -1) {
  try {
    return json.dump(indent);
  } catch (const nlohmann::ordered_json::exception&) {
    throw bad_file(path,
                   "cannot hold a name whose bytes are no UTF-8 (of a column, a class, a category "
                   "or a file); convert the table first (iconv -f LATIN1 -t UTF-8)");
  }
}

}  // namespace yupana::io
