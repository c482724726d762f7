#include "cli/ranks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "cli/standard_streams.hpp"
#include "yupana/cluster/mpi.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/text.hpp"

namespace yupana::cli {
namespace {

/// "cuda:1,3": every local_size-th GPU, or the one that this rank shares with others.
std::string gpus_of(const Comm& comm, int gpus) {
  std::string list;
  for (int gpu = comm.local_rank() % gpus; gpu < gpus; gpu += comm.local_size()) {
    list += fmt::format("{}{}", list.empty() ? "cuda:" : ",", gpu);
  }
  return list;
}

/// Cores by the ranks that may run on them, and no more than the rank's part of a quota.
int share_of_cores(Comm& comm) {
  const std::vector<cluster::Cores> all = all_gather(comm, cluster::own_cores());
  const auto self = static_cast<std::size_t>(comm.rank());
  const int threads = cluster::threads_of(all, self);
  const bool quota = usable_cores() < static_cast<int>(all[self].allowed.count());
  return quota ? std::clamp(usable_cores() / comm.local_size(), 1, threads) : threads;
}

/// Of every rank's value.
std::uint64_t minimum(Comm& comm, std::uint64_t value) {
  const std::vector<std::uint64_t> all = all_gather(comm, value);
  return *std::min_element(all.begin(), all.end());
}

}  // namespace

std::shared_ptr<Comm> join_ranks(ContextParams& params) {
  std::shared_ptr<Comm> comm = cluster::join_mpi();
  const int here = comm->local_size();
  if (params.threads == 0) params.threads = share_of_cores(*comm);
  if (params.memory == 0) {
    comm->barrier();  // before any rank takes some of it
    params.memory = free_memory() / 5 * 4 / static_cast<std::uint64_t>(here);
    comm->barrier();
  }
  params.memory = minimum(*comm, params.memory);
  const int gpus = cuda::device_count();
  if (gpus > 0 && (params.device == "auto" || params.device == "cuda")) {
    params.device = gpus_of(*comm, gpus);
    if (params.gpu_memory == 0) {
      const auto sharing = static_cast<std::uint64_t>(std::max(1, (here + gpus - 1) / gpus));
      params.gpu_memory = cuda::free_memory(comm->local_rank() % gpus) / 10 * 9 / sharing;
    }
  }
  // Plans are made from these numbers and must be the same on every rank.
  params.gpu_memory = minimum(*comm, params.gpu_memory);
  return comm;
}

void end_ranks(Comm& comm, const std::string& message, ErrorCode code) {
  using std::chrono::seconds;
  if (comm.rank() != 0) {
    // Most faults are every rank's, and Ctrl-C reaches all: the first rank reports them.
    std::this_thread::sleep_for(seconds(2));
    if (code == ErrorCode::interrupted) std::this_thread::sleep_for(seconds(2));
    put_text(
        stderr,
        fmt::format("yupana: rank {} of {}: {}\n", comm.rank(), comm.size(), escaped(message)));
  } else {
    put_text(stderr, fmt::format("yupana: {}\n", escaped(message)));
  }
  std::fflush(stderr);
  comm.abort(static_cast<int>(code));
  std::abort();  // not reached: g++ 12 does not see that a virtual call never returns
}

}  // namespace yupana::cli
