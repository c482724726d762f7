#include "yupana/io/spliced_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "yupana/io/fasta.hpp"

namespace yupana::io {
namespace {

using splice::Exon;
using splice::ExonAlignment;
using splice::Run;

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
  std::int64_t base = 0;
  bool first = true;
  for (const ExonAlignment& part : hit.alignment.chain) {
    const Exon& exon = exon_of(hit, part);
    std::int64_t letter = part.target_begin;
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
  return lower(as_dna(hit.strand == '-' ? reverse_complement(part) : part));
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

const Exon& exon_of(const SplicedHit& hit, const ExonAlignment& part) {
  return (*hit.exons)[part.exon];
}

std::pair<std::int64_t, std::int64_t> span_of(const SplicedHit& hit) {
  const auto& chain = hit.alignment.chain;
  return forward(hit, exon_of(hit, chain.front()).first, exon_of(hit, chain.back()).last);
}

std::pair<std::int64_t, std::int64_t> given_letters(const SplicedHit& hit,
                                                    std::int64_t begin,
                                                    std::int64_t end) {
  if (!hit.antisense) return {begin, end};
  const std::int64_t letters = std::ssize(*hit.letters);
  return {letters - end, letters - begin};
}

std::pair<std::int64_t, std::int64_t> target_span(const SplicedHit& hit) {
  const auto& chain = hit.alignment.chain;
  return given_letters(hit, chain.front().target_begin, chain.back().target_end);
}

std::string as_dna(std::string bases) {
  std::replace(bases.begin(), bases.end(), 'U', 'T');
  std::replace(bases.begin(), bases.end(), 'u', 't');
  return bases;
}

std::vector<TextPart> text_parts(const SplicedHit& hit, std::int64_t begin, std::int64_t end) {
  std::vector<TextPart> parts;
  std::int64_t read = 0;
  for (std::size_t k = 0; k < hit.alignment.chain.size(); ++k) {
    const Exon& exon = exon_of(hit, hit.alignment.chain[k]);
    const std::int64_t from = std::max(begin, read), to = std::min(end, read + exon.length());
    if (from < to) {
      const auto [first, last] = forward(hit, exon.first + from - read, exon.first + to - 1 - read);
      parts.push_back({k, first, last, from - begin});
    }
    read += exon.length();
  }
  return parts;
}

ForwardRuns forward_runs(const SplicedHit& hit) {
  std::vector<PlacedRun> runs = joined_runs(hit);
  if (hit.strand == '-') std::reverse(runs.begin(), runs.end());
  ForwardRuns result;
  for (const PlacedRun& placed : runs) {
    result.cigar += fmt::format("{}{}", placed.run.length, placed.run.operation);
    result.differences += difference(hit, placed.run, placed.base, placed.letter);
  }
  return result;
}

std::string escaped_name(const std::string& name) {
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

std::string e_value_text(const SplicedHit& hit) {
  return hit.e_value < 0 ? "." : fmt::format("{:.2g}", hit.e_value);
}

std::string isoform_text(const SplicedHit& hit) {
  return hit.isoform == 1 ? "" : fmt::format(", isoform {}", hit.isoform);
}

std::string score_text(const SplicedHit& hit, std::int64_t score) {
  const std::int64_t scale = hit.score_scale, part = std::abs(score % scale);
  if (part == 0) return fmt::format("{}", score / scale);
  std::string digits = fmt::format("{:02}", 100 * part / scale);
  if (digits.back() == '0') digits.pop_back();
  return fmt::format("{}{}.{}", score < 0 ? "-" : "", std::abs(score / scale), digits);
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

std::vector<ExonRow> exon_rows(const SplicedHit& hit) {
  const std::vector<ExonAlignment>& chain = hit.alignment.chain;
  std::vector<ExonRow> rows(chain.size());
  for (std::size_t k = 0; k < chain.size(); ++k) {
    const Exon& exon = exon_of(hit, chain[k]);
    ExonRow& row = rows[k];
    std::tie(row.first, row.last) = forward(hit, exon.first, exon.last);
    std::tie(row.target_begin, row.target_end) =
        given_letters(hit, chain[k].target_begin, chain[k].target_end);
    add(row.columns, chain[k].runs);
    if (k + 1 == chain.size()) leave_out_stop(hit, row.columns);
    row.score = hit.protein ? protein_exon_score(hit, k) : own_score(hit, chain[k]);
    if (k > 0) row.acceptor = intron_sites(hit, k).second;
    if (k + 1 < chain.size()) row.donor = intron_sites(hit, k + 1).first;
  }
  for (const TextPart& part : text_parts(hit, hit.coding.begin, hit.coding.end)) {
    ExonRow& row = rows[part.exon];
    row.coding_first = part.first;
    row.coding_last = part.last;
    row.phase = part.phase();
  }
  return rows;
}

}  // namespace yupana::io
