#pragma once

#include <string>

#include "yupana/io/fam.hpp"
#include "yupana/io/sample_table.hpp"

namespace yupana::io {

/// The samples of a .sample file, plain, gzip or Zstandard: a line of names of columns (ID_1 ID_2
/// missing ..., or ID ...), a line of their types (0 0 0 D ...), and a line a sample. FID and IID
/// are ID_1 and ID_2, where there is no ID_2 the name alone; a FID of 0 for all is none. A column
/// named sex is read, too, others are not.
///   errors: bad_input with the line for another header and for fewer columns than it has
SampleTable read_oxford_table(const std::string& path);

/// The same as names.
///   errors: also those of set_ids()
SampleNames read_oxford_samples(const std::string& path);

}  // namespace yupana::io
