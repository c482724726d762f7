// GT columns to 2-bit codes with Highway. Bytes are compared 64 at a time; what follows works on
// the 64-bit masks of the comparisons, where a sample is 4 bits (text "0|1<tab>") or 2 bits (BCF,
// two int8 alleles).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/io/vcf_genotypes_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>
#include <cstring>

#include "yupana/io/vcf_genotypes.hpp"

#ifndef YUPANA_VCF_GENOTYPES_ONCE
#define YUPANA_VCF_GENOTYPES_ONCE
namespace yupana::io {
namespace {

constexpr std::uint64_t every_second_bit = 0x5555555555555555ull;
constexpr std::uint64_t every_fourth_bit = 0x1111111111111111ull;

/// Appends 2-bit codes to a row, eight bytes at a time.
class CodeWriter {
 public:
  explicit CodeWriter(std::uint8_t* row) : row_(row) {}

  /// `count` codes, 1 to 32, in the low bits; the bits above them are zero.
  void put(std::uint64_t codes, int count) {
    word_ |= codes << (2 * filled_);
    filled_ += count;
    if (filled_ < 32) return;
    std::memcpy(row_, &word_, 8);
    row_ += 8;
    filled_ -= 32;
    word_ = filled_ == 0 ? 0 : codes >> (2 * (count - filled_));
  }
  /// Zeros up to the end of the row.
  void finish(const std::uint8_t* end) {
    if (filled_ > 0) {
      std::memcpy(row_, &word_, 8);
      row_ += 8;
    }
    std::memset(row_, 0, end - row_);
  }

 private:
  std::uint8_t* row_;
  std::uint64_t word_ = 0;
  int filled_ = 0;
};

/// Bits of two alleles a sample, all in the sample's lowest bit: which are ALT, which are missing.
struct AllelePairs {
  std::uint64_t alt_a, alt_b, missing_a, missing_b;
};

/// The codes, low bit in the lowest bit of each sample, high bit one above: x = 0 -> 11, 1 -> 10,
/// 2 -> 00, missing -> 01. Sets `fault` where the rules refuse a half call. `lowest` marks the
/// lowest bit of each sample.
std::uint64_t codes_of(AllelePairs p, HalfCall half_call, std::uint64_t lowest, bool& fault) {
  std::uint64_t missing = p.missing_a | p.missing_b;
  if (half_call != HalfCall::missing) {
    if (half_call == HalfCall::error && (p.missing_a ^ p.missing_b) != 0) fault = true;
    missing = p.missing_a & p.missing_b;
    if (half_call == HalfCall::haploid) {
      p.alt_a |= p.missing_a & p.alt_b;
      p.alt_b |= p.missing_b & p.alt_a;
    }
  }
  const std::uint64_t low = (~(p.alt_a | p.alt_b) | missing) & lowest;
  const std::uint64_t high = ~(p.alt_a & p.alt_b) & ~missing & lowest;
  return low | high << 1;
}

/// The low two bits of each nibble, side by side.
std::uint64_t pack_nibbles(std::uint64_t x) {
  x &= 0x3333333333333333ull;
  x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0full;
  x = (x | x >> 4) & 0x00ff00ff00ff00ffull;
  x = (x | x >> 8) & 0x0000ffff0000ffffull;
  return (x | x >> 16) & 0x00000000ffffffffull;
}

/// Codes of the three-letter calls by their alleles, 16 entries: index 4 a + b of letters '.' (0),
/// '0' (2), '1' (3); `none` where the call is none of these or the rules refuse it.
class ShortCalls {
 public:
  static constexpr std::uint8_t none = 0xff;

  explicit ShortCalls(const CallRules& rules) {
    constexpr char letters[] = "./01";
    for (int i = 0; i < 16; ++i) {
      const char text[] = {letters[i / 4], '/', letters[i % 4]};
      genotype::Code code;
      codes_[i] = none;
      if (parse_call({text, 3}, rules, code) == CallFault::none) codes_[i] = code;
    }
  }
  /// The call at `at`, if it is three letters long and a tab, a colon or `end` follows.
  std::uint8_t at(const char* at, const char* end) const {
    if (end - at < 3) return none;  // what follows the end may be of another line
    const unsigned a = static_cast<unsigned char>(at[0]) - unsigned{'.'};
    const unsigned b = static_cast<unsigned char>(at[2]) - unsigned{'.'};
    if ((a | b) > 3 || (at[1] != '|' && at[1] != '/')) return none;
    if (at + 3 != end && at[3] != ':' && at[3] != '\t') return none;
    return codes_[4 * a + b];
  }

 private:
  std::uint8_t codes_[16];
};

/// Where the column that begins at `at` ends.
const char* column_end(const char* at, const char* end) {
  const void* tab = std::memchr(at, '\t', end - at);
  return tab == nullptr ? end : static_cast<const char*>(tab);
}

/// The call of a column of any form; false at a fault.
bool put_column(const char* at,
                const char* end,
                std::int64_t subfield,
                const CallRules& rules,
                CodeWriter& writer) {
  for (; subfield > 0 && at != end; --subfield) {
    const void* colon = std::memchr(at, ':', end - at);
    at = colon == nullptr ? end : static_cast<const char*>(colon) + 1;
    if (colon == nullptr) break;
  }
  genotype::Code code = genotype::missing_call;
  if (subfield == 0) {
    const void* colon = std::memchr(at, ':', end - at);
    const char* last = colon == nullptr ? end : static_cast<const char*>(colon);
    const std::string_view text(at, last - at);
    if (parse_call(text, rules, code) != CallFault::none) return false;
  }
  writer.put(code, 1);
  return true;
}

}  // namespace
}  // namespace yupana::io
#endif  // YUPANA_VCF_GENOTYPES_ONCE

HWY_BEFORE_NAMESPACE();
namespace yupana::io::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<std::uint8_t, 64>;
using Vector = hn::Vec<Bytes>;

/// 64 bits, one a byte of text, from a predicate on vectors.
template <class Predicate>
HWY_INLINE std::uint64_t mask64(const void* text, const Predicate& predicate) {
  const Bytes d;
  const std::size_t lanes = hn::Lanes(d);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 64; i += lanes) {
    std::uint64_t part = 0;
    const Vector v = hn::LoadU(d, static_cast<const std::uint8_t*>(text) + i);
    hn::StoreMaskBits(d, predicate(v), reinterpret_cast<std::uint8_t*>(&part));
    bits |= part << i;
  }
  return bits;
}

HWY_INLINE std::uint64_t bytes_equal(const void* text, char byte) {
  const Bytes d;
  const Vector wanted = hn::Set(d, static_cast<std::uint8_t>(byte));
  return mask64(text, [&](Vector v) { return hn::Eq(v, wanted); });
}

/// Sixteen calls "a|b<tab>": their codes, or false if any is of another form or names allele 1
/// where x does not count it.
HWY_INLINE bool sixteen_calls(const char* text, const CallRules& rules, std::uint64_t& codes) {
  const Bytes d;
  const auto repeat = [&](std::uint32_t word) {
    return hn::BitCast(d, hn::Set(hn::Repartition<std::uint32_t, Bytes>(), word));
  };
  // Per byte of a call: alleles are '0' or '1' (equal to '0' without the lowest bit) or '.', the
  // separator is '|' or '/', then the tab.
  const Vector kept = repeat(0xfffefffeu);
  const Vector form_a = repeat(0x09307c30u), form_b = repeat(0x092e2f2eu);
  const std::uint64_t right = mask64(
      text, [&](Vector v) { return hn::Or(hn::Eq(hn::And(v, kept), form_a), hn::Eq(v, form_b)); });
  if (right != ~std::uint64_t{0}) return false;
  const std::uint64_t alt = bytes_equal(text, '1');
  if (alt != 0 && !rules.counts_first()) return false;
  const std::uint64_t dot = bytes_equal(text, '.');
  const AllelePairs pairs{alt & every_fourth_bit,
                          alt >> 2 & every_fourth_bit,
                          dot & every_fourth_bit,
                          dot >> 2 & every_fourth_bit};
  bool fault = false;
  codes = pack_nibbles(codes_of(pairs, rules.half_call, every_fourth_bit, fault));
  return !fault;
}

/// FORMAT is GT alone: sixteen calls at a time while they are diploid, else column by column.
bool decode_alone(const char* at, const char* end, const CallRow& to, CodeWriter& writer) {
  const ShortCalls calls(to.rules);
  std::int64_t sample = 0;
  while (sample < to.samples) {
    std::uint64_t codes = 0;
    while (to.samples - sample > 16 && end - at > 64 && sixteen_calls(at, to.rules, codes)) {
      writer.put(codes, 16);
      sample += 16;
      at += 64;
    }
    // Columns of another form come in runs (the haploid calls of X): do some before trying again.
    for (int i = 0; i < 16 && sample < to.samples; ++i, ++sample) {
      if (at > end) return false;
      const std::uint8_t code = calls.at(at, end);
      const char* last = at + 3;
      if (code != ShortCalls::none && (last == end || *last != ':')) {
        writer.put(code, 1);
      } else {
        last = column_end(at, end);
        if (!put_column(at, last, 0, to.rules, writer)) return false;
      }
      at = last + 1;
    }
  }
  return at == end + 1;
}

/// GT is the first of several subfields: every tab begins a column.
bool decode_first(const char* at, const char* end, const CallRow& to, CodeWriter& writer) {
  const ShortCalls calls(to.rules);
  const auto put = [&](const char* column) {
    const std::uint8_t code = calls.at(column, end);
    if (code == ShortCalls::none) {
      return put_column(column, column_end(column, end), 0, to.rules, writer);
    }
    writer.put(code, 1);
    return true;
  };
  if (!put(at)) return false;
  std::int64_t sample = 1;
  for (; at < end; at += 64) {
    std::uint64_t tabs = bytes_equal(at, '\t');
    if (end - at < 64) tabs &= (std::uint64_t{1} << (end - at)) - 1;
    for (; tabs != 0; tabs &= tabs - 1) {
      if (sample++ == to.samples || !put(at + std::countr_zero(tabs) + 1)) return false;
    }
  }
  return sample == to.samples;
}

bool decode_text(const TextGenotypes& genotypes, const CallRow& to) {
  CodeWriter writer(to.row);
  const char* at = genotypes.columns.data();
  const char* end = at + genotypes.columns.size();
  if (genotypes.alone) {
    if (!decode_alone(at, end, to, writer)) return false;
  } else if (genotypes.subfield == 0) {
    if (!decode_first(at, end, to, writer)) return false;
  } else {
    for (std::int64_t sample = 0; sample < to.samples; ++sample) {
      if (at > end) return false;
      const char* last = column_end(at, end);
      if (!put_column(at, last, genotypes.subfield, to.rules, writer)) return false;
      at = last + 1;
    }
    if (at != end + 1) return false;
  }
  writer.finish(to.row + to.stride);
  return true;
}

std::int64_t count(std::string_view text, char byte) {
  const char* at = text.data();
  const char* end = at + text.size();
  std::int64_t found = 0;
  for (; end - at >= 64; at += 64) found += std::popcount(bytes_equal(at, byte));
  for (; at < end; ++at) found += *at == byte;
  return found;
}

/// 32 samples of two int8 alleles: their codes, or false if any is of another form or refused, or
/// names allele 1 where x does not count it.
HWY_INLINE bool pairs_of_int8(const std::uint8_t* values,
                              std::uint64_t valid,
                              const CallRules& rules,
                              std::uint64_t& codes) {
  const Bytes d;
  const Vector without_phase = hn::Set(d, std::uint8_t{0xfe});
  const auto allele = [&](std::uint8_t wanted) {
    const Vector value = hn::Set(d, wanted);
    return valid &
           mask64(values, [&](Vector v) { return hn::Eq(hn::And(v, without_phase), value); });
  };
  const std::uint64_t missing = allele(0), ref = allele(2), alt = allele(4);
  // 0x81: no second allele. The first counts twice, and 0x80 (missing) is left to the other path.
  const std::uint64_t absent = bytes_equal(values, '\x81') & ~every_second_bit & valid;
  if ((missing | ref | alt | absent) != valid) return false;
  if (alt != 0 && !rules.counts_first()) return false;
  const std::uint64_t haploid = absent >> 1;
  const AllelePairs pairs{alt & every_second_bit,
                          (alt >> 1 | (haploid & alt)) & every_second_bit,
                          missing & every_second_bit,
                          (missing >> 1 | (haploid & missing)) & every_second_bit};
  bool fault = false;
  codes = codes_of(pairs, rules.half_call, every_second_bit, fault);
  return !fault;
}

bool decode_binary(const BinaryGenotypes& genotypes, const CallRow& to) {
  CodeWriter writer(to.row);
  const bool pairs = genotypes.ploidy == 2 && genotypes.width == 1;
  for (std::int64_t sample = 0; sample < to.samples; sample += 32) {
    const int count = static_cast<int>(std::min<std::int64_t>(32, to.samples - sample));
    const std::uint64_t valid = ~std::uint64_t{0} >> (64 - 2 * count);
    std::uint64_t codes = 0;
    if (pairs && pairs_of_int8(genotypes.values + 2 * sample, valid, to.rules, codes)) {
      writer.put(codes & valid, count);
      continue;
    }
    for (std::int64_t i = sample; i < sample + count; ++i) {
      genotype::Code code;
      if (decode_binary_call(genotypes, i, to.rules, code) != CallFault::none) return false;
      writer.put(code, 1);
    }
  }
  writer.finish(to.row + to.stride);
  return true;
}

}  // namespace yupana::io::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::io::cpu {

HWY_EXPORT(decode_text);
HWY_EXPORT(decode_binary);
HWY_EXPORT(count);

bool decode_genotypes(const TextGenotypes& genotypes, const CallRow& to) {
  return HWY_DYNAMIC_DISPATCH(decode_text)(genotypes, to);
}

bool decode_genotypes(const BinaryGenotypes& genotypes, const CallRow& to) {
  return HWY_DYNAMIC_DISPATCH(decode_binary)(genotypes, to);
}

std::int64_t count_bytes(std::string_view text, char byte) {
  return HWY_DYNAMIC_DISPATCH(count)(text, byte);
}

}  // namespace yupana::io::cpu
#endif  // HWY_ONCE
