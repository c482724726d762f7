#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "yupana/job/splice.hpp"
#include "yupana/splice/loci.hpp"

namespace yupana::cli {

/// The options of splice. What has other defaults with proteins or with exons from signals is
/// empty unless it was given.
struct SpliceOptions {
  job::SpliceJobParams job;
  job::SpliceInput input;
  std::string protein;
  std::string batch;
  std::vector<std::string> also;
  std::optional<int> gap_open, gap_extend;
  std::optional<std::int64_t> min_intron, max_exon, max_intron;
  std::optional<double> junction_weight, junction_cost, missing_signal;
  int genetic_code = 1;
  bool histograms = false;
  job::SpliceSave save = job::SpliceSave::nothing;
};

/// No stop codon ends the other exons.
inline constexpr std::int64_t max_exon_any_frame = 3000;

void add_candidate_options(Command& command, SpliceOptions& options);
void add_splice_options(Command& command, SpliceOptions& options);

/// The options as the job takes them; a batch is read. Throws usage for a combination in which an
/// option that was given has no effect.
job::SpliceJobParams splice_job(Context& context, const Call& call, const SpliceOptions& options);
/// What --save writes; throws as splice_job().
job::SpliceSaveParams splice_save(const Call& call, const SpliceOptions& options);

}  // namespace yupana::cli
