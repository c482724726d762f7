#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

namespace yupana {

/// Opens a file without a name in a folder: its room on the disk is free again once it is closed,
/// however the process ends. Returns the descriptor, or -1 with errno set.
int open_nameless(const std::string& folder);

/// Calls some(done, left) until all bytes are done, it fails or comes to an end; an interrupted
/// call is repeated. Returns how many are done; errno is 0 at an end.
template <class Some>
std::size_t in_pieces(std::size_t bytes, const Some& some) {
  std::size_t done = 0;
  while (done < bytes) {
    const auto more = some(static_cast<std::int64_t>(done), bytes - done);
    if (more < 0 && errno == EINTR) continue;
    if (more == 0) errno = 0;
    if (more <= 0) break;
    done += static_cast<std::size_t>(more);
  }
  return done;
}

/// A temporary file for data that memory does not hold. Nothing of it can remain: not after a
/// signal, not after kill -9.
class NamelessFile {
 public:
  /// errors: bad_input for a folder that cannot be written
  explicit NamelessFile(std::string folder);
  ~NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  /// Appends. errors: out_of_resources for a full disk
  void write(const void* data, std::size_t bytes);
  /// Reads what was written, from several threads if need be.
  void read_at(std::int64_t offset, void* data, std::size_t bytes) const;

  const std::string& folder() const { return folder_; }
  /// A name by which this process can open it.
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  std::string folder_;
  int file_ = -1;
};

}  // namespace yupana
