#include "cli/standard_streams.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <list>
#include <utility>

#include "yupana/core/array.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::cli {
namespace {

struct Copy {
  Copy(std::string path, const struct stat& about, const std::string& folder)
      : given(std::move(path)), device(about.st_dev), inode(about.st_ino), file(folder) {}
  /// Two names may name one pipe: "-", /dev/stdin, /dev/fd/0.
  bool is_of(const struct stat& about) const {
    return device == about.st_dev && inode == about.st_ino;
  }
  std::string given;
  dev_t device;
  ino_t inode;
  NamelessFile file;
};
/// Until the program ends: parameters have their names.
std::list<Copy>& copies() {
  static std::list<Copy> all;
  return all;
}

bool can_be_read_once(const struct stat& about) {
  return !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode) && !S_ISBLK(about.st_mode);
}

void copy_stream(Context& context, const std::string& path, NamelessFile& file) {
  job::note_pipe(context, path);
  io::TextStream stream(path);
  Array<char> bytes(1 << 20);
  while (const std::int64_t got = stream.read(bytes.data(), bytes.size())) {
    context.check_cancelled();
    file.write(bytes.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

void keep_standard_streams() {
  for (const int stream : {0, 1, 2}) {
    // The lowest free number is the stream's own; what is written there fails, as before.
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDONLY) == -1) return;
  }
}

void put_text(std::FILE* to, std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), to);
}

void check_standard_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw resource_error("standard output: cannot write");
}

std::string readable(Context& context, const std::string& path) {
  const std::string source = path == "-" ? "/dev/stdin" : path;
  struct stat about {};
  if (stat(source.c_str(), &about) != 0 || !can_be_read_once(about)) return source;
  for (const Copy& copy : copies()) {
    if (copy.is_of(about)) return copy.file.path();
  }
  const char* const folder = std::getenv("TMPDIR");
  Copy& copy =
      copies().emplace_back(path, about, folder == nullptr || *folder == '\0' ? "/tmp" : folder);
  copy_stream(context, source, copy.file);
  return copy.file.path();
}

std::string with_given_names(std::string message) {
  for (const Copy& copy : copies()) {
    const std::string name = copy.file.path();
    for (std::size_t at = message.find(name); at != std::string::npos;
         at = message.find(name, at + copy.given.size())) {
      message.replace(at, name.size(), copy.given);
    }
  }
  return message;
}

}  // namespace yupana::cli
