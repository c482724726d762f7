#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/io/input_file.hpp"

namespace yupana::io {

namespace {
/// Bytes of a compressed file that are read at a time.
constexpr std::size_t input_bytes = std::size_t{1} << 17;

using namespace std::string_view_literals;

/// What files that are no text have at a place of their beginning, and what to do about them.
struct OtherFormat {
  std::size_t at;
  std::string_view bytes, words;
};
constexpr std::array other_formats = {
    OtherFormat{0, "\x93NUMPY"sv, "a NumPy array; unpack it if it is compressed"sv},
    OtherFormat{0, "PK\x03\x04"sv, "a zip archive (.npz, .xlsx); unpack it first"sv},
    // PAR1 alone is a region of X and Y.
    OtherFormat{0, "PAR1\x15"sv, "a Parquet file; write it as CSV or .npy"sv},
    // The digit in between is the size of its blocks.
    OtherFormat{4, "1AY&SY"sv, "a bzip2 file; unpack it (bunzip2), or pack it by gzip"sv},
    OtherFormat{0,
                "\xfd"
                "7zXZ\0"sv,
                "an xz file; unpack it (unxz), or pack it by gzip"sv},
    OtherFormat{0, "\x04\x22\x4d\x18"sv, "an LZ4 file; unpack it (unlz4), or pack it by gzip"sv},
    OtherFormat{0, "7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive; unpack it first"sv},
    OtherFormat{257, "ustar"sv, "a tar archive; unpack it first (tar -x)"sv},
    OtherFormat{0, "\x89HDF"sv, "an HDF5 file; write it as CSV or .npy"sv},
    OtherFormat{0, "\xd0\xcf\x11\xe0"sv, "an Excel file (.xls); write it as CSV"sv},
};

/// /dev/zero, full, random and urandom: numbers that Linux never changes.
bool is_endless(dev_t device) {
  const unsigned number = minor(device);
  return major(device) == 1 && (number == 5 || (number >= 7 && number <= 9));
}
}  // namespace

class TextStream::Decoder {
 public:
  virtual ~Decoder() = default;
  /// As TextStream::read.
  virtual std::int64_t read(char* to, std::int64_t most) = 0;
};

/// Members of a gzip file; ISA-L decompresses them 1.7 times as fast as zlib.
class TextStream::Gzip : public Decoder {
 public:
  /// `begin` was read from the file already.
  Gzip(TextStream& file, std::string_view begin) : file_(file) {
    std::memcpy(input_.data(), begin.data(), begin.size());
    isal_inflate_init(&state_);
    state_.next_in = input_.data();
    state_.avail_in = static_cast<std::uint32_t>(begin.size());
  }

  std::int64_t read(char* to, std::int64_t most) override {
    const auto room = static_cast<std::uint32_t>(std::min<std::int64_t>(most, 1 << 30));
    state_.next_out = reinterpret_cast<std::uint8_t*>(to);
    state_.avail_out = room;
    while (state_.avail_out == room) {
      if (!inside_ && !next_member()) return 0;
      const bool more = refill();
      const std::uint32_t before = state_.avail_in;
      const int status = isal_inflate(&state_);
      if (status < 0) throw damaged(status);
      inside_ = state_.block_state != ISAL_BLOCK_FINISH;
      const bool is_stuck = inside_ && state_.avail_out == room && state_.avail_in == before;
      if (is_stuck && !more) throw damaged("it is cut short");
      // Some damage makes ISA-L wait for ever.
      if (is_stuck) throw damaged(ISAL_INVALID_BLOCK);
    }
    return room - state_.avail_out;
  }

 private:
  /// More input where there is none left; false at the end of the file.
  bool refill() {
    if (state_.avail_in > 0) return true;
    state_.next_in = input_.data();
    state_.avail_in = static_cast<std::uint32_t>(
        file_.read_file(reinterpret_cast<char*>(input_.data()), input_bytes));
    return state_.avail_in > 0;
  }

  /// Reads the next member's header; false if there is none.
  bool next_member() {
    bool zeros = false;
    while (!first_ && refill() && *state_.next_in == 0) {
      zeros = true;
      ++state_.next_in;
      --state_.avail_in;
    }
    if (!refill()) return false;
    if (zeros || *state_.next_in != 0x1f) throw damaged("something follows its end");
    isal_inflate_reset(&state_);  // leaves the input where it is
    isal_gzip_header header;
    isal_gzip_header_init(&header);
    int status = ISAL_END_INPUT;
    while (status == ISAL_END_INPUT) {
      if (!refill()) throw damaged("it is cut short");
      status = isal_read_gzip_header(&state_, &header);
    }
    if (status == ISAL_INVALID_WRAPPER && !first_) throw damaged("something follows its end");
    if (status != ISAL_DECOMP_OK) throw damaged(status);
    state_.crc_flag = ISAL_GZIP_NO_HDR_VER;
    state_.crc = 0;
    first_ = false;
    inside_ = true;
    return true;
  }

  Error damaged(std::string_view how) const {
    return bad_file(file_.path(), "damaged gzip file ({}); copy it again", how);
  }
  Error damaged(int status) const {
    if (status == ISAL_INCORRECT_CHECKSUM) return damaged("its checksum is another");
    if (status == ISAL_INVALID_WRAPPER) return damaged("its header is none of gzip");
    if (status == ISAL_UNSUPPORTED_METHOD) return damaged("its method is unknown");
    return damaged("its data is no compressed text");
  }

  TextStream& file_;
  bool first_ = true;    ///< member
  bool inside_ = false;  ///< a member
  inflate_state state_;
  std::array<std::uint8_t, input_bytes> input_;
};

/// Frames of a Zstandard file.
class TextStream::Zstd : public Decoder {
 public:
  /// `begin` was read from the file already.
  Zstd(TextStream& file, std::string_view begin)
      : file_(file), stream_(ZSTD_createDStream(), ZSTD_freeDStream) {
    if (stream_ == nullptr) throw resource_error("Zstandard: memory is short for its decoder");
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, largest_window());
    std::memcpy(input_.data(), begin.data(), begin.size());
    filled_ = {input_.data(), begin.size(), 0};
  }

  std::int64_t read(char* to, std::int64_t most) override {
    ZSTD_outBuffer text{to, static_cast<std::size_t>(most), 0};
    while (text.pos == 0) {
      const bool more = refill();
      if (!more && !inside_) return 0;
      const std::size_t status = ZSTD_decompressStream(stream_.get(), &text, &filled_);
      if (ZSTD_isError(status) != 0) throw damaged(ZSTD_getErrorName(status));
      inside_ = status != 0;
      if (inside_ && !more && text.pos == 0) throw damaged("it is cut short");
    }
    return static_cast<std::int64_t>(text.pos);
  }

 private:
  /// A frame's header may ask for much memory; a small file gets as much as any level but --ultra
  /// and --long need.
  int largest_window() const {
    constexpr int least = 23, most = 27;
    struct stat about {};
    if (fstat(file_.file_, &about) != 0 || !S_ISREG(about.st_mode)) return most;
    const auto bytes = static_cast<std::uint64_t>(about.st_size);
    return std::clamp(static_cast<int>(std::bit_width(64 * bytes)), least, most);
  }

  /// More input where there is none left; false at the end of the file.
  bool refill() {
    if (filled_.pos < filled_.size) return true;
    filled_.pos = 0;
    filled_.size = static_cast<std::size_t>(file_.read_file(input_.data(), input_bytes));
    return filled_.size > 0;
  }

  Error damaged(std::string_view how) const {
    return bad_file(file_.path(), "damaged Zstandard file ({}); copy it again", how);
  }

  TextStream& file_;
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
  bool inside_ = false;  ///< a frame
  ZSTD_inBuffer filled_{};
  std::array<char, input_bytes> input_;
};

TextStream::TextStream(std::string path) : path_(std::move(path)) {
  file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) {
    throw bad_file(path_.empty() ? "''" : path_,
                   "cannot be opened: {}{}",
                   std::strerror(errno),
                   path_ == "-" ? "; standard input is /dev/stdin here" : "");
  }
  struct stat about {};
  if (fstat(file_, &about) != 0) return;
  if (S_ISREG(about.st_mode)) size_ = about.st_size;
  if (!S_ISCHR(about.st_mode) || !is_endless(about.st_rdev)) return;
  ::close(file_);
  throw bad_file(path_, "is a device without an end; name a file");
}

TextStream::~TextStream() { ::close(file_); }

std::int64_t TextStream::read_file(char* to, std::int64_t most) {
  while (true) {
    const ssize_t got = ::read(file_, to, most);
    if (got > 0) return got;
    if (got == 0) {
      // A file that another program cuts would otherwise be read as a shorter one.
      const off_t end = lseek(file_, 0, SEEK_CUR);
      if (end >= 0 && end < size_) {
        throw bad_file(path_, "ends at byte {} of {}; copy it again", end, size_);
      }
      return 0;
    }
    if (errno != EINTR) throw bad_file(path_, "cannot be read: {}", std::strerror(errno));
  }
}

std::int64_t TextStream::read(char* to, std::int64_t most) {
  if (decoder_) return decoder_->read(to, most);
  if (begun_) return read_file(to, most);
  begun_ = true;
  constexpr std::int64_t magic_bytes = 4;
  const std::int64_t wanted = std::min<std::int64_t>(most, input_bytes);
  std::int64_t filled = 0;
  for (std::int64_t got = -1; filled < std::min(wanted, magic_bytes) && got != 0; filled += got) {
    got = read_file(to + filled, wanted - filled);
  }
  const std::string_view begin(to, filled);
  if (begin.starts_with("\x1f\x8b")) {
    decoder_ = std::make_unique<Gzip>(*this, begin);
  } else if (begin.starts_with("\x28\xb5\x2f\xfd")) {
    decoder_ = std::make_unique<Zstd>(*this, begin);
  } else {
    return filled;
  }
  return decoder_->read(to, most);
}

std::int64_t most_line_bytes(const std::string& path, std::int64_t of_pipe) {
  constexpr std::int64_t factor = 64, least = std::int64_t{64} << 20;
  struct stat about {};
  if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return of_pipe;
  return std::max(least, factor * std::int64_t{about.st_size});
}

void check_is_text(const std::string& path, std::string_view beginning) {
  for (const OtherFormat& other : other_formats) {
    const std::size_t at = std::min(other.at, beginning.size());
    if (!beginning.substr(at).starts_with(other.bytes)) continue;
    throw bad_file(path, "expected text, got {}", other.words);
  }
  if (beginning.starts_with("\xff\xfe\0\0"sv) || beginning.starts_with("\0\0\xfe\xff"sv)) {
    throw bad_file(path, "expected UTF-8, got UTF-32; convert it first (iconv -f UTF-32 -t UTF-8)");
  }
  const bool marked = beginning.starts_with("\xff\xfe") || beginning.starts_with("\xfe\xff");
  // UTF-16 without a mark: of a letter, a digit or a line's end, one of two bytes is zero.
  const auto is_zero = [&](std::size_t at) { return beginning[at] == '\0'; };
  const bool zeros = beginning.size() >= 4 && is_zero(0) != is_zero(1) &&
                     is_zero(0) == is_zero(2) && is_zero(1) == is_zero(3);
  if (marked || zeros) {
    throw bad_file(path, "expected UTF-8, got UTF-16; convert it first (iconv -f UTF-16 -t UTF-8)");
  }
  if (beginning.empty() || beginning.find('\n') != beginning.npos) return;
  // The last one may be half of a line's end.
  if (beginning.substr(0, beginning.size() - 1).find('\r') != beginning.npos) {
    throw bad_file(path, "ends its lines with \\r alone; convert it first (tr '\\r' '\\n')");
  }
}

}  // namespace yupana::io
