#pragma once

#include <optional>
#include <string>

#include "yupana/core/context.hpp"
#include "yupana/genotype/pair_counts.hpp"

namespace yupana::genotype {

/// A checkpoint of pair counts, so that a killed run resumes and ends with the same bytes.
///
/// `run` describes what the counts are of, in lines "key: value" chosen by the caller: input path,
/// size and time of change, samples, filters, parameters. Counts are taken up only by a run with
/// the same text.

/// Writes the counts next to `path` and, once they are on the disk, renames: whenever the process
/// or the machine stops, `path` holds the previous checkpoint or this one, whole.
///   work: the bytes of the counts, written and checksummed once
///   errors: out_of_resources for a full disk, bad_input where the file cannot be made
void save_counts(Context& context,
                 const std::string& path,
                 const std::string& run,
                 const PairCounts& counts);

/// The counts saved at `path`; none if there is no such file. Removes what killed runs left next to
/// it. A file that is damaged, cut short, of another run or another version is refused (bad_input),
/// never skipped: hours of work hang on it, so that the user decides. The message names the first
/// line of `run` that differs.
///   errors: bad_input; out_of_resources if the counts are larger than the context's memory
std::optional<PairCounts> load_counts(Context& context,
                                      const std::string& path,
                                      const std::string& run);

}  // namespace yupana::genotype
