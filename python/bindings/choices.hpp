#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "yupana/arrays/operators.hpp"
#include "yupana/core/messages.hpp"

/// Arguments of the bindings: names of choices, sizes and types.
namespace yupana::python {

/// Names and their values, in the order of the error message.
template <class Value>
using Choices = std::vector<std::pair<const char*, Value>>;

/// The value of a name; usage error with all names for another.
template <class Value>
Value chosen(const char* what, const std::string& name, const Choices<Value>& choices) {
  std::string known;
  for (const auto& [other, value] : choices) {
    if (name == other) return value;
    known += (known.empty() ? "" : ", ") + std::string(other);
  }
  throw usage_error("{}: expected one of {}; got '{}'", what, known, name);
}

/// The name of a value.
template <class Value>
const char* name_of(Value value, const Choices<Value>& choices) {
  for (const auto& [name, other] : choices) {
    if (value == other) return name;
  }
  return "";
}

/// body(operator) for "plus", "min" or "max".
template <class Body>
void with_operator(const std::string& name, const Body& body) {
  if (name == "plus") return body(arrays::Plus{});
  if (name == "min") return body(arrays::Min{});
  if (name == "max") return body(arrays::Max{});
  throw usage_error("op: expected one of plus, min, max; got '{}'", name);
}

/// bind.template operator()<T>() for each type that vectors may have.
template <class Bind>
void for_plain_types(const Bind& bind) {
  bind.template operator()<std::int32_t>();
  bind.template operator()<std::int64_t>();
  bind.template operator()<std::uint32_t>();
  bind.template operator()<std::uint64_t>();
  bind.template operator()<float>();
  bind.template operator()<double>();
}

/// Sizes are compared before any pointer is used: a wrong one would write out of bounds.
inline void check_size(const char* what, std::int64_t expected, std::int64_t got) {
  if (expected == got) return;
  throw usage_error("{}: expected {} values, got {}", what, expected, got);
}

inline Error bad_offset(std::int64_t values, std::int64_t at, std::int64_t offset) {
  return input_error("offsets: expected numbers that ascend from 0 to {}, got {} at offsets[{}]",
                     values,
                     offset,
                     at);
}

}  // namespace yupana::python
