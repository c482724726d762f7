#include <fmt/format.h>

#include <cmath>
#include <string>

#include "yupana/core/version.hpp"
#include "yupana/io/fasta.hpp"
#include "yupana/io/protein_lines.hpp"
#include "yupana/io/spliced_files.hpp"
#include "yupana/io/spliced_parts.hpp"

namespace yupana::io {
namespace {

/// Whether the target as given reads along the - strand of the sequence.
bool is_reversed(const SplicedHit& hit) { return hit.antisense == (hit.strand == '+'); }

/// A run of S where letters of the target are left out.
std::string clipped(std::int64_t letters) {
  return letters == 0 ? "" : fmt::format("{}S", letters);
}

std::string sam_line(const SplicedHit& hit) {
  const auto [begin, end] = target_span(hit);
  const std::int64_t letters = std::ssize(*hit.letters);
  const bool reversed = is_reversed(hit);
  const std::string text = hit.strand == '+' ? *hit.letters : reverse_complement(*hit.letters);
  const ColumnCounts counts = count_columns(hit);
  const ForwardRuns runs = forward_runs(hit);
  std::string tags = fmt::format(
      "NM:i:{}\tAS:i:{}",
      counts.unequal + counts.inserted + counts.deleted,
      std::lround(static_cast<double>(hit.alignment.score) / static_cast<double>(hit.score_scale)));
  if (hit.score_scale != 1) tags += fmt::format("\tts:A:{}", hit.antisense ? '-' : '+');
  if (counts.introns > 0) tags += fmt::format("\tXS:A:{}", hit.strand);
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}{}{}\t*\t0\t0\t{}\t*\t{}\tcs:Z:{}\n",
                     hit.target,
                     (reversed ? 16 : 0) + (hit.rank > 1 ? 256 : 0),
                     hit.sequence,
                     span_of(hit).first,
                     hit.quality,
                     clipped(reversed ? letters - end : begin),
                     runs.cigar,
                     clipped(reversed ? begin : letters - end),
                     text,
                     tags,
                     runs.differences);
}

}  // namespace

std::string score_tag(const SplicedHit& hit) {
  return fmt::format(
      "{}:{}", hit.score_scale == 1 ? 'i' : 'f', score_text(hit, hit.alignment.score));
}

void write_spliced_paf(AtomicFile& file, const std::vector<SplicedHit>& hits) {
  for (const SplicedHit& hit : hits) {
    if (!hit.aligned) {
      file.write(
          fmt::format("{}\t{}\t0\t0\t*\t*\t0\t0\t0\t0\t0\t0\n", hit.target, hit.letters->size()));
    }
    if (hit.alignment.chain.empty()) continue;
    if (hit.protein) {
      file.write(protein_paf_line(hit, span_of(hit).first, span_of(hit).second));
      continue;
    }
    const ForwardRuns runs = forward_runs(hit);
    const auto [begin, end] = target_span(hit);
    const auto [first, last] = span_of(hit);
    const ColumnCounts counts = count_columns(hit);
    const std::int64_t columns = counts.equal + counts.unequal + counts.inserted + counts.deleted;
    file.write(
        fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\tAS:{}\tNM:i:{}{}\tcg:Z:{}\t"
                    "cs:Z:{}\n",
                    hit.target,
                    hit.letters->size(),
                    begin,
                    end,
                    is_reversed(hit) ? '-' : '+',
                    hit.sequence,
                    hit.bases->size(),
                    first - 1,
                    last,
                    counts.equal,
                    columns,
                    hit.quality,
                    score_tag(hit),
                    columns - counts.equal,
                    std::string(hit.rank > 1 ? "\ttp:A:S" : "") + (hit.score_scale == 1 ? ""
                                                                   : hit.antisense      ? "\tts:A:-"
                                                                                   : "\tts:A:+"),
                    runs.cigar,
                    runs.differences));
  }
}

void write_spliced_sam(AtomicFile& file,
                       const std::vector<SplicedHit>& hits,
                       const std::vector<SequenceLength>& sequences) {
  file.write("@HD\tVN:1.6\tSO:unsorted\n");
  for (const SequenceLength& sequence : sequences) {
    file.write(fmt::format("@SQ\tSN:{}\tLN:{}\n", sequence.name, sequence.bases));
  }
  file.write(fmt::format("@PG\tID:yupana\tPN:yupana\tVN:{}\n", version));
  for (const SplicedHit& hit : hits) {
    if (hit.alignment.chain.empty()) {
      const std::string given = hit.antisense ? reverse_complement(*hit.letters) : *hit.letters;
      file.write(fmt::format("{}\t4\t*\t0\t0\t*\t*\t0\t0\t{}\t*\n", hit.target, given));
    } else {
      file.write(sam_line(hit));
    }
  }
}

}  // namespace yupana::io
