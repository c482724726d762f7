#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "yupana/core/comm.hpp"
#include "yupana/core/error.hpp"
#include "yupana/job/count.hpp"

namespace yupana::cli {

/// Throws usage for a -o that names no file: empty, "-", or a folder ("out/").
void check_out(const std::string& out);

/// Throws usage for a -o that names a device or a pipe, of commands that add endings to it.
void check_prefix(const std::string& out);

/// The folder in which -o makes files; none where it is not given, or names a symbolic link, a
/// device or a pipe.
std::filesystem::path folder_of(const std::string& out);

/// Takes an ending off the name of a file; false where it does not end so, or has no name besides.
bool drop_ending(std::string& out, const std::string& ending);

/// True if -o names standard output (/dev/stdout, /dev/fd/1).
bool is_standard_output(const std::string& out);

/// Makes a folder and those above it that do not exist, and at its end removes those of them that
/// are empty. Errors (bad_input), of a folder too that cannot be written in, begin with `option`,
/// as
/// "-o out/run".
class OutFolder {
 public:
  OutFolder(const std::string& option, const std::filesystem::path& folder);
  ~OutFolder();
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

  /// Removes those of the folders it made that are empty.
  void remove_empty();

 private:
  OutFolder() = default;

  std::vector<std::filesystem::path> made_;
};

/// The same for all of a process that is ended without unwinding.
void remove_out_folders();

/// The folder of --checkpoint while a run lasts: made where it does not exist, kept where counts
/// are saved in it, and of one run alone, since the first of two to end would remove what the other
/// saves.
///   errors (bad_input): another run uses it, or it cannot be made or written in
class CheckpointFolder {
 public:
  /// `comm`: the ranks of the run, of which the first locks the folder; null for one process.
  CheckpointFolder(const job::CheckpointParams& checkpoint, const Comm* comm);
  ~CheckpointFolder();
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;

  /// body(); an interrupted run says where the next one continues.
  template <class Body>
  auto run(const Body& body) const {
    try {
      return body();
    } catch (const Error& error) {
      throw with_saved(error);
    }
  }

 private:
  Error with_saved(const Error& error) const;

  std::shared_ptr<std::string> saved_;
  OutFolder folder_;
  int lock_ = -1;
};

}  // namespace yupana::cli
