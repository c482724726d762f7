#include "cli/out_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::cli {

namespace fs = std::filesystem;

void check_out(const std::string& out) {
  if (out.empty()) throw usage_error("-o: expected a name, got ''; name a file");
  if (out == "-") {
    throw usage_error(
        "-o -: expected a name, got '-'; name a file, or, where -o is a file, /dev/stdout");
  }
  if (out.starts_with('=')) {
    throw usage_error(
        "-o{}: expected a blank after -o, got '='; write -o {}, or -o ./{} if it is meant",
        out,
        out.substr(1),
        out);
  }
  const fs::path name = fs::path(out).filename();
  if (!name.empty() && name != "." && name != "..") return;
  throw usage_error("-o {}: expected the name of a file, got a folder; write {}",
                    out,
                    (fs::path(out) / "run").string());
}

void check_prefix(const std::string& out) {
  if (is_discarded(out)) return;
  std::error_code fault;
  const fs::file_status status = fs::status(out, fault);
  // A stream stays one where the shell has put a file in its place.
  const bool stream = is_standard_output(out) || out == "/dev/stderr";
  if (!stream && !fs::is_other(status)) return;
  throw usage_error(
      "-o {}: expected a name to which endings as .json are added, got a device or pipe; name it "
      "as out/run",
      out);
}

fs::path folder_of(const std::string& out) {
  if (is_discarded(out)) return {};
  std::error_code none;
  const fs::file_status status = fs::symlink_status(out, none);
  if (fs::is_symlink(status) || fs::is_other(status)) return {};
  const fs::path folder = fs::path(out).parent_path();
  return folder.empty() && !out.empty() ? "." : folder;
}

bool drop_ending(std::string& out, const std::string& ending) {
  if (!out.ends_with(ending) || out.ends_with("/" + ending) || out == ending) return false;
  out.resize(out.size() - ending.size());
  return true;
}

bool is_standard_output(const std::string& out) {
  return out == "/dev/stdout" || out == "/dev/fd/1" || out == "/proc/self/fd/1";
}

namespace {

std::mutex making;
std::vector<OutFolder*> out_folders;  ///< of this process

/// Before the work rather than after it. A folder that the system cannot tell of has an error of
/// its own when a file is made.
void check_writable(const std::string& option, const fs::path& folder) {
  if (access(folder.c_str(), W_OK | X_OK) == 0 || (errno != EACCES && errno != EROFS)) return;
  const int denied = errno;
  std::error_code none;
  const int reason = fs::is_directory(folder, none) ? denied : ENOTDIR;
  throw input_error("{}: cannot write in the folder {}: {}; choose another",
                    option,
                    folder.string(),
                    std::strerror(reason));
}

}  // namespace

// The destructor removes what a constructor made that then failed.
OutFolder::OutFolder(const std::string& option, const fs::path& folder) : OutFolder() {
  const std::lock_guard lock(making);
  std::error_code fault;
  std::vector<fs::path> missing;
  for (fs::path at = folder; !at.empty() && !fs::exists(at, fault); at = at.parent_path()) {
    if (fault) return;  // the file's own error says why
    missing.push_back(at);
  }
  for (; !missing.empty(); missing.pop_back()) {
    made_.push_back(missing.back());
    if (!fs::create_directory(missing.back(), fault)) made_.pop_back();
    if (!fault) continue;
    throw input_error(
        "{}: cannot make the folder {}: {}", option, missing.back().string(), fault.message());
  }
  check_writable(option, folder);
  out_folders.push_back(this);
}

OutFolder::~OutFolder() {
  const std::lock_guard lock(making);
  std::erase(out_folders, this);
  remove_empty();
}

void OutFolder::remove_empty() {
  std::error_code not_empty;
  for (; !made_.empty(); made_.pop_back()) fs::remove(made_.back(), not_empty);
}

void remove_out_folders() {
  const std::lock_guard lock(making);
  for (OutFolder* const folder : out_folders) folder->remove_empty();
}

CheckpointFolder::CheckpointFolder(const job::CheckpointParams& checkpoint, const Comm* comm)
    : saved_(checkpoint.saved), folder_("--checkpoint " + checkpoint.folder, checkpoint.folder) {
  if (checkpoint.folder.empty() || (comm != nullptr && comm->rank() > 0)) return;
  lock_ = open(checkpoint.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // The system releases it when the run ends, killed too. File systems without locks have none.
  if (lock_ < 0 || flock(lock_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(lock_);
  throw input_error(
      "--checkpoint {}: another run saves its counts there; wait for its end, or choose another "
      "folder",
      checkpoint.folder);
}

Error CheckpointFolder::with_saved(const Error& error) const {
  if (error.code() != ErrorCode::interrupted || saved_->empty()) return error;
  return Error(error.code(),
               fmt::format("{}; {} holds the counts so far: the same command continues from there",
                           error.what(),
                           *saved_));
}

CheckpointFolder::~CheckpointFolder() {
  if (lock_ >= 0) close(lock_);
}

}  // namespace yupana::cli
