#pragma once

#include <vector>

#include "yupana/job/splice.hpp"

/// Private to the job: the files of a run.
namespace yupana::job {

/// Writes the files of the hits, those of params.also too, and appends their names. `sequences` are
/// the header of SAM and BAM.
void write_splice_files(Context& context,
                        const SpliceJobParams& params,
                        const std::vector<io::SequenceLength>& sequences,
                        SpliceResult& result);

}  // namespace yupana::job
