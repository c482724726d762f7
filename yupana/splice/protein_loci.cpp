#include "yupana/splice/protein_loci.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "yupana/splice/locus_chains.hpp"
#include "yupana/splice/seed_words.hpp"

namespace yupana::splice {
namespace {

constexpr std::int64_t word_bases = 3 * protein_word;
// One pair of words agrees by chance in about so many, by the shares of amino acids.
constexpr double pairs_a_hit = 1.2e6;

struct Entry {
  std::uint32_t key, protein, letter;
  auto order() const { return std::tie(key, protein, letter); }
};

/// A word of a sequence that proteins have, as the first of its entries.
struct Found {
  std::uint32_t entry = 0;
  bool minus = false;
  std::int64_t place = 0;  ///< of its first base on the strand, from 0
};

/// The words of some proteins.
class ProteinWords {
 public:
  ProteinWords(std::span<const std::string_view> proteins, std::size_t begin, std::size_t end)
      : known_(amino_words, false) {
    for (std::size_t p = begin; p < end; ++p) add(proteins[p], static_cast<std::uint32_t>(p));
    std::ranges::sort(entries_, {}, &Entry::order);
  }

  const std::vector<Entry>& entries() const { return entries_; }

  /// The words that begin at [begin, end) of a sequence, those of the + strand first at each place.
  std::vector<Found> find(std::string_view bases,
                          std::int64_t begin,
                          std::int64_t end,
                          const CodonGroups& codons) const {
    std::vector<Found> found;
    each_codon_word(
        bases, begin, end, codons, [&](std::uint64_t key, std::int64_t place, bool minus) {
          if (!known_[key]) return;
          const auto at = std::ranges::lower_bound(entries_, key, {}, &Entry::key);
          found.push_back({static_cast<std::uint32_t>(at - entries_.begin()),
                           minus,
                           minus ? std::ssize(bases) - place - word_bases : place});
        });
    return found;
  }

 private:
  void add(std::string_view protein, std::uint32_t number) {
    each_amino_word(protein, [&](std::uint64_t key, std::int64_t letter) {
      known_[key] = true;
      entries_.push_back(
          {static_cast<std::uint32_t>(key), number, static_cast<std::uint32_t>(letter)});
    });
  }

  std::vector<bool> known_;
  std::vector<Entry> entries_;
};

/// A strand's word that a protein has.
struct Hit {
  std::uint32_t protein, strand;  ///< 2 x sequence, + 1 on its - strand
  WordHit word;
};

/// All words of some proteins in all sequences, by protein and strand.
std::vector<Hit> find_hits(Context& context,
                           std::span<const std::string_view> sequences,
                           const ProteinWords& words,
                           const CodonGroups& codons,
                           std::uint64_t most_places) {
  constexpr std::int64_t piece = 1 << 19;
  const std::vector<Entry>& entries = words.entries();
  std::vector<std::uint64_t> places(entries.size(), 0);  // of each key, at its first entry
  std::vector<std::pair<Found, std::uint32_t>> all;      // with the sequence
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const std::int64_t size = std::ssize(sequences[s]);
    context.in_order((size + piece - 1) / piece,
                     [&](std::int64_t i) {
                       return words.find(
                           sequences[s], i * piece, std::min(size, (i + 1) * piece), codons);
                     },
                     [&](const std::vector<Found>& found) {
                       context.check_cancelled();
                       for (const Found& one : found) {
                         if (++places[one.entry] <= most_places) {
                           all.emplace_back(one, static_cast<std::uint32_t>(s));
                         }
                       }
                     });
  }
  std::vector<Hit> hits;
  for (const auto& [found, sequence] : all) {
    if (places[found.entry] > most_places) continue;
    const std::uint32_t key = entries[found.entry].key;
    for (std::size_t e = found.entry; e < entries.size() && entries[e].key == key; ++e) {
      hits.push_back({entries[e].protein,
                      2 * sequence + (found.minus ? 1 : 0),
                      {found.place, 3 * std::int64_t{entries[e].letter}}});
    }
  }
  std::ranges::stable_sort(hits, {}, [](const Hit& a) { return std::tie(a.protein, a.strand); });
  return hits;
}

/// A word at more places of so many bases is a repeat.
std::uint64_t most_places(std::uint64_t bases) { return 64 + bases / 25'000; }

}  // namespace

std::vector<std::vector<Locus>> protein_loci(Context& context,
                                             std::span<const std::string_view> sequences,
                                             std::span<const std::string_view> proteins,
                                             const GeneticCode& code,
                                             const LocusParams& params,
                                             std::uint64_t max_bytes) {
  std::vector<std::int64_t> ends;
  std::uint64_t bases = 0;
  for (const std::string_view sequence : sequences) {
    ends.push_back(static_cast<std::int64_t>(bases += sequence.size()));
  }
  const double hits_a_word = 1 + 3 * static_cast<double>(bases) / pairs_a_hit;
  const auto most_words =
      static_cast<std::uint64_t>(static_cast<double>(max_bytes) / (2 * sizeof(Hit) * hits_a_word));
  const CodonGroups codons(code);
  std::vector<std::vector<Locus>> result(proteins.size());
  for (std::size_t begin = 0, end = 0; begin < proteins.size(); begin = end) {
    std::uint64_t words = 0;
    do {
      words += proteins[end++].size();
    } while (end < proteins.size() && words + proteins[end].size() <= most_words);
    const std::vector<Hit> hits = find_hits(
        context, sequences, ProteinWords(proteins, begin, end), codons, most_places(bases));
    for (auto hit = hits.begin(); hit != hits.end();) {
      const std::uint32_t protein = hit->protein;
      StrandHits own;
      for (; hit != hits.end() && hit->protein == protein; ++hit) {
        own[hit->strand].push_back(hit->word);
      }
      result[protein] =
          best_loci(own, protein_chain_rules(params), 3 * std::ssize(proteins[protein]), ends);
    }
  }
  return result;
}

std::vector<std::vector<Locus>> protein_loci(Context& context,
                                             const SeedIndex& index,
                                             std::span<const std::string_view> proteins,
                                             const LocusParams& params) {
  const std::uint64_t most = most_places(static_cast<std::uint64_t>(index.bases_indexed()));
  std::vector<std::vector<Locus>> result(proteins.size());
  context.parallel_for(std::ssize(proteins), 1, [&](std::int64_t p) {
    context.check_cancelled();
    StrandHits hits;
    each_amino_word(proteins[p], [&](std::uint64_t key, std::int64_t letter) {
      const std::span<const std::uint64_t> words = index.find(key);
      if (words.size() > most) return;
      for (const std::uint64_t word : words) {
        const SeedPlace found = index.place(word);
        hits[found.strand].push_back({found.first, 3 * letter});
      }
    });
    result[p] =
        best_loci(hits, protein_chain_rules(params), 3 * std::ssize(proteins[p]), index.ends());
  });
  return result;
}

}  // namespace yupana::splice
