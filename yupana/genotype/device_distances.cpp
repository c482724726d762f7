#include "yupana/genotype/device_distances.hpp"

#include "yupana/genotype/pair_counts_backends.hpp"

namespace yupana::genotype {

DeviceDistances device_distances(Context&, PairCounter& counter) {
  const bool whole = counter.rows().begin == 0 && counter.rows().end == counter.samples();
  cuda::DeviceCounts* const counts = counter.device_counts();
  return whole && counts != nullptr ? counts->squared_distances() : DeviceDistances{};
}

}  // namespace yupana::genotype
