#pragma once

#include <string>

namespace yupana {

/// Removes the files next to `target` that are named "TARGET" `word` and a process, unless a living
/// run holds the lock of one. Where the file system knows no locks they stay.
void remove_left_files(const std::string& target, const std::string& word);

}  // namespace yupana
