#include "yupana/splice/frameshifts.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "yupana/core/context.hpp"
#include "yupana/splice/protein_backends.hpp"

namespace yupana::splice {
namespace {

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
