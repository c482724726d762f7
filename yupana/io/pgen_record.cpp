#include "yupana/io/pgen_record.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "yupana/core/tiles.hpp"
#include "yupana/genotype/site_dosages.hpp"

namespace yupana::io {
namespace {

using genotype::Code;

constexpr const char* too_short = "ends inside its calls";
constexpr const char* bad_number = "has a number of too many bytes";
constexpr const char* bad_sample = "names a sample that the file does not have";
constexpr const char* bad_list = "has a list that contradicts its own sizes";

/// The code of a category.
constexpr std::array<std::uint8_t, 4> hard_calls = {genotype::homozygous_a2,
                                                    genotype::heterozygous,
                                                    genotype::homozygous_a1,
                                                    genotype::missing_call};

/// Four categories as codes: 0 1 2 3 become 3 2 0 1.
constexpr std::uint8_t codes_of(std::uint8_t four) {
  return static_cast<std::uint8_t>(~(four ^ (four >> 1 & 0x55)));
}

/// Four codes after homozygous calls have changed places.
constexpr std::uint8_t inverted_codes(std::uint8_t four) {
  const int homozygous = ~(four ^ four >> 1) & 0x55;
  return static_cast<std::uint8_t>(four ^ 3 * homozygous);
}

/// The bits of a byte, each doubled in width: bit k at 2 k.
constexpr std::uint16_t spread(int byte) {
  int wide = 0;
  for (int k = 0; k < 8; ++k) wide |= (byte >> k & 1) << (2 * k);
  return static_cast<std::uint16_t>(wide);
}
constexpr auto spread_bytes = [] {
  std::array<std::uint16_t, 256> table{};
  for (int byte = 0; byte < 256; ++byte) table[byte] = spread(byte);
  return table;
}();

void set_code(std::uint8_t* row, std::int64_t sample, std::uint8_t code) {
  const int shift = static_cast<int>(2 * (sample % 4));
  std::uint8_t& four = row[sample / 4];
  four = static_cast<std::uint8_t>((four & ~(3 << shift)) | code << shift);
}

Code code_at(const std::uint8_t* row, std::int64_t sample) {
  return static_cast<Code>(row[sample / 4] >> (2 * (sample % 4)) & 3);
}

/// Zeroes what follows the last sample.
void end_row(std::uint8_t* row, std::int64_t samples, std::int64_t stride) {
  const std::int64_t bytes = divide_up(samples, 4);
  if (samples % 4 != 0) row[bytes - 1] &= static_cast<std::uint8_t>((1 << (2 * (samples % 4))) - 1);
  std::memset(row + bytes, 0, static_cast<std::size_t>(stride - bytes));
}

bool take(PgenBytes& bytes, std::int64_t count, const std::uint8_t*& taken) {
  if (count > std::ssize(bytes)) return false;
  taken = bytes.data();
  bytes = bytes.subspan(static_cast<std::size_t>(count));
  return true;
}

/// A number of seven bits a byte, the low ones first.
const char* take_varint(PgenBytes& bytes, std::uint32_t& value) {
  value = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    if (bytes.empty()) return too_short;
    const std::uint8_t byte = bytes[0];
    bytes = bytes.subspan(1);
    if (shift == 28 && byte > 15) return bad_number;
    value |= static_cast<std::uint32_t>(byte & 127) << shift;
    if (byte < 128) return nullptr;
  }
  return bad_number;
}

/// A list of samples ("difflist"), each with a category where `Categories`: calls each(sample,
/// category), in order. Groups of 64: the first sample of each, the bytes of the other ones' steps,
/// the categories, the steps.
template <bool Categories, class Each>
const char* take_list(PgenBytes& bytes, std::int64_t samples, const Each& each) {
  std::uint32_t length = 0;
  if (const char* fault = take_varint(bytes, length)) return fault;
  if (length == 0) return nullptr;
  if (length > samples) return bad_list;
  const std::int64_t groups = divide_up(length, pgen_list_group);
  const std::int64_t id_bytes = pgen_sample_bytes(samples);
  const std::uint8_t *firsts, *sizes, *categories = nullptr;
  if (!take(bytes, groups * id_bytes, firsts) || !take(bytes, groups - 1, sizes)) return too_short;
  if (Categories && !take(bytes, divide_up(length, 4), categories)) return too_short;
  std::int64_t least = 0;  // samples increase
  const std::uint8_t* begin = bytes.data();
  for (std::int64_t k = 0; k < length; ++k) {
    const std::int64_t group = k / pgen_list_group;
    std::int64_t sample = 0;
    if (k % pgen_list_group == 0) {
      // The sizes, of all groups but the last, are stored less the least there is.
      if (group > 0 && bytes.data() - begin != sizes[group - 1] + pgen_list_group - 1)
        return bad_list;
      begin = bytes.data();
      for (std::int64_t i = id_bytes; i-- > 0;) sample = sample << 8 | firsts[group * id_bytes + i];
    } else {
      std::uint32_t step = 0;
      if (const char* fault = take_varint(bytes, step)) return fault;
      sample = least - 1 + step;
    }
    if (sample >= samples) return bad_sample;
    if (sample < least) return "names a sample twice or out of order";
    least = sample + 1;
    each(sample, Categories ? categories[k / 4] >> (2 * (k % 4)) & 3 : 0);
  }
  return nullptr;
}

const char* take_differences(PgenBytes& bytes, std::int64_t samples, std::uint8_t* row) {
  return take_list<true>(bytes, samples, [&](std::int64_t sample, int category) {
    set_code(row, sample, hard_calls[static_cast<std::size_t>(category)]);
  });
}

const char* decode_plain(PgenBytes& bytes, std::int64_t samples, std::uint8_t* row) {
  const std::int64_t count = divide_up(samples, 4);
  const std::uint8_t* packed = nullptr;
  if (!take(bytes, count, packed)) return too_short;
  for (std::int64_t i = 0; i < count; ++i) row[i] = codes_of(packed[i]);
  return nullptr;
}

/// `stride` has room for the two bytes of eight samples each.
const char* decode_one_bit(PgenBytes& bytes, std::int64_t samples, std::uint8_t* row) {
  const std::uint8_t *common, *bits;
  const std::int64_t count = divide_up(samples, 8);
  if (!take(bytes, 1, common) || !take(bytes, count, bits)) return too_short;
  const int lower = *common >> 2, higher = lower + (*common & 3);
  if (*common > 15 || higher == lower || higher > 3) {
    return "has a byte for its two most frequent categories that names no two";
  }
  const int code = hard_calls[static_cast<std::size_t>(lower)];
  const int other = code ^ hard_calls[static_cast<std::size_t>(higher)];
  for (std::int64_t i = 0; i < count; ++i) {
    const int eight = code * 0x5555 ^ other * spread_bytes[bits[i]];
    row[2 * i] = static_cast<std::uint8_t>(eight);
    row[2 * i + 1] = static_cast<std::uint8_t>(eight >> 8);
  }
  return take_differences(bytes, samples, row);
}

/// All samples of one category, then a list of others.
const char* decode_mostly(int category, PgenBytes& bytes, std::int64_t samples, std::uint8_t* row) {
  const int four = hard_calls[static_cast<std::size_t>(category)] * 0x55;
  std::memset(row, four, static_cast<std::size_t>(divide_up(samples, 4)));
  return take_differences(bytes, samples, row);
}

/// A packed array of values of `bits` bits, the low ones first.
std::uint32_t value_at(const std::uint8_t* packed, std::int64_t i, std::int64_t bits) {
  if (bits == 0) return 0;
  if (bits < 8) {
    return static_cast<std::uint32_t>(packed[i * bits / 8] >> (i * bits % 8) & ((1 << bits) - 1));
  }
  std::uint32_t value = 0;
  for (std::int64_t k = bits / 8; k-- > 0;) value = value << 8 | packed[i * bits / 8 + k];
  return value;
}

/// Bits of a number from 0 to `most`, as the format rounds them up.
std::int64_t bits_for(std::int64_t most) {
  for (const int bits : {0, 1, 2, 4, 8, 16}) {
    if (most < std::int64_t{1} << bits) return bits;
  }
  return 24;
}

/// The samples of a patch set, of those whose code is `code`: as a bit each of those (format 0), or
/// as a list (1).
const char* take_patched(int format,
                         Code code,
                         PgenBytes& bytes,
                         std::int64_t samples,
                         const std::uint8_t* row,
                         std::vector<std::int64_t>& patched) {
  patched.clear();
  if (format == 15) return nullptr;
  if (format == 1) {
    bool fits = true;
    const char* fault = take_list<false>(bytes, samples, [&](std::int64_t sample, int) {
      fits = fits && code_at(row, sample) == code;
      patched.push_back(sample);
    });
    if (fault != nullptr) return fault;
    return fits ? nullptr : "lists other ALT alleles of a sample whose call has none";
  }
  if (format != 0) return "stores its ALT alleles in a way that is not defined";
  std::vector<std::int64_t> of_code;
  for (std::int64_t i = 0; i < samples; ++i) {
    if (code_at(row, i) == code) of_code.push_back(i);
  }
  const std::int64_t number = std::ssize(of_code);
  const std::uint8_t* bits = nullptr;
  if (!take(bytes, divide_up(number, 8), bits)) return too_short;
  for (std::int64_t k = 0; k < number; ++k) {
    if ((bits[k / 8] >> (k % 8) & 1) != 0) patched.push_back(of_code[k]);
  }
  return nullptr;
}

constexpr const char* bad_allele = "names an ALT allele that the site does not have";

/// Passes over the phases of heterozygous calls: a bit, then one for each; where the first is set,
/// these say which are phased, and phases of those follow.
const char* pass_phases(PgenBytes& bytes, std::int64_t samples, const std::uint8_t* row) {
  std::int64_t heterozygous = 0;
  for (std::int64_t i = 0; i < samples; ++i)
    heterozygous += code_at(row, i) == genotype::heterozygous;
  const std::uint8_t *first, *rest;
  const std::int64_t size = 1 + heterozygous / 8;
  if (!take(bytes, size, first)) return too_short;
  if ((first[0] & 1) == 0) return nullptr;
  std::int64_t phased = -1;
  for (std::int64_t i = 0; i < size; ++i) phased += std::popcount(first[i]);
  return take(bytes, divide_up(phased, 8), rest) ? nullptr : too_short;
}

}  // namespace

const char* decode_main(PgenForm form,
                        PgenBytes& bytes,
                        const std::uint8_t* base,
                        std::int64_t samples,
                        std::uint8_t* row,
                        std::int64_t stride) {
  const std::int64_t row_bytes = divide_up(samples, 4);
  const char* fault = nullptr;
  switch (form) {
    case PgenForm::plain:
      fault = decode_plain(bytes, samples, row);
      break;
    case PgenForm::one_bit:
      fault = decode_one_bit(bytes, samples, row);
      break;
    case PgenForm::differences:
    case PgenForm::inverted:
      std::memcpy(row, base, static_cast<std::size_t>(row_bytes));
      fault = take_differences(bytes, samples, row);
      if (form == PgenForm::inverted) {
        for (std::int64_t i = 0; i < row_bytes; ++i) row[i] = inverted_codes(row[i]);
      }
      break;
    case PgenForm::only_ref:
      std::memset(row, 0xff, static_cast<std::size_t>(row_bytes));
      break;
    case PgenForm::mostly_ref:
    case PgenForm::mostly_alt:
    case PgenForm::mostly_missing:
      fault = decode_mostly(static_cast<int>(form) & 3, bytes, samples, row);
      break;
  }
  end_row(row, samples, stride);
  return fault;
}

const char* copy_bed_row(PgenBytes bytes,
                         std::int64_t samples,
                         std::uint8_t* row,
                         std::int64_t stride) {
  const std::uint8_t* packed = nullptr;
  if (!take(bytes, divide_up(samples, 4), packed)) return too_short;
  std::memcpy(row, packed, static_cast<std::size_t>(divide_up(samples, 4)));
  end_row(row, samples, stride);
  return nullptr;
}

const char* decode_patches(PgenBytes& bytes,
                           std::int64_t alts,
                           std::int64_t samples,
                           const std::uint8_t* row,
                           PgenPatches& patches) {
  patches.clear();
  const std::uint8_t* formats = nullptr;
  if (!take(bytes, 1, formats)) return too_short;
  std::vector<std::int64_t> patched;
  const char* fault =
      take_patched(*formats & 15, genotype::heterozygous, bytes, samples, row, patched);
  if (fault != nullptr) return fault;
  const std::int64_t bits = bits_for(alts - 2);
  const std::uint8_t* values = nullptr;
  if (!take(bytes, divide_up(std::ssize(patched) * bits, 8), values)) return too_short;
  for (std::int64_t k = 0; k < std::ssize(patched); ++k) {
    const std::uint32_t allele = value_at(values, k, bits) + 2;
    if (allele > alts) return bad_allele;
    patches.push_back({patched[k], 0, allele});
  }
  fault = take_patched(*formats >> 4, genotype::homozygous_a1, bytes, samples, row, patched);
  if (fault != nullptr) return fault;
  // Of two ALT alleles a bit tells 2 2 from 1 2.
  const std::int64_t each = alts == 2 ? 1 : 2 * std::max<std::int64_t>(2, bits_for(alts - 1));
  if (!take(bytes, divide_up(std::ssize(patched) * each, 8), values)) return too_short;
  for (std::int64_t k = 0; k < std::ssize(patched); ++k) {
    std::uint32_t first = value_at(values, k, each) + 1, second = 2;
    if (alts > 2) {
      first = value_at(values, 2 * k, each / 2) + 1;
      second = value_at(values, 2 * k + 1, each / 2) + 1;
    }
    if (second > alts || first > second) return bad_allele;
    patches.push_back({patched[k], first, second});
  }
  return nullptr;
}

const char* decode_dosages(int form,
                           bool phased,
                           PgenBytes& bytes,
                           std::int64_t samples,
                           const std::uint8_t* row,
                           std::uint16_t* dosages) {
  genotype::dosages_of_calls(row, samples, dosages);
  const char* fault = phased ? pass_phases(bytes, samples, row) : nullptr;
  std::vector<std::int64_t> of;
  const std::uint8_t* bits = nullptr;
  if (fault == nullptr && form == 1) {
    fault =
        take_list<false>(bytes, samples, [&](std::int64_t sample, int) { of.push_back(sample); });
  }
  if (fault != nullptr) return fault;
  if (form == 3 && !take(bytes, divide_up(samples, 8), bits)) return too_short;
  for (std::int64_t i = 0; i < samples && form != 1; ++i) {
    if (form == 2 || (bits[i / 8] >> (i % 8) & 1) != 0) of.push_back(i);
  }
  const std::uint8_t* values = nullptr;
  if (!take(bytes, 2 * std::ssize(of), values)) return too_short;
  for (std::size_t k = 0; k < of.size(); ++k) {
    const int dosage = values[2 * k] | values[2 * k + 1] << 8;
    const bool is_none = form == 2 && dosage == genotype::missing_dosage;
    if (dosage > 2 * genotype::dosage_unit && !is_none) return "has a dosage above 2";
    if (!is_none) dosages[of[k]] = static_cast<std::uint16_t>(dosage);
  }
  return nullptr;
}

void count_allele(std::int64_t counted,
                  const PgenPatches& patches,
                  std::int64_t samples,
                  const std::uint8_t* main_row,
                  std::uint8_t* row,
                  std::int64_t stride) {
  constexpr std::array<Code, 3> by_count = {
      genotype::homozygous_a2, genotype::heterozygous, genotype::homozygous_a1};
  // Without a patch a call has REF and ALT 1 alone.
  for (std::int64_t i = 0; i < divide_up(samples, 4); ++i) {
    const int four = main_row[i];
    const int missing = four & ~(four >> 1) & 0x55;
    row[i] = counted == 1 ? main_row[i] : static_cast<std::uint8_t>(0xff ^ missing << 1);
  }
  const auto wanted = static_cast<std::uint32_t>(counted);
  for (const PgenPatch& patch : patches) {
    set_code(row, patch.sample, by_count[(patch.first == wanted) + (patch.second == wanted)]);
  }
  end_row(row, samples, stride);
}

}  // namespace yupana::io
