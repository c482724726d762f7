#include "yupana/core/array.hpp"

#include <sys/mman.h>

#include <cstdlib>

#include "yupana/core/error.hpp"

namespace yupana {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t rounded(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

Error refused(std::size_t bytes) {
  return Error(ErrorCode::out_of_resources,
               fmt::format("memory: wanted {:.1f} MiB and the system has none left; lower --memory "
                           "or close other programs",
                           static_cast<double>(bytes) / (1 << 20)));
}

}  // namespace

void* allocate_host(std::size_t bytes) {
  if (bytes < huge_page) {
    void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory == nullptr) throw refused(bytes);
    return memory;
  }
  // Large blocks go back to the system when released, so that peak memory is what the plan says,
  // and use huge pages, without which strided tiles spend their time in the page tables.
  void* memory =
      mmap(nullptr, rounded(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw refused(bytes);
  madvise(memory, rounded(bytes), MADV_HUGEPAGE);
  return memory;
}

void release_host(void* memory, std::size_t bytes) noexcept {
  if (bytes < huge_page) {
    std::free(memory);
  } else {
    munmap(memory, rounded(bytes));
  }
}

}  // namespace yupana
