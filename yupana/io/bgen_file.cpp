#include "yupana/io/bgen_file.hpp"

#include <algorithm>
#include <array>

#include "yupana/core/messages.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

constexpr std::int64_t least_bgen_header = 20;
constexpr std::int64_t bgen_offset_bytes = 4;  ///< before the header: where variants begin

std::uint32_t bgen_number_at(const std::uint8_t* bytes, int size) {
  std::uint32_t value = 0;
  for (int i = size - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

/// Fields of the header's flags.
Packing bgen_packing(const InputFile& file, std::uint32_t flags) {
  const std::uint32_t layout = flags >> 2 & 15, packing = flags & 3;
  if (layout == 1) {
    throw file.fault(
        "is BGEN 1.1 (layout 1); expected layout 2: convert it with plink2 --bgen OLD "
        "ref-first --sample OLD.sample --export bgen-1.2 ref-first --out NEW");
  }
  if (layout != 2 || packing > 2) {
    throw file.fault(
        "expected layout 2 and compression 0, 1 or 2 in its header, got layout {} and "
        "compression {}; is it damaged, or made by a newer program?",
        layout,
        packing);
  }
  constexpr Packing packings[] = {Packing::none, Packing::zlib, Packing::zstd};
  return packings[packing];
}

/// The names of samples, a block between the header and the variants.
std::vector<std::string> read_sample_names(const InputFile& file,
                                           std::int64_t begin,
                                           const BgenHeader& header) {
  const auto damaged = [&](std::string_view what) {
    return file.fault("its block of sample names {}; is it damaged?", what);
  };
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(header.first - begin));
  file.read_at(begin, bytes.data(), bytes.size());
  constexpr std::size_t head = 8;
  if (bytes.size() < head) throw damaged("is cut short");
  const std::size_t size = bgen_number_at(bytes.data(), 4);
  const std::int64_t count = bgen_number_at(&bytes[4], 4);
  if (size < head || size > bytes.size()) throw damaged("has another size than the header says");
  if (count != header.samples) {
    throw file.fault("its header says {}, its block of names {}; is it damaged?",
                     counted(header.samples, "sample"),
                     count);
  }
  std::vector<std::string> names;
  std::size_t at = head;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t length = at + 2 <= size ? bgen_number_at(&bytes[at], 2) : size;
    at += 2;
    if (at + length > size) throw damaged("is cut short");
    names.emplace_back(reinterpret_cast<const char*>(bytes.data() + at), length);
    at += length;
  }
  if (at != size) throw damaged("is longer than the names");
  return names;
}

}  // namespace

BgenHeader read_bgen_header(const InputFile& file) {
  std::array<std::uint8_t, bgen_offset_bytes + least_bgen_header> head{};
  if (file.size() >= std::ssize(head)) file.read_at(0, head.data(), head.size());
  const std::string_view magic(reinterpret_cast<const char*>(&head[16]), 4);
  if (magic != "bgen" && magic != std::string_view("\0\0\0\0", 4)) {
    throw file.fault("no BGEN file: expected the bytes 'bgen' at byte 16");
  }
  if (file.size() < std::ssize(head)) {
    throw file.fault("no BGEN file: expected a header of {} bytes or more, got {} in all",
                     head.size(),
                     file.size());
  }
  const std::int64_t length = bgen_number_at(&head[4], 4);
  BgenHeader header;
  header.first = bgen_offset_bytes + bgen_number_at(head.data(), 4);
  header.variants = bgen_number_at(&head[8], 4);
  header.samples = bgen_number_at(&head[12], 4);
  if (length < least_bgen_header || bgen_offset_bytes + length > header.first ||
      header.first > file.size()) {
    throw file.fault(
        "its header takes {} bytes, variants begin at byte {}, and the file has {}: it "
        "is damaged or cut short; copy it again",
        length,
        header.first,
        file.size());
  }
  std::array<std::uint8_t, 4> flags;
  file.read_at(length, flags.data(), flags.size());
  header.packing = bgen_packing(file, bgen_number_at(flags.data(), 4));
  if (header.samples == 0) throw file.fault("holds no samples");
  const bool is_named = flags[3] >> 7 == 1;
  if (is_named) header.names = read_sample_names(file, bgen_offset_bytes + length, header);
  return header;
}

void BgenVariants::refuse(std::string_view what) const {
  throw file_.fault("variant {} (byte {}) {}", number_ + 1, start_, what);
}

/// The next bytes of the file; valid until the next call.
const std::uint8_t* BgenVariants::take(std::int64_t bytes) {
  if (bytes > file_.size() - place_) refuse("is cut short; copy the file again");
  if (place_ < begin_ || place_ + bytes > begin_ + std::ssize(piece_)) {
    constexpr std::int64_t read_ahead = 4096;
    begin_ = place_;
    piece_.resize(
        static_cast<std::size_t>(std::min(file_.size() - place_, std::max(read_ahead, bytes))));
    file_.read_at(begin_, piece_.data(), piece_.size());
  }
  const std::uint8_t* const taken = piece_.data() + (place_ - begin_);
  place_ += bytes;
  return taken;
}

std::uint32_t BgenVariants::take_number(int bytes) { return bgen_number_at(take(bytes), bytes); }

void BgenVariants::take_text(int length_bytes, std::string& text) {
  const std::uint32_t length = take_number(length_bytes);
  text.assign(reinterpret_cast<const char*>(take(length)), length);
  const bool is_text = std::none_of(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  if (!is_text) {
    refuse(fmt::format("has a name with a blank or control character, '{}'; is it damaged?",
                       printable(text)));
  }
}

const BgenVariant& BgenVariants::read(std::int64_t place, std::int64_t variant) {
  place_ = start_ = place;
  number_ = variant;
  std::string other_name;
  take_text(2, other_name);
  take_text(2, variant_.name);
  take_text(2, variant_.contig);
  if (variant_.contig.empty()) refuse("names no chromosome");
  variant_.position = take_number(4);
  const std::uint32_t alleles = take_number(2);
  if (alleles < 2) refuse(fmt::format("has {}, expected 2 or more", counted(alleles, "allele")));
  // Each takes four bytes and more, so that memory follows the file's size.
  if (4 * alleles > file_.size() - place_) refuse("is cut short; copy the file again");
  variant_.alleles.resize(alleles);
  for (std::string& allele : variant_.alleles) take_text(4, allele);
  const std::int64_t bytes = take_number(4);
  const bool has_size = packing_ != Packing::none;
  if (has_size && bytes < 4) refuse("has less data than its sizes take; is it damaged?");
  variant_.unpacked = has_size ? take_number(4) : bytes;
  variant_.bytes = has_size ? bytes - 4 : bytes;
  variant_.data = place_;
  if (variant_.end() > file_.size()) refuse("is cut short; copy the file again");
  return variant_;
}

}  // namespace yupana::io
