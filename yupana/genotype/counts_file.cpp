// A checkpoint file, version 1. Numbers are little endian, of 64 bits but for the words of
// triangles, which have 32.
//   "YUPCNTS1"
//   bytes of the run's description, samples, sites, first row, row after the last, parts present
//   the run's description, padded with zeros to a multiple of 8 bytes
//   checksum of all above
//   the parts present: per triangle ibs1, ibs0, shared, hethet, het its low words, then its high
//   words;
//     called, heterozygous, homozygous
//   checksum of the parts
#include "yupana/genotype/counts_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/genotype/checksum.hpp"

namespace yupana::genotype {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "YUPCNTS";
constexpr char version = '1';
constexpr std::int64_t piece_bytes = std::int64_t{4} << 20;
constexpr std::string_view begin_anew =
    "choose another --checkpoint folder, or delete the file to begin anew";

/// Eight words after the magic.
struct Header {
  std::uint64_t run_bytes = 0;
  std::int64_t samples = 0;
  std::int64_t sites = 0;
  std::int64_t first_row = 0;
  std::int64_t last_row = 0;
  std::uint64_t parts = 0;  ///< bit p: part p of parts_of() is present
};
static_assert(sizeof(Header) == 48);
constexpr std::int64_t before_run = 8 + sizeof(Header);

std::int64_t padded(std::int64_t bytes) { return round_up(bytes, 8); }

/// A stretch of memory that is a stretch of the file.
struct Part {
  char* data = nullptr;  ///< null where absent
  std::int64_t bytes = 0;
};

constexpr std::size_t triangle_parts = 10;  // low and high words of five triangles
constexpr std::size_t part_count = triangle_parts + 3;

std::array<CountTriangle*, 5> triangles_of(PairCounts& counts) {
  return {&counts.ibs1, &counts.ibs0, &counts.shared, &counts.hethet, &counts.het};
}

/// The parts of counts in the order of the file.
std::array<Part, part_count> parts_of(PairCounts& counts) {
  std::array<Part, part_count> parts;
  std::size_t p = 0;
  for (CountTriangle* triangle : triangles_of(counts)) {
    const auto bytes = static_cast<std::int64_t>(triangle->low_words().bytes());
    parts[p++] = {reinterpret_cast<char*>(triangle->empty() ? nullptr : triangle->low()), bytes};
    parts[p++] = {reinterpret_cast<char*>(triangle->high()), bytes};
  }
  for (std::vector<std::uint64_t>* sums :
       {&counts.called, &counts.heterozygous, &counts.homozygous}) {
    parts[p++] = {reinterpret_cast<char*>(sums->empty() ? nullptr : sums->data()),
                  static_cast<std::int64_t>(sums->size() * sizeof(std::uint64_t))};
  }
  return parts;
}

/// Calls transfer(offset in the file, data, bytes) for pieces of all parts, in parallel, and
/// returns the checksum of the parts: of the checksums of the pieces, in order.
template <class Transfer>
std::uint64_t transfer_parts(Context& context,
                             const std::array<Part, part_count>& parts,
                             std::int64_t offset,
                             const Transfer& transfer) {
  struct Piece {
    std::int64_t offset;
    Part part;
  };
  std::vector<Piece> pieces;
  for (const Part& part : parts) {
    if (part.data == nullptr) continue;
    for (std::int64_t done = 0; done < part.bytes; done += piece_bytes) {
      const std::int64_t bytes = std::min(piece_bytes, part.bytes - done);
      pieces.push_back({offset + done, {part.data + done, bytes}});
    }
    offset += part.bytes;
  }
  std::vector<std::uint64_t> sums(pieces.size());
  context.parallel_for(std::ssize(pieces), 1, [&](std::int64_t p) {
    context.check_cancelled();
    const auto& [at, part] = pieces[static_cast<std::size_t>(p)];
    const auto bytes = static_cast<std::size_t>(part.bytes);
    transfer(at, part.data, bytes);
    sums[static_cast<std::size_t>(p)] = checksum(part.data, bytes);
  });
  return checksum(sums.data(), sums.size() * sizeof(std::uint64_t));
}

std::int64_t parts_bytes(const std::array<Part, part_count>& parts) {
  std::int64_t bytes = 0;
  for (const Part& part : parts) bytes += part.data == nullptr ? 0 : part.bytes;
  return bytes;
}

/// Magic, header and description, padded.
std::string head_of(const PairCounts& counts,
                    const std::array<Part, part_count>& parts,
                    const std::string& run) {
  Header header{run.size(), counts.samples, counts.sites, counts.rows.begin, counts.rows.end, 0};
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].data != nullptr) header.parts |= std::uint64_t{1} << p;
  }
  std::string head(magic);
  head += version;
  head.append(reinterpret_cast<const char*>(&header), sizeof(header));
  head += run;
  head.resize(static_cast<std::size_t>(padded(static_cast<std::int64_t>(head.size()))), '\0');
  return head;
}

void sync(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC);
  const bool done = file >= 0 && fsync(file) == 0;
  const int fault = errno;
  if (file >= 0) ::close(file);
  // Some file systems and devices know no fsync; they have no later moment to wait for either.
  if (done || fault == EINVAL || fault == EROFS) return;
  const bool full = fault == ENOSPC || fault == EDQUOT;
  throw Error(full ? ErrorCode::out_of_resources : ErrorCode::bad_input,
              fmt::format("{}: cannot be put on the disk: {}", path, std::strerror(fault)));
}

class SavedFile {
 public:
  explicit SavedFile(const std::string& path) : path_(path) {
    file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    missing_ = file_ < 0 && errno == ENOENT;
    if (file_ < 0 && !missing_) throw bad_file(path, "cannot be opened: {}", std::strerror(errno));
    struct stat about {};
    if (file_ >= 0 && fstat(file_, &about) == 0) size_ = about.st_size;
  }
  ~SavedFile() {
    if (file_ >= 0) ::close(file_);
  }
  SavedFile(const SavedFile&) = delete;
  SavedFile& operator=(const SavedFile&) = delete;

  bool missing() const { return missing_; }
  std::int64_t size() const { return size_; }
  Error damaged(std::string_view how) const {
    return bad_file(path_, "damaged checkpoint ({}); {}", how, begin_anew);
  }
  Error refused(std::string_view why) const { return bad_file(path_, "{}; {}", why, begin_anew); }
  void read_at(std::int64_t offset, void* data, std::size_t bytes) const {
    const auto some = [&](std::int64_t at, std::size_t left) {
      return pread(file_, static_cast<char*>(data) + at, left, offset + at);
    };
    if (in_pieces(bytes, some) < bytes)
      throw damaged(errno != 0 ? std::strerror(errno) : "cut short");
  }

 private:
  const std::string& path_;
  int file_ = -1;
  bool missing_ = false;
  std::int64_t size_ = 0;
};

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string shortened(std::string_view line) {
  constexpr std::size_t most = 80;
  if (line.empty()) return "(nothing)";
  return line.size() <= most ? std::string(line) : std::string(line.substr(0, most)) + "...";
}

void check_run(const SavedFile& file, std::string_view saved, std::string_view expected) {
  if (saved == expected) return;
  std::string_view theirs;
  std::string_view ours;
  while (theirs == ours && !(saved.empty() && expected.empty())) {
    theirs = take_line(saved);
    ours = take_line(expected);
  }
  throw file.refused(fmt::format("checkpoint of another run: it has '{}' where this run has '{}'",
                                 shortened(theirs),
                                 shortened(ours)));
}

/// Magic, header and description, checked; `end` becomes the byte after them and their checksum.
Header read_head(const SavedFile& file, const std::string& run, std::int64_t& end) {
  std::string head(static_cast<std::size_t>(before_run), '\0');
  file.read_at(0, head.data(), std::min(head.size(), static_cast<std::size_t>(file.size())));
  if (std::string_view(head).substr(0, magic.size()) != magic) {
    throw file.refused("not a checkpoint of pair counts");
  }
  if (head[magic.size()] != version) throw file.refused("checkpoint of another version of yupana");
  Header header;
  std::memcpy(&header, head.data() + 8, sizeof(header));
  if (file.size() < before_run || header.run_bytes > static_cast<std::uint64_t>(file.size())) {
    throw file.damaged("cut short");
  }
  end = padded(before_run + static_cast<std::int64_t>(header.run_bytes));
  if (end + 8 > file.size()) throw file.damaged("cut short");
  head.resize(static_cast<std::size_t>(end));
  file.read_at(0, head.data(), head.size());
  std::uint64_t sum = 0;
  file.read_at(end, &sum, sizeof(sum));
  if (sum != checksum(head.data(), head.size())) throw file.damaged("checksum of its header");
  check_run(file, std::string_view(head).substr(before_run, header.run_bytes), run);
  end += 8;
  return header;
}

/// Counts with the memory that the header requires, of which the file has been found to hold as
/// much: no header makes a short file allocate more than its size.
PairCounts allocated(const SavedFile& file, const Header& header, std::int64_t room) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const bool rows_fit = header.first_row >= 0 && header.first_row <= header.last_row &&
                        header.last_row <= header.samples && header.samples <= most;
  const bool parts_fit = header.parts < std::uint64_t{1} << part_count;
  if (!rows_fit || !parts_fit || header.sites < 0) throw file.damaged("impossible header");
  const Range rows{header.first_row, header.last_row};
  const std::int64_t cells = triangle_cells(rows.end) - triangle_cells(rows.begin);
  const auto present = [&](std::size_t p) { return (header.parts >> p & 1) != 0; };
  const auto sum_bytes = [&](bool is_triangle) {
    return is_triangle ? 4 * cells : 8 * header.samples;
  };
  std::int64_t expected = 0;
  for (std::size_t p = 0; p < part_count && expected <= room; ++p) {
    if (present(p)) expected += sum_bytes(p < triangle_parts);
  }
  if (expected != room) throw file.damaged(expected > room ? "cut short" : "too long");

  PairCounts counts;
  counts.samples = header.samples;
  counts.sites = header.sites;
  counts.rows = rows;
  std::size_t p = 0;
  for (CountTriangle* triangle : triangles_of(counts)) {
    if (present(p)) *triangle = CountTriangle(rows);
    if (present(p + 1) && !present(p)) throw file.damaged("impossible header");
    if (present(p + 1)) triangle->widen();
    p += 2;
  }
  for (std::vector<std::uint64_t>* sums :
       {&counts.called, &counts.heterozygous, &counts.homozygous}) {
    if (present(p++)) sums->resize(static_cast<std::size_t>(header.samples));
  }
  return counts;
}

}  // namespace

void save_counts(Context& context,
                 const std::string& path,
                 const std::string& run,
                 const PairCounts& counts) {
  // parts_of hands out writable stretches because load_counts fills them; here they are only read.
  const auto parts = parts_of(const_cast<PairCounts&>(counts));
  const std::string head = head_of(counts, parts, run);
  const std::uint64_t head_sum = checksum(head.data(), head.size());
  const std::int64_t begin = static_cast<std::int64_t>(head.size()) + 8;
  AtomicFile file(path);
  const std::uint64_t sum =
      transfer_parts(context, parts, begin, [&](std::int64_t at, char* data, std::size_t bytes) {
        file.write_at(at, data, bytes);
      });
  file.write_at(0, head.data(), head.size());
  file.write_at(begin - 8, &head_sum, sizeof(head_sum));
  file.write_at(begin + parts_bytes(parts), &sum, sizeof(sum));
  file.close();
  sync(file.temporary(), O_RDONLY);
  file.commit();
  const fs::path folder = fs::path(path).parent_path();
  sync(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY);
}

std::optional<PairCounts> load_counts(Context& context,
                                      const std::string& path,
                                      const std::string& run) {
  remove_left_parts(path);
  const SavedFile file(path);
  if (file.missing()) return std::nullopt;
  std::int64_t begin = 0;
  const Header header = read_head(file, run, begin);
  if (static_cast<std::uint64_t>(file.size()) > context.memory()) {
    throw resource_error("{}: holds {} of counts and memory is limited to {}; give --memory more",
                         path,
                         needed_bytes(file.size()),
                         allowed_bytes(context.memory()));
  }
  PairCounts counts = allocated(file, header, file.size() - begin - 8);
  const auto parts = parts_of(counts);
  const std::uint64_t sum =
      transfer_parts(context, parts, begin, [&](std::int64_t at, char* data, std::size_t bytes) {
        file.read_at(at, data, bytes);
      });
  std::uint64_t saved = 0;
  file.read_at(file.size() - 8, &saved, sizeof(saved));
  if (saved != sum) throw file.damaged("checksum of its counts");
  return counts;
}

}  // namespace yupana::genotype
