#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace yupana::cli {

/// Throws usage for a -o that names no file: empty, "-", or a folder ("out/").
void check_out(const std::string& out);

/// Throws usage for a -o that names a device or a pipe, of commands that write several files.
void check_prefix(const std::string& out);

/// True if -o names standard output (/dev/stdout, /dev/fd/1).
bool is_standard_output(const std::string& out);

/// Makes the folders of -o that do not exist, and at its end removes those of them that are empty.
class OutFolder {
 public:
  explicit OutFolder(const std::string& out);
  ~OutFolder();
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

  /// Removes those of the folders it made that are empty.
  void remove_empty();

 private:
  std::vector<std::filesystem::path> made_;
};

/// The same for the run of this process, which is ended without unwinding.
void remove_out_folders();

}  // namespace yupana::cli
