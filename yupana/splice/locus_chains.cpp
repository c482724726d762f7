#include "yupana/splice/locus_chains.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "yupana/core/tiles.hpp"

namespace yupana::splice {
namespace {

/// The chain that ends at a hit.
struct Link {
  std::int64_t letters = 0;
  std::int64_t before = -1;
  bool used = false;
};

// Hits that are looked at before each: chance puts few between two of a gene.
constexpr std::int64_t most_back = 64;

// Bases on either side of words that are looked at without more evidence.
constexpr std::int64_t least_reach = 10'000;
// Of those between two words, for each letter that lies between them: an exon may have none.
constexpr std::int64_t reach_a_letter = 1000;

/// Letters whose evidence a word loses that lies so far from the one before it.
std::int64_t diagonal_cost(std::int64_t bases, std::int64_t letters, const ChainRules& rules) {
  if (bases == letters) return 0;
  const auto bits = [](std::int64_t length) {
    return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(length)));
  };
  const std::int64_t sum = rules.diagonal_bits +
                           bits(bases > letters ? bases - letters : letters - bases) +
                           bits(letters);
  return (sum + rules.bits_a_letter - 1) / rules.bits_a_letter;
}

/// The best chain that ends at each of the hits, which are in order of place.
std::vector<Link> chains(const std::vector<WordHit>& hits, const ChainRules& rules) {
  const std::int64_t length = rules.length;
  std::vector<Link> links(hits.size());
  for (std::int64_t i = 0; i < std::ssize(hits); ++i) {
    links[i].letters = length;
    for (std::int64_t b = i - 1; b >= std::max<std::int64_t>(0, i - most_back); --b) {
      const std::int64_t bases = hits[i].place - hits[b].place;
      const std::int64_t letters = hits[i].letter - hits[b].letter;
      if (bases > rules.params.max_intron) break;
      // Letters without bases are a gap of the target: short ones alone.
      if (letters <= 0 || letters > bases + length) continue;
      const std::int64_t cost = diagonal_cost(bases, letters, rules);
      const std::int64_t sum = links[b].letters + std::min(letters, length) - cost;
      if (sum <= links[i].letters) continue;
      links[i].letters = sum;
      links[i].before = b;
    }
  }
  return links;
}

/// A locus of one strand: where its chain begins and ends, widened.
Locus widened(const WordHit& first,
              const WordHit& last,
              std::int64_t sum,
              const ChainRules& rules,
              std::int64_t letters,
              std::int64_t bases) {
  std::int64_t most = std::max<std::int64_t>(2000, rules.params.max_intron);
  if (rules.bases_a_sum > 0) {
    // Chains of chance lack nearly all letters, and would reach furthest.
    most = std::min(most, std::max(least_reach, rules.bases_a_sum * sum));
  }
  const auto flank = [&](std::int64_t missing) {
    return std::clamp<std::int64_t>(rules.bases_a_letter * missing, 2000, most);
  };
  const std::int64_t length = rules.length;
  Locus locus;
  locus.first_letter = first.letter;
  locus.last_letter = last.letter + length;
  locus.first = std::max<std::int64_t>(1, first.place + 1 - flank(first.letter));
  locus.last = std::min(bases, last.place + length + flank(letters - last.letter - length));
  return locus;
}

/// The stretch between two words of a chain, if any, that lies further from both than the letters
/// between them justify.
void add_gap(const WordHit& before, const WordHit& after, const ChainRules& rules, Locus& locus) {
  const std::int64_t missing = after.letter - before.letter - rules.length;
  const std::int64_t reach = std::max(least_reach, reach_a_letter * missing);
  const std::int64_t first = before.place + rules.length + reach + 1, last = after.place - reach;
  if (first <= last) locus.gaps.emplace_back(first, last);
}

/// The best chains of one strand of `bases`, best first.
std::vector<Locus> chain_words(std::vector<WordHit>& hits,
                               const ChainRules& rules,
                               std::int64_t letters,
                               std::int64_t bases) {
  std::ranges::sort(hits, {}, [](const WordHit& a) { return std::pair(a.place, a.letter); });
  std::vector<Link> links = chains(hits, rules);
  auto order = first_integers<std::int64_t>(std::ssize(hits));
  std::ranges::stable_sort(order, std::greater{}, [&](std::int64_t a) { return links[a].letters; });
  std::vector<Locus> found;
  for (const std::int64_t end : order) {
    if (std::ssize(found) == rules.params.max_loci) break;
    std::int64_t first = end;
    bool is_new = true;  // else it begins as a better one does
    std::vector<std::int64_t> chain;
    for (std::int64_t i = end; i >= 0; i = links[i].before) {
      is_new = is_new && !links[i].used;
      links[i].used = true;
      chain.push_back(i);
      first = i;
    }
    if (!is_new) continue;
    std::reverse(chain.begin(), chain.end());
    found.push_back(widened(hits[first], hits[end], links[end].letters, rules, letters, bases));
    found.back().letters = links[end].letters;
    for (const std::int64_t i : chain) {
      found.back().words.push_back(hits[i].place + 1);
      if (rules.bases_a_sum > 0 && i != first)
        add_gap(hits[links[i].before], hits[i], rules, found.back());
    }
  }
  return found;
}

/// Puts the loci of all strands in order, best first, and leaves those that count.
void keep_best_loci(std::vector<Locus>& loci, int max_loci) {
  std::ranges::stable_sort(loci, std::greater{}, &Locus::letters);
  const std::int64_t best = loci.empty() ? 0 : loci.front().letters;
  std::erase_if(loci, [&](const Locus& locus) { return 4 * locus.letters < best; });
  if (std::ssize(loci) > max_loci) loci.resize(static_cast<std::size_t>(max_loci));
}

}  // namespace

std::vector<Locus> best_loci(StrandHits& hits,
                             const ChainRules& rules,
                             std::int64_t letters,
                             std::span<const std::int64_t> ends) {
  std::vector<Locus> found;
  for (auto& [strand, words] : hits) {
    const std::size_t sequence = strand / 2;
    const std::int64_t bases = ends[sequence] - (sequence == 0 ? 0 : ends[sequence - 1]);
    for (Locus& locus : chain_words(words, rules, letters, bases)) {
      locus.sequence = sequence;
      locus.strand = strand % 2 == 0 ? '+' : '-';
      found.push_back(std::move(locus));
    }
  }
  keep_best_loci(found, rules.params.max_loci);
  return found;
}

void add_segment(std::vector<WordHit>& words,
                 const WordHit& first,
                 std::int64_t letters,
                 std::int64_t evidence,
                 std::int64_t length,
                 std::int64_t step) {
  const auto add = [&](std::int64_t k) {
    words.push_back({first.place + step * k, first.letter + step * k});
  };
  const std::int64_t covered = std::max(length, std::min(evidence, letters));
  const std::int64_t count = covered / length, rest = covered % length;
  const std::int64_t room = std::max<std::int64_t>(0, letters - length - rest);
  for (std::int64_t w = 0; w < count; ++w) add(count == 1 ? room / 2 : room * w / (count - 1));
  if (rest > 0) add((count == 1 ? room / 2 : room) + rest);  // overlaps the last
}

}  // namespace yupana::splice
