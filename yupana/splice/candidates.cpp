#include "yupana/splice/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "yupana/core/context.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/splice/exon_ends.hpp"
#include "yupana/splice/genetic_code.hpp"

namespace yupana::splice {
namespace {

/// One exon that scores in each place of a chain as the better of two of the same bases, if there
/// is one: an exon from ATG may go on to a donor, another from an acceptor end with a stop codon,
/// and yet none do both.
std::optional<Exon> better_of(const Exon& a, const Exon& b) {
  const Exon both{a.first,
                  a.last,
                  std::max(a.begin, b.begin),
                  std::max(a.entry, b.entry),
                  std::max(a.exit, b.exit),
                  std::max(a.end, b.end)};
  for (const auto start : {&Exon::begin, &Exon::entry}) {
    for (const auto stop : {&Exon::exit, &Exon::end}) {
      const std::int32_t best = std::max(a.*start + a.*stop, b.*start + b.*stop);
      if (both.*start + both.*stop != best) return std::nullopt;
    }
  }
  return both;
}

/// Makes one exon of those that an end of two kinds gave twice, as a donor next to a stop codon
/// does. Chains and their scores stay. `exons` are in order of their first bases.
void merge_doubles(std::vector<Exon>& exons) {
  std::ranges::stable_sort(exons, {}, [](const Exon& a) { return std::tie(a.first, a.last); });
  auto end = exons.begin();  // of those kept
  for (auto next = exons.begin(); next != exons.end(); ++next) {
    Exon exon = *next;
    // Exons of one start merge first, as their order has it; then starts merge with each other.
    for (auto other = end; other != exons.begin();) {
      --other;
      if (other->first != exon.first || other->last != exon.last) break;
      const std::optional<Exon> both = better_of(*other, exon);
      if (!both) continue;
      exon = *both;
      end = std::move(other + 1, end, other);
    }
    *end++ = exon;
  }
  exons.erase(end, exons.end());
}

class Finder {
 public:
  /// `context` may be null.
  Finder(const Context* context,
         std::string_view bases,
         std::string_view target,
         std::string_view protein,
         const SiteModels& models,
         const CandidateParams& params,
         const SitesAlong& sites)
      : context_(context), params_(params) {
    // A longer exon would pay for more bases without a letter than any exon may.
    longest_in_target_ =
        std::min(params.max_exon, std::ssize(target) + std::ssize(target) / 4 + 100);
    std::vector<std::int8_t> codes;
    codes.reserve(bases.size());
    for (const char letter : bases) codes.push_back(static_cast<std::int8_t>(base_code(letter)));
    auto [starts, ends] =
        find_exon_ends(context, bases, codes, target, protein, models, params, sites);
    starts_ = std::move(starts);
    ends_ = std::move(ends);
    find_stops(codes);
  }

  std::vector<Exon> exons(std::int64_t* left_out) {
    std::int64_t count = pairs([](const ExonEnd&, const ExonEnd&) {});
    const std::int64_t all = count;
    while (count > params_.max_exons && drop_weakest()) {
      count = pairs([](const ExonEnd&, const ExonEnd&) {});
    }
    const auto bytes = static_cast<std::uint64_t>(count) * sizeof(Exon);
    if (context_ != nullptr && bytes > context_->memory()) {
      // Other targets may have more.
      const std::int64_t most = std::max(count, std::min(params_.max_exons, 2 * count));
      throw resource_error(
          "splice: {} candidate exons need {} of memory and {} are allowed; "
          "give a smaller --max-exons, stricter sites, or at least --memory {}",
          count,
          needed_bytes(static_cast<double>(bytes)),
          allowed_bytes(static_cast<double>(context_->memory())),
          memory_option(static_cast<double>(most) * sizeof(Exon)));
    }
    std::vector<Exon> result;
    result.reserve(count);
    pairs([&](const ExonEnd& start, const ExonEnd& end) { result.push_back(exon(start, end)); });
    drop_shortest(result);
    if (left_out != nullptr) *left_out = all - std::ssize(result);
    merge_doubles(result);
    return result;
  }

 private:
  // next_stop_[p]: the first place q >= p with a stop codon at q in the frame of p.
  void find_stops(std::span<const std::int8_t> codes) {
    const std::int64_t size = std::ssize(codes);
    next_stop_.assign(size + 3, std::numeric_limits<std::int64_t>::max());
    for (std::int64_t at = size - 1; at >= 0; --at) {
      next_stop_[at] = is_stop(codes, at, params_.code) ? at : next_stop_[at + 3];
    }
  }

  /// Whether [start, end] (from 1) may be an exon: the target has both its ends, or it is free of
  /// stop codons in some frame that they allow.
  bool open(const ExonEnd& start, const ExonEnd& end) const {
    if (start.in_target && end.in_target && end.place - start.place < longest_in_target_) {
      return true;
    }
    const std::int64_t first = start.place - 1, past = end.place;
    for (std::int64_t frame = 0; frame < 3; ++frame) {
      if (start.has_frame() && frame != 0) continue;
      if (end.has_frame() && (past - first - frame) % 3 != 0) continue;
      const std::int64_t stop = next_stop_[std::min(first + frame, std::ssize(next_stop_) - 1)];
      if (stop > past - 3 - (end.is_codon() ? 1 : 0)) return true;
    }
    return false;
  }

  /// No exon from `start` is open beyond this place.
  std::int64_t reach(const ExonEnd& start) const {
    std::int64_t furthest = start.place + params_.max_exon - 1;
    if (!params_.coding) return furthest;
    std::int64_t open_to = 0;
    for (std::int64_t frame = 0; frame < (start.has_frame() ? 1 : 3); ++frame) {
      const std::int64_t from = std::min(start.place - 1 + frame, std::ssize(next_stop_) - 1);
      const std::int64_t stop = next_stop_[from];
      open_to = std::max(open_to, std::min(stop, furthest) + 3);
    }
    if (start.in_target) open_to = std::max(open_to, start.place + longest_in_target_ - 1);
    return std::min(furthest, open_to);
  }

  /// body(start, end) for each pair that makes an exon; returns how many there are.
  template <class Body>
  std::int64_t pairs(const Body& body) const {
    std::int64_t count = 0, looked = 0;
    for (const ExonEnd& start : starts_) {
      check_cancelled(context_, looked++);
      const std::int64_t last = reach(start);
      auto end =
          std::ranges::lower_bound(ends_, start.place + params_.min_exon - 1, {}, &ExonEnd::place);
      for (; end != ends_.end() && end->place <= last; ++end) {
        if (params_.coding && !open(start, *end)) continue;
        body(start, *end);
        ++count;
      }
    }
    return count;
  }

  /// 2 log2 of how much rarer than longer ones exons of so few bases are.
  static double rarity(std::int64_t bases) {
    constexpr double usual = 20;
    return std::max(0.0, 2 * std::log2(usual / static_cast<double>(bases)));
  }

  Exon exon(const ExonEnd& start, const ExonEnd& end) const {
    const auto scaled = [](double score) {
      return static_cast<std::int32_t>(std::lround(candidate_scale * score));
    };
    const double weight = params_.junction_weight;
    const auto is_site = [](const ExonEnd& site) { return site.kind == SiteKind::splice; };
    const double rare = is_site(start) && is_site(end) ? rarity(end.place - start.place + 1) : 0;
    const std::int32_t missing = scaled(-params_.missing_signal);
    // No chain goes on over ATG or a stop codon: it would pay for two introns more.
    const std::int32_t never = scaled(-10 * (params_.missing_signal + params_.junction_cost) - 100);
    Exon x;
    x.first = start.place;
    x.last = end.place;
    const auto cost = [&](const ExonEnd& site) {
      const bool near =
          site.kind == SiteKind::near_target_end || site.kind == SiteKind::protein_end;
      return is_site(site) ? missing : near ? missing / 2 : 0;
    };
    x.begin = cost(start);
    // Length counts at the end alone: exons of one place that end in two ways have one entry.
    x.entry = is_site(start) ? scaled(weight * start.odds) : never;
    x.exit = is_site(end) ? scaled(weight * (end.odds - rare) - params_.junction_cost) : never;
    // The '*' that the end of a protein lacks costs as much as a start codon.
    x.end = end.kind == SiteKind::protein_end ? 0 : cost(end);
    return x;
  }

  /// A splice site that only its odds speak for.
  static bool weak(const ExonEnd& site) { return site.kind == SiteKind::splice && !site.in_target; }

  /// Leaves out the weaker half of the splice sites; false where there is none.
  bool drop_weakest() {
    bool dropped = false;
    for (std::vector<ExonEnd>* sites : {&starts_, &ends_}) {
      std::vector<double> scores;
      for (const ExonEnd& site : *sites) {
        if (weak(site)) scores.push_back(site.odds);
      }
      if (scores.empty()) continue;
      const auto middle = scores.begin() + std::ssize(scores) / 2;
      std::nth_element(scores.begin(), middle, scores.end());
      const double least = *middle;
      std::erase_if(*sites, [&](const ExonEnd& s) { return weak(s) && s.odds <= least; });
      dropped = true;
    }
    return dropped;
  }

  /// Leaves out the shortest of the exons that are too many; of equal ones the last.
  void drop_shortest(std::vector<Exon>& exons) const {
    if (std::ssize(exons) <= params_.max_exons) return;
    std::ranges::stable_sort(exons, std::greater{}, &Exon::length);
    exons.resize(static_cast<std::size_t>(params_.max_exons));
    std::ranges::sort(exons, {}, [](const Exon& a) { return std::tie(a.first, a.last); });
  }

  const Context* context_;
  const CandidateParams& params_;
  std::int64_t longest_in_target_ = 0;  ///< of exons whose frame does not count
  std::vector<ExonEnd> starts_, ends_;
  std::vector<std::int64_t> next_stop_;
};

void check_number(const char* name, double value, double low, double high) {
  if (value >= low && value <= high) return;  // false for NaN
  throw input_error("splice: {} {}; expected a number from {} to {}", name, value, low, high);
}

void check(const CandidateParams& params) {
  check_number("junction weight", params.junction_weight, 0, max_junction_weight);
  check_number("junction cost", params.junction_cost, 0, max_junction_cost);
  check_number("missing signal", params.missing_signal, 0, max_junction_cost);
  check_number("least donor", params.min_donor, -max_site_odds, max_site_odds);
  check_number("least GC donor", params.min_gc_donor, -max_site_odds, max_site_odds);
  check_number("least acceptor", params.min_acceptor, -max_site_odds, max_site_odds);
  if (params.min_exon >= 1 && params.max_exon >= params.min_exon &&
      params.max_exon <= largest_length && params.max_exons >= 1) {
    return;
  }
  throw input_error(
      "splice: candidate exons of {} to {} bases, at most {} of them; expected "
      "1 <= min_exon <= max_exon <= {} and max_exons >= 1",
      params.min_exon,
      params.max_exon,
      params.max_exons,
      largest_length);
}

std::vector<Exon> exons_of(const Context* context,
                           std::string_view bases,
                           const SiteModels& models,
                           const CandidateParams& params,
                           std::string_view target,
                           std::string_view protein,
                           std::int64_t* left_out,
                           const SitesAlong& sites) {
  check(params);
  return Finder(context, bases, target, protein, models, params, sites).exons(left_out);
}

int scaled_score(int score) {
  if (score >= -max_unscaled_score && score <= max_unscaled_score) return score * candidate_scale;
  throw input_error("splice: a score of {}; with candidate exons expected {} to {}",
                    score,
                    -max_unscaled_score,
                    max_unscaled_score);
}

}  // namespace

std::vector<Exon> candidate_exons(std::string_view bases,
                                  const CandidateParams& params,
                                  std::string_view target) {
  const SiteModels& models = site_models(Species::vertebrate);
  return exons_of(nullptr, bases, models, params, target, {}, nullptr, {});
}

std::vector<Exon> candidate_exons(const Context& context,
                                  std::string_view bases,
                                  const CandidateParams& params,
                                  std::string_view target,
                                  std::int64_t* left_out,
                                  const SitesAlong& sites) {
  return candidate_exons(
      context, bases, site_models(Species::vertebrate), params, target, left_out, sites);
}

std::vector<Exon> candidate_exons(const Context& context,
                                  std::string_view bases,
                                  const SiteModels& models,
                                  const CandidateParams& params,
                                  std::string_view target,
                                  std::int64_t* left_out,
                                  const SitesAlong& sites,
                                  std::string_view protein) {
  return exons_of(&context, bases, models, params, target, protein, left_out, sites);
}

CandidateParams candidates_for_proteins() {
  CandidateParams params;
  params.junction_weight = 1;
  params.junction_cost = 22;
  params.missing_signal = 20;
  return params;
}

AlignParams scaled_for_candidates(AlignParams params, const CandidateParams& candidates) {
  for (int& score : params.substitution.scores) score = scaled_score(score);
  params.gap_open = scaled_score(params.gap_open);
  params.gap_extend = scaled_score(params.gap_extend);
  params.min_intron = std::max(params.min_intron, candidates.min_intron);
  return params;
}

ProteinParams protein_for_candidates(ProteinParams params, const CandidateParams& candidates) {
  params.align = scaled_for_candidates(std::move(params.align), candidates);
  params.partial_codon = scaled_score(params.partial_codon);
  params.stops_end = true;
  return params;
}

double SitesAlong::find(const std::vector<SiteScore>& sites,
                        std::int64_t at,
                        bool common,
                        double model) const {
  if (places_ != nullptr) {
    if (at >= std::ssize(*places_)) return model;  // the text ends: no exon or intron follows
    at = (*places_)[static_cast<std::size_t>(at)];
  }
  const std::int64_t offset = reversed_ ? size_ - before_ - at : before_ + at;
  const auto site = std::ranges::lower_bound(sites, offset, {}, &SiteScore::offset);
  if (site != sites.end() && site->offset == offset) return site->odds;
  return common ? odds_of_site_score(unlisted_site_score) : model;
}

}  // namespace yupana::splice
