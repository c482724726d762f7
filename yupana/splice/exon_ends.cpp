#include "yupana/splice/exon_ends.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "yupana/splice/protein_ends.hpp"
#include "yupana/splice/site_odds.hpp"
#include "yupana/splice/target_words.hpp"

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

}  // namespace yupana::splice
