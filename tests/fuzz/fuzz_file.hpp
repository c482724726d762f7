#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

#include "yupana/core/error.hpp"

namespace yupana::fuzz {

/// A folder of this process, in memory where the system has /dev/shm; gone at exit.
inline const std::filesystem::path& folder() {
  // Never destroyed: the exit handler still needs it.
  static const auto& made = *new std::filesystem::path([] {
    const std::filesystem::path shared("/dev/shm");
    const bool has = std::filesystem::is_directory(shared);
    return (has ? shared : std::filesystem::temp_directory_path()) /
           ("yupana_fuzz." + std::to_string(getpid()));
  }());
  static const bool once = std::filesystem::create_directories(made) &&
                           std::atexit([] { std::filesystem::remove_all(folder()); }) == 0;
  if (!once) std::abort();
  return made;
}

/// A descriptor of the file, which stays open: to make each file anew took a third of the time of
/// small inputs. Made anew all the same where the last one was removed or replaced.
inline int descriptor(const std::string& path, std::size_t& old_size) {
  static auto& opened = *new std::unordered_map<std::string, int>;
  const auto [place, is_new] = opened.try_emplace(path, -1);
  struct stat found {};
  if (!is_new && (fstat(place->second, &found) != 0 || found.st_nlink == 0)) close(place->second);
  if (is_new || found.st_nlink == 0) {
    found.st_size = 0;
    place->second = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (place->second < 0) std::abort();
  }
  old_size = static_cast<std::size_t>(found.st_size);
  return place->second;
}

/// Puts bytes into a file there.
inline std::string put(const std::string& name, const std::uint8_t* data, std::size_t size) {
  std::string path = folder().native() + '/' + name;
  std::size_t old_size = 0;
  const int file = descriptor(path, old_size);
  if (pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  if (old_size > size && ftruncate(file, static_cast<off_t>(size)) != 0) std::abort();
  return path;
}

inline std::string put(const std::string& name, std::string_view bytes) {
  return put(name, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// Calls `read` and aborts where it refuses its input with more than one line.
template <class Read>
void expect_one_line(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
}

}  // namespace yupana::fuzz
