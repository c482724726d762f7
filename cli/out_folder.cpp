#include "cli/out_folder.hpp"

#include <fmt/format.h>

#include <mutex>
#include <system_error>

#include "yupana/core/error.hpp"

namespace yupana::cli {
namespace fs = std::filesystem;

void check_out(const std::string& out) {
  if (out.empty()) throw Error(ErrorCode::usage, "-o: expected a name, got ''; name a file");
  if (out == "-") {
    throw Error(ErrorCode::usage,
                "-o -: expected a name, got '-'; name a file, or /dev/stdout for a single one");
  }
  const fs::path name = fs::path(out).filename();
  if (!name.empty() && name != "." && name != "..") return;
  throw Error(ErrorCode::usage,
              fmt::format("-o {}: expected the name of a file, or the beginning of one, got a "
                          "folder; write {}{}run",
                          out,
                          out,
                          out.ends_with('/') ? "" : "/"));
}

void check_prefix(const std::string& out) {
  std::error_code fault;
  const fs::file_status status = fs::status(out, fault);
  if (!fs::is_other(status)) return;
  throw Error(ErrorCode::usage,
              fmt::format("-o {}: expected the beginning of the names of several files, got a "
                          "device or pipe; name it as out/run",
                          out));
}

bool is_standard_output(const std::string& out) {
  return out == "/dev/stdout" || out == "/dev/fd/1" || out == "/proc/self/fd/1";
}

namespace {

std::mutex making;
OutFolder* current = nullptr;  ///< of this process

}  // namespace

OutFolder::OutFolder(const std::string& out) {
  const std::lock_guard lock(making);
  current = this;
  std::error_code fault;
  std::vector<fs::path> missing;
  for (fs::path folder = fs::path(out).parent_path(); !folder.empty() && !fs::exists(folder, fault);
       folder = folder.parent_path()) {
    if (fault) return;  // the file's own error says why
    missing.push_back(folder);
  }
  for (; !missing.empty(); missing.pop_back()) {
    if (fs::create_directory(missing.back(), fault)) made_.push_back(missing.back());
    if (!fault) continue;
    const std::string name = missing.back().string(), cause = fault.message();
    remove_empty();
    current = nullptr;
    throw Error(ErrorCode::bad_input,
                fmt::format("-o {}: cannot make the folder {}: {}", out, name, cause));
  }
}

OutFolder::~OutFolder() {
  const std::lock_guard lock(making);
  remove_empty();
  current = nullptr;
}

void OutFolder::remove_empty() {
  std::error_code not_empty;
  for (; !made_.empty(); made_.pop_back()) fs::remove(made_.back(), not_empty);
}

void remove_out_folders() {
  const std::lock_guard lock(making);
  if (current != nullptr) current->remove_empty();
}

}  // namespace yupana::cli
