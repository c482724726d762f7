#include "yupana/splice/loci.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/locus_chains.hpp"

namespace yupana::splice {
namespace {

/// One word in so many is kept of sequences of so many bases.
std::uint64_t kept_of(std::uint64_t bases) { return bases <= 500'000 ? 1 : 4; }
/// As many as these are, but for chance.
std::size_t words_of(std::uint64_t bases) { return bases / kept_of(bases) + bases / 64 + 64; }

// Words that a genome has more often are repeats.
constexpr std::ptrdiff_t max_places = 32;

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
  return words_of(bases) * sizeof(SeedWord);
}

void SeedIndex::plan(std::span<const std::string_view> sequences) {
  std::int64_t bases = 0;
  for (const std::string_view sequence : sequences) ends_.push_back(bases += std::ssize(sequence));
  // 4 letters more than tell one place from all others.
  for (length_ = 12; length_ < 28 && std::int64_t{1} << (2 * (length_ - 4)) < bases;) ++length_;
  every_ = kept_of(static_cast<std::uint64_t>(bases));
}

SeedIndex::SeedIndex(std::span<const std::string_view> sequences,
                     std::span<const SeedWord> words,
                     std::shared_ptr<const void> memory)
    : words_(words), memory_(std::move(memory)) {
  plan(sequences);
}

SeedIndex::SeedIndex(std::span<const std::string_view> sequences) {
  plan(sequences);
  auto words = std::make_shared<std::vector<SeedWord>>();
  words->reserve(words_of(static_cast<std::uint64_t>(bases_indexed())));
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const std::int64_t begin = ends_[s] - std::ssize(sequences[s]);
    each_word(sequences[s], [&](std::uint64_t key, std::int64_t place, bool reversed) {
      words->push_back({key, static_cast<std::uint64_t>(begin + place) * 2 + (reversed ? 1 : 0)});
    });
  }
  std::sort(words->begin(), words->end(), [](const SeedWord& a, const SeedWord& b) {
    return std::pair(a.key, a.place) < std::pair(b.key, b.place);
  });
  words_ = *words;
  memory_ = std::move(words);
}

std::vector<Locus> SeedIndex::loci(std::string_view target, const LocusParams& params) const {
  std::map<std::pair<std::size_t, char>, std::vector<WordHit>> strands;
  each_word(target, [&](std::uint64_t key, std::int64_t letter, bool reversed) {
    const auto before = [](const SeedWord& word, std::uint64_t k) { return word.key < k; };
    const auto begin = std::lower_bound(words_.begin(), words_.end(), key, before);
    auto end = begin;
    while (end != words_.end() && end->key == key && end - begin <= max_places) ++end;
    if (end - begin > max_places) return;
    for (auto word = begin; word != end; ++word) {
      const auto all = static_cast<std::int64_t>(word->place / 2);
      const auto s = std::upper_bound(ends_.begin(), ends_.end(), all) - ends_.begin();
      if (s == std::ssize(ends_) || all + length_ > ends_[s]) {
        throw input_error(
            "splice: the index has a word at base {}, outside the sequences; save it "
            "anew",
            word->place / 2);
      }
      const std::int64_t start = s == 0 ? 0 : ends_[s - 1];
      const bool along = (word->place % 2 != 0) == reversed;
      strands[{static_cast<std::size_t>(s), along ? '+' : '-'}].push_back(
          {along ? all - start : ends_[s] - all - length_, letter});
    }
  });
  ChainRules rules;
  rules.length = length_;
  rules.params = params;
  std::vector<Locus> found;
  for (auto& [strand, hits] : strands) {
    const std::int64_t start = strand.first == 0 ? 0 : ends_[strand.first - 1];
    const std::int64_t bases = ends_[strand.first] - start;
    for (Locus& locus : chain_words(hits, rules, std::ssize(target), bases)) {
      locus.sequence = strand.first;
      locus.strand = strand.second;
      found.push_back(locus);
    }
  }
  keep_best_loci(found, params.max_loci);
  return found;
}

}  // namespace yupana::splice
