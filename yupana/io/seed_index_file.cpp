// The index of a genome's words as a file, in the byte order of the machine:
//   "YUPSEED2"
//   Header
//   checksum of the above
//   the data of the index: where its words lie, in 8 bytes each
#include "yupana/io/seed_index_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/checksum.hpp"
#include "yupana/io/input_file.hpp"

namespace yupana::io {
namespace {

using genotype::checksum;

constexpr std::string_view magic = "YUPSEED2";
constexpr std::int64_t piece_bytes = std::int64_t{4} << 20;
constexpr std::int64_t word_bytes = sizeof(std::uint64_t);

/// Eight words after the magic.
struct IndexHeader {
  std::int64_t genetic_code = 0;  ///< 0: for cDNAs
  std::int64_t word_length = 0;
  std::uint64_t one_in = 0;
  std::int64_t sequences = 0, bases = 0;
  std::uint64_t genome_sum = 0;
  std::int64_t words = 0;
  std::uint64_t words_sum = 0;
};
struct IndexHead {
  std::array<char, 8> magic{};
  IndexHeader header;
  std::uint64_t sum = 0;  ///< of the above
};
static_assert(sizeof(IndexHead) == 80);
constexpr std::size_t before_sum = sizeof(IndexHead) - sizeof(std::uint64_t);

/// The checksum of `bytes` bytes in pieces: of the checksums that make(begin, size) has of each.
template <class Make>
std::uint64_t sum_of_pieces(Context& context, std::int64_t bytes, const Make& make) {
  std::vector<std::uint64_t> sums((bytes + piece_bytes - 1) / piece_bytes);
  context.parallel_for(std::ssize(sums), 1, [&](std::int64_t p) {
    context.check_cancelled();
    const std::int64_t at = p * piece_bytes;
    sums[p] = make(at, static_cast<std::size_t>(std::min(piece_bytes, bytes - at)));
  });
  return checksum(sums.data(), sums.size() * sizeof(std::uint64_t));
}

/// The checksum of letters in upper case, and of where sequences end.
std::uint64_t genome_sum(Context& context, std::span<const std::string_view> sequences) {
  std::vector<std::uint64_t> sums;
  for (const std::string_view letters : sequences) {
    sums.push_back(letters.size());
    sums.push_back(sum_of_pieces(context, std::ssize(letters), [&](auto begin, std::size_t size) {
      std::string upper(letters.substr(begin, size));
      for (char& letter : upper) letter = static_cast<char>(letter & ~('a' ^ 'A'));
      return checksum(upper.data(), size);
    }));
  }
  return checksum(sums.data(), sums.size() * sizeof(std::uint64_t));
}

/// What the header of an index says, but for its words.
IndexHeader header_of(const splice::SeedIndex& index, std::span<const std::string_view> sequences) {
  return {index.genetic_code(),
          index.word_length(),
          index.one_in(),
          std::ssize(sequences),
          index.bases_indexed(),
          0,
          0,
          0};
}

std::string kind_of(std::int64_t genetic_code) {
  return genetic_code == 0 ? "an index for cDNAs"
                           : fmt::format("an index for proteins of genetic code {}", genetic_code);
}

/// A file in memory, for reading. Of a file that another program cuts meanwhile the system cannot
/// give the rest: it sends SIGBUS, which ends the process with one line and exit status 3.
class MappedFile {
 public:
  MappedFile(const std::string& path, std::int64_t bytes)
      : bytes_(bytes), cut_(fmt::format("yupana: {}: was cut while it was read\n", path)) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    void* memory = file < 0 ? MAP_FAILED : mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file, 0);
    const int cause = errno;
    if (file >= 0) close(file);
    if (memory == MAP_FAILED) throw bad_file(path, "cannot be mapped: {}", std::strerror(cause));
    data_ = static_cast<const char*>(memory);
    newest_ = this;
    struct sigaction action = {};
    action.sa_sigaction = [](int, siginfo_t* info, void*) {
      const MappedFile* const mapped = newest_;
      const auto* const at = static_cast<const char*>(info->si_addr);
      if (mapped != nullptr && at >= mapped->data_ && at < mapped->data_ + mapped->bytes_) {
        static_cast<void>(!write(STDERR_FILENO, mapped->cut_.data(), mapped->cut_.size()));
        _exit(static_cast<int>(ErrorCode::bad_input));
      }
      signal(SIGBUS, SIG_DFL);  // the access is made again
    };
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, &before_);
  }
  ~MappedFile() {
    if (newest_ == this) {
      newest_ = nullptr;
      sigaction(SIGBUS, &before_, nullptr);
    }
    munmap(const_cast<char*>(data_), bytes_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const char* data() const { return data_; }
  /// Gives memory back to the system, which reads it from the file again where it is looked at.
  void release(std::int64_t begin, std::size_t size) const {
    const std::int64_t page = sysconf(_SC_PAGESIZE);
    const std::int64_t from = begin / page * page;
    // A hint: the mapping is right without.
    madvise(const_cast<char*>(data_) + from, size + (begin - from), MADV_DONTNEED);
  }

 private:
  static inline std::atomic<const MappedFile*> newest_ = nullptr;

  const char* data_ = nullptr;
  std::size_t bytes_;
  std::string cut_;
  struct sigaction before_ = {};
};

Error damaged(const std::string& path, std::string_view what) {
  return bad_file(
      path, "damaged: {}; save the index anew with --save index, or leave out --index", what);
}

/// The header of a file of `bytes` bytes, whose own checksum holds.
IndexHeader read_header(const InputFile& file) {
  IndexHead head;
  const std::string start = head_of(file, std::ssize(magic));
  if (!std::string_view(start).starts_with(magic.substr(0, magic.size() - 1))) {
    throw file.fault("expected an index of splice --save index, got another file; save one");
  }
  if (start != magic) {
    throw file.fault("expected an index of version {}, got another; save it anew with --save index",
                     magic.back());
  }
  if (file.size() < std::ssize(magic) + std::int64_t{sizeof(IndexHeader)} + 8) {
    throw damaged(file.path(), "cut short");
  }
  file.read_at(0, &head, sizeof(head));
  if (head.sum != checksum(&head, before_sum)) {
    throw damaged(file.path(), "the checksum of its header is another");
  }
  const std::int64_t room = file.size() - std::int64_t{sizeof(IndexHead)};
  const std::int64_t words = head.header.words;
  if (words < 0 || words > room / word_bytes) throw damaged(file.path(), "cut short");
  if (words * word_bytes != room) throw damaged(file.path(), "too long");
  return head.header;
}

}  // namespace

void write_seed_index(Context& context,
                      AtomicFile& file,
                      const splice::SeedIndex& index,
                      std::span<const std::string_view> sequences) {
  const std::span<const std::uint64_t> words = index.data();
  const char* const data = reinterpret_cast<const char*>(words.data());
  IndexHead head;
  std::copy(magic.begin(), magic.end(), head.magic.begin());
  head.header = header_of(index, sequences);
  head.header.genome_sum = genome_sum(context, sequences);
  head.header.words = std::ssize(words);
  head.header.words_sum = sum_of_pieces(
      context, std::ssize(words) * word_bytes, [&](std::int64_t begin, std::size_t size) {
        return checksum(data + begin, size);
      });
  head.sum = checksum(&head, before_sum);
  file.write(&head, sizeof(head));
  file.write(data, words.size_bytes());
}

splice::SeedIndex map_seed_index(Context& context,
                                 const std::string& path,
                                 std::span<const std::string_view> sequences,
                                 int genetic_code) {
  const InputFile file(path);
  const IndexHeader header = read_header(file);
  if (header.genetic_code != genetic_code) {
    throw bad_file(path,
                   "expected {}, got {}; give that, or save it by --save {}",
                   kind_of(genetic_code),
                   kind_of(header.genetic_code),
                   genetic_code == 0 ? "index" : "protein-index with the same genetic code");
  }
  const auto memory = std::make_shared<const MappedFile>(path, file.size());
  const auto* const words =
      reinterpret_cast<const std::uint64_t*>(memory->data() + sizeof(IndexHead));
  splice::SeedIndex index(
      sequences, genetic_code, {words, static_cast<std::size_t>(header.words)}, memory);
  IndexHeader expected = header_of(index, sequences);
  expected.genome_sum = genome_sum(context, sequences);
  expected.words = header.words;
  expected.words_sum = header.words_sum;
  if (std::memcmp(&expected, &header, sizeof(IndexHeader)) != 0) {
    throw bad_file(path,
                   "expected the index of this genome of {} bases, got that of another, of {} "
                   "bases; save it anew with --save {}",
                   expected.bases,
                   header.bases,
                   genetic_code == 0 ? "index" : "protein-index");
  }
  const std::uint64_t sum =
      sum_of_pieces(context, header.words * word_bytes, [&](std::int64_t begin, std::size_t size) {
        const std::int64_t at = std::int64_t{sizeof(IndexHead)} + begin;
        const std::uint64_t own = checksum(memory->data() + at, size);
        memory->release(at, size);
        return own;
      });
  if (sum != header.words_sum) throw damaged(path, "the checksum of its words is another");
  return index;
}

}  // namespace yupana::io
