#include "yupana/splice/exon_ends.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/species.hpp"
#include "yupana/splice/substitution.hpp"

namespace yupana::splice {
namespace {

SiteKind target_end(std::int64_t letters) {
  return letters == 0 ? SiteKind::target_end : SiteKind::near_target_end;
}

class EndFinder {
 public:
  EndFinder(const Context* context,
            const CodedBases& text,
            std::string_view target,
            const SiteModels& models,
            const CandidateParams& params,
            const SitesAlong& sites)
      : context_(context),
        text_(text),
        codes_(text.codes),
        words_(target),
        models_(models),
        params_(params),
        sites_(sites) {}

  ExonEnds find(std::string_view protein) && {
    find_breaks();
    for (std::int64_t at = 0; at < std::ssize(codes_); ++at) {
      check_cancelled(context_, at);
      find_starts(at);
      find_ends(at);
      find_target_ends(at);
    }
    const ProteinEnds own = find_protein_ends(context_, codes_, protein, params_.code);
    for (const std::int64_t place : own.starts) {
      found_.starts.push_back({place, 0, SiteKind::protein_end});
    }
    for (const std::int64_t place : own.ends) {
      found_.ends.push_back({place, 0, SiteKind::protein_end});
    }
    const auto by_place = [](const ExonEnd& a, const ExonEnd& b) {
      return std::tie(a.place, a.kind) < std::tie(b.place, b.kind);
    };
    const auto same = [](const ExonEnd& a, const ExonEnd& b) {
      return a.place == b.place && a.kind == b.kind;
    };
    for (std::vector<ExonEnd>* sites : {&found_.starts, &found_.ends}) {
      std::sort(sites->begin(), sites->end(), by_place);
      sites->erase(std::unique(sites->begin(), sites->end(), same), sites->end());
    }
    return std::move(found_);
  }

 private:
  bool is(std::int64_t at, std::string_view word) const {
    if (at < 0 || at + std::ssize(word) > std::ssize(codes_)) return false;
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (codes_[at + static_cast<std::int64_t>(i)] != base_code(word[i])) return false;
    }
    return true;
  }

  /// Where the target's own words say that an intron begins or ends, whatever its bases are: exons
  /// may go on into it by chance, so the next one begins within as many bases as both do.
  void find_breaks() {
    constexpr std::int64_t most_shared = 8;
    begins_.assign(codes_.size() + most_shared, false);
    ends_here_.assign(codes_.size() + 1, false);
    for (std::int64_t at = 0; at < std::ssize(codes_); ++at) {
      const std::int64_t before = words_.leaves_before(codes_, at);
      const std::int64_t behind = words_.leaves_behind(codes_, at);
      if (before >= 0) std::fill_n(begins_.begin() + at - before, most_shared + before, true);
      if (behind < 0) continue;
      ends_here_[at + TargetWords::length] = true;
      ends_here_[at + TargetWords::length + behind] = true;
    }
  }

  /// Whether the target has a word at `at` or the next places, in steps of 1 or -1: letters that
  /// differ near a junction hide the word next to it. Further away words speak for likely sites.
  bool word_near(std::int64_t at, int step, bool is_likely) const {
    const int places = is_likely ? 100 : 7;
    for (int i = 0; i < places; ++i) {
      if (words_.has(codes_, at + i * step)) return true;
    }
    return false;
  }

  /// Without a word of the target AT and AC need all but a letter of their consensus: few have it
  /// by chance.
  static double least_odds(double least, bool minor) {
    return minor ? std::max(least, 4.0) : least;
  }

  /// Starts after an acceptor at `at`, and at a codon there.
  void find_starts(std::int64_t at) {
    const bool is_break = at + 2 < std::ssize(codes_) && begins_[at + 2];
    if (is_break || is(at, "AG") || is(at, "AC")) {
      const double odds = best_acceptor_odds(models_, text_, at + 1);
      const double score = sites_.acceptor(at + 2, is(at, "AG"), odds);
      const bool in_target = is_break || word_near(at + 2, 1, score >= 0);
      if (in_target || score >= least_odds(params_.min_acceptor, is(at, "AC"))) {
        found_.starts.push_back({at + 3, score, SiteKind::splice, in_target});
      }
    }
    if (is(at, "ATG")) found_.starts.push_back({at + 1, 0, SiteKind::codon});
  }

  /// Ends before a donor at `at`, and with a codon there.
  void find_ends(std::int64_t at) {
    const bool gc = params_.gc_donors && is(at, "GC");
    if (at > 0 && (ends_here_[at] || is(at, "GT") || gc || is(at, "AT"))) {
      const double odds = best_donor_odds(models_, text_, at);
      const double score = sites_.donor(at, is(at, "GT"), odds);
      const bool in_target = ends_here_[at] || word_near(at - TargetWords::length, -1, score >= 0);
      // A donor GC has lost about five bits at its second base already.
      const double least = gc ? params_.min_gc_donor : params_.min_donor;
      if (in_target || score >= least_odds(least, is(at, "AT"))) {
        found_.ends.push_back({at, score, SiteKind::splice, in_target});
      }
    }
    if (is_stop(codes_, at, params_.code)) found_.ends.push_back({at + 3, 0, SiteKind::codon});
  }

  /// Where the target begins or ends, by a word of it at `at`.
  void find_target_ends(std::int64_t at) {
    const std::int64_t word = words_.at(codes_, at);
    if (word < 0) return;
    const std::int64_t before = words_.letters_before(word), behind = words_.letters_behind(word);
    if (before >= 0 && at >= before) {
      found_.starts.push_back({at - before + 1, 0, target_end(before), true});
    }
    const std::int64_t last = at + TargetWords::length + behind;
    if (behind >= 0 && last <= std::ssize(codes_)) {
      found_.ends.push_back({last, 0, target_end(behind), true});
    }
  }

  const Context* context_;
  const CodedBases text_;
  const std::span<const std::int8_t> codes_;
  const TargetWords words_;
  const SiteModels& models_;
  const CandidateParams& params_;
  const SitesAlong& sites_;
  std::vector<bool> begins_, ends_here_;  ///< exons after introns, and introns
  ExonEnds found_;
};

constexpr std::int64_t letters_looked_at = 12;

/// Five letters that agree have 26 in the mean; chance has as much at one place in some thousands.
constexpr int least_fragment_score = 24;

/// The best sum of the codons from `at` on, in steps of 1 or -1, against as many letters.
int best_sum(const Substitution& blosum,
             const GeneticCode& code,
             std::span<const std::int8_t> codes,
             std::int64_t at,
             std::string_view letters,
             int step) {
  int sum = 0, best = 0;
  const std::int64_t count = std::min(std::ssize(letters), letters_looked_at);
  for (std::int64_t i = 0; i < count; ++i, at += 3 * step) {
    if (at < 0 || at + 3 > std::ssize(codes)) break;
    const char amino = code.translate_codes(codes[at], codes[at + 1], codes[at + 2]);
    if (amino == '*') break;
    sum += blosum.score(amino, letters[step > 0 ? i : std::ssize(letters) - 1 - i]);
    best = std::max(best, sum);
  }
  return best;
}

/// Whether a stop codon follows at `at` or few codons later: it is the gene's, most likely.
bool stops_soon(const GeneticCode& code, std::span<const std::int8_t> codes, std::int64_t at) {
  constexpr std::int64_t codons = 10;
  for (std::int64_t i = at; i < at + 3 * codons; i += 3) {
    if (is_stop(codes, i, code)) return true;
  }
  return false;
}

/// A word as a number to the base 4; -1 where it is none.
std::int64_t word_at(std::span<const std::int8_t> codes, std::int64_t place) {
  if (place < 0 || place + TargetWords::length > std::ssize(codes)) return -1;
  std::int64_t word = 0;
  for (const std::int8_t code : codes.subspan(place, TargetWords::length)) {
    if (code > 3) return -1;
    word = 4 * word + code;
  }
  return word;
}

// Errors are many at the ends of reads; as far from them a word is looked for.
constexpr std::int64_t most_letters = 100;

// Letters beyond a word, and how many of them agree where it is one alone that does not.
constexpr int looked_at = 8, least_equal = 6;

}  // namespace

ExonEnds find_exon_ends(const Context* context,
                        std::string_view bases,
                        std::span<const std::int8_t> codes,
                        std::string_view target,
                        std::string_view protein,
                        const SiteModels& models,
                        const CandidateParams& params,
                        const SitesAlong& sites) {
  return EndFinder(context, {bases, codes}, target, models, params, sites).find(protein);
}

ProteinEnds find_protein_ends(const Context* context,
                              std::span<const std::int8_t> codes,
                              std::string_view protein,
                              const GeneticCode& code) {
  ProteinEnds found;
  const Substitution blosum = Substitution::blosum62();
  const auto is_amino = [&](char letter) { return blosum.knows(letter); };
  if (!std::all_of(protein.begin(), protein.end(), is_amino)) return found;
  const bool starts = !protein.empty() && protein.front() != 'M' && protein.front() != 'm';
  const bool ends = !protein.empty() && protein.back() != '*';
  for (std::int64_t at = 0; (starts || ends) && at + 3 <= std::ssize(codes); ++at) {
    check_cancelled(context, at);
    if (starts && best_sum(blosum, code, codes, at, protein, 1) >= least_fragment_score) {
      found.starts.push_back(at + 1);
    }
    if (ends && best_sum(blosum, code, codes, at, protein, -1) >= least_fragment_score &&
        !stops_soon(code, codes, at + 3)) {
      found.ends.push_back(at + 3);
    }
  }
  return found;
}

TargetWords::TargetWords(std::string_view target) {
  if (std::ssize(target) < length) return;
  std::vector<std::int8_t>& codes = target_;
  codes.reserve(target.size());
  for (const char letter : target) codes.push_back(static_cast<std::int8_t>(base_code(letter)));
  known_.assign(std::size_t{1} << (2 * length), false);
  const std::int64_t last = std::ssize(codes) - length;
  for (std::int64_t place = 0; place <= last; ++place) {
    const std::int64_t word = word_at(codes, place);
    if (word < 0) continue;
    known_[word] = true;
    all_.emplace_back(word, place);
    if (place < most_letters) first_.emplace_back(word, place);
  }
  for (std::int64_t behind = 0; behind < most_letters && behind <= last; ++behind) {
    last_.emplace_back(word_at(codes, last - behind), behind);
  }
  std::sort(all_.begin(), all_.end());
}

std::int64_t TargetWords::at(std::span<const std::int8_t> codes, std::int64_t place) const {
  if (known_.empty()) return -1;
  const std::int64_t word = word_at(codes, place);
  return word >= 0 && known_[word] ? word : -1;
}

std::int64_t TargetWords::leaves_before(std::span<const std::int8_t> codes,
                                        std::int64_t place) const {
  return leaves(codes, place, -1, -1);
}

std::int64_t TargetWords::leaves_behind(std::span<const std::int8_t> codes,
                                        std::int64_t place) const {
  return leaves(codes, place, length, 1);
}

std::int64_t TargetWords::leaves(std::span<const std::int8_t> codes,
                                 std::int64_t place,
                                 std::int64_t beyond,
                                 int step) const {
  const std::int64_t word = at(codes, place);
  if (word < 0) return -1;
  std::int64_t furthest = -1;
  for (auto own = std::lower_bound(all_.begin(), all_.end(), std::pair(word, std::int64_t{0}));
       own != all_.end() && own->first == word;
       ++own) {
    const std::int64_t letters = leaves_from(codes, place + beyond, own->second + beyond, step);
    if (letters < 0) return -1;
    furthest = std::max(furthest, letters);
  }
  return furthest;
}

std::int64_t TargetWords::leaves_from(std::span<const std::int8_t> codes,
                                      std::int64_t base,
                                      std::int64_t letter,
                                      int step) const {
  const auto leaves_at = [&](std::int64_t shift) {
    const std::int64_t b = base + shift * step, l = letter + shift * step;
    const std::int64_t last = l + (looked_at - 1) * step;
    const auto goes_on = [&](std::int64_t from, std::int64_t to) {
      int same = 0;
      for (int i = 0; i < looked_at; ++i) {
        same += equal_run(codes, from + i * step, to + i * step, step, 1) > 0;
      }
      return same >= least_equal;
    };
    return last >= 0 && last < std::ssize(target_) && equal_run(codes, b, l, step, 1) == 0 &&
           !goes_on(b + step, l + step) && !goes_on(b + step, l) && !goes_on(b, l + step);
  };
  // After one letter that is another; ten equal ones would be a word.
  const std::int64_t run = equal_run(codes, base + step, letter + step, step, length);
  if (run > 0 && run < length && leaves_at(1 + run) &&
      equal_run(codes, base, letter, step, 1) == 0) {
    return 1 + run;
  }
  return leaves_at(0) ? 0 : -1;
}

std::int64_t TargetWords::equal_run(std::span<const std::int8_t> codes,
                                    std::int64_t base,
                                    std::int64_t letter,
                                    int step,
                                    std::int64_t most) const {
  std::int64_t run = 0;
  for (; run < most; ++run, base += step, letter += step) {
    if (base < 0 || base >= std::ssize(codes) || letter < 0 || letter >= std::ssize(target_) ||
        codes[base] != target_[letter]) {
      break;
    }
  }
  return run;
}

std::int64_t TargetWords::find(const Ends& ends, std::int64_t word) {
  for (const auto& [known, letters] : ends) {
    if (known == word) return letters;
  }
  return -1;
}

}  // namespace yupana::splice
