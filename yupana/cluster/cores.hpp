#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>

namespace yupana::cluster {

/// Where a process runs: its machine, and the cores it may use there.
struct Cores {
  std::uint64_t machine = 0;
  std::bitset<1024> allowed;
};

/// This process's. A machine is known by the identity its kernel took when it started.
Cores own_cores();

/// Threads for process `self` of `all`: its own cores, and its part of those that it shares with
/// others of its machine; at least 1. Whether ranks are bound to a core each, to a socket together
/// or not at all, the threads of a machine are no more than its cores.
int threads_of(std::span<const Cores> all, std::size_t self);

}  // namespace yupana::cluster
