#include <htslib/bgzf.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/vcf_file.hpp"

namespace yupana::io {
namespace {

static_assert(std::endian::native == std::endian::little, "indexes are little-endian");

/// Of the levels above, so the number of a level's first bin.
std::int64_t first_bin(int level) { return ((std::int64_t{1} << 3 * level) - 1) / 7; }

/// Names that end with zero bytes, one after the other, until `take` returns true.
template <class Take>
void each_name(std::string_view names, const Take& take) {
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find('\0'));
    if (take(name)) return;
    names.remove_prefix(std::min(names.size(), name.size() + 1));
  }
}

void join_chunks(std::vector<FileChunk>& chunks, std::uint64_t lead) {
  for (FileChunk& chunk : chunks) chunk.begin = std::max(chunk.begin, lead);
  std::erase_if(chunks, [](const FileChunk& chunk) { return chunk.begin >= chunk.end; });
  std::ranges::sort(chunks, {}, &FileChunk::begin);
  std::size_t kept = 0;
  for (const FileChunk& chunk : chunks) {
    if (kept > 0 && chunk.begin <= chunks[kept - 1].end) {
      chunks[kept - 1].end = std::max(chunks[kept - 1].end, chunk.end);
    } else {
      chunks[kept++] = chunk;
    }
  }
  chunks.resize(kept);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 5; ++i)
    text += (i > 0 ? ", " : "") + printable(names[i]);
  return names.size() > 5 ? text + ", ..." : text;
}

}  // namespace

std::string find_index(const std::string& path, bool binary) {
  const std::string stem = std::filesystem::path(path).replace_extension().string();
  for (const char* ending : {".csi", ".tbi"}) {
    if (binary && ending == std::string_view(".tbi")) break;
    for (const std::string& name : {path, stem}) {
      struct stat about {};
      if (stat((name + ending).c_str(), &about) == 0 && S_ISREG(about.st_mode))
        return name + ending;
    }
  }
  return {};
}

VcfIndex::VcfIndex(std::string path, bool binary)
    : stream_(std::move(path)), left_(most_line_bytes(stream_.path()) / 4), buffer_(1 << 16) {
  char magic[4];
  read(magic, 4);
  is_csi_ = std::memcmp(magic, "CSI\1", 4) == 0;
  if (!is_csi_ && (binary || std::memcmp(magic, "TBI\1", 4) != 0)) throw damaged("another magic");
  std::int64_t extra = 28;
  if (is_csi_) {
    min_shift_ = number<std::int32_t>();
    depth_ = number<std::int32_t>();
    // Bins have 32-bit numbers, positions 64 bits.
    if (min_shift_ < 0 || min_shift_ > 32 || depth_ < 0 || depth_ > 10) {
      throw damaged(fmt::format("bins of 2^{} positions in {} levels", min_shift_, depth_));
    }
    extra = count("bytes of names");
  } else {
    references_ = count("contigs");
  }
  if (!binary) read_names(extra);
  for (; binary && extra > 0; --extra) number<char>();
  if (is_csi_) references_ = count("contigs");
}

Error VcfIndex::damaged(std::string_view how) const {
  return bad_file(path(),
                  "is no index of the file or damaged ({}); make it again (bcftools index -f), or "
                  "remove it to read the whole file",
                  how);
}

void VcfIndex::read(void* data, std::size_t bytes) {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    if (at_ == filled_) {
      at_ = 0;
      filled_ = static_cast<std::size_t>(stream_.read(buffer_.data(), std::ssize(buffer_)));
      left_ -= static_cast<std::int64_t>(filled_);
      if (filled_ == 0) throw damaged("cut short");
      if (left_ < 0) throw damaged("it unpacks to too many bytes");
    }
    const std::size_t step = std::min(bytes, filled_ - at_);
    std::memcpy(to, buffer_.data() + at_, step);
    to += step;
    at_ += step;
    bytes -= step;
  }
}

template <class Number>
Number VcfIndex::number() {
  Number value;
  read(&value, sizeof value);
  return value;
}

std::int64_t VcfIndex::count(const char* what) {
  const auto value = number<std::int32_t>();
  if (value < 0) throw damaged(fmt::format("{} {}", value, what));
  return value;
}

/// What tabix knows of a text file, in `extra` bytes of a CSI index.
void VcfIndex::read_names(std::int64_t extra) {
  std::int32_t form[6];  // preset, columns of contig, begin and end, '#', lines to pass over
  if (extra < 28) throw damaged("it has no names");
  read(form, sizeof form);
  constexpr int vcf = 2, any = 0;
  if ((form[0] != vcf && form[0] != any) || form[1] != 1 || form[2] != 2) {
    throw damaged("it is of another kind of file than VCF");
  }
  std::int64_t bytes = count("bytes of names");
  if (is_csi_ && bytes != extra - 28) throw damaged("its names have another length");
  while (bytes > 0) {
    const std::int64_t step = std::min<std::int64_t>(bytes, 1 << 16);
    const std::size_t before = names_.size();
    names_.resize(before + static_cast<std::size_t>(step));
    read(names_.data() + before, static_cast<std::size_t>(step));
    bytes -= step;
  }
}

std::vector<std::string> VcfIndex::contigs(std::size_t most) const {
  std::vector<std::string> first;
  each_name(names_, [&](std::string_view name) {
    if (first.size() < most) first.emplace_back(name);
    return first.size() == most;
  });
  return first;
}

std::string VcfIndex::find(const genotype::Region& region,
                           std::int64_t autosomes,
                           std::int64_t& number) const {
  std::string found;
  for (const bool exact : {true, false}) {
    number = -1;
    bool is_found = false;
    each_name(names_, [&](std::string_view name) {
      ++number;
      is_found = exact ? name == region.contig : region.is_on(name, autosomes);
      if (is_found) found = name;
      return is_found;
    });
    if (is_found) return found;
  }
  number = -1;
  return {};
}

/// A bin and its chunks; those that the query needs are kept, where there is one.
void VcfIndex::read_bin(Query* query) {
  const std::int64_t bin = number<std::uint32_t>();
  const std::uint64_t lead = is_csi_ ? number<std::uint64_t>() : 0;
  int level = 0;
  while (level < depth_ && bin >= first_bin(level + 1)) ++level;
  // A number past the last bin counts records.
  const bool is_bin = query != nullptr && bin < first_bin(depth_ + 1);
  const int shift = min_shift_ + 3 * (depth_ - level);
  const std::int64_t begin = is_bin ? (bin - first_bin(level)) << shift : 0;
  const std::int64_t end = begin + (std::int64_t{1} << shift);
  if (is_bin && begin <= query->first) query->lead = std::max(query->lead, lead);
  const bool overlaps = is_bin && begin < query->last && end > query->first;
  for (std::int64_t left = count("chunks"); left > 0; --left) {
    FileChunk chunk;
    chunk.begin = number<std::uint64_t>();
    chunk.end = number<std::uint64_t>();
    if (overlaps) query->found.push_back(chunk);
  }
}

/// A tabix index's offsets of the first record that reaches into each window of 2^14 positions.
void VcfIndex::read_windows(Query* query) {
  const std::int64_t windows = count("windows");
  for (std::int64_t i = 0; i < windows; ++i) {
    const auto lead = number<std::uint64_t>();
    const bool precedes = query != nullptr && i << min_shift_ <= query->first;
    if (precedes) query->lead = std::max(query->lead, lead);
  }
}

std::vector<FileChunk> VcfIndex::chunks(std::int64_t contig, const genotype::Region& region) {
  Query query{region.first - 1, region.last};
  for (std::int64_t i = 0; i < references_; ++i) {
    Query* const of_contig = i == contig ? &query : nullptr;
    for (std::int64_t bins = count("bins"); bins > 0; --bins) read_bin(of_contig);
    if (!is_csi_) read_windows(of_contig);
  }
  join_chunks(query.found, query.lead);
  return std::move(query.found);
}

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
                   joined(names));
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
