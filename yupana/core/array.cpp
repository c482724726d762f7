#include "yupana/core/array.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/unfinished_files.hpp"

namespace yupana {

#ifdef YUPANA_FILLED_MEMORY
/// malloc() fills its own memory, too. Set here and not by GLIBC_TUNABLES, which peers of tests
/// inherit: plink2 then fills half of the machine's memory. Tests know this build by the name.
extern const int new_memory_is_filled;
const int new_memory_is_filled = mallopt(M_PERTURB, 0x5a);
#endif

namespace {

thread_local const std::string* scratch_folder = nullptr;

std::size_t rounded(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

Error refused(std::size_t bytes) {
  return resource_error(
      "memory: expected {}, the system has none left; lower --memory or close other programs",
      human_bytes(bytes));
}

Error disk_refused(const std::string& folder, std::size_t bytes, int cause) {
  const bool full = cause == ENOSPC || cause == EDQUOT || cause == EFBIG || cause == ENOMEM;
  return Error(full ? ErrorCode::out_of_resources : ErrorCode::bad_input,
               fmt::format("{}: cannot store {} that exceed --memory: {}",
                           folder,
                           human_bytes(bytes),
                           std::strerror(cause)));
}

void* allocate_on_disk(const std::string& folder, std::size_t bytes) {
  const int file = open_nameless(folder);
  if (file < 0) throw disk_refused(folder, bytes, errno);
  int cause = 0;
  // Without it a full disk would end the process when a page is written.
  do {
    cause = posix_fallocate(file, 0, static_cast<off_t>(rounded(bytes)));
  } while (cause == EINTR);
  void* memory = MAP_FAILED;
  if (cause == 0) {
    memory = mmap(nullptr, rounded(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) cause = errno;
  }
  close(file);
  if (cause != 0) throw disk_refused(folder, bytes, cause);
  return memory;
}

void* allocate(std::size_t bytes) {
  if (bytes < fresh_bytes) {
    void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory == nullptr) throw refused(bytes);
    return memory;
  }
  if (scratch_folder != nullptr) return allocate_on_disk(*scratch_folder, bytes);
  // Large blocks go back to the system when released, so that peak memory is what the plan says,
  // and use huge pages, without which strided tiles spend their time in the page tables.
  void* memory =
      mmap(nullptr, rounded(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw refused(bytes);
  madvise(memory, rounded(bytes), MADV_HUGEPAGE);
  return memory;
}

}  // namespace

ScratchScope::ScratchScope(std::string folder)
    : folder_(std::move(folder)), before_(scratch_folder) {
  if (!folder_.empty()) scratch_folder = &folder_;
}

ScratchScope::~ScratchScope() { scratch_folder = before_; }

void* allocate_host(std::size_t bytes) {
  void* memory = allocate(bytes);
  if (is_filled) std::memset(memory, 0xff, bytes);
  return memory;
}

void release_host(void* memory, std::size_t bytes) noexcept {
  if (bytes < fresh_bytes) {
    std::free(memory);
  } else {
    munmap(memory, rounded(bytes));
  }
}

}  // namespace yupana
