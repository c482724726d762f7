#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace yupana {

/// Bytes that a program may still write in the folder of a path, or in the nearest folder above it
/// that exists; none where the system does not say.
std::optional<std::uint64_t> free_disk(const std::string& path);

/// Throws out_of_resources, naming the folder, if files of `bytes` bytes in all with names that
/// begin with `prefix` do not fit its disk.
void check_disk(const std::string& prefix, std::uint64_t bytes);

}  // namespace yupana
