#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/comm.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/unfinished_files.hpp"

namespace yupana {

/// A file that exists only when it is whole: written under a temporary name next to its own,
/// renamed by commit(), removed by the destructor otherwise. A symbolic link stays and its target
/// is the file. A file that is replaced keeps its permissions. A temporary file that a killed run
/// left is removed by the next one that writes the same file. What goes to an open descriptor
/// (/dev/stdout, /dev/stderr, /dev/fd/N), a pipe or a file that a shell opened, is written there by
/// commit() as a whole. Errors name the path and the cause.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  /// One file of all ranks, each of which calls write_at, close and commit; the first one renames.
  AtomicFile(std::string path, Comm& comm);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Writes at a byte offset, past the end too; safe from several threads.
  void write_at(std::int64_t offset, const void* data, std::size_t bytes);
  /// Flushes and closes; the file still has its temporary name. Called by commit().
  void close();
  void commit();

  const std::string& path() const { return path_; }
  const std::string& temporary() const { return temporary_; }
  /// The file that commit() makes: the path, or where a symbolic link leads.
  const std::string& target() const { return target_; }
  /// Whether commit() renames the file here: of a file of all ranks the first one does.
  bool renames() const { return descriptor_ < 0 && (comm_ == nullptr || comm_->rank() == 0); }

 private:
  std::string path_;
  std::string target_;  ///< where a symbolic link leads
  std::string temporary_;
  int descriptor_ = -1;  ///< where the path names an open one
  std::unique_ptr<UnfinishedFile> unfinished_;
  std::FILE* file_ = nullptr;
  Comm* comm_ = nullptr;
  std::unique_ptr<SharedFile> shared_;
  bool committed_ = false;

  AtomicFile(std::string path, Comm* comm);
  void check(const std::string& fault) const;
  void publish() const;
};

/// Inputs of the process, which no AtomicFile may replace from now on: usage, where one would. For
/// programs, which run one command; what does not exist is passed over.
void protect_inputs(std::vector<std::string> paths);

/// The files of one run. They appear together: closed first, all renamed after. A full disk, Ctrl-C
/// or a rename that fails leaves none of them, and what had their names before stays as it was.
class OutputFiles {
 public:
  /// Throws usage where the set has a file of that name already.
  AtomicFile& add(std::string path);
  /// A file of all ranks; without any, as above.
  AtomicFile& add(std::string path, Comm* comm);
  void commit();
  /// Paths in the order they were added.
  const std::list<AtomicFile>& files() const { return files_; }

 private:
  std::list<AtomicFile> files_;

  void refuse_twice(const std::string& path) const;
};

/// "PATH: cannot VERB: ..." of a call that set errno: out_of_resources where the disk, a quota or
/// memory ended, else bad_input.
Error cannot(std::string_view path, std::string_view verb);

inline constexpr std::string_view null_device = "/dev/null";

/// Whether a path is /dev/null, or a name that begins so, as /dev/null.json of a prefix: what an
/// AtomicFile writes there is lost.
constexpr bool is_discarded(std::string_view path) {
  return path == null_device || (path.starts_with(null_device) && path[null_device.size()] == '.');
}

}  // namespace yupana
