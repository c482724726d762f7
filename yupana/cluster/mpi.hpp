#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "yupana/core/comm.hpp"

namespace yupana::cluster {

/// Processes that mpirun, srun or the like started together with this one, itself among them, by
/// the environment alone.
int size_by_environment();

/// True if this process was started by mpirun, srun or the like together with others. Asks the
/// environment alone: nothing is loaded.
bool under_mpi();

/// This process's number among them, by the environment alone; 0 where there is one.
int rank_by_environment();

/// The processes that mpirun started, through the library yupana_mpi, which lies beside the
/// program or in its ../lib and is loaded here: a program that runs alone needs no MPI.
///   errors (usage): the library is missing, or was built for another MPI than the one that runs
std::shared_ptr<Comm> join_mpi();

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
