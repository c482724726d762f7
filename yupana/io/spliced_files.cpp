#include "yupana/io/spliced_files.hpp"

#include <fmt/format.h>

#include <string>

#include "yupana/io/spliced_parts.hpp"

namespace yupana::io {

void write_spliced_tsv(AtomicFile& file, const std::vector<SplicedHit>& hits, bool with_isoforms) {
  file.write(
      "target\ttarget_length\tsequence\tsequence_length\tstrand\tscore\texons\tfirst\tlast\t"
      "chain\tidentity\tequal\tunequal\tinserted\tdeleted\texecuted_cells\tdense_cells\t"
      "e_value\tmapq\ttarget_strand\ttarget_first\ttarget_last\trank");
  file.write(with_isoforms ? "\tisoform\n" : "\n");
  for (const SplicedHit& hit : hits) {
    if (!hit.aligned) {
      file.write(fmt::format(
          "{}\t{}\t.\t.\t.\t.\t0\t.\t.\t.\t.\t0\t0\t0\t0\t{}\t{}\t{}\t0\t.\t.\t.\t1{}\n",
          hit.target,
          hit.letters->size(),
          hit.alignment.executed_cells,
          hit.bases->size() * hit.letters->size(),
          e_value_text(hit),
          with_isoforms ? "\t1" : ""));
      continue;
    }
    std::string chain, ends = ".\t.", letters = ".\t.";
    const std::size_t exons = hit.alignment.chain.size();
    for (std::size_t i = 0; i < exons; ++i) {
      const std::size_t k = hit.strand == '+' ? i : exons - 1 - i;
      const splice::Exon& exon = exon_of(hit, hit.alignment.chain[k]);
      const auto [first, last] = forward(hit, exon.first, exon.last);
      chain += fmt::format("{}{}-{}", chain.empty() ? "" : ",", first, last);
    }
    if (!hit.alignment.chain.empty()) {
      ends = fmt::format("{}\t{}", span_of(hit).first, span_of(hit).second);
      letters = fmt::format("{}\t{}", target_span(hit).first + 1, target_span(hit).second);
    }
    const ColumnCounts counts = count_columns(hit);
    file.write(
        fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.6f}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}"
                    "\t{}\t{}{}\n",
                    hit.target,
                    hit.letters->size(),
                    hit.sequence,
                    hit.bases->size(),
                    hit.strand,
                    score_text(hit, hit.alignment.score),
                    hit.alignment.chain.size(),
                    ends,
                    chain.empty() ? "." : chain,
                    counts.identity(),
                    counts.equal,
                    counts.unequal,
                    counts.inserted,
                    counts.deleted,
                    hit.alignment.executed_cells,
                    hit.bases->size() * hit.letters->size(),
                    e_value_text(hit),
                    hit.quality == SplicedHit::no_quality ? "." : std::to_string(hit.quality),
                    hit.antisense ? '-' : '+',
                    letters,
                    hit.rank,
                    with_isoforms ? fmt::format("\t{}", hit.isoform) : ""));
  }
}

}  // namespace yupana::io
