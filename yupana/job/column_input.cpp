#include "yupana/job/column_input.hpp"

#include <fmt/format.h>

#include "yupana/core/error.hpp"

namespace yupana::job {
namespace {

constexpr io::NumberType default_text_type{'f', 8};

io::NumberType number_type_of(const TextType& name) {
  if (!name) return default_text_type;
  for (const io::NumberType type : {io::NumberType{'f', 8}, {'i', 8}, {'u', 8}}) {
    if (type.name() == *name) return type;
  }
  throw Error(ErrorCode::usage, fmt::format("--type: expected f8, i8 or u8, got '{}'", *name));
}

}  // namespace

std::unique_ptr<io::ColumnReader> open_column(const std::string& path, const TextType& text_type) {
  auto reader = std::make_unique<io::ColumnReader>(path, number_type_of(text_type));
  if (!text_type || reader->type() == number_type_of(text_type)) return reader;
  throw Error(
      ErrorCode::usage,
      fmt::format("--type {}: {} is a .npy of {}, which names its type itself; leave --type "
                  "out",
                  *text_type,
                  path,
                  reader->type().name()));
}

}  // namespace yupana::job
