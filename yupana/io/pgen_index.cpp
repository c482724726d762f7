#include <algorithm>
#include <array>
#include <string_view>

#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/io/pgen_record.hpp"

namespace yupana::io {
namespace {

constexpr std::int64_t mode_bytes = 3;  ///< signature and storage mode
constexpr std::int64_t header_bytes = 12;
constexpr int to_index_mode = 0x10;  ///< from the mode of a .pgen with one apart to its index's

/// A little-endian number of 1 to 8 bytes.
std::uint64_t number_at(const std::uint8_t* bytes, std::int64_t size) {
  std::uint64_t value = 0;
  for (std::int64_t i = size - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

Error cut_short(const InputFile& file, std::int64_t wanted) {
  return file.fault("its header takes {} bytes, the file has {}: it is cut short; copy it again",
                    wanted,
                    file.size());
}

/// The storage mode; bad_input where the file is something else.
int mode_of(const InputFile& file) {
  const std::string head = head_of(file, 4);
  if (head.starts_with("\x28\xb5\x2f\xfd") || head.starts_with("\x1f\x8b")) {
    throw file.fault("is compressed; decompress it with zstd -d or gunzip first");
  }
  if (head.size() < mode_bytes || !head.starts_with("\x6c\x1b")) {
    throw file.fault(
        "no .pgen file: expected bytes 6c 1b and a storage mode at its beginning; is it "
        "another kind of file, or cut short?");
  }
  return static_cast<std::uint8_t>(head[2]);
}

}  // namespace

PgenIndex::PgenIndex(const InputFile& file,
                     std::int64_t samples,
                     const std::string& psam,
                     std::int64_t variants,
                     const std::string& pvar)
    : file_(file), samples_(samples), variants_(variants) {
  read_mode();
  if (!is_bed()) read_sizes(psam, pvar);
  if (is_fixed()) {
    lay_out_fixed();
  } else {
    lay_out_variable();
  }
}

void PgenIndex::read_mode() {
  mode_ = mode_of(file_);
  const auto refuse = [&](std::string_view what) {
    throw file_.fault("storage mode {:02x}: {}", mode_, what);
  };
  switch (mode_) {
    case 0x00:
      refuse("it is a sample-major .bed; convert it with plink2 --bfile OLD --make-pgen --out NEW");
      break;
    case 0x30:
    case 0x31:
      refuse("it is the index (.pgi) of a .pgen; give the .pgen itself");
      break;
    case 0x20:
    case 0x21: {
      separate_ = std::make_unique<InputFile>(file_.path() + ".pgi");
      const int mode = mode_of(*separate_);
      if (mode == mode_ + to_index_mode) break;
      throw bad_file(
          separate_->path(),
          "expected an index of storage mode {:02x} for {}, got {:02x}; is it of another .pgen?",
          mode_ + to_index_mode,
          file_.path(),
          mode);
    }
    case 0x01:
    case 0x02:
    case 0x03:
    case 0x04:
    case 0x10:
    case 0x11:
      break;
    default:
      refuse(
          "expected 01 to 04, 10, 11, 20 or 21; is the file damaged, or made by a newer program?");
  }
}

void PgenIndex::check_size(const std::string& about,
                           std::int64_t got,
                           std::int64_t wanted,
                           const std::string& companion) const {
  if (got == wanted) return;
  throw bad_file(index().path(),
                 "has {}, {} has {}; is it of another data set?",
                 counted(got, about),
                 companion,
                 wanted);
}

void PgenIndex::read_sizes(const std::string& psam, const std::string& pvar) {
  if (index().size() < header_bytes) throw cut_short(index(), header_bytes);
  std::array<std::uint8_t, header_bytes> bytes;
  index().read_at(0, bytes.data(), bytes.size());
  check_size("sample", static_cast<std::int64_t>(number_at(&bytes[7], 4)), samples_, psam);
  check_size("variant", static_cast<std::int64_t>(number_at(&bytes[3], 4)), variants_, pvar);
  control_ = bytes[11];
  const int layout = control_ & 15;
  if (layout < (is_fixed() ? 1 : 8)) return;
  throw bad_file(index().path(),
                 "expected a header of layout 0 to {}, got {}; is the file damaged, or made by a "
                 "newer program?",
                 is_fixed() ? 0 : 7,
                 layout);
}

void PgenIndex::lay_out_fixed() {
  const std::int64_t calls = divide_up(samples_, 4);
  const bool has_flags = control_ >> 6 == 3;
  first_.offset = is_bed() ? mode_bytes : header_bytes + (has_flags ? divide_up(variants_, 8) : 0);
  // Dosages take two bytes a sample, phased ones as many again.
  first_.bytes = calls + (mode_ == 0x03 ? 2 : mode_ == 0x04 ? 4 : 0) * samples_;
  first_.type = mode_ == 0x03 ? 0x40 : mode_ == 0x04 ? 0xc0 : 0;
  const std::int64_t wanted = first_.offset + variants_ * first_.bytes;
  if (file_.size() == wanted) return;
  throw file_.fault(
      "expected {} bytes for {} of {}, got {}: it is cut short or of another data set",
      wanted,
      counted(variants_, "variant"),
      counted(samples_, "sample"),
      file_.size());
}

/// Bytes of the header for a block of so many variants: types, lengths, allele counts, and whether
/// REF is provisional.
std::int64_t PgenIndex::block_bytes(std::int64_t variants) const {
  const std::int64_t type_bits = (control_ & 4) != 0 ? 8 : 4;
  const std::int64_t length_bytes = (control_ & 3) + 1;
  const std::int64_t allele_bytes = control_ >> 4 & 3;
  const std::int64_t flag_bits = control_ >> 6 == 3 ? 1 : 0;
  return divide_up(variants * type_bits, 8) + variants * (length_bytes + allele_bytes) +
         divide_up(variants * flag_bits, 8);
}

void PgenIndex::lay_out_variable() {
  const std::int64_t count = divide_up(variants_, pgen_block_variants);
  body_ = header_bytes + 8 * count;
  std::int64_t end = body_;
  if (count > 0) {
    end += (count - 1) * block_bytes(pgen_block_variants) +
           block_bytes(variants_ - (count - 1) * pgen_block_variants);
  }
  if (end > index().size()) throw cut_short(index(), end);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(8 * count));
  index().read_at(header_bytes, bytes.data(), bytes.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t offset = number_at(bytes.data() + 8 * i, 8);
    blocks_.push_back(static_cast<std::int64_t>(std::min<std::uint64_t>(offset, INT64_MAX)));
  }
  check_offsets(separate_ ? mode_bytes : end);
  if (count > 0) load(count - 1);  // a file that is cut short is refused at once
}

void PgenIndex::check_offsets(std::int64_t header_end) const {
  std::int64_t least = header_end;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i] < least || blocks_[i] > file_.size()) {
      throw bad_file(index().path(),
                     "the records of variant {} and after begin at byte {}, expected {} to {}: it "
                     "is damaged or cut short; copy it again",
                     static_cast<std::int64_t>(i) * pgen_block_variants + 1,
                     blocks_[i],
                     least,
                     file_.size());
    }
    least = blocks_[i];
  }
}

void PgenIndex::take_types(const std::uint8_t* bytes, std::int64_t variants) {
  types_.resize(static_cast<std::size_t>(variants));
  bases_.resize(types_.size());
  std::int32_t base = -1;
  for (std::int64_t i = 0; i < variants; ++i) {
    types_[i] = (control_ & 4) != 0 ? bytes[i] : bytes[i / 2] >> (4 * (i % 2)) & 15;
    if ((types_[i] & 6) != 2) base = static_cast<std::int32_t>(i);
    bases_[i] = base;
  }
}

void PgenIndex::take_lengths(const std::uint8_t* bytes, std::int64_t variants, std::int64_t block) {
  const std::int64_t length_bytes = (control_ & 3) + 1;
  offsets_.resize(static_cast<std::size_t>(variants) + 1);
  offsets_[0] = blocks_[block];
  for (std::int64_t i = 0; i < variants; ++i) {
    offsets_[i + 1] =
        offsets_[i] + static_cast<std::int64_t>(number_at(bytes + i * length_bytes, length_bytes));
  }
  const bool is_last = block + 1 == std::ssize(blocks_);
  const std::int64_t most = is_last ? file_.size() : blocks_[block + 1];
  if (offsets_.back() <= most) return;
  throw file_.fault(
      "the records up to variant {} take the bytes to {}, {}: it is damaged or cut "
      "short; copy it again",
      block * pgen_block_variants + variants,
      offsets_.back(),
      is_last ? fmt::format("the file has {}", most)
              : fmt::format("the next ones begin at {}", most));
}

void PgenIndex::load(std::int64_t block) {
  const std::int64_t variants =
      std::min(pgen_block_variants, variants_ - block * pgen_block_variants);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(block_bytes(variants)));
  index().read_at(body_ + block * block_bytes(pgen_block_variants), bytes.data(), bytes.size());
  take_types(bytes.data(), variants);
  take_lengths(
      bytes.data() + divide_up(variants * ((control_ & 4) != 0 ? 8 : 4), 8), variants, block);
  if (bases_[0] < 0) {
    throw bad_file(index().path(),
                   "variant {} is stored as differences from one before it, which the first of {} "
                   "may not; the file is damaged",
                   block * pgen_block_variants + 1,
                   pgen_block_variants);
  }
  loaded_ = block;
}

PgenRecord PgenIndex::record(std::int64_t variant) {
  if (is_fixed()) return {first_.offset + variant * first_.bytes, first_.bytes, first_.type};
  const std::int64_t block = variant / pgen_block_variants;
  if (block != loaded_) load(block);
  const std::int64_t i = variant % pgen_block_variants;
  return {offsets_[i], offsets_[i + 1] - offsets_[i], types_[i]};
}

std::int64_t PgenIndex::base_of(std::int64_t variant) {
  const std::int64_t block = variant / pgen_block_variants;
  if (block != loaded_) load(block);
  return block * pgen_block_variants + bases_[variant % pgen_block_variants];
}

}  // namespace yupana::io
