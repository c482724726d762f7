#include "yupana/core/atomic_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/core/unfinished_files.hpp"

namespace yupana {
namespace {

/// Renaming a file over a device or a pipe would put an end to it, for everybody.
bool holds_no_file(const std::string& path) {
  std::error_code none;
  const auto status = std::filesystem::status(path, none);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

Error no_file(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) {
    return usage_error("{}: expected the name of a file, got a folder; write {}",
                       path,
                       (std::filesystem::path(path) / "run").string());
  }
  return usage_error("{}: expected the name of a file, got a device or a pipe; name a file", path);
}

/// The number that /dev/stdout, /dev/fd/N and their like name; -1 of any other path.
int descriptor_of(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* const end = path.data() + path.size();
    const auto [stop, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && stop == end) return number;
  }
  return -1;
}

/// Where a symbolic link leads, or the path itself: renaming a file over a link would end the link.
/// A link to an open descriptor is that descriptor.
std::string target_of(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path target = path;
  std::error_code none;
  for (int links = 0; links < 40 && descriptor_of(target.string()) < 0; ++links) {
    if (!fs::is_symlink(target, none)) break;
    const fs::path next = fs::read_symlink(target, none);
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

/// One name for "run.npy", "./run.npy" and "out/../run.npy".
std::string absolute_name(const std::string& path) {
  std::error_code none;
  const std::filesystem::path absolute = std::filesystem::absolute(path, none);
  return (absolute.empty() ? std::filesystem::path(path) : absolute).lexically_normal().string();
}

constexpr const char* old_word = ".old-";

/// The files that a commit replaces, under a second name until the last one is in place. The
/// destructor puts them back, and removes files that replaced none, unless forget() was called.
class ReplacedFiles {
 public:
  ReplacedFiles() = default;
  ReplacedFiles(const ReplacedFiles&) = delete;
  ReplacedFiles& operator=(const ReplacedFiles&) = delete;
  ~ReplacedFiles() {
    for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
      if (!file->old.empty()) {
        // rename() does nothing to two links to one file: the second name is removed instead.
        if (std::rename(file->old.c_str(), file->target.c_str()) == 0) {
          std::remove(file->old.c_str());
        }
      } else if (file->placed) {
        std::remove(file->target.c_str());
      }
    }
  }

  /// Called before `target` is replaced. A second link leaves the old file visible all the time;
  /// file systems without links get a rename.
  void keep(const std::string& target) {
    files_.push_back({target, fmt::format("{}{}{}", target, old_word, getpid()), false});
    std::string& old = files_.back().old;
    std::error_code none;
    if (!std::filesystem::is_regular_file(target, none)) {
      old.clear();
      return;
    }
    std::remove(old.c_str());
    if (link(target.c_str(), old.c_str()) == 0) return;
    if (std::rename(target.c_str(), old.c_str()) != 0) {
      old.clear();
      throw cannot(target, "replace");
    }
  }
  void done() { files_.back().placed = true; }
  void forget() {
    for (const File& file : files_) {
      if (!file.old.empty()) std::remove(file.old.c_str());
    }
    files_.clear();
  }

 private:
  struct File {
    std::string target;
    std::string old;  ///< second name of what had the target's; empty if nothing had
    bool placed;      ///< the new file has the target's name
  };
  std::vector<File> files_;
};

/// Locks the folder of a file while it lives, so that the files of two runs of one name do not mix.
/// Other programs may hold the lock for reasons of their own: after a second it is not waited for.
class FolderLock {
 public:
  explicit FolderLock(const std::string& file) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    folder_ = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int tries = 0; tries < 100 && !held_; ++tries) {
      held_ = flock(folder_, LOCK_EX | LOCK_NB) == 0;
      if (held_ || (errno != EWOULDBLOCK && errno != EINTR)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~FolderLock() {
    if (folder_ >= 0) ::close(folder_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  bool held() const { return held_; }

 private:
  int folder_ = -1;
  bool held_ = false;
};

/// The temporary file of a descriptor, which has no folder of its own: nobody can guess the name.
std::string scratch_name(int descriptor) {
  std::error_code none;
  std::filesystem::path folder = std::filesystem::temp_directory_path(none);
  if (none) folder = "/tmp";
  return part_name(
      (folder / fmt::format("yupana-fd{}-{:08x}", descriptor, std::random_device()())).string());
}

/// Writes all of it, to a pipe too that is not ready for more.
bool write_all(int file, const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t done = ::write(file, data, bytes);
    if (done < 0 && errno == EAGAIN) {
      pollfd ready{file, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (done < 0 && errno != EINTR) {
      return false;
    }
    if (done <= 0) continue;
    data += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

bool copy_to(int descriptor, int from) {
  std::array<char, 1 << 16> piece;
  const off_t end = lseek(from, 0, SEEK_END);
  for (off_t offset = 0; offset < end;) {
    const ssize_t got = pread(from, piece.data(), piece.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;
    if (got <= 0) return false;
    if (!write_all(descriptor, piece.data(), static_cast<std::size_t>(got))) return false;
    offset += got;
  }
  return end >= 0;
}

std::vector<std::string> inputs;

}  // namespace

Error cannot(std::string_view path, std::string_view verb) {
  const ErrorCode code = errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == ENOMEM
                             ? ErrorCode::out_of_resources
                             : ErrorCode::bad_input;
  return Error(code, fmt::format("{}: cannot {}: {}", path, verb, std::strerror(errno)));
}

void protect_inputs(std::vector<std::string> paths) { inputs = std::move(paths); }

AtomicFile::AtomicFile(std::string path, Comm* comm)
    : path_(std::move(path)), target_(target_of(path_)), comm_(comm) {
  for (const std::string& input : inputs) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(input, none)) continue;
    if (!std::filesystem::equivalent(input, target_, none)) continue;
    throw usage_error("{}: is read by this command, which would write over it; give another -o",
                      path_);
  }
}

// The destructor removes what a constructor made that then failed.
AtomicFile::AtomicFile(std::string path) : AtomicFile(std::move(path), nullptr) {
  if (is_discarded(path_)) {
    temporary_ = scratch_name(STDOUT_FILENO);  // of no file
    file_ = fopen(null_device.data(), "wbe");
    if (file_ == nullptr) throw cannot(path_, "write");
    descriptor_ = fileno(file_);
    return;
  }
  descriptor_ = descriptor_of(target_);
  if (descriptor_ < 0 && holds_no_file(path_)) throw no_file(path_);
  if (descriptor_ >= 0 && fcntl(descriptor_, F_GETFD) < 0) throw cannot(path_, "write");
  temporary_ = descriptor_ < 0 ? part_name(target_) : scratch_name(descriptor_);
  unfinished_ = std::make_unique<UnfinishedFile>(temporary_, target_);
  const int file = unfinished_->file() < 0 ? -1 : fcntl(unfinished_->file(), F_DUPFD_CLOEXEC, 0);
  if (file >= 0) file_ = fdopen(file, "wb");
  if (file_ == nullptr) {
    const Error error = cannot(path_, "create the file");
    if (file >= 0) ::close(file);
    throw error;
  }
  if (descriptor_ >= 0) std::remove(temporary_.c_str());  // the open file is all that is needed
  std::setvbuf(file_, nullptr, _IOFBF, 1 << 20);
}

AtomicFile::AtomicFile(std::string path, Comm& comm) : AtomicFile(std::move(path), &comm) {
  temporary_ = part_name(target_);
  broadcast(comm, temporary_, 0);
  // The first rank makes the file, emptying an older one, and all learn whether it could.
  constexpr int something_else = -1;
  int fault = 0;
  if (comm.rank() == 0 && (holds_no_file(path_) || is_discarded(path_))) {
    fault = something_else;
  } else if (comm.rank() == 0) {
    unfinished_ = std::make_unique<UnfinishedFile>(temporary_, target_);
    fault = unfinished_->file() < 0 ? errno : 0;
  }
  comm.broadcast(&fault, sizeof(fault), 0);
  if (fault == something_else) throw no_file(path_);
  errno = fault;
  if (fault != 0) throw cannot(path_, "create the file");
  shared_ = comm.open(temporary_);
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr) std::fclose(file_);
  // Of all ranks any: the run is at its end, and the first may be gone already.
  if (!committed_) std::remove(temporary_.c_str());
}

void AtomicFile::check(const std::string& fault) const {
  if (fault.empty()) return;
  throw resource_error("{}: cannot write: {}", path_, fault);
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  if (bytes == 0) return;  // fwrite() allows no null pointer, which empty vectors have
  if (std::fwrite(data, 1, bytes, file_) != bytes) throw cannot(path_, "write");
}

void AtomicFile::write_at(std::int64_t offset, const void* data, std::size_t bytes) {
  if (shared_) return check(shared_->write_at(offset, data, bytes));
  const auto some = [&](std::int64_t at, std::size_t left) {
    return pwrite(fileno(file_), static_cast<const char*>(data) + at, left, offset + at);
  };
  if (in_pieces(bytes, some) < bytes) throw cannot(path_, "write");
}

void AtomicFile::close() {
  if (shared_) check(std::exchange(shared_, nullptr)->close());
  if (file_ == nullptr) return;
  const bool flushed = std::fflush(file_) == 0;
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (!flushed || !closed) throw cannot(path_, "write");
}

void AtomicFile::publish() const {
  if (is_discarded(path_)) return;
  if (descriptor_ >= 0) {
    if (!copy_to(descriptor_, unfinished_->file())) throw cannot(path_, "write");
  } else if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    throw cannot(path_, "rename");
  }
}

void AtomicFile::commit() {
  close();  // together with other ranks, which may be threads
  // A pipe may wait for its reader without end, so a copy to one can be broken off.
  const auto held =
      descriptor_ < 0 ? hold_unfinished_files() : std::unique_lock<std::recursive_mutex>();
  if (comm_ == nullptr || comm_->rank() == 0) publish();
  committed_ = true;
}

void OutputFiles::refuse_twice(const std::string& path) const {
  if (is_discarded(path)) return;
  const std::string target = absolute_name(target_of(path));
  for (const AtomicFile& file : files_) {
    if (absolute_name(file.target()) != target) continue;
    throw usage_error(
        "{}: expected output files of different names, got this one twice; name the outputs apart",
        path);
  }
}

AtomicFile& OutputFiles::add(std::string path) {
  refuse_twice(path);
  return files_.emplace_back(std::move(path));
}

AtomicFile& OutputFiles::add(std::string path, Comm* comm) {
  if (comm == nullptr) return add(std::move(path));
  refuse_twice(path);
  return files_.emplace_back(std::move(path), *comm);
}

void OutputFiles::commit() {
  for (AtomicFile& file : files_) file.close();
  if (files_.empty()) return;
  const FolderLock others(files_.front().target());
  const auto held = hold_unfinished_files();
  ReplacedFiles replaced;
  for (AtomicFile& file : files_) {
    if (!file.renames()) {
      file.commit();
      continue;
    }
    // Nobody else is within a commit here: a second name is of a run that was killed within its
    // own. It is the only name where the file system has no links.
    std::error_code none;
    if (others.held() && std::filesystem::is_regular_file(file.target(), none)) {
      remove_left_files(file.target(), old_word);
    }
    replaced.keep(file.target());
    file.commit();
    replaced.done();
  }
  replaced.forget();
}

}  // namespace yupana
