#include "yupana/splice/loci.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "yupana/core/messages.hpp"
#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/locus_chains.hpp"
#include "yupana/splice/seed_words.hpp"
#include "yupana/splice/significance.hpp"

namespace yupana::splice {
namespace {

// Words that a genome has more often are repeats.
constexpr std::size_t max_places = 32;

/// A number of that many bits, all of them set.
std::uint64_t ones(int bits) { return (std::uint64_t{1} << bits) - 1; }

std::vector<std::int64_t> ends_of(std::span<const std::string_view> sequences) {
  std::vector<std::int64_t> ends;
  std::int64_t bases = 0;
  for (const std::string_view sequence : sequences) ends.push_back(bases += std::ssize(sequence));
  return ends;
}

/// The words of each sequence: each(put(key, place in all sequences times 2, + 1 if reversed)).
auto words_of(std::span<const std::string_view> sequences,
              std::int64_t length,
              std::uint64_t one_in,
              const GeneticCode* code) {
  const CodonGroups codons(code == nullptr ? GeneticCode() : *code);
  return [=](const auto& put) {
    std::uint64_t begin = 0;
    const auto along = [&](std::uint64_t key, std::int64_t place, bool reversed) {
      put(key, (begin + static_cast<std::uint64_t>(place)) * 2 + (reversed ? 1 : 0));
    };
    for (const std::string_view sequence : sequences) {
      if (code == nullptr) {
        each_base_word(sequence, length, one_in, along);
      } else {
        each_codon_word(sequence, 0, std::ssize(sequence), codons, along);
      }
      begin += sequence.size();
    }
  };
}

constexpr std::int64_t flank_word = 8;
constexpr std::uint32_t flank_words = 1 << (2 * flank_word);
constexpr std::int64_t mismatch_score = -2, drop = 6;
// Of such scores: log2 of the x above 1 for which x / 4 + 3 / (4 x^2) is 1.
constexpr double bits_a_match = 1.923;
constexpr double bits_of_evidence = 5;

/// Calls put(word, place) for each word of eight known bases.
template <class Put>
void each_flank_word(const std::string& codes, const Put& put) {
  std::uint32_t word = 0;
  std::int64_t known = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    known = codes[i] < 4 ? known + 1 : 0;
    word = (word << 2 | static_cast<std::uint32_t>(codes[i] & 3)) % flank_words;
    if (known >= flank_word && !put(word, static_cast<std::int64_t>(i) + 1 - flank_word)) return;
  }
}

std::string codes_of(std::string_view text) {
  std::string codes(text);
  for (char& code : codes) code = static_cast<char>(base_code(code));
  return codes;
}

/// Two texts of base codes along each other.
class Segments {
 public:
  Segments(const std::string& text, const std::string& letters) : text_(text), letters_(letters) {}

  /// The best score from there on in steps of 1 or -1, and how many bases it takes.
  std::pair<std::int64_t, std::int64_t> extended(std::int64_t place,
                                                 std::int64_t letter,
                                                 int step) const {
    std::int64_t score = 0, best = 0, bases = 0;
    for (std::int64_t n = 1; place >= 0 && letter >= 0 && place < std::ssize(text_) &&
                             letter < std::ssize(letters_) && score > best - drop;
         ++n, place += step, letter += step) {
      score += text_[place] == letters_[letter] && text_[place] < 4 ? 1 : mismatch_score;
      if (score <= best) continue;
      best = score;
      bases = n;
    }
    return {best, bases};
  }

 private:
  const std::string& text_;
  const std::string& letters_;
};

}  // namespace

SeedIndex::Shape SeedIndex::shape_of(std::uint64_t bases, bool for_proteins) {
  Shape shape;
  int key_bits = static_cast<int>(std::bit_width(amino_words));
  if (for_proteins) {
    shape.length = 3 * protein_word;
    shape.words = 2 * bases;
  } else {
    // 4 letters more than tell one place from all others.
    for (shape.length = 12;
         shape.length < 28 && std::uint64_t{1} << (2 * (shape.length - 4)) < bases;) {
      ++shape.length;
    }
    shape.one_in = bases <= 500'000 ? 1 : 4;
    shape.words = bases / shape.one_in + bases / 64;  // but for chance
    key_bits = static_cast<int>(2 * shape.length);
  }
  shape.place_bits = static_cast<int>(std::bit_width(2 * bases));
  // Few enough to be filled side by side in cache, and so many that the other bits fit a word.
  const int bucket_bits = std::max(std::min(11, static_cast<int>(std::bit_width(shape.words / 6))),
                                   key_bits + shape.place_bits - 63);
  shape.key_bits = key_bits - bucket_bits;
  shape.buckets = std::size_t{1} << bucket_bits;
  return shape;
}

std::uint64_t SeedIndex::bytes_for(std::span<const std::string_view> sequences, bool for_proteins) {
  std::uint64_t bases = 0;
  for (const std::string_view sequence : sequences) bases += sequence.size();
  const Shape shape = shape_of(bases, for_proteins);
  return (shape.words + shape.buckets + 1) * sizeof(std::uint64_t);
}

SeedIndex::SeedIndex(std::span<const std::string_view> sequences,
                     int genetic_code,
                     std::span<const std::uint64_t> data,
                     std::shared_ptr<const void> memory)
    : genetic_code_(genetic_code),
      ends_(ends_of(sequences)),
      shape_(shape_of(static_cast<std::uint64_t>(bases_indexed()), genetic_code != 0)),
      data_(data),
      memory_(std::move(memory)) {}

SeedIndex::SeedIndex(std::span<const std::string_view> sequences, const GeneticCode* code)
    : genetic_code_(code == nullptr ? 0 : code->table()),
      ends_(ends_of(sequences)),
      shape_(shape_of(static_cast<std::uint64_t>(bases_indexed()), code != nullptr)) {
  const auto each_word = words_of(sequences, shape_.length, shape_.one_in, code);
  auto data = std::make_shared<std::vector<std::uint64_t>>();
  data->reserve(shape_.buckets + 1 + shape_.words);
  data->resize(shape_.buckets + 1);
  each_word([&](std::uint64_t key, std::uint64_t) { ++(*data)[(key >> shape_.key_bits) + 1]; });
  std::partial_sum(data->begin(), data->end(), data->begin());
  data->resize(shape_.buckets + 1 + data->back());
  std::uint64_t* const starts = data->data();
  std::uint64_t* const words = starts + shape_.buckets + 1;
  each_word([&](std::uint64_t key, std::uint64_t place) {
    words[starts[key >> shape_.key_bits]++] =
        (key & ones(shape_.key_bits)) << shape_.place_bits | place;
  });
  // Each bucket's start has become its end.
  std::copy_backward(starts, starts + shape_.buckets, starts + shape_.buckets + 1);
  starts[0] = 0;
  for (std::size_t b = 0; b < shape_.buckets; ++b)
    std::sort(words + starts[b], words + starts[b + 1]);
  data_ = *data;
  memory_ = std::move(data);
}

std::span<const std::uint64_t> SeedIndex::find(std::uint64_t key) const {
  const std::uint64_t* const starts = data_.data() + (key >> shape_.key_bits);
  if (data_.size() <= shape_.buckets || starts[0] > starts[1] ||
      starts[1] >= data_.size() - shape_.buckets) {
    throw input_error("splice: the index has words outside of it; save it anew");
  }
  const std::span<const std::uint64_t> all = data_.subspan(shape_.buckets + 1);
  const std::uint64_t first = (key & ones(shape_.key_bits)) << shape_.place_bits;
  const auto begin = std::lower_bound(all.begin() + starts[0], all.begin() + starts[1], first);
  return {begin, std::upper_bound(begin, all.begin() + starts[1], first | ones(shape_.place_bits))};
}

SeedPlace SeedIndex::place(std::uint64_t found, bool reversed) const {
  const std::uint64_t place = found & ones(shape_.place_bits);
  const auto all = static_cast<std::int64_t>(place / 2);
  const auto s = std::upper_bound(ends_.begin(), ends_.end(), all) - ends_.begin();
  if (s == std::ssize(ends_) || all + shape_.length > ends_[s]) {
    throw input_error(
        "splice: the index has a word at base {}, outside the sequences; save it anew", all);
  }
  const std::int64_t start = s == 0 ? 0 : ends_[s - 1];
  const bool along = (place % 2 != 0) == reversed;
  return {2 * static_cast<std::size_t>(s) + (along ? 0 : 1),
          along ? all - start : ends_[s] - all - shape_.length};
}

std::vector<Locus> SeedIndex::loci(std::string_view target, const LocusParams& params) const {
  StrandHits hits;
  each_base_word(target,
                 shape_.length,
                 shape_.one_in,
                 [&](std::uint64_t key, std::int64_t letter, bool reversed) {
                   const std::span<const std::uint64_t> words = find(key);
                   if (words.size() > max_places) return;
                   for (const std::uint64_t word : words) {
                     const SeedPlace found = place(word, reversed);
                     hits[found.strand].push_back({found.first, letter});
                   }
                 });
  ChainRules rules;
  rules.length = shape_.length;
  rules.params = params;
  return best_loci(hits, rules, std::ssize(target), ends_);
}

std::int64_t nearest_bases(std::int64_t letters) {
  return letters > 2 ? 2000 : std::int64_t{50} << (2 * letters);
}

std::int64_t furthest_evidence(std::string_view text, std::string_view letters) {
  if (std::ssize(letters) < flank_word) return 0;
  const std::string bases = codes_of(text);
  std::string own = codes_of(letters);
  const std::vector<bool> repeats = low_complexity_bases(letters);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (repeats[i]) own[i] = base_codes;  // equal to none
  }
  std::bitset<flank_words> known;
  std::vector<std::pair<std::uint32_t, std::int64_t>> words;
  each_flank_word(own, [&](std::uint32_t word, std::int64_t letter) {
    known[word] = true;
    words.emplace_back(word, letter);
    return true;
  });
  std::sort(words.begin(), words.end());
  const double pairs = static_cast<double>(bases.size()) * static_cast<double>(own.size());
  const double least = (std::log2(pairs) + bits_of_evidence) / bits_a_match;
  const Segments segments(bases, own);
  std::int64_t furthest = 0;
  each_flank_word(bases, [&](std::uint32_t word, std::int64_t place) {
    if (!known[word]) return true;
    auto at = std::lower_bound(words.begin(), words.end(), std::pair(word, std::int64_t{0}));
    for (; at != words.end() && at->first == word && furthest == 0; ++at) {
      const auto before = segments.extended(place - 1, at->second - 1, -1);
      const auto behind = segments.extended(place + flank_word, at->second + flank_word, 1);
      if (static_cast<double>(before.first + flank_word + behind.first) < least) continue;
      furthest =
          std::ssize(bases) - place + before.second + nearest_bases(at->second - before.second);
    }
    return furthest == 0;
  });
  return furthest;
}

void narrow_locus(Locus& locus,
                  std::string_view strand,
                  std::string_view target,
                  std::int64_t length) {
  if (locus.words.empty()) return;
  // Past the end of `before`, and the first of `behind`, the chain begins and ends.
  const std::int64_t first = locus.words.front(), last = locus.words.back() + length - 1;
  const auto beyond = [](std::string_view text, std::string_view letters) {
    const std::int64_t nearest = nearest_bases(std::ssize(letters));
    const std::int64_t far = std::ssize(text) - nearest;
    if (far <= 0) return std::ssize(text);
    const std::int64_t more =
        furthest_evidence(text.substr(0, static_cast<std::size_t>(far)), letters);
    return std::min(std::ssize(text), nearest + more);
  };
  const auto part = [](std::string_view text, std::int64_t from, std::int64_t end) {
    return text.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(end - from));
  };
  const std::int64_t before =
      beyond(part(strand, locus.first - 1, first - 1), part(target, 0, locus.first_letter));
  std::string text(part(strand, last, locus.last));
  std::string letters(part(target, locus.last_letter, std::ssize(target)));
  std::reverse(text.begin(), text.end());
  std::reverse(letters.begin(), letters.end());
  const std::int64_t behind = beyond(text, letters);
  locus.first = first - before;
  locus.last = last + behind;
}

}  // namespace yupana::splice
