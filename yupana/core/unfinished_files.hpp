#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace yupana {

/// The temporary file of an output while it is written. It is named, locked against other runs and
/// listed; the lock ends with the process, so that a later run recognises a file left by a killed
/// run from one that is being written.
class UnfinishedFile {
 public:
  /// Creates `temporary`, empty, with the permissions of `target` where that is a file, and removes
  /// what killed runs left of the same target. errno says why where file() is -1.
  UnfinishedFile(const std::string& temporary, const std::string& target);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  /// An open descriptor for reading and writing, for as long as this lives.
  int file() const { return file_; }

 private:
  std::multiset<std::string>::iterator registered_;  ///< the name, among those of the process
  int file_ = -1;
};

/// "TARGET.part-PID"
std::string part_name(const std::string& target);

/// Removes temporary files of `target` that no living run is writing. Where the file system knows
/// no locks they stay.
void remove_left_parts(const std::string& target);

/// Held while files get their names: remove_unfinished_files waits for it.
std::unique_lock<std::recursive_mutex> hold_unfinished_files();

/// Removes every temporary file of this process, none of which can get its name any more. For a
/// program that is about to end without unwinding.
void remove_unfinished_files();

/// Removes the files next to `target` that are named "TARGET" `word` and a process, unless a living
/// run holds the lock of one. Where the file system knows no locks they stay.
void remove_left_files(const std::string& target, const std::string& word);

/// The names in a folder, in any order; none of one that cannot be read.
std::vector<std::string> names_in(const std::string& folder);

/// A new folder, "yupana-WORD-" and six letters in the system's folder for temporary files. It is
/// removed with what is in it at the end of its life, or by remove_unfinished_files().
///   errors: out_of_resources
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& word);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Opens a file without a name in a folder: its room on the disk is free again once it is closed,
/// however the process ends. Returns the descriptor, or -1 with errno set.
int open_nameless(const std::string& folder);

/// Calls some(done, left) until all bytes are done, it fails or comes to an end; an interrupted
/// call is repeated. Returns how many are done; errno is 0 at an end.
template <class Some>
std::size_t in_pieces(std::size_t bytes, const Some& some) {
  std::size_t done = 0;
  while (done < bytes) {
    const auto more = some(static_cast<std::int64_t>(done), bytes - done);
    if (more < 0 && errno == EINTR) continue;
    if (more == 0) errno = 0;
    if (more <= 0) break;
    done += static_cast<std::size_t>(more);
  }
  return done;
}

/// A temporary file for data that memory does not hold. Nothing of it can remain: not after a
/// signal, not after kill -9.
class NamelessFile {
 public:
  /// errors: bad_input for a folder that cannot be written
  explicit NamelessFile(std::string folder);
  ~NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  /// Appends. errors: out_of_resources for a full disk
  void write(const void* data, std::size_t bytes);
  /// Reads what was written, from several threads if need be.
  void read_at(std::int64_t offset, void* data, std::size_t bytes) const;

  const std::string& folder() const { return folder_; }
  /// A name by which this process can open it.
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  std::string folder_;
  int file_ = -1;
};

/// While it lives, large blocks that this thread allocates (Array, Matrix, Table) have their pages
/// in files without names in a folder: where memory is short the system writes them out. The
/// disk space is allocated at once: out_of_resources if the disk is full, bad_input for a folder
/// that cannot be written. A file is gone with its block, or with the process. An empty folder
/// changes nothing.
class ScratchScope {
 public:
  explicit ScratchScope(std::string folder);
  ~ScratchScope();
  ScratchScope(const ScratchScope&) = delete;
  ScratchScope& operator=(const ScratchScope&) = delete;

 private:
  std::string folder_;
  const std::string* before_;
};

}  // namespace yupana
