#pragma once

#include <string>

namespace yupana {

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
