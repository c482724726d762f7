#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

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

/// Puts bytes into a file there.
inline std::string put(const std::string& name, const std::uint8_t* data, std::size_t size) {
  const std::string path = (folder() / name).string();
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(data, 1, size, file) != size) std::abort();
  std::fclose(file);
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
