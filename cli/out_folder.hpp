#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace yupana::cli {

/// Throws usage for a -o that names no file: empty, "-", or a folder ("out/").
void check_out(const std::string& out);

/// True if -o names standard output (/dev/stdout, /dev/fd/1).
bool is_standard_output(const std::string& out);

/// Makes the folders of -o that do not exist, and at its end removes those of them that are empty.
class OutFolder {
 public:
  explicit OutFolder(const std::string& out);
  ~OutFolder();
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

 private:
  std::vector<std::filesystem::path> made_;
};

}  // namespace yupana::cli
