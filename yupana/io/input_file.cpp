#include "yupana/io/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "yupana/core/error.hpp"
#include "yupana/core/scratch_scope.hpp"

namespace yupana::io {
namespace {

Error too_large(const std::string& path, std::uint64_t bytes, std::uint64_t most) {
  return Error(ErrorCode::out_of_resources,
               fmt::format("{}: its text takes more than {:.1f} MiB and memory is limited to "
                           "{:.1f} MiB; give --memory more, or use a .npy file",
                           path,
                           static_cast<double>(bytes) / (1 << 20),
                           static_cast<double>(most) / (1 << 20)));
}

/// An array of `size` + 1 bytes, the last zero, that begins with the `filled` bytes of `old`; in
/// `folder` where there is one.
Array<char> resized(const Array<char>& old,
                    std::int64_t filled,
                    std::int64_t size,
                    const std::string& folder = {}) {
  const ScratchScope scope(folder);
  Array<char> text(size + 1);
  if (filled > 0) std::memcpy(text.data(), old.data(), static_cast<std::size_t>(filled));
  text[size] = '\0';
  return text;
}

Array<char> decompressed(const std::string& path, std::uint64_t most, const std::string& scratch) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(path.c_str(), "rb"), gzclose);
  if (!stream) throw bad_file(path, "cannot be opened");
  gzbuffer(stream.get(), 1 << 17);
  constexpr std::int64_t first = std::int64_t{1} << 20;
  Array<char> text(first);
  std::int64_t filled = 0;
  while (true) {
    const auto room = static_cast<unsigned>(std::min<std::int64_t>(text.size() - filled, 1 << 30));
    const int got = gzread(stream.get(), text.data() + filled, room);
    int status = Z_OK;
    const char* fault = gzerror(stream.get(), &status);
    // A gzip file that was cut short ends without an error of gzread; gzerror knows.
    if (got < 0 || status != Z_OK) {
      throw bad_file(path, fmt::format("damaged gzip file ({}); copy it again", fault));
    }
    const auto folder = [&](std::int64_t bytes) {
      return static_cast<std::uint64_t>(bytes) > most ? scratch : std::string();
    };
    if (got == 0) return resized(text, filled, filled, folder(filled));
    filled += got;
    if (static_cast<std::uint64_t>(filled) > most && scratch.empty()) {
      throw too_large(path, static_cast<std::uint64_t>(filled), most);
    }
    if (filled == text.size()) text = resized(text, filled, 2 * filled - 1, folder(2 * filled));
  }
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) throw bad_file(path_, fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat about {};
  const bool regular = fstat(file_, &about) == 0 && S_ISREG(about.st_mode);
  size_ = about.st_size;
  if (regular) return;
  ::close(file_);
  throw bad_file(path_, "is not a regular file; copy its content to one first");
}

InputFile::~InputFile() { ::close(file_); }

void InputFile::read_at(std::int64_t offset, void* data, std::size_t bytes) const {
  char* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = pread(file_, to, bytes, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw bad_file(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (got == 0) throw bad_file(path_, fmt::format("ends at byte {}; copy it again", offset));
    to += got;
    offset += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

Array<char> read_text(const InputFile& file, std::uint64_t most, const std::string& scratch) {
  unsigned char magic[2] = {};
  if (file.size() >= 2) file.read_at(0, magic, 2);
  if (magic[0] == 0x1f && magic[1] == 0x8b) return decompressed(file.path(), most, scratch);
  const auto bytes = static_cast<std::uint64_t>(file.size());
  if (bytes > most) throw too_large(file.path(), bytes, most);
  Array<char> text = resized({}, 0, file.size());
  file.read_at(0, text.data(), bytes);
  return text;
}

}  // namespace yupana::io
