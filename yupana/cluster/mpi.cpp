#include "yupana/cluster/mpi.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>

#include "yupana/core/error.hpp"

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
  const fs::path here = folder_of_program();
  for (const fs::path& folder : {here, here / "../lib", here / "../lib/yupana"}) {
    const fs::path path = folder / "libyupana_mpi.so";
    if (!fs::exists(path)) continue;
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

bool under_mpi() { return first_set({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}) > 1; }

int rank_by_environment() {
  return std::max(0, first_set({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}));
}

std::shared_ptr<Comm> join_mpi() {
  void* const library = open_library();
  const auto join = reinterpret_cast<Comm* (*)()>(dlsym(library, "yupana_mpi_join"));
  const auto leave = reinterpret_cast<void (*)(Comm*)>(dlsym(library, "yupana_mpi_leave"));
  if (join == nullptr || leave == nullptr) {
    throw Error(ErrorCode::usage, "libyupana_mpi.so is of another version; build yupana again");
  }
  return {join(), leave};
}

}  // namespace yupana::cluster
