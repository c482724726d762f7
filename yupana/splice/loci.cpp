#include "yupana/splice/loci.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "yupana/core/random.hpp"
#include "yupana/splice/genetic_code.hpp"

namespace yupana::splice {
namespace {

/// A word that target and strand have, places from 0.
struct Hit {
  std::int64_t place = 0, letter = 0;
};

/// One word in so many is kept of sequences of so many bases.
std::uint64_t kept_of(std::uint64_t bases) { return bases <= 500'000 ? 1 : 4; }
/// As many as these are, but for chance.
std::size_t words_of(std::uint64_t bases) { return bases / kept_of(bases) + bases / 64 + 64; }

/// The chain that ends at a hit.
struct Link {
  std::int64_t letters = 0;
  std::int64_t before = -1;
  bool used = false;
};

// Words that a genome has more often are repeats.
constexpr std::ptrdiff_t most_places = 32;
// Hits that are looked at before each: chance puts few between two of a gene.
constexpr std::int64_t most_back = 64;

/// The best chain that ends at each of the hits, which are in order of place.
std::vector<Link> chains(const std::vector<Hit>& hits, std::int64_t length, std::int64_t farthest) {
  std::vector<Link> links(hits.size());
  for (std::int64_t i = 0; i < std::ssize(hits); ++i) {
    links[i].letters = length;
    for (std::int64_t b = i - 1; b >= std::max<std::int64_t>(0, i - most_back); --b) {
      const std::int64_t bases = hits[i].place - hits[b].place;
      const std::int64_t letters = hits[i].letter - hits[b].letter;
      if (bases > farthest) break;
      // Letters without bases are a gap of the target: short ones alone.
      if (letters <= 0 || letters > bases + length) continue;
      const std::int64_t sum = links[b].letters + std::min(letters, length);
      if (sum <= links[i].letters) continue;
      links[i].letters = sum;
      links[i].before = b;
    }
  }
  return links;
}

/// A locus of one strand: where its chain begins and ends, widened.
Locus widened(const Hit& first,
              const Hit& last,
              std::int64_t length,
              std::int64_t letters,
              std::int64_t bases,
              const LocusParams& params) {
  const auto flank = [&](std::int64_t missing) {
    return std::clamp<std::int64_t>(
        1000 * missing, 2000, std::max<std::int64_t>(2000, params.max_intron));
  };
  Locus locus;
  locus.first = std::max<std::int64_t>(1, first.place + 1 - flank(first.letter));
  locus.last = std::min(bases, last.place + length + flank(letters - last.letter - length));
  return locus;
}

bool more_letters(const Locus& a, const Locus& b) { return a.letters > b.letters; }

/// The loci of one strand of `bases`, with its hits.
std::vector<Locus> chained(std::vector<Hit>& hits,
                           std::int64_t length,
                           std::int64_t letters,
                           std::int64_t bases,
                           const LocusParams& params) {
  std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
    return std::pair(a.place, a.letter) < std::pair(b.place, b.letter);
  });
  std::vector<Link> links = chains(hits, length, params.max_intron);
  std::vector<std::int64_t> order(hits.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return links[a].letters > links[b].letters;
  });
  std::vector<Locus> found;
  for (const std::int64_t end : order) {
    if (std::ssize(found) == params.max_loci) break;
    std::int64_t first = end;
    bool is_new = true;  // else it begins as a better one does
    std::vector<std::int64_t> words;
    for (std::int64_t i = end; i >= 0; i = links[i].before) {
      is_new = is_new && !links[i].used;
      links[i].used = true;
      words.push_back(hits[i].place + 1);
      first = i;
    }
    if (!is_new) continue;
    std::reverse(words.begin(), words.end());
    found.push_back(widened(hits[first], hits[end], length, letters, bases, params));
    found.back().letters = links[end].letters;
    found.back().words = std::move(words);
  }
  return found;
}

}  // namespace

template <class Put>
void SeedIndex::each_word(std::string_view text, const Put& put) const {
  const std::uint64_t mask = (std::uint64_t{1} << (2 * length_)) - 1;
  std::uint64_t forward = 0, backward = 0;
  std::int64_t known = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int code = base_code(text[i]);
    known = code < 4 ? known + 1 : 0;
    forward = (forward << 2 | static_cast<std::uint64_t>(code & 3)) & mask;
    backward = backward >> 2 | static_cast<std::uint64_t>(3 - (code & 3)) << (2 * (length_ - 1));
    if (known < length_ || forward == backward) continue;
    const std::uint64_t key = std::min(forward, backward);
    if (Random::mix(key) % every_ != 0) continue;
    put(key, static_cast<std::int64_t>(i) + 1 - length_, backward < forward);
  }
}

std::uint64_t SeedIndex::bytes_for(std::span<const std::string_view> sequences) {
  std::uint64_t bases = 0;
  for (const std::string_view sequence : sequences) bases += sequence.size();
  return words_of(bases) * sizeof(Word);
}

SeedIndex::SeedIndex(std::span<const std::string_view> sequences) {
  std::int64_t bases = 0;
  for (const std::string_view sequence : sequences) ends_.push_back(bases += std::ssize(sequence));
  // 4 letters more than tell one place from all others.
  for (length_ = 12; length_ < 28 && std::int64_t{1} << (2 * (length_ - 4)) < bases;) ++length_;
  every_ = kept_of(static_cast<std::uint64_t>(bases));
  words_.reserve(words_of(static_cast<std::uint64_t>(bases)));
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const std::int64_t begin = ends_[s] - std::ssize(sequences[s]);
    each_word(sequences[s], [&](std::uint64_t key, std::int64_t place, bool reversed) {
      words_.push_back({key, static_cast<std::uint64_t>(begin + place) * 2 + (reversed ? 1 : 0)});
    });
  }
  std::sort(words_.begin(), words_.end(), [](const Word& a, const Word& b) {
    return std::pair(a.key, a.place) < std::pair(b.key, b.place);
  });
}

std::vector<Locus> SeedIndex::loci(std::string_view target, const LocusParams& params) const {
  std::map<std::pair<std::size_t, char>, std::vector<Hit>> strands;
  each_word(target, [&](std::uint64_t key, std::int64_t letter, bool reversed) {
    const auto before = [](const Word& word, std::uint64_t k) { return word.key < k; };
    const auto begin = std::lower_bound(words_.begin(), words_.end(), key, before);
    auto end = begin;
    while (end != words_.end() && end->key == key && end - begin <= most_places) ++end;
    if (end - begin > most_places) return;
    for (auto word = begin; word != end; ++word) {
      const auto all = static_cast<std::int64_t>(word->place / 2);
      const auto s = std::upper_bound(ends_.begin(), ends_.end(), all) - ends_.begin();
      const std::int64_t start = s == 0 ? 0 : ends_[s - 1];
      const bool along = (word->place % 2 != 0) == reversed;
      strands[{static_cast<std::size_t>(s), along ? '+' : '-'}].push_back(
          {along ? all - start : ends_[s] - all - length_, letter});
    }
  });
  std::vector<Locus> found;
  for (auto& [strand, hits] : strands) {
    const std::int64_t start = strand.first == 0 ? 0 : ends_[strand.first - 1];
    const std::int64_t bases = ends_[strand.first] - start;
    for (Locus& locus : chained(hits, length_, std::ssize(target), bases, params)) {
      locus.sequence = strand.first;
      locus.strand = strand.second;
      found.push_back(locus);
    }
  }
  std::stable_sort(found.begin(), found.end(), more_letters);
  const std::int64_t best = found.empty() ? 0 : found.front().letters;
  std::erase_if(found, [&](const Locus& locus) { return 4 * locus.letters < best; });
  if (std::ssize(found) > params.max_loci) found.resize(static_cast<std::size_t>(params.max_loci));
  return found;
}

}  // namespace yupana::splice
