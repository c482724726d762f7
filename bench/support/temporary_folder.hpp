#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "yupana/core/error.hpp"

namespace yupana::bench {

/// A folder for the files that a bench shares with its peers; it is removed with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    path_ = (std::filesystem::temp_directory_path() / "yupana-bench-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) {
      throw Error(ErrorCode::out_of_resources,
                  path_ + ": cannot create a folder; set TMPDIR to a folder with space");
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace yupana::bench
