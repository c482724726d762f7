#include "yupana/splice/protein_loci.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "yupana/splice/locus_chains.hpp"
#include "yupana/splice/low_complexity.hpp"

namespace yupana::splice {
namespace {

constexpr std::uint32_t groups = 14;
constexpr std::uint32_t oldest = groups * groups * groups * groups * groups;  // the first letter's
constexpr std::uint32_t all_words = oldest * groups;
constexpr std::int64_t word_bases = 3 * protein_word;
// One pair of words agrees by chance in about so many, by the shares of amino acids.
constexpr double pairs_a_hit = 1.2e6;

/// The group of an amino acid, in either case; -1 for X, '*' and others.
int group_of(char amino) {
  constexpr std::string_view members = "ACDEQFYGHIVKRLMNPSTW";
  constexpr std::array<int, 20> numbers{0, 1, 2, 3, 3, 4,  4,  5,  6,  7,
                                        7, 8, 8, 9, 9, 10, 11, 12, 12, 13};
  const char upper = amino >= 'a' && amino <= 'z' ? static_cast<char>(amino - 'a' + 'A') : amino;
  const std::size_t at = members.find(upper);
  return at == std::string_view::npos ? -1 : numbers[at];
}

/// Groups of the 64 codons, and of what the other strand reads there.
struct CodonGroups {
  std::array<int, 64> forward{}, backward{};

  explicit CodonGroups(const GeneticCode& code) {
    for (int codon = 0; codon < 64; ++codon) {
      const int a = codon / 16, b = codon / 4 % 4, c = codon % 4;
      forward[codon] = group_of(code.translate_codes(a, b, c));
      backward[codon] = group_of(code.translate_codes(3 - c, 3 - b, 3 - a));
    }
  }
};

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
      : known_(all_words, false) {
    for (std::size_t p = begin; p < end; ++p) add(proteins[p], static_cast<std::uint32_t>(p));
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.order() < b.order();
    });
  }

  const std::vector<Entry>& entries() const { return entries_; }

  /// The words that begin at [begin, end) of a sequence, those of the + strand first at each place.
  std::vector<Found> find(std::string_view bases,
                          std::int64_t begin,
                          std::int64_t end,
                          const CodonGroups& codons) const {
    std::vector<Found> found;
    struct Frame {
      std::uint32_t plus = 0, minus = 0;
      int plus_known = 0, minus_known = 0;
    };
    std::array<Frame, 3> frames{};
    const std::int64_t size = std::ssize(bases);
    const std::int64_t stop = std::min(size - 2, end + word_bases - 3);
    const auto look = [&](std::uint32_t key, bool minus, std::int64_t place) {
      if (!known_[key]) return;
      const auto at = std::lower_bound(
          entries_.begin(), entries_.end(), key, [](const Entry& entry, std::uint32_t k) {
            return entry.key < k;
          });
      found.push_back({static_cast<std::uint32_t>(at - entries_.begin()), minus, place});
    };
    for (std::int64_t i = begin; i < stop; ++i) {
      Frame& frame = frames[static_cast<std::size_t>(i % 3)];
      const int a = base_code(bases[i]), b = base_code(bases[i + 1]), c = base_code(bases[i + 2]);
      const bool is_codon = std::max({a, b, c}) < 4;
      const int plus = is_codon ? codons.forward[16 * a + 4 * b + c] : -1;
      const int minus = is_codon ? codons.backward[16 * a + 4 * b + c] : -1;
      frame.plus_known = plus < 0 ? 0 : frame.plus_known + 1;
      frame.minus_known = minus < 0 ? 0 : frame.minus_known + 1;
      frame.plus = frame.plus % oldest * groups + static_cast<std::uint32_t>(std::max(plus, 0));
      frame.minus = frame.minus / groups + oldest * static_cast<std::uint32_t>(std::max(minus, 0));
      const std::int64_t place = i + 3 - word_bases;
      if (frame.plus_known >= protein_word) look(frame.plus, false, place);
      if (frame.minus_known >= protein_word) look(frame.minus, true, size - place - word_bases);
    }
    return found;
  }

 private:
  void add(std::string_view protein, std::uint32_t number) {
    const std::vector<bool> repeat = low_complexity_amino_acids(protein);
    std::uint32_t key = 0;
    int known = 0;
    for (std::size_t i = 0; i < protein.size(); ++i) {
      const int group = repeat[i] ? -1 : group_of(protein[i]);
      known = group < 0 ? 0 : known + 1;
      key = key % oldest * groups + static_cast<std::uint32_t>(std::max(group, 0));
      if (known < protein_word) continue;
      known_[key] = true;
      entries_.push_back({key, number, static_cast<std::uint32_t>(i + 1 - protein_word)});
    }
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
  std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
    return std::tie(a.protein, a.strand) < std::tie(b.protein, b.strand);
  });
  return hits;
}

}  // namespace

LocusParams protein_locus_params(std::int64_t bases) {
  LocusParams params;
  params.max_intron = std::clamp<std::int64_t>(
      std::llround(3.6 * std::sqrt(static_cast<double>(bases))), 10'000, 200'000);
  return params;
}

std::vector<std::vector<Locus>> protein_loci(Context& context,
                                             std::span<const std::string_view> sequences,
                                             std::span<const std::string_view> proteins,
                                             const GeneticCode& code,
                                             const LocusParams& params,
                                             std::uint64_t max_bytes) {
  std::uint64_t bases = 0;
  for (const std::string_view sequence : sequences) bases += sequence.size();
  const double hits_a_word = 1 + 3 * static_cast<double>(bases) / pairs_a_hit;
  const auto most_words =
      static_cast<std::uint64_t>(static_cast<double>(max_bytes) / (2 * sizeof(Hit) * hits_a_word));
  ChainRules rules;
  rules.length = word_bases;
  rules.bases_a_letter = 200;
  rules.bits_a_letter = 1;  // a base of a word; its words are long enough without more
  rules.diagonal_bits = 0;
  rules.params = params;
  const CodonGroups codons(code);
  std::vector<std::vector<Locus>> result(proteins.size());
  for (std::size_t begin = 0, end = 0; begin < proteins.size(); begin = end) {
    std::uint64_t words = 0;
    do {
      words += proteins[end++].size();
    } while (end < proteins.size() && words + proteins[end].size() <= most_words);
    const std::vector<Hit> hits = find_hits(
        context, sequences, ProteinWords(proteins, begin, end), codons, 64 + bases / 25'000);
    for (auto hit = hits.begin(); hit != hits.end();) {
      const std::uint32_t protein = hit->protein, strand = hit->strand;
      std::vector<WordHit> own;
      for (; hit != hits.end() && hit->protein == protein && hit->strand == strand; ++hit) {
        own.push_back(hit->word);
      }
      const std::int64_t size = std::ssize(sequences[strand / 2]);
      for (Locus& locus : chain_words(own, rules, 3 * std::ssize(proteins[protein]), size)) {
        locus.sequence = strand / 2;
        locus.strand = strand % 2 == 0 ? '+' : '-';
        result[protein].push_back(std::move(locus));
      }
    }
    for (std::size_t p = begin; p < end; ++p) keep_best_loci(result[p], params.max_loci);
  }
  return result;
}

}  // namespace yupana::splice
