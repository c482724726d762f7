#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/genotype/device_planes.hpp"

/// Genotypes in the memory of the current GPU. Only for CUDA builds.
namespace yupana::python::device {

/// One byte a genotype, samples x sites: 0, 1, 2, or less where the call is missing.
struct Genotypes {
  const std::int8_t* calls = nullptr;
  std::int64_t samples = 0;
  std::int64_t sites = 0;
};

/// What there is in them.
struct GenotypesSummary {
  unsigned long long bad;  ///< the first that is above 2; all bits set where none is
  unsigned missing;        ///< whether some call is
};
GenotypesSummary summarize_genotypes(const Genotypes& genotypes);

/// Bit planes of sites [first, first + sites), for PairSums; queued on the stream.
void planes_from_calls(const Genotypes& genotypes,
                       std::int64_t first,
                       std::int64_t sites,
                       genotype::cuda::PlaneKind kind,
                       const genotype::cuda::DevicePlanes& planes,
                       cudaStream_t stream);

}  // namespace yupana::python::device
