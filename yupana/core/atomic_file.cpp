#include "yupana/core/atomic_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "yupana/core/error.hpp"

namespace yupana {
namespace {

Error cannot(std::string_view path, std::string_view verb) {
  const ErrorCode code = errno == ENOSPC || errno == EDQUOT || errno == EFBIG
                             ? ErrorCode::out_of_resources
                             : ErrorCode::bad_input;
  return Error(code, fmt::format("{}: cannot {}: {}", path, verb, std::strerror(errno)));
}

/// Renaming a file over a device or a pipe would put an end to it, for everybody.
bool holds_no_file(const std::string& path) {
  std::error_code none;
  const auto status = std::filesystem::status(path, none);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

Error no_file(std::string_view path) {
  return Error(ErrorCode::bad_input,
               fmt::format("{}: is a folder, a device or a pipe; name a file to write", path));
}

/// Where a symbolic link leads, or the path itself: renaming a file over a link would end the link,
/// /dev/stdout among them.
std::string target_of(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path target = path;
  std::error_code none;
  for (int links = 0; links < 40 && fs::is_symlink(target, none); ++links) {
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
        // rename() leaves two links to one file alone: there the second name has to go.
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
    files_.push_back({target, fmt::format("{}.old-{}", target, getpid()), false});
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

}  // namespace

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)),
      target_(target_of(path_)),
      temporary_(fmt::format("{}.part-{}", target_, getpid())) {
  if (holds_no_file(path_)) throw no_file(path_);
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) throw cannot(path_, "create the file");
  std::setvbuf(file_, nullptr, _IOFBF, 1 << 20);
}

AtomicFile::AtomicFile(std::string path, Comm& comm)
    : path_(std::move(path)),
      target_(target_of(path_)),
      temporary_(fmt::format("{}.part-{}", target_, getpid())),
      comm_(&comm) {
  broadcast(comm, temporary_, 0);
  // The first rank makes the file, empty whatever was left there, and all hear whether it could.
  constexpr int something_else = -1;
  int fault = 0;
  if (comm.rank() == 0 && holds_no_file(path_)) {
    fault = something_else;
  } else if (comm.rank() == 0) {
    std::FILE* const file = std::fopen(temporary_.c_str(), "wb");
    fault = file == nullptr ? errno : 0;
    if (file != nullptr) std::fclose(file);
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
  throw Error(ErrorCode::out_of_resources, fmt::format("{}: cannot write: {}", path_, fault));
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  if (std::fwrite(data, 1, bytes, file_) != bytes) throw cannot(path_, "write");
}

void AtomicFile::write_at(std::int64_t offset, const void* data, std::size_t bytes) {
  if (shared_) return check(shared_->write_at(offset, data, bytes));
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = pwrite(fileno(file_), from, bytes, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw cannot(path_, "write");
    from += done;
    offset += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

void AtomicFile::close() {
  if (shared_) check(std::exchange(shared_, nullptr)->close());
  if (file_ == nullptr) return;
  const bool flushed = std::fflush(file_) == 0;
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (!flushed || !closed) throw cannot(path_, "write");
}

void AtomicFile::commit() {
  close();
  if (renames() && std::rename(temporary_.c_str(), target_.c_str()) != 0)
    throw cannot(path_, "rename");
  committed_ = true;
}

void OutputFiles::refuse_twice(const std::string& path) const {
  const std::string target = absolute_name(target_of(path));
  for (const AtomicFile& file : files_) {
    if (absolute_name(file.target()) != target) continue;
    throw Error(ErrorCode::usage,
                fmt::format("{}: expected output files of different names, got this one twice; "
                            "name the outputs apart",
                            path));
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
  ReplacedFiles replaced;
  for (AtomicFile& file : files_) {
    if (!file.renames()) {
      file.commit();
      continue;
    }
    replaced.keep(file.target());
    file.commit();
    replaced.done();
  }
  replaced.forget();
}

}  // namespace yupana
