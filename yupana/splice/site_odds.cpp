#include "yupana/splice/site_odds.hpp"

#include <array>
#include <cmath>

#include "yupana/splice/genetic_code.hpp"

namespace yupana::splice {
namespace {

/// Percentages of A, C, G, T at a position of human sites.
struct Shares {
  double percent[4];
};

// Human donors from -3 to +6 (Burge, Karlin 1997); the intron begins at +1. GC in 0.8 % of introns
// (Burset, Seledtsov, Solovyev 2000).
constexpr Shares donor_shares[] = {{{33, 37, 18, 12}},
                                   {{60, 13, 14, 13}},
                                   {{8, 4, 81, 7}},
                                   {{0.05, 0.05, 99.85, 0.05}},
                                   {{0.1, 0.8, 0.1, 99}},
                                   {{49, 3, 45, 3}},
                                   {{71, 7, 12, 9}},
                                   {{6, 5, 84, 5}},
                                   {{15, 19, 20, 46}}};
constexpr std::int64_t donor_before = 3;

// Human acceptors from -20 to +1; the intron ends at -1. From -14 on the shares that textbooks
// give; before that the pyrimidines fade.
constexpr Shares acceptor_shares[] = {{{20, 28, 18, 34}},
                                      {{19, 28, 17, 36}},
                                      {{18, 28, 16, 38}},
                                      {{16, 28, 16, 40}},
                                      {{14, 29, 15, 42}},
                                      {{12, 29, 15, 44}},
                                      {{11, 29, 14, 46}},
                                      {{11, 33, 12, 44}},
                                      {{10, 30, 10, 50}},
                                      {{8, 30, 10, 52}},
                                      {{11, 32, 9, 48}},
                                      {{10, 34, 11, 45}},
                                      {{11, 37, 10, 42}},
                                      {{11, 38, 9, 42}},
                                      {{7, 39, 7, 47}},
                                      {{8, 36, 6, 50}},
                                      {{25, 26, 26, 23}},
                                      {{3, 75, 1, 21}},
                                      {{99.85, 0.05, 0.05, 0.05}},
                                      {{0.05, 0.05, 99.85, 0.05}},
                                      {{27, 14, 49, 10}}};
constexpr std::int64_t acceptor_before = 20;

/// log2 of shares against a quarter each.
template <std::size_t size>
std::array<std::array<double, 4>, size> log_odds(const Shares (&shares)[size]) {
  std::array<std::array<double, 4>, size> result;
  for (std::size_t i = 0; i < size; ++i) {
    for (int base = 0; base < 4; ++base) result[i][base] = std::log2(shares[i].percent[base] / 25);
  }
  return result;
}

template <std::size_t size>
double odds(std::string_view bases,
            std::int64_t from,
            const std::array<std::array<double, 4>, size>& model) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::int64_t at = from + static_cast<std::int64_t>(i);
    if (at < 0 || at >= std::ssize(bases)) continue;
    const int base = base_code(bases[at]);
    if (base < 4) sum += model[i][base];
  }
  return sum;
}

}  // namespace

double donor_odds(std::string_view bases, std::int64_t place) {
  static const auto model = log_odds(donor_shares);
  return odds(bases, place - donor_before, model);
}

double acceptor_odds(std::string_view bases, std::int64_t place) {
  static const auto model = log_odds(acceptor_shares);
  return odds(bases, place + 1 - acceptor_before, model);
}

}  // namespace yupana::splice
