#pragma once

#include <string>

namespace yupana {

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

}  // namespace yupana
