#include "yupana/core/disk.hpp"

#include <sys/statvfs.h>

#include <filesystem>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"

namespace yupana {
namespace {

std::string folder_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  fs::path folder = fs::path(path).parent_path();
  while (!folder.empty() && folder != folder.parent_path() && !fs::exists(folder, none)) {
    folder = folder.parent_path();
  }
  return folder.empty() ? "." : folder.string();
}

}  // namespace

std::optional<std::uint64_t> free_disk(const std::string& path) {
  struct statvfs disk {};
  if (statvfs(folder_of(path).c_str(), &disk) != 0 || disk.f_blocks == 0) return {};
  return static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
}

void check_disk(const std::string& prefix, std::uint64_t bytes) {
  const std::optional<std::uint64_t> left = free_disk(prefix);
  if (!left || bytes <= *left) return;
  throw resource_error(
      "{}: the output takes {}, its disk has {} free; free some, or choose another folder",
      prefix,
      needed_bytes(bytes),
      allowed_bytes(*left));
}

}  // namespace yupana
