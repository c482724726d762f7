#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/comm.hpp"
#include "yupana/core/cuda/runtime.hpp"

/// GPU memory and events that the ranks of one machine share. Only files of the CUDA build include
/// this.
namespace yupana::cuda {

/// Whether all ranks say yes. Collective.
bool all_say_yes(Comm& comm, bool own);

/// Whether every rank can map the memory of all others into its current device and wait for their
/// events: no two ranks are threads of one process, and the system and the GPUs allow it.
/// Collective, with the same answer on every rank.
bool can_share_memory(Comm& comm);

/// Values of an allocation that may be shared, `size` or more: the driver shares whole blocks of 2
/// MiB, which must hold nothing else.
template <class T>
DeviceArray<T> shareable(std::int64_t size) {
  constexpr std::int64_t block = (std::int64_t{2} << 20) / static_cast<std::int64_t>(sizeof(T));
  return DeviceArray<T>((size / block + 1) * block);
}

/// The memory that each rank shares, mapped into the current device.
class RankMemory {
 public:
  /// `own`: what shareable() made. Collective.
  RankMemory(Comm& comm, void* own);
  RankMemory(const RankMemory&) = delete;
  RankMemory& operator=(const RankMemory&) = delete;
  /// Without close(), which only a rank does that leaves the run, others may still use `own`.
  ~RankMemory();

  void* of(std::size_t rank) const { return memory_[rank]; }
  /// Waits until no rank uses the memory and unmaps it; afterwards `own` may be freed. Collective.
  void close();

 private:
  void unmap() noexcept;
  Comm& comm_;
  int device_ = 0;
  std::vector<void*> memory_;
};

/// The event of every rank; `own`, of Event::interprocess(), is this one's and not in the list.
/// Collective.
std::vector<Event> events_of_ranks(Comm& comm, const Event& own);

}  // namespace yupana::cuda
