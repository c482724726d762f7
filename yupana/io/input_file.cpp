#include "yupana/io/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "yupana/core/machine.hpp"
#include "yupana/core/unfinished_files.hpp"

namespace yupana::io {
namespace {

Error too_large(const std::string& path, std::uint64_t bytes, std::uint64_t most) {
  return resource_error("{}: its text takes {} and memory is limited to {}; give --memory {}",
                        path,
                        needed_bytes(bytes),
                        allowed_bytes(most),
                        memory_option(static_cast<double>(bytes)));
}

/// An array of `size` + 1 bytes, the last zero, that begins with the `filled` bytes of `old`; in
/// `folder` where there is one.
Array<char> resized(const Array<char>& old,
                    std::int64_t filled,
                    std::int64_t size,
                    const std::string& folder = {}) {
  const ScratchScope scope(folder);
  Array<char> text(size + 1);
  if (filled > 0) std::memcpy(text.data(), old.data(), filled);
  text[size] = '\0';
  return text;
}

/// What a gzip file's last four bytes say its text takes, if it has one member and less than 4 GiB:
/// then the text never moves. Deflate packs at most 1032 bytes into one, which bounds a false word.
std::int64_t promised_size(const InputFile& file) {
  unsigned char word[4] = {};
  if (file.size() >= 18 && is_gzip(file)) file.read_at(file.size() - 4, word, 4);
  std::int64_t size = 0;
  for (int i = 3; i >= 0; --i) size = 256 * size + word[i];
  return std::min(size, 1032 * file.size());
}

Array<char> decompressed(const InputFile& file, std::uint64_t most, const std::string& scratch) {
  TextStream stream(file.path());
  const auto folder = [&](std::int64_t bytes) {
    return static_cast<std::uint64_t>(bytes) > most ? scratch : std::string();
  };
  constexpr std::int64_t least = std::int64_t{1} << 12;
  std::int64_t promised = std::max(least, promised_size(file));
  if (scratch.empty() && static_cast<std::uint64_t>(promised) > most) promised = least;
  Array<char> text = resized({}, 0, promised, folder(promised));
  std::int64_t filled = 0;
  while (const std::int64_t got = stream.read(text.data() + filled, text.size() - filled)) {
    filled += got;
    if (static_cast<std::uint64_t>(filled) > most && scratch.empty()) {
      // The rest is counted and not kept, to say how much there is.
      std::int64_t whole = filled;
      while (const std::int64_t more = stream.read(text.data(), text.size())) whole += more;
      throw too_large(file.path(), static_cast<std::uint64_t>(whole), most);
    }
    if (filled == text.size()) text = resized(text, filled, 2 * filled, folder(2 * filled));
  }
  if (filled + 1 < text.size()) return resized(text, filled, filled, folder(filled));
  text[filled] = '\0';
  return text;
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  // A pipe without a writer would be waited for.
  file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) {
    const int reason = errno;
    const bool packed = reason == ENOENT && access((path_ + ".gz").c_str(), F_OK) == 0;
    throw bad_file(path_.empty() ? "''" : path_,
                   "cannot be opened: {}{}",
                   std::strerror(reason),
                   packed ? fmt::format("; unpack {}.gz first (gunzip -k)", path_) : "");
  }
  struct stat about {};
  const bool known = fstat(file_, &about) == 0;
  size_ = about.st_size;
  if (known && S_ISREG(about.st_mode)) return;
  ::close(file_);
  if (known && S_ISDIR(about.st_mode)) throw bad_file(path_, "is a folder; name a file");
  throw bad_file(path_, "is not a regular file; copy its content to one first");
}

InputFile::~InputFile() { ::close(file_); }

void InputFile::read_at(std::int64_t offset, void* data, std::size_t bytes) const {
  const std::size_t got = in_pieces(bytes, [&](std::int64_t at, std::size_t left) {
    return pread(file_, static_cast<char*>(data) + at, left, offset + at);
  });
  if (got == bytes) return;
  if (errno != 0) throw bad_file(path_, "cannot be read: {}", std::strerror(errno));
  throw bad_file(path_, "ends at byte {}; copy it again", offset + static_cast<std::int64_t>(got));
}

bool is_gzip(const InputFile& file) { return head_of(file, 2) == "\x1f\x8b"; }

bool is_packed(const InputFile& file) {
  return is_gzip(file) || head_of(file, 4) == "\x28\xb5\x2f\xfd";
}

std::string head_of(const InputFile& file, std::int64_t most) {
  std::string head(std::min(file.size(), most), '\0');
  file.read_at(0, head.data(), head.size());
  return head;
}

Array<char> read_text(const InputFile& file, std::uint64_t most, const std::string& scratch) {
  if (is_packed(file)) return decompressed(file, most, scratch);
  const auto bytes = static_cast<std::uint64_t>(file.size());
  if (bytes > most && scratch.empty()) throw too_large(file.path(), bytes, most);
  Array<char> text = resized({}, 0, file.size(), bytes > most ? scratch : std::string());
  file.read_at(0, text.data(), bytes);
  return text;
}

Array<char> read_text_for_refusal(const InputFile& file, std::uint64_t most) {
  std::error_code none;
  try {
    return read_text(file, most, std::filesystem::temp_directory_path(none).string());
  } catch (const Error&) {
    return read_text(file, most);
  }
}

double packed_text_bytes(const std::string& path) {
  if (!is_packed(InputFile(path))) return 0;
  TextStream text(path);
  std::string buffer(1 << 20, '\0');
  double bytes = 0;
  while (const std::int64_t got = text.read(buffer.data(), std::ssize(buffer))) {
    bytes += static_cast<double>(got);
  }
  return bytes;
}

}  // namespace yupana::io
