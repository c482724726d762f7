#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "yupana/io/column.hpp"
#include "yupana/job/arrays.hpp"

namespace yupana::job {

/// Numbers handed to an algorithm at a time. Part of the results: the carry of a float scan is
/// rounded at each boundary, so that it must not depend on memory.
inline constexpr std::int64_t column_chunk = std::int64_t{1} << 21;

/// A file of numbers, open for reading.
///   errors: usage for an unknown type, or another one than a .npy holds; what io::ColumnReader
///   refuses
std::unique_ptr<io::ColumnReader> open_column(const std::string& path, const TextType& text_type);

}  // namespace yupana::job
