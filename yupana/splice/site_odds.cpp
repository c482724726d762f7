#include "yupana/splice/site_odds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "yupana/splice/genetic_code.hpp"

namespace yupana::splice {
namespace {

constexpr std::int64_t donor_before = 3, acceptor_before = 20;

// Places of an acceptor before its YAG, and what bases without pyrimidines count there at least.
constexpr std::int64_t tract = 16;
constexpr double least_tract = -6;
// Any two bases in the place of GT, GC or AG count, together, as sites that have any: one in 512.
// Each by itself would count the one chance twice, or half of it where the other one is usual. GC
// has -3.
constexpr double rare_pair = -4, least_pair = -9;

// log2 of the share of donors that have the mean of all species.
constexpr double any_donor_share = -2;

// Introns of the minor spliceosome (U12) from AT to AC or GT to AG: their donors have a consensus,
// and their acceptors that of a branch point in place of a run of pyrimidines (Hall, Padgett 1994;
// Burge, Padgett, Sharp 1998). Bases between branch point and exon, the intron's last three
// included:
constexpr std::int64_t nearest_branch = 5, furthest_branch = 28;
// One intron in a thousand is of either kind: each of its sites pays for half of log2(1000).
constexpr double minor_cost = 4.98;
constexpr double pyrimidine_share = 0.9;  // before AC

using Model = std::span<const std::array<double, 4>>;

/// Of a model whose first place is at `from`.
double odds(std::string_view bases, std::int64_t from, Model model) {
  double sum = 0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const std::int64_t at = from + static_cast<std::int64_t>(i);
    if (at < 0 || at >= std::ssize(bases)) continue;
    const int base = base_code(bases[at]);
    if (base < 4) sum += model[i][base];
  }
  return sum;
}

/// Of a model whose places `pair` and the next are those of GT or AG.
double odds_around_pair(std::string_view bases, std::int64_t from, Model model, std::size_t pair) {
  const auto at = static_cast<std::int64_t>(pair);
  const double both = odds(bases, from + at, model.subspan(pair, 2));
  return odds(bases, from, model.first(pair)) + (both < rare_pair ? least_pair : both) +
         odds(bases, from + at + 2, model.subspan(pair + 2));
}

int code_at(std::span<const std::int8_t> codes, std::int64_t at) {
  return at >= 0 && at < std::ssize(codes) ? codes[at] : base_codes - 1;
}

/// A consensus, each letter with the share that it has of its place.
class Consensus {
 public:
  Consensus(std::string_view letters, double share)
      : equal_(std::log2(share / 0.25)), other_(std::log2((1 - share) / 0.75)) {
    for (const char letter : letters) codes_.push_back(static_cast<std::int8_t>(base_code(letter)));
  }
  std::int64_t size() const { return std::ssize(codes_); }
  /// Odds of the whole consensus.
  double best() const { return equal_ * static_cast<double>(size()); }
  /// Odds that a letter which is not the consensus' takes away.
  double step() const { return equal_ - other_; }
  /// How far the letters from `from` on are below best(), or some value of at least `enough`.
  double loss(std::span<const std::int8_t> codes, std::int64_t from, double enough) const {
    const bool inside = from >= 0 && from + size() <= std::ssize(codes);
    double sum = 0;
    for (std::int64_t i = 0; i < size() && sum < enough; ++i) {
      const int base = inside ? codes[from + i] : code_at(codes, from + i);
      if (base != codes_[i]) sum += base < 4 ? step() : equal_;
    }
    return sum;
  }

 private:
  std::vector<std::int8_t> codes_;
  double equal_, other_;
};

}  // namespace

double donor_odds(const SiteModels& models, std::string_view bases, std::int64_t place) {
  const std::int64_t from = place - donor_before;
  return std::max(odds_around_pair(bases, from, models.donor, donor_before),
                  odds_around_pair(bases, from, models.any_donor, donor_before) + any_donor_share);
}

double acceptor_odds(const SiteModels& models, std::string_view bases, std::int64_t place) {
  const std::int64_t from = place + 1 - acceptor_before;
  const Model model = models.acceptor;
  return std::max(least_tract, odds(bases, from, model.first(tract))) +
         odds_around_pair(bases, from + tract, model.subspan(tract), acceptor_before - 2 - tract);
}

double minor_donor_odds(std::span<const std::int8_t> codes, std::int64_t place) {
  static const Consensus at("ATATCCTT", 0.91), gt("GTATCCTT", 0.91);
  const Consensus& donor = code_at(codes, place) == base_code('G') ? gt : at;
  return donor.best() - donor.loss(codes, place, donor.best() * 10) - minor_cost;
}

double minor_acceptor_odds(std::span<const std::int8_t> codes, std::int64_t place) {
  static const Consensus branch("TTCCTTAAC", 0.85), ac("AC", 0.91), ag("AG", 0.91);
  const Consensus& end = code_at(codes, place) == base_code('G') ? ag : ac;
  static const double places = std::log2(furthest_branch - nearest_branch + 1);
  const double most = 2.5 * branch.step();
  double loss = most;
  for (std::int64_t behind = nearest_branch; behind <= furthest_branch; ++behind) {
    const std::int64_t from = place + 1 - behind - branch.size();
    loss = std::min(loss, branch.loss(codes, from, loss));
  }
  if (loss >= most)
    return std::numeric_limits<double>::lowest();  // three other letters: no branch point
  const int third = code_at(codes, place - 2);
  const bool pyrimidine = third == base_code('C') || third == base_code('T');
  const double share = pyrimidine ? pyrimidine_share : 1 - pyrimidine_share;
  return branch.best() - loss - places + (third < 4 ? std::log2(share / 0.5) : 0) + end.best() -
         end.loss(codes, place - 1, end.best() * 10) - minor_cost;
}

double best_donor_odds(const SiteModels& models, const CodedBases& text, std::int64_t place) {
  const double major = donor_odds(models, text.bases, place);
  const int first = code_at(text.codes, place), second = code_at(text.codes, place + 1);
  const bool either =
      (first == base_code('A') || first == base_code('G')) && second == base_code('T');
  return models.minor && either ? std::max(major, minor_donor_odds(text.codes, place)) : major;
}

double best_acceptor_odds(const SiteModels& models, const CodedBases& text, std::int64_t place) {
  const double major = acceptor_odds(models, text.bases, place);
  const int first = code_at(text.codes, place - 1), second = code_at(text.codes, place);
  const bool either =
      first == base_code('A') && (second == base_code('C') || second == base_code('G'));
  return models.minor && either ? std::max(major, minor_acceptor_odds(text.codes, place)) : major;
}

}  // namespace yupana::splice
