#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "yupana/core/messages.hpp"
#include "yupana/io/spliced_parts.hpp"

namespace yupana::io {
namespace {

using splice::Exon;
using splice::ExonAlignment;
using splice::Run;

/// Bases of a shift of the frame.
constexpr std::int64_t most_shifted = 2;

/// A chain read as one text.
struct Spliced {
  std::string bases;                 ///< upper case
  std::string amino;                 ///< of its whole codons
  std::vector<std::int64_t> places;  ///< of each base on its strand, from 0
  std::vector<std::int64_t> ends;    ///< bases read at the end of each exon

  explicit Spliced(const SplicedHit& hit) {
    for (const ExonAlignment& part : hit.alignment.chain) {
      const Exon& exon = (*hit.exons)[part.exon];
      for (std::int64_t at = exon.first - 1; at < exon.last; ++at) {
        places.push_back(at);
        bases += static_cast<char>(std::toupper(static_cast<unsigned char>((*hit.bases)[at])));
      }
      ends.push_back(std::ssize(bases));
    }
    amino = splice::translation(bases, hit.protein->code);
  }
  std::int64_t codons_before(std::size_t index) const {
    return index == 0 ? 0 : ends[index - 1] / 3;
  }
  /// Bases between base b and the one before it: an intron.
  std::int64_t intron(std::int64_t b) const { return b == 0 ? 0 : places[b] - places[b - 1] - 1; }
};

class Cigar {
 public:
  explicit Cigar(bool shifts) : shifts_(shifts) {}
  /// Bases between two exons.
  void add_intron(std::int64_t bases) { add(bases, shifts_ && bases <= most_shifted ? 'F' : 'N'); }
  bool is_shift(std::int64_t bases) const { return shifts_ && bases > 0 && bases <= most_shifted; }
  void add(std::int64_t length, char operation) {
    if (length == 0) return;
    if (!runs_.empty() && runs_.back().operation == operation && operation != 'G') {
      runs_.back().length += length;
    } else {
      runs_.push_back({operation, length});
    }
  }
  std::string text() const {
    std::string result;
    for (const Run& run : runs_) result += fmt::format("{}{}", run.length, run.operation);
    return result;
  }

 private:
  bool shifts_;
  std::vector<Run> runs_;
};

/// The bases from `begin` to `end` one by one, introns between them; the last as `operation`.
void add_bases(
    const Spliced& spliced, std::int64_t begin, std::int64_t end, char operation, Cigar& cigar) {
  for (std::int64_t b = begin; b < end; ++b) {
    cigar.add_intron(spliced.intron(b));
    cigar.add(1, b + 1 == end ? operation : 'F');
  }
}

void add_codon(const Spliced& spliced, std::int64_t codon, bool is_pair, Cigar& cigar) {
  const std::int64_t b = 3 * codon;
  const std::int64_t second = spliced.intron(b + 1), third = spliced.intron(b + 2);
  const bool in_three = second > 0 && third > 0;
  const bool shifted = cigar.is_shift(second) || cigar.is_shift(third);
  if (second + third > 0 && (in_three || shifted || !is_pair)) {
    add_bases(spliced, b, b + 3, is_pair ? 'G' : 'F', cigar);
    return;
  }
  cigar.add_intron(spliced.intron(b));
  if (second > 0) {
    cigar.add(second + 3, 'U');
  } else if (third > 0) {
    cigar.add(third + 3, 'V');
  } else {
    cigar.add(1, is_pair ? 'M' : 'D');
  }
}

std::string cigar_of(const SplicedHit& hit, const Spliced& spliced) {
  Cigar cigar(hit.frameshifts);
  std::int64_t codon = 0;
  for (const ExonAlignment& part : hit.alignment.chain) {
    for (const Run& run : part.runs) {
      if (run.operation == 'I') cigar.add(run.length, 'I');
      for (std::int64_t i = 0; run.operation != 'I' && i < run.length; ++i) {
        add_codon(spliced, codon++, run.operation != 'D', cigar);
      }
    }
  }
  add_bases(spliced, 3 * codon, std::ssize(spliced.bases), 'F', cigar);
  return cigar.text();
}

/// Four lines of columns, three characters each.
struct Lines {
  std::string bases, amino, bars, letters;

  void add(const std::string& codon, char residue, char bar, char letter) {
    bases += codon;
    amino += fmt::format(" {} ", residue);
    bars += fmt::format(" {} ", bar);
    letters += fmt::format(" {} ", letter);
  }
};

Lines lines_of(const SplicedHit& hit, const Spliced& spliced, std::size_t index, int carried) {
  const ExonAlignment& part = hit.alignment.chain[index];
  Lines lines;
  std::int64_t codon = spliced.codons_before(index), letter = part.target_begin;
  const std::int64_t begin = index == 0 ? 0 : spliced.ends[index - 1];
  const splice::Substitution& scores = hit.protein->align.substitution;
  for (const Run& run : part.runs) {
    for (std::int64_t i = 0; i < run.length; ++i) {
      const bool has_letter = run.operation != 'D';
      const char target = has_letter ? (*hit.letters)[letter++] : '-';
      if (run.operation == 'I') {
        lines.add("---", '-', ' ', target);
        continue;
      }
      std::string bases = spliced.bases.substr(3 * codon, 3);
      for (int b = 0; b < carried && 3 * codon + b < begin; ++b) {
        bases[b] = static_cast<char>(std::tolower(static_cast<unsigned char>(bases[b])));
      }
      const char residue = spliced.amino[codon++];
      const char bar = run.operation == '='                              ? '|'
                       : has_letter && scores.score(residue, target) > 0 ? '+'
                                                                         : ' ';
      lines.add(bases, residue, bar, target);
    }
  }
  return lines;
}

}  // namespace

std::pair<std::string, std::string> intron_sites(const SplicedHit& hit, std::size_t index) {
  const auto& chain = hit.alignment.chain;
  const std::int64_t first = exon_of(hit, chain[index - 1]).last + 1;
  const std::int64_t last = exon_of(hit, chain[index]).first - 1;
  if (last - first < 3) return {};
  const auto site = [&](std::int64_t place) {
    std::string bases = as_dna(hit.bases->substr(place - 1, 2));
    for (char& base : bases) {
      base = static_cast<char>(std::toupper(static_cast<unsigned char>(base)));
    }
    return bases;
  };
  return {site(first), site(last - 1)};
}

std::string intron_line(const SplicedHit& hit, std::size_t index) {
  const auto& chain = hit.alignment.chain;
  const std::int64_t first = exon_of(hit, chain[index - 1]).last + 1;
  const std::int64_t last = exon_of(hit, chain[index]).first - 1;
  if (last < first) return {};
  const auto [from, to] = forward(hit, first, last);
  const auto [donor, acceptor] = intron_sites(hit, index);
  if (hit.frameshifts && last - first < most_shifted) {
    return fmt::format("frameshift: {}..{}, {}\n\n", from, to, counted(last - first + 1, "base"));
  }
  const std::string ends = donor.empty() ? "" : fmt::format(", {}..{}", donor, acceptor);
  return fmt::format("intron {}: {}..{}, {} bases{}\n\n", index, from, to, last - first + 1, ends);
}

std::int64_t protein_exon_score(const SplicedHit& hit, std::size_t index) {
  const Spliced spliced(hit);
  const ExonAlignment& part = hit.alignment.chain[index];
  const splice::AlignParams& align = hit.protein->align;
  std::int64_t score = 0, codon = spliced.codons_before(index), letter = part.target_begin;
  for (const Run& run : part.runs) {
    const bool gap = run.operation == 'I' || run.operation == 'D';
    // The stop codon is the chain's last.
    const bool stop =
        hit.has_stop && run.operation == 'D' && codon + run.length == std::ssize(spliced.amino);
    const std::int64_t length = run.length - (stop ? 1 : 0);
    if (stop) score += align.substitution.score('*', '*');
    if (gap && length > 0) score += align.gap_open + length * align.gap_extend;
    for (std::int64_t i = 0; !gap && i < run.length; ++i) {
      score += align.substitution.score(spliced.amino[codon + i], (*hit.letters)[letter + i]);
    }
    if (run.operation != 'I') codon += run.length;
    if (run.operation != 'D') letter += run.length;
  }
  return score;
}

std::int64_t count_shifts(const SplicedHit& hit) {
  std::int64_t shifts = 0;
  const auto& chain = hit.alignment.chain;
  for (std::size_t k = 1; hit.frameshifts && k < chain.size(); ++k) {
    shifts += exon_of(hit, chain[k]).first - exon_of(hit, chain[k - 1]).last - 1 <= most_shifted;
  }
  return shifts;
}

std::int64_t count_stops(const SplicedHit& hit) {
  const std::string amino = Spliced(hit).amino;
  return amino.empty() ? 0 : std::count(amino.begin(), amino.end() - 1, '*');
}

std::string protein_paf_line(const SplicedHit& hit, std::int64_t first, std::int64_t last) {
  const Spliced spliced(hit);
  const ColumnCounts counts = count_columns(hit);
  return fmt::format(
      "{0}\t{1}\t0\t{1}\t{2}\t{3}\t{4}\t{5}\t{6}\t{7}\t{8}\t{12}\tAS:{9}\tst:i:{10}{13}{14}\tcg:Z:{"
      "11}"
      "\n",
      hit.target,
      hit.letters->size(),
      hit.strand,
      hit.sequence,
      hit.bases->size(),
      first - 1,
      last,
      3 * (counts.equal + counts.stops),
      std::ssize(spliced.bases) + 3 * counts.inserted,
      score_tag(hit),
      count_stops(hit),
      cigar_of(hit, spliced),
      hit.quality,
      hit.is_secondary() ? "\ttp:A:S" : "",
      hit.frameshifts ? fmt::format("\tfs:i:{}", count_shifts(hit)) : "");
}

std::string protein_text(const SplicedHit& hit) {
  constexpr std::size_t width = 60;
  const Spliced spliced(hit);
  const std::vector<int> carried = splice::carried_bases(*hit.exons, hit.alignment.chain);
  std::string text;
  for (std::size_t k = 0; k < hit.alignment.chain.size(); ++k) {
    const ExonAlignment& part = hit.alignment.chain[k];
    const Exon& exon = (*hit.exons)[part.exon];
    const auto [first, last] = forward(hit, exon.first, exon.last);
    if (k > 0) text += intron_line(hit, k);
    text += fmt::format("exon {}: {}..{}, phase {}, target {}..{}\n",
                        k + 1,
                        first,
                        last,
                        (3 - carried[k]) % 3,
                        part.target_begin + 1,
                        part.target_end);
    const Lines lines = lines_of(hit, spliced, k, carried[k]);
    std::int64_t base = 3 * spliced.codons_before(k), letter = part.target_begin + 1;
    for (std::size_t at = 0; at < lines.bases.size(); at += width) {
      const std::string above = lines.bases.substr(at, width),
                        below = lines.letters.substr(at, width);
      // The first base shown that is the exon's own.
      const std::int64_t own = std::max(base, k == 0 ? 0 : spliced.ends[k - 1]);
      const std::int64_t place = own < std::ssize(spliced.places) ? spliced.places[own] : exon.last;
      text += fmt::format("{:>12} {}\n{:>12} {}\n{:>12} {}\n{:>12} {}\n\n",
                          forward(hit, place + 1, place + 1).first,
                          above,
                          "",
                          lines.amino.substr(at, width),
                          "",
                          lines.bars.substr(at, width),
                          letter,
                          below);
      base += std::ssize(above) - std::count(above.begin(), above.end(), '-');
      letter += std::ssize(below) / 3 - std::count(below.begin(), below.end(), '-');
    }
  }
  return text;
}

}  // namespace yupana::io
