#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <utility>

#include "yupana/core/array.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/io/genotype_sources.hpp"
#include "yupana/io/input_file.hpp"

namespace yupana::io {
namespace {

constexpr std::int64_t header_bytes = 3;
constexpr std::int64_t piece_bytes = std::int64_t{1} << 20;

class BedSource : public ListedSource {
 public:
  BedSource(const BedFiles& files, const SiteRules& rules)
      : ListedSource(rules, files.bim), file_(files.bed) {
    check_header();
    people_ = read_fam(files.fam);
    people_.families = people_.individuals = {};
    sites_ = read_bim(files.bim, rules);
    row_bytes_ = divide_up(sample_count(), 4);
    check_size(files);
    piece_ = Array<std::uint8_t>(std::max(piece_bytes, row_bytes_));
    rewind();
  }

  bool read(genotype::SiteBlock& block) override {
    clear(block);
    while (wants_row(block)) {
      const std::int64_t first = cursor_->row().variant;
      const std::int64_t count = std::min({block.capacity - block.sites,
                                           cursor_->left_in_stretch(),
                                           std::max<std::int64_t>(piece_bytes / row_bytes_, 1)});
      read_rows(first, count, block);
      for (std::int64_t k = 0; k < count; ++k, cursor_->next()) {
        if (names_) block.names.push_back(names_->at(first + k));
      }
    }
    return block.sites > 0;
  }

 private:
  void check_header() const {
    const auto found = static_cast<std::size_t>(std::min(file_.size(), header_bytes));
    std::array<std::uint8_t, header_bytes> bytes{};
    file_.read_at(0, bytes.data(), found);
    if (bytes[0] == 0x1f && bytes[1] == 0x8b) {
      throw file_.fault("is compressed; decompress it with gunzip first");
    }
    if (found < header_bytes) {
      throw file_.fault("a .bed file begins with 3 bytes, {} found; copy it again", found);
    }
    if (bytes[0] != 0x6c || bytes[1] != 0x1b || bytes[2] > 1) {
      throw file_.fault(
          "no PLINK 1 .bed file: expected bytes 6c 1b 01 at its beginning, got {:02x} "
          "{:02x} {:02x}",
          bytes[0],
          bytes[1],
          bytes[2]);
    }
    if (bytes[2] == 0) {
      throw file_.fault(
          "is sample-major (mode 00); convert it with plink1.9 --bfile OLD --make-bed "
          "--out NEW");
    }
  }

  void check_size(const BedFiles& files) const {
    const std::int64_t wanted = header_bytes + sites_.sites * row_bytes_;
    if (file_.size() == wanted) return;
    const std::int64_t data = file_.size() - header_bytes;
    std::string cause = "it is cut short or of another data set";
    if (data > 0 && data % row_bytes_ == 0) {
      cause += fmt::format("; with {} it has {}: is the .bim the right one?",
                           counted(sample_count(), "sample"),
                           counted(data / row_bytes_, "site"));
    }
    if (data > 0 && sites_.sites > 0 && data % sites_.sites == 0) {
      const std::int64_t most = 4 * (data / sites_.sites);
      cause += fmt::format("; with {} it has {} to {} samples: is the .fam the right one?",
                           counted(sites_.sites, "site"),
                           most - 3,
                           most);
    }
    throw file_.fault("expected {} bytes for {} ({}) of {} ({}), got {}: {}",
                      wanted,
                      counted(sites_.sites, "site"),
                      files.bim,
                      counted(sample_count(), "sample"),
                      files.fam,
                      file_.size(),
                      cause);
  }

  /// Appends `count` rows of the file, at most a piece; pad bits become zero, whatever they were.
  void read_rows(std::int64_t first, std::int64_t count, genotype::SiteBlock& block) {
    file_.read_at(header_bytes + first * row_bytes_, piece_.data(), count * row_bytes_);
    const int last_samples = static_cast<int>(sample_count() % 4);
    const int last_mask = last_samples == 0 ? 0xff : (1 << (2 * last_samples)) - 1;
    for (std::int64_t i = 0; i < count; ++i) {
      std::uint8_t* row = block.row(block.sites + i);
      std::memcpy(row, piece_.data() + i * row_bytes_, row_bytes_);
      note_padding(row[row_bytes_ - 1] & ~last_mask);
      row[row_bytes_ - 1] &= static_cast<std::uint8_t>(last_mask);
      std::memset(row + row_bytes_, 0, block.stride - row_bytes_);
    }
    block.sites += count;
  }

  /// Bits of samples that the .fam does not name: where it lacks a line, as many bytes are a row.
  void note_padding(int bits) {
    if (bits == 0 || std::exchange(padding_noted_, true)) return;
    sites_.account.notes.push_back(
        fmt::format("{}: has calls, or rubbish, of more than the {} of its .fam; are lines of it "
                    "missing? They would give samples the calls of others",
                    file_.path(),
                    counted(sample_count(), "sample")));
  }

  InputFile file_;
  bool padding_noted_ = false;
  std::int64_t row_bytes_;
  Array<std::uint8_t> piece_;
};

std::string or_compressed(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  return !fs::exists(path, none) && fs::exists(path + ".gz", none) ? path + ".gz" : path;
}

}  // namespace

BedFiles bed_files(const std::string& path, bool whole) {
  std::error_code none;
  const bool named = path.ends_with(".bed") || path.ends_with(".BED");
  const std::string prefix = named ? path.substr(0, path.size() - 4) : path;
  return {named || (whole && std::filesystem::exists(path, none)) ? path : prefix + ".bed",
          or_compressed(prefix + ".bim"),
          or_compressed(prefix + ".fam")};
}

std::unique_ptr<genotype::Source> open_bed(const BedFiles& files, const SiteRules& rules) {
  return std::make_unique<BedSource>(files, rules);
}

}  // namespace yupana::io
