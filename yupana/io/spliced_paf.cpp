#include <fmt/format.h>

#include <string>

#include "yupana/io/protein_lines.hpp"
#include "yupana/io/spliced_files.hpp"
#include "yupana/io/spliced_parts.hpp"

namespace yupana::io {

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
    const std::string other = hit.is_secondary() ? "\ttp:A:S" : "";
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
                    other + (hit.score_scale == 1 ? ""
                             : hit.antisense      ? "\tts:A:-"
                                                  : "\tts:A:+"),
                    runs.cigar,
                    runs.differences));
  }
}

}  // namespace yupana::io
