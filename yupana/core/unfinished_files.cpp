#include "yupana/core/unfinished_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "yupana/core/error.hpp"
#include "yupana/core/messages.hpp"

namespace yupana {
namespace {

namespace fs = std::filesystem;

struct Registry {
  std::recursive_mutex mutex;
  std::multiset<std::string> names;
  std::set<std::string> folders;
};

/// Never destroyed, since files may end after static objects do, and made without allocation, since
/// it is needed where memory ran out.
Registry& registry() {
  alignas(Registry) static char storage[sizeof(Registry)];
  static Registry* const all = new (storage) Registry;
  return *all;
}

bool lock(int file, int kind) {
  int status = -1;
  do {
    status = flock(file, kind);
  } while (status != 0 && errno == EINTR);
  return status == 0;
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

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

Error cannot(const std::string& folder, const char* verb) {
  const bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
  return Error(
      full ? ErrorCode::out_of_resources : ErrorCode::bad_input,
      fmt::format("{}: cannot {} a temporary file: {}", folder, verb, std::strerror(errno)));
}

}  // namespace

std::string part_name(const std::string& target) {
  return fmt::format("{}.part-{}", target, getpid());
}

void remove_left_parts(const std::string& target) { remove_left_files(target, ".part-"); }

void remove_left_files(const std::string& target, const std::string& word) {
  const fs::path whole(target);
  const fs::path folder = whole.has_parent_path() ? whole.parent_path() : fs::path(".");
  const std::string beginning = whole.filename().string() + word;
  for (const std::string& name : names_in(folder.string())) {
    if (name.starts_with(beginning) &&
        name.find_first_of("0123456789", beginning.size()) == beginning.size()) {
      remove_if_left((folder / name).string());
    }
  }
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  // Not directory_iterator, which ends the program where memory runs out.
  const std::unique_ptr<DIR, CloseFolder> entries(opendir(folder.c_str()));
  if (!entries) return names;
  while (const dirent* const entry = readdir(entries.get())) names.push_back(entry->d_name);
  return names;
}

UnfinishedFile::UnfinishedFile(const std::string& temporary, const std::string& target) {
  remove_left_parts(target);
  struct stat status {};
  const bool replaces = stat(target.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  const auto held = hold_unfinished_files();
  registered_ = registry().names.insert(temporary);
  file_ = create(temporary, replaces ? status.st_mode & 0777 : 0);
}

UnfinishedFile::~UnfinishedFile() {
  if (file_ >= 0) close(file_);
  const auto held = hold_unfinished_files();
  registry().names.erase(registered_);
}

TemporaryFolder::TemporaryFolder(const std::string& word) {
  const auto held = hold_unfinished_files();
  std::error_code none;
  fs::path folder = fs::temp_directory_path(none);
  if (none) folder = "/tmp";  // TMPDIR is no folder
  path_ = (folder / fmt::format("yupana-{}-XXXXXX", word)).string();
  if (mkdtemp(path_.data()) == nullptr) {
    throw resource_error("{}: cannot create a folder; set TMPDIR to a folder with space", path_);
  }
  registry().folders.insert(path_);
}

TemporaryFolder::~TemporaryFolder() {
  const auto held = hold_unfinished_files();
  registry().folders.erase(path_);
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::unique_lock<std::recursive_mutex> hold_unfinished_files() {
  return std::unique_lock(registry().mutex);
}

void remove_unfinished_files() {
  registry().mutex.lock();  // for good
  for (const std::string& name : registry().names) std::remove(name.c_str());
  try {
    std::error_code ignored;
    for (const std::string& folder : registry().folders) fs::remove_all(folder, ignored);
  } catch (const std::bad_alloc&) {
    // They stay.
  }
}

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
