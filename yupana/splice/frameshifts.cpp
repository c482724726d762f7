#include "yupana/splice/frameshifts.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "yupana/core/context.hpp"
#include "yupana/splice/protein_backends.hpp"

namespace yupana::splice {
namespace {

/// What lets a protein read on where the frame is broken: bases that are skipped, or a stop codon
/// that is read over.
struct FrameEdit {
  std::int64_t place = 0;  ///< first of the bases, from 0
  int skipped = 0;         ///< 1 or 2 bases; 0: a stop codon
  std::int64_t gain = 0;   ///< what the weaker side adds to the score of columns without gaps
};

/// A text without the bases that edits skip, stop codons as NNN.
struct EditedText {
  std::string bases;
  std::vector<std::int64_t> places;  ///< of each base in the text as it was, from 0

  EditedText(std::string_view text, std::vector<FrameEdit> edits) {
    std::ranges::sort(edits, {}, &FrameEdit::place);
    auto edit = edits.begin();
    for (std::int64_t at = 0; at < std::ssize(text); ++at) {
      if (edit != edits.end() && edit->skipped > 0 && at >= edit->place) {
        if (at + 1 == edit->place + edit->skipped) ++edit;
        continue;
      }
      const bool stop = edit != edits.end() && edit->skipped == 0 && at >= edit->place;
      bases += stop ? 'N' : text[at];
      places.push_back(at);
      if (stop && at == edit->place + 2) ++edit;
    }
  }
};

/// Takes the runs of so many codons off the front of `runs`.
std::vector<Run> take_codons(std::vector<Run>& runs, std::int64_t codons) {
  std::vector<Run> taken;
  auto run = runs.begin();
  for (; run != runs.end() && codons > 0; ++run) {
    const std::int64_t length = run->operation == 'I' ? run->length : std::min(run->length, codons);
    taken.push_back({run->operation, length});
    if (run->operation != 'I') codons -= length;
    run->length -= length;
    if (run->length > 0) break;
  }
  runs.erase(runs.begin(), run);
  return taken;
}

std::int64_t letters_of(const std::vector<Run>& runs) {
  std::int64_t letters = 0;
  for (const Run& run : runs) letters += run.operation == 'D' ? 0 : run.length;
  return letters;
}

/// The chain in places of the text as it was: exons that lack bases are several.
ShiftedAlignment unedited(const EditedText& text,
                          const std::vector<Exon>& exons,
                          const SplicedAlignment& found,
                          int penalty) {
  ShiftedAlignment result;
  result.alignment = found;
  result.alignment.chain.clear();
  std::int64_t read = 0;
  for (const ExonAlignment& part : found.chain) {
    const Exon& whole = exons[static_cast<std::size_t>(part.exon)];
    std::vector<Run> runs = part.runs;
    std::int64_t letter = part.target_begin;
    for (std::int64_t first = whole.first - 1, at = first; at < whole.last; ++at) {
      const bool end = at + 1 == whole.last;
      if (!end && text.places[at + 1] == text.places[at] + 1) continue;
      Exon exon{text.places[first] + 1, text.places[at] + 1, whole.begin, 0, -penalty, whole.end};
      if (first == whole.first - 1) exon.entry = whole.entry;
      if (end) exon.exit = whole.exit;
      const std::int64_t codons = (read % 3 + exon.length()) / 3;
      ExonAlignment own{std::ssize(result.exons), letter, letter, {}};
      own.runs = end ? std::move(runs) : take_codons(runs, codons);
      letter = own.target_end = letter + letters_of(own.runs);
      read += exon.length();
      first = at + 1;
      result.exons.push_back(exon);
      result.alignment.chain.push_back(std::move(own));
    }
  }
  return result;
}

/// Marks columns of letters as equal or not by the bases as they were.
void mark_columns(const std::string& amino,
                  std::string_view protein,
                  const Substitution& substitution,
                  std::vector<ExonAlignment>& chain) {
  std::size_t codon = 0;
  for (ExonAlignment& part : chain) {
    auto letter = static_cast<std::size_t>(part.target_begin);
    std::vector<Run> runs;
    const auto add = [&](char operation) {
      if (runs.empty() || runs.back().operation != operation) runs.push_back({operation, 0});
      ++runs.back().length;
    };
    for (const Run& run : part.runs) {
      for (std::int64_t i = 0; i < run.length; ++i) {
        const bool gap = run.operation == 'I' || run.operation == 'D';
        add(gap ? run.operation : column_of_amino(substitution, amino[codon], protein[letter]));
        codon += run.operation != 'I';
        letter += run.operation != 'D';
      }
    }
    part.runs = std::move(runs);
  }
}

/// Whether signals at the ends of the chain's exons are those of the text as it was.
bool keeps_sites(const std::vector<FrameEdit>& edits, const std::vector<Exon>& exons) {
  const auto touches = [&](const FrameEdit& edit, std::int64_t from, std::int64_t to) {
    return edit.place <= to &&
           edit.place + std::max(edit.skipped, edit.skipped == 0 ? 3 : 0) > from;
  };
  for (std::size_t k = 0; k < exons.size(); ++k) {
    const bool starts = k == 0 || exons[k].first > exons[k - 1].last + 3;
    const bool ends = k + 1 == exons.size() || exons[k + 1].first > exons[k].last + 3;
    const std::int64_t first = exons[k].first - 1, last = exons[k].last - 1;
    for (const FrameEdit& edit : edits) {
      if (starts && touches(edit, first - 20, first + 2)) return false;
      if (ends && touches(edit, last - 2, last + 6)) return false;
    }
  }
  return true;
}

/// Edits that the chain reads over.
std::size_t used_edits(const std::vector<FrameEdit>& edits, const std::vector<Exon>& exons) {
  return static_cast<std::size_t>(
      std::count_if(edits.begin(), edits.end(), [&](const FrameEdit& edit) {
        for (std::size_t k = 0; k < exons.size(); ++k) {
          const bool shift = k > 0 && exons[k - 1].last == edit.place &&
                             exons[k].first == edit.place + edit.skipped + 1;
          const bool stop = exons[k].first <= edit.place + 1 && edit.place + 3 <= exons[k].last;
          if (edit.skipped > 0 ? shift : stop) return true;
        }
        return false;
      }));
}

/// Letters [first, last) of the protein against codons: letter j lies at base diagonal + 3 j.
struct Segment {
  std::int64_t diagonal = 0, first = 0, last = 0, score = 0;
};

// In units of BLOSUM62: of the weaker and the stronger of two segments, and what one may lose
// inside.
constexpr std::int64_t least_weak = 20, least_strong = 40, most_lost = 20;
/// Letters by which two segments may lie apart.
constexpr std::int64_t slack = 10;
constexpr std::size_t most_edits = 12;

class EditFinder {
 public:
  EditFinder(std::string_view bases,
             std::string_view protein,
             const ProteinParams& params,
             int scale)
      : letters_(std::ssize(protein)), protein_(protein), params_(params), scale_(scale) {
    for (std::size_t at = 0; at + 3 <= bases.size(); ++at) {
      amino_ += params.code.translate(bases[at], bases[at + 1], bases[at + 2]);
    }
  }

  std::vector<FrameEdit> edits() {
    find_segments();
    for (const Segment& s : segments_) add_stops(s);
    add_shifts();
    const auto better = [](const FrameEdit& a, const FrameEdit& b) {
      return std::tie(b.gain, a.place, a.skipped) < std::tie(a.gain, b.place, b.skipped);
    };
    std::sort(edits_.begin(), edits_.end(), better);
    std::vector<FrameEdit> best;
    for (const FrameEdit& edit : edits_) {
      const auto is_near = [&](const FrameEdit& other) {
        return other.skipped == edit.skipped && std::abs(other.place - edit.place) < 3;
      };
      if (best.size() == most_edits) break;
      if (std::none_of(best.begin(), best.end(), is_near)) best.push_back(edit);
    }
    return best;
  }

 private:
  std::int64_t pair(std::int64_t diagonal, std::int64_t letter) const {
    const std::int64_t at = diagonal + 3 * letter;
    if (at < 0 || at >= std::ssize(amino_)) return -1'000'000;
    // A stop codon may be paid for.
    const char amino = amino_[at] == '*' && protein_[letter] != '*' ? 'X' : amino_[at];
    return params_.align.substitution.score(amino, protein_[letter]);
  }

  void find_segments() {
    const std::int64_t codons = std::ssize(amino_);
    for (std::int64_t diagonal = 3 - 3 * letters_; diagonal < codons; ++diagonal) {
      const std::int64_t from = diagonal < 0 ? (2 - diagonal) / 3 : 0;
      const std::int64_t to = std::min(letters_, (codons - diagonal + 2) / 3);
      Segment best{diagonal, from, from, 0};
      std::int64_t sum = 0;
      const auto keep = [&](std::int64_t next) {
        if (best.score >= scale_ * least_weak) segments_.push_back(best);
        best = {diagonal, next, next, 0};
        sum = 0;
      };
      for (std::int64_t letter = from; letter < to; ++letter) {
        sum += pair(diagonal, letter);
        if (sum > best.score) best.score = sum, best.last = letter + 1;
        if (sum <= 0 || sum < best.score - scale_ * most_lost) keep(letter + 1);
      }
      keep(to);
    }
  }

  void add_stops(const Segment& segment) {
    if (segment.score < scale_ * least_strong) return;
    std::int64_t sum = 0;
    for (std::int64_t letter = segment.first; letter < segment.last; ++letter) {
      const std::int64_t at = segment.diagonal + 3 * letter;
      if (amino_[at] == '*' && protein_[letter] != '*') {
        edits_.push_back({at, 0, std::min(sum, segment.score - sum)});
      }
      sum += pair(segment.diagonal, letter);
    }
  }

  void add_shifts() {
    std::map<std::int64_t, std::vector<const Segment*>> by_diagonal;
    for (const Segment& s : segments_) by_diagonal[s.diagonal].push_back(&s);
    for (const Segment& before : segments_) {
      for (const std::int64_t shift : {-5, -4, -2, -1, 1, 2, 4, 5}) {
        const auto others = by_diagonal.find(before.diagonal + shift);
        if (others == by_diagonal.end()) continue;
        for (const Segment* after : others->second) add_shift(before, *after);
      }
    }
  }

  /// Where `after` best takes over from `before`.
  void add_shift(const Segment& before, const Segment& after) {
    if (std::max(before.score, after.score) < scale_ * least_strong) return;
    // Either may go on by chance far beyond.
    if (after.first > before.last + slack) return;
    const std::int64_t shift = after.diagonal - before.diagonal;
    const std::int64_t left_out = shift < 0 ? (2 - shift) / 3 : 0;  // letters
    const std::int64_t from =
        std::max(before.first + 1, std::min(before.last, after.first) - slack);
    const std::int64_t to =
        std::min(after.last - 1 - left_out, std::max(before.last, after.first) + slack);
    FrameEdit best;
    for (std::int64_t letter = from; letter <= to; ++letter) {
      std::int64_t gain = 0;
      for (std::int64_t j = before.first; j < letter; ++j) gain += pair(before.diagonal, j);
      for (std::int64_t j = letter + left_out; j < after.last; ++j) gain += pair(after.diagonal, j);
      if (gain <= best.gain) continue;
      best = {before.diagonal + 3 * letter, static_cast<int>((shift % 3 + 3) % 3), gain};
    }
    best.gain -= std::max(before.score, after.score);
    if (best.gain > 0) edits_.push_back(best);
  }

  const std::int64_t letters_;
  const std::string_view protein_;
  const ProteinParams& params_;
  const int scale_;
  std::string amino_;  ///< of the codon that begins at each base
  std::vector<Segment> segments_;
  std::vector<FrameEdit> edits_;
};

/// Where ungapped alignments of a protein to the three frames of a text follow each other on
/// diagonals that differ by no whole codon, or read over a stop codon: best first, few.
///   work: bases x letters; deterministic
std::vector<FrameEdit> frame_edits(std::string_view bases,
                                   std::string_view protein,
                                   const ProteinParams& params,
                                   int score_scale) {
  return EditFinder(bases, protein, params, score_scale).edits();
}

}  // namespace

void charge_stops(Substitution& substitution, int penalty) {
  if (!substitution.knows('*')) return;
  const int stop = substitution.code['*'];
  for (int letter = 0; letter < substitution.letters; ++letter) {
    if (letter != stop) substitution.scores[stop * substitution.letters + letter] -= penalty;
  }
}

std::optional<ShiftedAlignment> mend_frame(Context& context,
                                           std::string_view bases,
                                           std::string_view protein,
                                           const ProteinParams& params,
                                           std::int64_t score,
                                           int penalty,
                                           int score_scale,
                                           const FindExons& find) {
  std::optional<ShiftedAlignment> best;
  std::vector<FrameEdit> kept;
  ProteinParams close = params;
  close.align.min_intron = 0;
  for (const FrameEdit& edit : frame_edits(bases, protein, params, score_scale)) {
    const auto overlaps = [&](const FrameEdit& other) {
      return std::abs(other.place - edit.place) < 6;
    };
    if (std::any_of(kept.begin(), kept.end(), overlaps)) continue;
    std::vector<FrameEdit> edits = kept;
    edits.push_back(edit);
    const EditedText text(bases, edits);
    const std::vector<Exon> exons = find(text.bases, text.places);
    const SplicedAlignment found = align_protein(context, {text.bases, exons, protein}, params);
    if (found.chain.empty()) continue;
    ShiftedAlignment shifted = unedited(text, exons, found, penalty);
    if (!keeps_sites(edits, shifted.exons)) continue;
    if (used_edits(edits, shifted.exons) != edits.size()) continue;
    const Case problem{bases, shifted.exons, protein};
    std::vector<ExonAlignment>& chain = shifted.alignment.chain;
    mark_columns(translation(spliced_bases(problem, chain), params.code),
                 protein,
                 params.align.substitution,
                 chain);
    shifted.alignment.score = rescore_protein(problem, chain, close);
    if (shifted.alignment.score <= score) continue;
    score = shifted.alignment.score;
    kept = edits;
    best = std::move(shifted);
  }
  return best;
}

}  // namespace yupana::splice
