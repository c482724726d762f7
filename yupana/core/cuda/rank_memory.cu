#include <algorithm>
#include <optional>

#include "yupana/core/cuda/rank_memory.hpp"

namespace yupana::cuda {

bool all_say_yes(Comm& comm, bool own) {
  const std::vector<char> all = all_gather(comm, static_cast<char>(own));
  return std::find(all.begin(), all.end(), 0) == all.end();
}

RankMemory::RankMemory(Comm& comm, void* own) : comm_(comm) {
  check(cudaGetDevice(&device_), "query the current device");
  cudaIpcMemHandle_t handle{};
  check(cudaIpcGetMemHandle(&handle, own), "share memory with other processes");
  const auto handles = all_gather(comm, handle);
  memory_.resize(handles.size());
  const auto self = static_cast<std::size_t>(comm.rank());
  memory_[self] = own;
  try {
    for (std::size_t rank = 0; rank < handles.size(); ++rank) {
      if (rank == self) continue;
      check(cudaIpcOpenMemHandle(&memory_[rank], handles[rank], cudaIpcMemLazyEnablePeerAccess),
            "map memory of another process");
    }
  } catch (...) {
    unmap();
    throw;
  }
}

RankMemory::~RankMemory() { unmap(); }

void RankMemory::close() {
  comm_.barrier();
  unmap();
  comm_.barrier();
}

void RankMemory::unmap() noexcept {
  int before = 0;
  const bool known = cudaGetDevice(&before) == cudaSuccess;
  cudaSetDevice(device_);
  for (std::size_t rank = 0; rank < memory_.size(); ++rank) {
    if (memory_[rank] == nullptr || rank == static_cast<std::size_t>(comm_.rank())) continue;
    if (cudaIpcCloseMemHandle(memory_[rank]) != cudaSuccess) cudaGetLastError();
  }
  memory_.clear();
  if (known) cudaSetDevice(before);
}

std::vector<Event> events_of_ranks(Comm& comm, const Event& own) {
  cudaIpcEventHandle_t handle{};
  check(cudaIpcGetEventHandle(&handle, own), "share an event with other processes");
  std::vector<Event> events;
  const auto handles = all_gather(comm, handle);
  for (std::size_t rank = 0; rank < handles.size(); ++rank) {
    events.push_back(rank == static_cast<std::size_t>(comm.rank()) ? Event()
                                                                   : Event::opened(handles[rank]));
  }
  return events;
}

namespace {

/// What a rank shares to see whether it arrives.
struct Probe {
  bool made = false;
  cudaIpcMemHandle_t memory{};
  cudaIpcEventHandle_t event{};
};

/// True if the probe of `rank` can be read here.
bool reads(const Probe& probe, int rank) {
  void* memory = nullptr;
  if (cudaIpcOpenMemHandle(&memory, probe.memory, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
    return false;
  }
  int found = -1;
  const bool read =
      cudaMemcpy(&found, memory, sizeof(found), cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaIpcCloseMemHandle(memory);
  if (!read || found != rank) return false;
  cudaEvent_t event = nullptr;
  if (cudaIpcOpenEventHandle(&event, probe.event) != cudaSuccess) return false;
  const bool passed = cudaEventSynchronize(event) == cudaSuccess;
  return cudaEventDestroy(event) == cudaSuccess && passed;
}

}  // namespace

bool can_share_memory(Comm& comm) {
  Probe own;
  DeviceArray<int> memory;
  std::optional<Event> event;
  try {
    memory = shareable<int>(1);
    upload("share a number", memory.data(), std::vector<int>{comm.rank()}.data(), 1);
    event = Event::interprocess();
    event->record(nullptr);
    check(cudaIpcGetMemHandle(&own.memory, memory.data()), "share memory");
    check(cudaIpcGetEventHandle(&own.event, *event), "share an event");
    own.made = true;
  } catch (const Error&) {  // others wait for the answer
  }
  const std::vector<Probe> probes = all_gather(comm, own);
  bool yes = true;
  for (int rank = 0; rank < comm.size() && yes; ++rank) {
    const Probe& probe = probes[static_cast<std::size_t>(rank)];
    yes = probe.made && (rank == comm.rank() || reads(probe, rank));
  }
  if (!yes) cudaGetLastError();
  // Nobody frees what another reads.
  return all_say_yes(comm, yes);
}

}  // namespace yupana::cuda
