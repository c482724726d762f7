#include "yupana/io/spliced_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <set>
#include <utility>

#include "yupana/core/counted.hpp"
#include "yupana/io/fasta.hpp"
#include "yupana/io/protein_lines.hpp"

namespace yupana::io {
namespace {

using splice::Exon;
using splice::ExonAlignment;
using splice::Run;

const Exon& exon_of(const SplicedHit& hit, const ExonAlignment& part) {
  return (*hit.exons)[part.exon];
}

/// The chain along the forward strand.
std::vector<ExonAlignment> forward_chain(const SplicedHit& hit) {
  std::vector<ExonAlignment> chain = hit.alignment.chain;
  if (hit.strand == '-') std::reverse(chain.begin(), chain.end());
  return chain;
}

void add(ColumnCounts& counts, const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    std::int64_t& count = run.operation == '='   ? counts.equal
                          : run.operation == 'X' ? counts.unequal
                          : run.operation == 'I' ? counts.inserted
                                                 : counts.deleted;
    count += run.length;
  }
}

/// A stop codon at the end of the chain: 'D' where the protein does not name it, '=' where it does,
/// 0 where there is none.
char last_stop(const SplicedHit& hit) {
  if (hit.has_stop) return 'D';
  if (!hit.protein || hit.alignment.chain.empty()) return 0;
  const std::vector<Run>& runs = hit.alignment.chain.back().runs;
  return hit.letters->ends_with('*') && !runs.empty() && runs.back().operation == '=' ? '=' : 0;
}

/// Takes the stop codon at the end out of the columns of the exon that has it.
void leave_out_stop(const SplicedHit& hit, ColumnCounts& counts) {
  const char stop = last_stop(hit);
  counts.stops += stop == '=';
  counts.equal -= stop == '=';
  counts.deleted -= stop == 'D';
}

/// Calls body(run, place, letter) with where each run begins on its strand, from 0; introns come
/// as runs of 'N'.
template <class Body>
void for_each_run(const SplicedHit& hit, const Body& body) {
  std::int64_t letter = 0, base = 0;
  bool first = true;
  for (const ExonAlignment& part : hit.alignment.chain) {
    const Exon& exon = exon_of(hit, part);
    if (!first && exon.first - 1 > base) body(Run{'N', exon.first - 1 - base}, base, letter);
    first = false;
    base = exon.first - 1;
    for (const Run& run : part.runs) {
      body(run, base, letter);
      if (run.operation != 'I') base += run.length;
      if (run.operation != 'D') letter += run.length;
    }
    base = exon.last;
  }
}

struct PlacedRun {
  Run run;
  std::int64_t base, letter;
};

/// The runs of a hit with introns; runs on both sides of an intron of no length are one.
std::vector<PlacedRun> joined_runs(const SplicedHit& hit) {
  std::vector<PlacedRun> joined;
  for_each_run(hit, [&](const Run& run, std::int64_t base, std::int64_t letter) {
    if (!joined.empty() && joined.back().run.operation == run.operation) {
      joined.back().run.length += run.length;
    } else {
      joined.push_back({run, base, letter});
    }
  });
  return joined;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The letters of a stretch as the forward strand has them.
std::string stretch(const SplicedHit& hit,
                    const std::string& text,
                    std::int64_t from,
                    std::int64_t length) {
  const std::string part = text.substr(from, length);
  return lower(hit.strand == '-' ? reverse_complement(part) : part);
}

std::string difference(const SplicedHit& hit,
                       const Run& run,
                       std::int64_t base,
                       std::int64_t letter) {
  if (run.operation == '=') return fmt::format(":{}", run.length);
  if (run.operation == 'D') return "-" + stretch(hit, *hit.bases, base, run.length);
  if (run.operation == 'I') return "+" + stretch(hit, *hit.letters, letter, run.length);
  if (run.operation == 'N') {
    std::string donor = stretch(hit, *hit.bases, base, 2);
    std::string acceptor = stretch(hit, *hit.bases, base + run.length - 2, 2);
    if (hit.strand == '-') std::swap(donor, acceptor);
    return fmt::format("~{}{}{}", donor, run.length, acceptor);
  }
  const std::string from = stretch(hit, *hit.bases, base, run.length);
  const std::string to = stretch(hit, *hit.letters, letter, run.length);
  std::string text;
  for (std::int64_t i = 0; i < run.length; ++i) text += fmt::format("*{}{}", from[i], to[i]);
  return text;
}

/// Names in GFF3 are letters, digits and .:^*$@!+_?-|; all else is %XX.
std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const auto code = static_cast<unsigned char>(c);
    if (std::isalnum(code) == 0 && std::string_view(".:^*$@!+_?-|").find(c) == std::string::npos) {
      text += fmt::format("%{:02X}", code);
    } else {
      text += c;
    }
  }
  return text;
}

/// Score of the columns of one exon.
std::int64_t own_score(const SplicedHit& hit, const ExonAlignment& part) {
  const splice::AlignParams& params = *hit.params;
  std::int64_t score = 0, base = exon_of(hit, part).first - 1, letter = part.target_begin;
  for (const Run& run : part.runs) {
    const bool gap = run.operation == 'I' || run.operation == 'D';
    if (gap) score += params.gap_open + run.length * params.gap_extend;
    for (std::int64_t i = 0; !gap && i < run.length; ++i) {
      score += params.substitution.score((*hit.bases)[base + i], (*hit.letters)[letter + i]);
    }
    if (run.operation != 'I') base += run.length;
    if (run.operation != 'D') letter += run.length;
  }
  return score;
}

std::string target_places(const SplicedHit& hit, std::int64_t begin, std::int64_t end) {
  if (begin >= end) return {};
  if (!hit.antisense) return fmt::format(";Target={} {} {}", escaped(hit.target), begin + 1, end);
  const auto [first, last] = forward_places('-', std::ssize(*hit.letters), begin + 1, end);
  return fmt::format(";Target={} {} {} -", escaped(hit.target), first, last);
}

}  // namespace

std::pair<std::int64_t, std::int64_t> forward(const SplicedHit& hit,
                                              std::int64_t first,
                                              std::int64_t last) {
  return forward_places(hit.strand, std::ssize(*hit.bases), first, last);
}

std::pair<std::int64_t, std::int64_t> forward_places(char strand,
                                                     std::int64_t bases,
                                                     std::int64_t first,
                                                     std::int64_t last) {
  if (strand == '+') return {first, last};
  return {bases + 1 - last, bases + 1 - first};
}

std::pair<std::int64_t, std::int64_t> span_of(const SplicedHit& hit) {
  const auto& chain = hit.alignment.chain;
  return forward(hit, exon_of(hit, chain.front()).first, exon_of(hit, chain.back()).last);
}

std::string e_value_text(const SplicedHit& hit) {
  return hit.e_value < 0 ? "." : fmt::format("{:.2g}", hit.e_value);
}

std::string score_text(const SplicedHit& hit, std::int64_t score) {
  const std::int64_t scale = hit.score_scale, part = std::abs(score % scale);
  if (part == 0) return fmt::format("{}", score / scale);
  std::string digits = fmt::format("{:02}", 100 * part / scale);
  if (digits.back() == '0') digits.pop_back();
  return fmt::format("{}{}.{}", score < 0 ? "-" : "", std::abs(score / scale), digits);
}

std::string score_tag(const SplicedHit& hit) {
  return fmt::format(
      "{}:{}", hit.score_scale == 1 ? 'i' : 'f', score_text(hit, hit.alignment.score));
}

ColumnCounts count_columns(const SplicedHit& hit) {
  ColumnCounts counts;
  for (const ExonAlignment& part : hit.alignment.chain) add(counts, part.runs);
  leave_out_stop(hit, counts);
  for_each_run(hit, [&](const Run& run, std::int64_t, std::int64_t) {
    counts.introns += run.operation == 'N';
  });
  return counts;
}

void write_spliced_tsv(AtomicFile& file, const std::vector<SplicedHit>& hits) {
  file.write(
      "target\ttarget_length\tsequence\tsequence_length\tstrand\tscore\texons\tfirst\tlast\t"
      "chain\tidentity\tequal\tunequal\tinserted\tdeleted\texecuted_cells\tdense_cells\t"
      "e_value\tmapq\ttarget_strand\n");
  for (const SplicedHit& hit : hits) {
    if (!hit.aligned) {
      file.write(fmt::format("{}\t{}\t.\t.\t.\t.\t0\t.\t.\t.\t.\t0\t0\t0\t0\t{}\t{}\t{}\t0\t.\n",
                             hit.target,
                             hit.letters->size(),
                             hit.alignment.executed_cells,
                             hit.bases->size() * hit.letters->size(),
                             e_value_text(hit)));
      continue;
    }
    std::string chain, ends = ".\t.";
    for (const ExonAlignment& part : forward_chain(hit)) {
      const Exon& exon = exon_of(hit, part);
      const auto [first, last] = forward(hit, exon.first, exon.last);
      chain += fmt::format("{}{}-{}", chain.empty() ? "" : ",", first, last);
    }
    if (!hit.alignment.chain.empty()) {
      ends = fmt::format("{}\t{}", span_of(hit).first, span_of(hit).second);
    }
    const ColumnCounts counts = count_columns(hit);
    file.write(fmt::format(
        "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.6f}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
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
        hit.antisense ? '-' : '+'));
  }
}

void write_spliced_gff3(AtomicFile& file, const std::vector<SplicedHit>& hits) {
  file.write("##gff-version 3\n");
  std::set<std::string> introduced;
  for (const SplicedHit& hit : hits) {
    if (hit.alignment.chain.empty() || !introduced.insert(hit.sequence).second) continue;
    file.write(
        fmt::format("##sequence-region {} 1 {}\n", escaped(hit.sequence), hit.bases->size()));
  }
  std::int64_t number = 0;
  for (const SplicedHit& hit : hits) {
    if (hit.alignment.chain.empty()) continue;
    ++number;
    const auto [first, last] = span_of(hit);
    const std::string sequence = escaped(hit.sequence);
    const std::string place = fmt::format(
        "{}\t{}\t{}\t{}\t.", first, last, score_text(hit, hit.alignment.score), hit.strand);
    const ColumnCounts counts = count_columns(hit);
    file.write(fmt::format(
        "{}\tyupana\tgene\t{}\tID=gene{};Name={}\n", sequence, place, number, escaped(hit.target)));
    file.write(fmt::format("{}\tyupana\tmRNA\t{}\tID=mrna{};Parent=gene{};identity={:.4f}{}\n",
                           sequence,
                           place,
                           number,
                           number,
                           counts.identity(),
                           target_places(hit, 0, std::ssize(*hit.letters))));
    const std::vector<ExonAlignment> chain = forward_chain(hit);
    const std::vector<int> carried = splice::carried_bases(*hit.exons, hit.alignment.chain);
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const Exon& exon = exon_of(hit, chain[i]);
      const auto [from, to] = forward(hit, exon.first, exon.last);
      ColumnCounts own;
      add(own, chain[i].runs);
      const std::size_t rank = hit.strand == '+' ? i + 1 : chain.size() - i;
      if (rank == chain.size()) leave_out_stop(hit, own);
      file.write(fmt::format(
          "{}\tyupana\texon\t{}\t{}\t{}\t{}\t.\tID=mrna{}.exon{};Parent=mrna{};rank={};"
          "identity={:.4f}{}\n",
          sequence,
          from,
          to,
          score_text(hit,
                     hit.protein ? protein_exon_score(hit, rank - 1) : own_score(hit, chain[i])),
          hit.strand,
          number,
          rank,
          number,
          rank,
          own.identity(),
          target_places(hit, chain[i].target_begin, chain[i].target_end)));
      if (!hit.protein) continue;
      file.write(fmt::format("{}\tyupana\tCDS\t{}\t{}\t.\t{}\t{}\tID=mrna{}.cds;Parent=mrna{}\n",
                             sequence,
                             from,
                             to,
                             hit.strand,
                             (3 - carried[rank - 1]) % 3,
                             number,
                             number));
    }
  }
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
    std::vector<std::string> cigars, differences;
    for (const PlacedRun& placed : joined_runs(hit)) {
      cigars.push_back(fmt::format("{}{}", placed.run.length, placed.run.operation));
      differences.push_back(difference(hit, placed.run, placed.base, placed.letter));
    }
    if (hit.strand == '-') {
      std::reverse(cigars.begin(), cigars.end());
      std::reverse(differences.begin(), differences.end());
    }
    const auto [first, last] = span_of(hit);
    const ColumnCounts counts = count_columns(hit);
    const std::int64_t columns = counts.equal + counts.unequal + counts.inserted + counts.deleted;
    file.write(
        fmt::format("{0}\t{1}\t0\t{1}\t{2}\t{3}\t{4}\t{5}\t{6}\t{7}\t{8}\t{13}\tAS:{9}\tNM:i:{10}{"
                    "14}\tcg:Z:{11}\t"
                    "cs:Z:{12}\n",
                    hit.target,
                    hit.letters->size(),
                    hit.antisense == (hit.strand == '-') ? '+' : '-',
                    hit.sequence,
                    hit.bases->size(),
                    first - 1,
                    last,
                    counts.equal,
                    columns,
                    score_tag(hit),
                    columns - counts.equal,
                    fmt::join(cigars, ""),
                    fmt::join(differences, ""),
                    hit.quality,
                    hit.score_scale == 1 ? ""
                    : hit.antisense      ? "\tts:A:-"
                                         : "\tts:A:+"));
  }
}

}  // namespace yupana::io
