#include "yupana/cluster/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>

namespace yupana::cluster {

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
