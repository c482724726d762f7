#pragma once

#include <mutex>
#include <set>
#include <string>

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

}  // namespace yupana
