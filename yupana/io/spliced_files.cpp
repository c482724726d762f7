#include "yupana/io/spliced_files.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "yupana/core/counted.hpp"
#include "yupana/io/protein_lines.hpp"
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

void write_spliced_text(AtomicFile& file, const std::vector<SplicedHit>& hits) {
  constexpr std::size_t width = 60;
  for (const SplicedHit& hit : hits) {
    if (!hit.aligned) {
      file.write(fmt::format("{}: unaligned, E-value {}\n\n", hit.target, e_value_text(hit)));
      continue;
    }
    file.write(fmt::format("{}{} on {} ({}){}: score {}, {}, identity {:.1f} %\n\n",
                           hit.target,
                           hit.antisense ? " (reverse complement)" : "",
                           hit.sequence,
                           hit.strand,
                           isoform_text(hit),
                           score_text(hit, hit.alignment.score),
                           counted(std::ssize(hit.alignment.chain), "exon"),
                           100 * count_columns(hit).identity()));
    if (hit.protein) file.write(protein_text(hit));
    for (std::size_t k = 0; !hit.protein && k < hit.alignment.chain.size(); ++k) {
      const splice::ExonAlignment& part = hit.alignment.chain[k];
      const splice::Exon& exon = (*hit.exons)[part.exon];
      std::string bases, bars, letters;
      std::int64_t base = exon.first - 1, letter = part.target_begin;
      for (const splice::Run& run : part.runs) {
        const std::string gap(run.length, '-');
        bases += run.operation == 'I' ? gap : hit.bases->substr(base, run.length);
        letters += run.operation == 'D' ? gap : hit.letters->substr(letter, run.length);
        bars += std::string(run.length, run.operation == '=' ? '|' : ' ');
        if (run.operation != 'I') base += run.length;
        if (run.operation != 'D') letter += run.length;
      }
      const auto [first, last] = forward(hit, exon.first, exon.last);
      const auto given = given_letters(hit, part.target_begin, part.target_end);
      if (k > 0) file.write(intron_line(hit, k));
      file.write(fmt::format(
          "exon {}: {}..{}, target {}..{}\n", k + 1, first, last, given.first + 1, given.second));
      base = exon.first, letter = part.target_begin + 1;
      for (std::size_t at = 0; at < bases.size(); at += width) {
        const std::string above = bases.substr(at, width), below = letters.substr(at, width);
        const std::int64_t shown = hit.strand == '+' ? base : std::ssize(*hit.bases) + 1 - base;
        file.write(fmt::format("{:>12} {}\n{:>12} {}\n{:>12} {}\n\n",
                               shown,
                               above,
                               "",
                               bars.substr(at, width),
                               hit.antisense ? std::ssize(*hit.letters) + 1 - letter : letter,
                               below));
        const auto held = std::count(above.begin(), above.end(), '-');
        base += std::ssize(above) - held;
        letter += std::ssize(below) - std::count(below.begin(), below.end(), '-');
      }
    }
  }
}

}  // namespace yupana::io
