#pragma once

#include "yupana/core/context.hpp"
#include "yupana/io/column.hpp"
#include "yupana/job/arrays.hpp"

namespace yupana::job {

/// How numbers become floats where their sums or products pass 64 bits: a type is given of texts
/// alone.
inline const char* as_floats(const TextType& given) {
  return given ? "read them with --type f8" : "save the numbers as f8";
}

// scan_file and reduce_file for products and for runs of equal keys, see there.

ArrayFileResult scan_runs(Context& context,
                          const ScanFileParams& params,
                          io::ColumnReader& numbers);
ReduceFileResult reduce_runs(Context& context,
                             const ReduceFileParams& params,
                             io::ColumnReader& numbers);

}  // namespace yupana::job
