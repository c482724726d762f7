#pragma once

#include <memory>

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

}  // namespace yupana::cluster
