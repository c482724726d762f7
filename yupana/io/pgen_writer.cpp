#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <iterator>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/io/genotype_writer.hpp"
#include "yupana/io/pgen_record.hpp"

namespace yupana::io {
namespace {

/// How many samples are of each category.
using Categories = std::array<std::int64_t, 4>;

/// Eight bytes of a row as categories: codes 3 2 0 1 become 0 1 2 3.
std::uint64_t categories_at(const std::uint8_t* row, std::int64_t word) {
  std::uint64_t codes = 0;
  std::memcpy(&codes, row + 8 * word, 8);
  codes = ~codes;
  return codes ^ (codes >> 1 & 0x5555555555555555);
}

Categories count_categories(const std::uint8_t* row, std::int64_t samples) {
  Categories counts{};
  std::int64_t low = 0, high = 0, both = 0;
  for (std::int64_t word = 0; word < divide_up(samples, 32); ++word) {
    std::uint64_t four = categories_at(row, word);
    // Codes past the last sample are zero, of category 2.
    const std::int64_t left = samples - 32 * word;
    if (left < 32) four &= (std::uint64_t{1} << (2 * left)) - 1;
    const std::uint64_t lows = four & 0x5555555555555555, highs = four >> 1 & 0x5555555555555555;
    low += std::popcount(lows);
    high += std::popcount(highs);
    both += std::popcount(lows & highs);
  }
  counts[1] = low - both;
  counts[2] = high - both;
  counts[3] = both;
  counts[0] = samples - low - high + both;
  return counts;
}

int category_at(const std::uint8_t* row, std::int64_t sample) {
  const auto four = static_cast<std::uint8_t>(~(row[sample / 4] >> (2 * (sample % 4))) & 3);
  return four ^ four >> 1;
}

void append_number(std::string& bytes, std::uint64_t value, std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
}

void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value > 127; value >>= 7) bytes += static_cast<char>((value & 127) | 128);
  bytes += static_cast<char>(value);
}

/// The list of the samples for which `is_listed`, with their categories, as decode_main reads it.
template <class IsListed>
void append_list(std::string& bytes,
                 const std::uint8_t* row,
                 std::int64_t samples,
                 std::int64_t length,
                 const IsListed& is_listed) {
  append_varint(bytes, static_cast<std::uint64_t>(length));
  if (length == 0) return;
  std::string firsts, sizes, categories(static_cast<std::size_t>(divide_up(length, 4)), '\0');
  std::string steps;
  std::size_t begin = 0;
  std::int64_t k = 0, last = 0;
  for (std::int64_t i = 0; i < samples; ++i) {
    const int category = category_at(row, i);
    if (!is_listed(category)) continue;
    categories[k / 4] = static_cast<char>(categories[k / 4] | category << (2 * (k % 4)));
    if (k % pgen_list_group == 0) {
      append_number(firsts, static_cast<std::uint64_t>(i), pgen_sample_bytes(samples));
      if (k > 0) sizes += static_cast<char>(steps.size() - begin - (pgen_list_group - 1));
      begin = steps.size();
    } else {
      append_varint(steps, static_cast<std::uint64_t>(i - last));
    }
    last = i;
    ++k;
  }
  bytes += firsts + sizes + categories + steps;
}

/// A record: its form and bytes.
struct Record {
  PgenForm form = PgenForm::plain;
  std::string bytes;
};

std::string plain(const std::uint8_t* row, std::int64_t samples) {
  std::string bytes(static_cast<std::size_t>(divide_up(samples, 4)), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto four = static_cast<std::uint8_t>(~row[i]);
    bytes[i] = static_cast<char>(four ^ (four >> 1 & 0x55));
  }
  if (samples % 4 != 0) {
    bytes.back() = static_cast<char>(bytes.back() & ((1 << (2 * (samples % 4))) - 1));
  }
  return bytes;
}

/// `lower` and `higher`: the categories that have a bit each.
std::string one_bit(
    const std::uint8_t* row, std::int64_t samples, int lower, int higher, std::int64_t others) {
  std::string bytes(static_cast<std::size_t>(1 + divide_up(samples, 8)), '\0');
  bytes[0] = static_cast<char>(4 * lower + higher - lower);
  for (std::int64_t i = 0; i < samples; ++i) {
    const int bit = category_at(row, i) == higher ? 1 << (i % 8) : 0;
    bytes[1 + i / 8] = static_cast<char>(bytes[1 + i / 8] | bit);
  }
  append_list(bytes, row, samples, others, [&](int category) {
    return category != lower && category != higher;
  });
  return bytes;
}

/// The record that takes least. Readers rely on lists of at most an eighth of the samples, and of
/// less than a sixteenth beside a bit each.
Record encode(const std::uint8_t* row, std::int64_t samples) {
  const Categories counts = count_categories(row, samples);
  const std::int64_t longest = samples / 8;
  std::array<int, 4> order = {0, 1, 2, 3};
  std::ranges::stable_sort(order, std::greater{}, [&](int a) { return counts[a]; });
  Record record{PgenForm::plain, {}};
  std::size_t least = static_cast<std::size_t>(divide_up(samples, 4));
  const int most = order[0];
  const std::int64_t outside = samples - counts[most];
  // There is no form of mostly heterozygous calls.
  if (most != 1 && outside <= longest) {
    std::string bytes;
    append_list(bytes, row, samples, outside, [&](int category) { return category != most; });
    if (bytes.size() < least) {
      least = bytes.size();
      record = {static_cast<PgenForm>(4 + most), std::move(bytes)};
    }
  }
  const std::int64_t others = outside - counts[order[1]];
  if (others < longest / 2 && static_cast<std::size_t>(2 + samples / 8) < least) {
    std::string bytes =
        one_bit(row, samples, std::min(most, order[1]), std::max(most, order[1]), others);
    if (bytes.size() < least) record = {PgenForm::one_bit, std::move(bytes)};
  }
  if (record.form == PgenForm::plain) record.bytes = plain(row, samples);
  return record;
}

/// What the header says of the records: 12 bytes, where the records of each block of 2^16 begin,
/// and for each block the types of two records a byte and the lengths.
class Header {
 public:
  Header(std::int64_t samples, std::int64_t sites)
      : samples_(samples), sites_(sites), blocks_(divide_up(sites, pgen_block_variants)) {
    while (divide_up(samples, 4) >> (8 * length_bytes_) != 0) ++length_bytes_;
    end_ = header_bytes + 8 * blocks_ + sites * length_bytes_;
    for (std::int64_t block = 0; block < blocks_; ++block) end_ += divide_up(in_block(block), 2);
  }

  /// Where the records begin.
  std::int64_t end() const { return end_; }
  bool is_full() const { return std::ssize(lengths_) == sites_; }
  void add(const Record& record) {
    types_.push_back(static_cast<std::uint8_t>(record.form));
    lengths_.push_back(static_cast<std::uint32_t>(record.bytes.size()));
  }
  std::string bytes() const {
    std::string text("\x6c\x1b\x10");
    append_number(text, static_cast<std::uint64_t>(sites_), 4);
    append_number(text, static_cast<std::uint64_t>(samples_), 4);
    constexpr int known_references = 1 << 6;
    text += static_cast<char>((length_bytes_ - 1) | known_references);
    std::string body;
    auto offset = static_cast<std::uint64_t>(end_);
    for (std::int64_t block = 0; block < blocks_; ++block) {
      append_number(text, offset, 8);
      const std::int64_t first = block * pgen_block_variants, count = in_block(block);
      for (std::int64_t i = first; i < first + count; i += 2) {
        body += static_cast<char>(types_[i] | (i + 1 < sites_ ? types_[i + 1] << 4 : 0));
      }
      for (std::int64_t i = first; i < first + count; ++i) {
        append_number(body, lengths_[i], length_bytes_);
        offset += lengths_[i];
      }
    }
    return text + body;
  }

 private:
  static constexpr std::int64_t header_bytes = 12;
  std::int64_t in_block(std::int64_t block) const {
    return std::min(pgen_block_variants, sites_ - block * pgen_block_variants);
  }

  std::int64_t samples_;
  std::int64_t sites_;
  std::int64_t blocks_;
  std::int64_t length_bytes_ = 1;
  std::int64_t end_ = 0;
  std::vector<std::uint8_t> types_;
  std::vector<std::uint32_t> lengths_;
};

}  // namespace

void write_pgen(Context& context,
                genotype::Source& source,
                const std::string& prefix,
                const SampleTable& table,
                OutputFiles& outputs) {
  check_table(source, table, "write_pgen");
  const std::int64_t samples = std::ssize(source.samples());
  AtomicFile& pgen = outputs.add(prefix + ".pgen");
  AtomicFile& pvar = outputs.add(prefix + ".pvar");
  outputs.add(prefix + ".psam").write(psam_text(table));
  pvar.write("#CHROM\tPOS\tID\tREF\tALT\n");
  Header header(samples, source.sites());
  std::int64_t offset = header.end();
  for_each_block(context, source, "write .pgen", [&](const genotype::SiteBlock& block) {
    std::vector<Record> records(static_cast<std::size_t>(block.sites));
    context.parallel_for(
        block.sites, 16, [&](std::int64_t i) { records[i] = encode(block.row(i), samples); });
    std::string bytes;
    std::string lines;
    for (std::int64_t i = 0; i < block.sites; ++i) {
      header.add(records[i]);
      bytes += records[i].bytes;
      const genotype::SiteName& name = block.names[i];
      check_plink_site(name, pvar.path());
      append_formatted(lines,
                       "{}\t{}\t{}\t{}\t{}\n",
                       name.chromosome,
                       name.position,
                       name.name,
                       written_allele(name.a2),
                       written_allele(name.a1));
    }
    pgen.write_at(offset, bytes.data(), bytes.size());
    offset += std::ssize(bytes);
    pvar.write(lines.data(), lines.size());
  });
  if (!header.is_full()) {
    throw usage_error("write_pgen: expected the {} sites that the source announces, got others",
                      source.sites());
  }
  const std::string head = header.bytes();
  pgen.write_at(0, head.data(), head.size());
}

}  // namespace yupana::io
