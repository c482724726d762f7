#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace yupana {

/// Cores this process may run on (affinity and control groups respected), at least 1.
int usable_cores();
/// Bytes of memory a new program can take now without swapping, control groups respected.
std::uint64_t free_memory();
/// Most bytes of memory this process has held so far.
std::uint64_t peak_memory();
/// Seconds that this process has spent on all cores so far, whatever else runs on the machine.
double cpu_seconds();
/// The processor's name, as the system reports it.
std::string processor_name();
/// Best instruction set the SIMD code will use here ("AVX3_DL", "AVX2", "NEON", ...).
std::string simd_target();

/// "12.3 GB", "640 MB": powers of 1000, as the suffixes of --memory; three digits.
std::string human_bytes(double bytes);
/// The same rounded up, of what a run needs, and down, of what it may hold: the two never print
/// alike where one exceeds the other, and --memory takes the first as it is printed.
std::string needed_bytes(double bytes);
std::string allowed_bytes(double bytes);
/// needed_bytes() as --memory takes it: "12.3G".
std::string memory_option(double bytes);
/// "1.23 T", "85 G": a count with a metric prefix.
std::string human_count(double count);

/// Bytes that a program may still write in the folder of a path, or in the nearest folder above it
/// that exists; none where the system does not say.
std::optional<std::uint64_t> free_disk(const std::string& path);

/// Throws out_of_resources, naming the folder, if files of `bytes` bytes in all with names that
/// begin with `prefix` do not fit its disk.
void check_disk(const std::string& prefix, std::uint64_t bytes);

}  // namespace yupana
