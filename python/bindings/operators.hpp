#pragma once

#include <cstdint>
#include <string>

#include "yupana/arrays/operators.hpp"
#include "yupana/core/error.hpp"

/// What arrays in host memory and on a GPU are asked alike.
namespace yupana::python {

/// body(operator) for "plus", "min" or "max".
template <class Body>
void with_operator(const std::string& name, const Body& body) {
  if (name == "plus") return body(arrays::Plus{});
  if (name == "min") return body(arrays::Min{});
  if (name == "max") return body(arrays::Max{});
  throw Error(ErrorCode::usage, fmt::format("op: '{}' is unknown; use plus, min or max", name));
}

/// Sizes are compared before any pointer is used: a wrong one would write out of bounds.
inline void check_size(const char* what, std::int64_t wanted, std::int64_t got) {
  if (wanted == got) return;
  throw Error(ErrorCode::usage, fmt::format("{}: {} values wanted, {} given", what, wanted, got));
}

inline Error bad_offset(std::int64_t values, std::int64_t at, std::int64_t offset) {
  return Error(ErrorCode::bad_input,
               fmt::format("offsets: numbers that ascend from 0 to {} wanted, offsets[{}] is {}",
                           values,
                           at,
                           offset));
}

}  // namespace yupana::python
