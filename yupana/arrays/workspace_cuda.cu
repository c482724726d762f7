#include <algorithm>
#include <limits>

#include "yupana/arrays/workspace_cuda.hpp"

namespace yupana::arrays::cuda {

using namespace yupana::cuda;

namespace {

template <class Memory>
void* grown(Memory& memory, std::uint64_t bytes) {
  const auto size = static_cast<std::int64_t>(bytes);
  if (size > memory.size()) {
    memory = {};  // frees first: the two need not fit side by side
    memory = Memory(size);
  }
  return memory.data();
}

}  // namespace

void* Workspace::scratch(std::uint64_t bytes) { return grown(scratch_, bytes); }
void* Workspace::beside(std::uint64_t bytes) { return grown(beside_, bytes); }
void* Workspace::for_host(std::uint64_t bytes) { return grown(for_host_, bytes); }

Workspace::TileStatus Workspace::tile_status(std::int64_t words, cudaStream_t stream) {
  const bool all_used = epoch_ == std::numeric_limits<std::uint32_t>::max();
  if (words > status_.size() || all_used) {
    if (words > status_.size()) {
      status_ = {};
      status_ = DeviceArray<std::uint64_t>(std::max<std::int64_t>(words, 1 << 15));
    }
    check(cudaMemsetAsync(status_.data(), 0, status_.bytes(), stream), "clear the status of tiles");
    epoch_ = 0;
  }
  return {status_.data(), ++epoch_};
}

std::uint32_t* Workspace::counter(cudaStream_t stream) {
  if (counter_.empty()) {
    counter_ = DeviceArray<std::uint32_t>(1);
    check(cudaMemsetAsync(counter_.data(), 0, counter_.bytes(), stream), "clear a counter");
  }
  return counter_.data();
}

}  // namespace yupana::arrays::cuda
