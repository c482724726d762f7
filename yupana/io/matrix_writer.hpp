#pragma once

#include <string>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/io/row_producer.hpp"

namespace yupana::io {

// Text writers of a symmetric n x n matrix that need not be in memory. All append to a file whose
// owner commits it, report progress, and write the same bytes for any number of threads. Numbers
// are the shortest text that reads back as the same double; NaN is "nan".
//   work: n^2 numbers    memory: a few MiB and one row a thread
//   errors: bad_input for a name that the format cannot hold, out_of_resources for a full disk

/// Throws bad_input where a name holds a tab or a line end.
void check_names_of_text(const AtomicFile& file, const std::vector<std::string>& names);

/// One sample a line.
void write_ids(AtomicFile& file, const std::vector<std::string>& names);

/// Tab separated: a header "sample<TAB>name<TAB>...", then one row a sample, its name first.
void write_tsv(Context& context,
               AtomicFile& file,
               const std::vector<std::string>& names,
               const RowProducer& rows);

/// PHYLIP, square, relaxed names: the number of samples, then "name value value ...". Characters
/// that end a name in PHYLIP or Newick (blanks, ( ) [ ] : ; , ') become '_'; the context notes how
/// many names changed. bad_input if two names become one.
void write_phylip(Context& context,
                  AtomicFile& file,
                  const std::vector<std::string>& names,
                  const RowProducer& rows);

}  // namespace yupana::io
