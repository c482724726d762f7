#include "yupana/core/unfinished_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>

namespace yupana {
namespace {

namespace fs = std::filesystem;

struct Registry {
  std::recursive_mutex mutex;
  std::multiset<std::string> names;
};

/// Leaked deliberately: files may end after static objects do.
Registry& registry() {
  static Registry* const all = new Registry;
  return *all;
}

bool lock(int file, int kind) {
  int status = -1;
  do {
    status = flock(file, kind);
  } while (status != 0 && errno == EINTR);
  return status == 0;
}

/// Removes a file that no living run holds the lock of. Where locks are unknown it stays.
void remove_if_left(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;
  struct stat status {};
  const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  if (regular && lock(file, LOCK_EX | LOCK_NB)) std::remove(path.c_str());
  close(file);
}

/// Open, empty and locked. A run that looks for left files may hold the lock of a new one for a
/// moment and remove it: then the file is made again.
int create(const std::string& path, mode_t mode) {
  for (int tries = 0; tries < 10; ++tries) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return -1;
    lock(file, LOCK_SH);
    struct stat status {};
    if (fstat(file, &status) == 0 && status.st_nlink > 0) {
      if (mode != 0 && S_ISREG(status.st_mode)) fchmod(file, mode);
      return file;
    }
    close(file);
  }
  errno = EBUSY;
  return -1;
}

}  // namespace

std::string part_name(const std::string& target) {
  return fmt::format("{}.part-{}", target, getpid());
}

void remove_left_parts(const std::string& target) {
  const fs::path whole(target);
  const fs::path folder = whole.has_parent_path() ? whole.parent_path() : fs::path(".");
  const std::string beginning = whole.filename().string() + ".part-";
  std::error_code none;
  for (fs::directory_iterator entry(folder, none), end; !none && entry != end;
       entry.increment(none)) {
    const std::string path = entry->path().string();
    if (entry->path().filename().string().starts_with(beginning)) remove_if_left(path);
  }
}

UnfinishedFile::UnfinishedFile(const std::string& temporary, const std::string& target)
    : temporary_(temporary) {
  remove_left_parts(target);
  struct stat status {};
  const bool replaces = stat(target.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  file_ = create(temporary, replaces ? status.st_mode & 0777 : 0);
  const auto held = hold_unfinished_files();
  if (file_ >= 0) registry().names.insert(temporary_);
}

UnfinishedFile::~UnfinishedFile() {
  if (file_ < 0) return;
  close(file_);
  const auto held = hold_unfinished_files();
  registry().names.erase(registry().names.find(temporary_));
}

std::unique_lock<std::recursive_mutex> hold_unfinished_files() {
  return std::unique_lock(registry().mutex);
}

void remove_unfinished_files() {
  registry().mutex.lock();  // for good
  for (const std::string& name : registry().names) std::remove(name.c_str());
}

}  // namespace yupana
