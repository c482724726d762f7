#include "yupana/core/nameless_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "yupana/core/error.hpp"

namespace yupana {
namespace {

Error cannot(const std::string& folder, const char* verb) {
  const bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
  return Error(
      full ? ErrorCode::out_of_resources : ErrorCode::bad_input,
      fmt::format("{}: cannot {} a temporary file: {}", folder, verb, std::strerror(errno)));
}

}  // namespace

int open_nameless(const std::string& folder) {
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  // On file systems without nameless files, the file is unlinked at once.
  std::string name = folder + "/.yupana-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

NamelessFile::NamelessFile(std::string folder)
    : folder_(folder.empty() ? "." : std::move(folder)), file_(open_nameless(folder_)) {
  if (file_ < 0) throw cannot(folder_, "create");
}

NamelessFile::~NamelessFile() { ::close(file_); }

void NamelessFile::write(const void* data, std::size_t bytes) {
  const auto some = [&](std::int64_t at, std::size_t left) {
    return ::write(file_, static_cast<const char*>(data) + at, left);
  };
  if (in_pieces(bytes, some) < bytes) throw cannot(folder_, "write");
}

void NamelessFile::read_at(std::int64_t offset, void* data, std::size_t bytes) const {
  const auto some = [&](std::int64_t at, std::size_t left) {
    return pread(file_, static_cast<char*>(data) + at, left, offset + at);
  };
  if (in_pieces(bytes, some) < bytes) throw cannot(folder_, "read");
}

}  // namespace yupana
