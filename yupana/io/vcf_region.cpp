// The records of a region: VcfFile's way by an index.

#include <htslib/bgzf.h>

#include <algorithm>
#include <cstring>

#include "yupana/core/messages.hpp"
#include "yupana/io/number_field.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/text_stream.hpp"
#include "yupana/io/vcf_file.hpp"

namespace yupana::io {
namespace {

std::string first_five(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 5; ++i)
    text += (i > 0 ? ", " : "") + printable(names[i]);
  return names.size() > 5 ? text + ", ..." : text;
}

}  // namespace

/// The records that may be in the region, by the index; nothing where its contig has none.
void VcfFile::load_index() {
  const std::string path = file_->format.compression == bgzf ? find_index(path_, binary_) : "";
  std::optional<VcfIndex> index;
  if (!path.empty()) index.emplace(path, binary_);
  const char* named_by = "header";
  std::vector<std::string> names = binary_ ? binary_names().contigs : header_.contigs;
  const auto is_region = [&](const std::string& name) { return region_->is_on(name, autosomes_); };
  auto found = std::ranges::find(names, region_->contig);
  if (found == names.end()) found = std::ranges::find_if(names, is_region);
  region_declared_ = found != names.end();
  if (region_declared_) contig_ = *found;
  number_ = region_declared_ ? found - names.begin() : -1;
  if (index && !binary_) {
    // The index knows contigs that no ##contig line declares, and numbers of its own.
    const std::string listed = index->find(*region_, autosomes_, number_);
    if (number_ >= 0) contig_ = listed;
    region_declared_ = region_declared_ || number_ >= 0;
    if (names.empty()) {
      names = index->contigs(6);
      named_by = "index";
    }
  }
  if (!names.empty() && !region_declared_) {
    throw bad_file(path_,
                   "{}: no contig '{}'; the {} names {}",
                   region_->option,
                   region_->contig,
                   named_by,
                   first_five(names));
  }
  if (index) {
    chunks_ = index->chunks(number_, *region_);
    return;
  }
  if (path_ == "-") return;  // which has none, and is read whole anyway
  notes_.push_back(fmt::format(
      "{}: no index (.tbi or .csi), so {} reads the whole file; 'bcftools index' makes one for "
      "bgzipped files",
      path_,
      region_->option));
}

Error VcfFile::old_index() const {
  return bad_file(path_, "cannot be read by region: damaged, or an old index");
}

bool VcfFile::read_record(std::string& record) {
  for (; next_chunk_ < chunks_->size(); ++next_chunk_, in_chunk_ = false) {
    const FileChunk& chunk = (*chunks_)[next_chunk_];
    BGZF* const file = file_->fp.bgzf;
    const auto begin = static_cast<std::int64_t>(chunk.begin);
    // htslib never releases a file in which it was to go to an offset below zero.
    if (!in_chunk_ && (begin < 0 || bgzf_seek(file, begin, SEEK_SET) != 0)) throw old_index();
    while (static_cast<std::uint64_t>(bgzf_tell(file)) < chunk.end) {
      record.clear();
      binary_ ? read_binary_record(record) : read_line(record);
      if (record == "\n" || record == "\r\n") continue;
      const auto position = position_of(record);
      if (!position && !in_chunk_) throw old_index();
      in_chunk_ = true;
      if (!position || *position > region_->last) break;
      if (*position >= region_->first) return true;
    }
  }
  return false;
}

/// The position of a record on the region's contig; one in the region where it is no number, for
/// the reader to refuse.
std::optional<std::int64_t> VcfFile::position_of(std::string_view record) const {
  if (binary_) {
    if (load32(record.data() + 8) != static_cast<std::uint32_t>(number_)) return {};
    return std::int64_t{static_cast<std::int32_t>(load32(record.data() + 12))} + 1;
  }
  const std::size_t tab = record.find('\t');
  if (tab == record.npos || record.substr(0, tab) != contig_) return {};
  record.remove_prefix(tab + 1);
  return number_of<std::int64_t>(record.substr(0, record.find('\t'))).value_or(region_->first);
}

/// Reads so many bytes to a record's end, fewer where the file ends; returns how many.
std::int64_t VcfFile::append(std::string& record, std::int64_t bytes) {
  constexpr std::int64_t small = 64 << 20;
  const std::size_t before = record.size();
  if (std::ssize(record) > small && std::ssize(record) > most_line_bytes(path_)) {
    throw bad_file(path_, "has more than {} bytes in a record", before);
  }
  record.resize(before + static_cast<std::size_t>(bytes));
  const ssize_t got = bgzf_read(file_->fp.bgzf, record.data() + before, record.size() - before);
  if (got < 0) throw old_index();
  record.resize(before + static_cast<std::size_t>(got));
  return got;
}

/// A line with its end, which the file's last may lack.
void VcfFile::read_line(std::string& line) {
  const BGZF& file = *file_->fp.bgzf;
  if (append(line, 1) == 0) throw old_index();
  while (line.back() != '\n') {
    const char* const rest = static_cast<const char*>(file.uncompressed_block) + file.block_offset;
    const int left = file.block_length - file.block_offset;
    const void* const end = left > 0 ? std::memchr(rest, '\n', left) : nullptr;
    append(line, end == nullptr ? left : static_cast<const char*>(end) - rest + 1);
    // One more byte unpacks the next block.
    if (end == nullptr && append(line, 1) == 0) line += '\n';
  }
}

/// One BCF record as it is in the file.
void VcfFile::read_binary_record(std::string& record) {
  if (append(record, 8) < 8 || load32(record.data()) < 24) throw old_index();
  // In steps, so that a broken length costs no more memory than the file has bytes.
  std::int64_t rest = std::int64_t{load32(record.data())} + load32(record.data() + 4);
  for (std::int64_t step = 0; rest > 0; rest -= step) {
    step = std::min<std::int64_t>(rest, 1 << 20);
    if (append(record, step) < step) throw old_index();
  }
}

}  // namespace yupana::io
