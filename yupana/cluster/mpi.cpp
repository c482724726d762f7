#include "yupana/cluster/mpi.hpp"

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <string>

#include "yupana/core/messages.hpp"

namespace yupana::cluster {
namespace {

namespace fs = std::filesystem;

/// The first of the variables that is set, as a number; -1 if none is.
int first_set(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* const value = std::getenv(name)) return std::atoi(value);
  }
  return -1;
}

fs::path folder_of_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

void* open_library() {
  std::string why;
  std::error_code none;
  const fs::path here = folder_of_program();
  for (const fs::path& folder : {here, here / "../lib", here / "../lib/yupana"}) {
    const fs::path path = folder / "libyupana_mpi.so";
    if (!fs::exists(path, none)) continue;
    // Open MPI loads its parts by name and must find its own symbols: global.
    if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
    why = dlerror();
  }
  throw Error(ErrorCode::usage,
              why.empty()
                  ? fmt::format("started by mpirun, but libyupana_mpi.so is not in {}; install an "
                                "MPI (libopenmpi-dev) and build again, or start one process",
                                here.string())
                  : fmt::format("started by mpirun, but MPI cannot be loaded: {}", why));
}

}  // namespace

int size_by_environment() {
  // Not SLURM_NTASKS: every program of a batch script finds that, started by srun or not.
  return std::max(1, first_set({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}));
}

bool under_mpi() { return size_by_environment() > 1; }

int rank_by_environment() {
  return std::max(0, first_set({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}));
}

std::shared_ptr<Comm> join_mpi() {
  void* const library = open_library();
  const auto join = reinterpret_cast<Comm* (*)()>(dlsym(library, "yupana_mpi_join"));
  const auto leave = reinterpret_cast<void (*)(Comm*)>(dlsym(library, "yupana_mpi_leave"));
  if (join == nullptr || leave == nullptr) {
    throw usage_error("libyupana_mpi.so is of another version; build yupana again");
  }
  std::shared_ptr<Comm> comm(join(), leave);
  const int started = size_by_environment();
  if (comm->size() != started) {
    throw usage_error(
        "{} processes were started, but MPI knows of {}: the starter belongs to another MPI; use "
        "the mpirun of the MPI that yupana was built with, or srun --mpi=pmix",
        started,
        comm->size());
  }
  return comm;
}

Cores own_cores() {
  Cores cores;
  std::string identity;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), identity);
  cores.machine = std::hash<std::string>{}(identity);
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cores;
  for (std::size_t core = 0; core < cores.allowed.size() && core < CPU_SETSIZE; ++core) {
    cores.allowed[core] = CPU_ISSET(core, &set);
  }
  return cores;
}

int threads_of(std::span<const Cores> all, std::size_t self) {
  double share = 0;
  for (std::size_t core = 0; core < all[self].allowed.size(); ++core) {
    if (!all[self].allowed[core]) continue;
    const auto sharing = std::count_if(all.begin(), all.end(), [&](const Cores& other) {
      return other.machine == all[self].machine && other.allowed[core];
    });
    share += 1 / static_cast<double>(sharing);
  }
  return std::max(1, static_cast<int>(share + 1e-6));  // three thirds are one
}

}  // namespace yupana::cluster
