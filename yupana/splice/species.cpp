#include "yupana/splice/species.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "yupana/splice/genetic_code.hpp"

namespace yupana::splice {
namespace {

/// Percentages of A, C, G, T at a place of sites.
using Shares = double[4];

struct Sites {
  Shares donor[9], acceptor[21];
  bool minor;
};

// clang-format off
// Human. Donors: Burge, Karlin 1997; the intron begins at the fourth place. GC in 0.8 % of introns
// (Burset, Seledtsov, Solovyev 2000). Acceptors: the exon begins at the last place. From 14 bases
// before the exon on the shares that textbooks give; before that the pyrimidines fade.
constexpr Sites vertebrate = {
    {{33, 37, 18, 12}, {60, 13, 14, 13}, {8, 4, 81, 7}, {0.05, 0.05, 99.85, 0.05},
     {0.1, 0.8, 0.1, 99}, {49, 3, 45, 3}, {71, 7, 12, 9}, {6, 5, 84, 5}, {15, 19, 20, 46}},
    {{20, 28, 18, 34}, {19, 28, 17, 36}, {18, 28, 16, 38}, {16, 28, 16, 40}, {14, 29, 15, 42},
     {12, 29, 15, 44}, {11, 29, 14, 46}, {11, 33, 12, 44}, {10, 30, 10, 50}, {8, 30, 10, 52},
     {11, 32, 9, 48}, {10, 34, 11, 45}, {11, 37, 10, 42}, {11, 38, 9, 42}, {7, 39, 7, 47},
     {8, 36, 6, 50}, {25, 26, 26, 23}, {3, 75, 1, 21}, {99.85, 0.05, 0.05, 0.05},
     {0.05, 0.05, 99.85, 0.05}, {27, 14, 49, 10}},
    true};
// Caenorhabditis elegans, by its published consensus AG GTAAGTT ... TTTTCAG R between bases rich in
// A and T, in rounded shares.
constexpr Sites worm = {
    {{35, 29, 19, 17}, {57, 14, 14, 15}, {20, 8, 60, 12}, {0.05, 0.05, 99.85, 0.05},
     {0.1, 0.8, 0.1, 99}, {62, 2, 20, 16}, {70, 7, 7, 16}, {9, 4, 76, 11}, {16, 9, 7, 68}},
    {{36, 14, 12, 38}, {36, 14, 12, 38}, {36, 14, 12, 38}, {36, 14, 12, 38}, {36, 14, 12, 38},
     {36, 14, 12, 38}, {36, 13, 10, 41}, {36, 13, 10, 41}, {36, 13, 10, 41}, {40, 11, 9, 40},
     {44, 10, 8, 38}, {45, 9, 6, 40}, {45, 8, 6, 41}, {28, 9, 5, 58}, {6, 3, 2, 89}, {1, 2, 1, 96},
     {9, 17, 6, 68}, {3, 84, 1, 12}, {99.85, 0.05, 0.05, 0.05}, {0.05, 0.05, 99.85, 0.05},
     {38, 14, 31, 17}},
    false};
// Drosophila, by the published consensus MAG GTRAGT ... TTYYYYTTNCAG RT of 209 introns (Mount,
// Burks, Hertz, Stormo, White, Fields 1992), in rounded shares.
constexpr Sites fly = {
    {{35, 34, 18, 13}, {58, 13, 14, 15}, {9, 4, 78, 9}, {0.05, 0.05, 99.85, 0.05},
     {0.1, 0.8, 0.1, 99}, {60, 3, 33, 4}, {70, 8, 10, 12}, {8, 4, 82, 6}, {14, 10, 10, 66}},
    {{25, 22, 15, 38}, {25, 22, 15, 38}, {25, 22, 15, 38}, {25, 22, 15, 38}, {22, 23, 13, 42},
     {22, 23, 13, 42}, {22, 23, 13, 42}, {22, 23, 13, 42}, {17, 25, 11, 47}, {17, 25, 11, 47},
     {17, 25, 11, 47}, {17, 25, 11, 47}, {15, 27, 10, 48}, {15, 27, 10, 48}, {15, 27, 10, 48},
     {13, 29, 10, 48}, {26, 26, 22, 26}, {5, 70, 1, 24}, {99.85, 0.05, 0.05, 0.05},
     {0.05, 0.05, 99.85, 0.05}, {33, 15, 37, 15}},
    true};
// Arabidopsis thaliana: counted, with one more of each base, in the 113 introns from GT to AG of
// the spliced transcripts of a BAC (U89959); G, T, A and G themselves, and GC, as in human sites.
constexpr Sites plant = {
    {{35, 33, 21, 10}, {65, 12, 8, 15}, {10, 2, 76, 12}, {0.05, 0.05, 99.85, 0.05}, {0.1, 0.8, 0.1, 99},
     {56, 8, 19, 18}, {46, 20, 9, 26}, {15, 8, 53, 25}, {15, 15, 13, 57}},
    {{20, 16, 15, 50}, {24, 18, 17, 41}, {25, 11, 13, 51}, {25, 12, 16, 47}, {17, 17, 16, 50},
     {20, 15, 19, 46}, {21, 11, 15, 53}, {26, 13, 15, 46}, {19, 10, 16, 55}, {15, 18, 17, 50},
     {24, 13, 19, 44}, {15, 18, 18, 49}, {25, 12, 18, 45}, {19, 13, 17, 51}, {15, 16, 15, 54},
     {15, 17, 14, 55}, {25, 9, 46, 21}, {7, 74, 1, 18}, {99.85, 0.05, 0.05, 0.05},
     {0.05, 0.05, 99.85, 0.05}, {23, 10, 55, 12}},
    true};
// Saccharomyces cerevisiae, by its published consensus GTATGT ... YAG, in rounded shares.
constexpr Sites yeast = {
    {{35, 18, 22, 25}, {38, 14, 20, 28}, {30, 13, 37, 20}, {0.05, 0.05, 99.85, 0.05},
     {0.5, 2, 0.5, 97}, {96, 2, 1, 1}, {5, 8, 1, 86}, {1, 1, 97, 1}, {4, 4, 1, 91}},
    {{31, 17, 15, 37}, {31, 17, 15, 37}, {31, 17, 15, 37}, {31, 17, 15, 37}, {31, 17, 15, 37},
     {31, 17, 15, 37}, {29, 15, 12, 44}, {29, 15, 12, 44}, {29, 15, 12, 44}, {29, 15, 12, 44},
     {30, 14, 8, 48}, {30, 14, 8, 48}, {30, 14, 8, 48}, {30, 14, 8, 48}, {34, 13, 7, 46},
     {33, 13, 8, 46}, {44, 9, 6, 41}, {5, 42, 1, 52}, {99.85, 0.05, 0.05, 0.05},
     {0.05, 0.05, 99.85, 0.05}, {30, 15, 34, 21}},
    false};
// Filamentous fungi. Donors: the published shares of 2,022 introns of 226 genes of four Fusarium
// species. Acceptors: by the consensus YAG R of the same introns, behind a branch point and few
// pyrimidines, in rounded shares.
constexpr Sites fungi = {
    {{38, 24, 20, 18}, {38, 21, 20, 21}, {15, 17, 53, 15}, {0.05, 0.05, 99.85, 0.05},
     {0.1, 0.8, 0.1, 99}, {74, 4, 16, 6}, {42, 32, 4, 22}, {3, 1, 93, 3}, {14, 16, 4, 66}},
    {{26, 26, 20, 28}, {26, 26, 20, 28}, {26, 26, 20, 28}, {26, 26, 20, 28}, {26, 26, 20, 28},
     {26, 26, 20, 28}, {26, 26, 20, 28}, {26, 26, 20, 28}, {25, 27, 18, 30}, {25, 27, 18, 30},
     {25, 27, 18, 30}, {25, 27, 18, 30}, {27, 26, 15, 32}, {27, 26, 15, 32}, {27, 26, 15, 32},
     {27, 26, 15, 32}, {32, 22, 17, 29}, {4, 56, 3, 37}, {99.85, 0.05, 0.05, 0.05},
     {0.05, 0.05, 99.85, 0.05}, {31, 21, 28, 20}},
    false};
// clang-format on

constexpr const Sites* all_sites[] = {&vertebrate, &worm, &fly, &plant, &yeast, &fungi};

// In the order of Species. Few introns are shorter or longer; one yeast gene in twenty has any.
constexpr IntronPrior priors[] = {{"vertebrate", 20, 0, 0},
                                  {"worm", 35, 20'000, 0},
                                  {"fly", 40, 100'000, 0},
                                  {"plant", 50, 20'000, 0},
                                  {"yeast", 50, 2'500, 6},
                                  {"fungi", 35, 3'000, 1}};

template <std::size_t size>
void take_log_odds(const Shares (&shares)[size], std::array<std::array<double, 4>, size>& odds) {
  for (std::size_t i = 0; i < size; ++i) {
    for (int base = 0; base < 4; ++base) odds[i][base] = std::log2(shares[i][base] / 25);
  }
}

using AllModels = std::array<SiteModels, std::size(all_sites)>;

/// Of the mean of all species' shares.
std::array<std::array<double, 4>, 9> any_donor() {
  Shares shares[9] = {};
  for (const Sites* sites : all_sites) {
    for (std::size_t i = 0; i < std::size(shares); ++i) {
      for (int base = 0; base < 4; ++base) {
        shares[i][base] += sites->donor[i][base] / static_cast<double>(std::size(all_sites));
      }
    }
  }
  std::array<std::array<double, 4>, 9> odds;
  take_log_odds(shares, odds);
  return odds;
}

AllModels make_models() {
  AllModels models;
  for (std::size_t i = 0; i < models.size(); ++i) {
    take_log_odds(all_sites[i]->donor, models[i].donor);
    models[i].any_donor = any_donor();
    take_log_odds(all_sites[i]->acceptor, models[i].acceptor);
    models[i].minor = all_sites[i]->minor;
  }
  return models;
}

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

const SiteModels& site_models(Species species) {
  static const AllModels models = make_models();
  return models[static_cast<std::size_t>(species)];
}

const IntronPrior& intron_prior(Species species) {
  return priors[static_cast<std::size_t>(species)];
}

CandidateParams candidates_of_species(CandidateParams params, Species species) {
  const IntronPrior& prior = intron_prior(species);
  params.min_intron = std::max(params.min_intron, prior.min_intron);
  params.junction_cost += params.junction_weight * prior.rarity;
  return params;
}

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
