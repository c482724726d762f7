#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yupana/splice/plan.hpp"
#include "yupana/splice/protein_backends.hpp"
#include "yupana/splice/protein_batch_cuda.hpp"

/// Private to the family: what a device does for one protein, step by step. Which carries are
/// reached where does not depend on scores, so all of it is known before. Only files of the CUDA
/// build include this.
namespace yupana::splice::cuda {

struct PreparedProtein {
  Plan plan;
  std::vector<DeviceProteinStart> starts;
  std::vector<DeviceStream> streams;  ///< three a start
  std::vector<DeviceCarry> carries;
  std::vector<DeviceLeaving> leavings;
  std::vector<DeviceMerge> merges;
  std::vector<std::int32_t> merged;
  std::vector<DeviceProteinReading> readings;
  std::int64_t bases = 0;       ///< of all starts
  std::int64_t rows = 0;        ///< held by a block
  std::int64_t boundaries = 0;  ///< rows that a block tells the next of
  std::int64_t longest = 1;     ///< codons of one stream
  std::int64_t cells = 0;       ///< as the CPU counts them
  std::int32_t letters = 0;     ///< n
  std::int32_t blocks = 1;
};

PreparedProtein prepare_protein(const Case& problem, const ProteinParams& params);
/// Words that its alignment takes at most.
std::int64_t protein_path_words(const PreparedProtein& c);
/// Bytes of a case in an upload, about.
std::int64_t protein_upload_bytes(const PreparedProtein& c);
/// All that a case takes on a device, but for the traceback.
std::uint64_t protein_device_bytes(const PreparedProtein& c, bool alignment);

/// The chain of an alignment from its words.
std::vector<ExonAlignment> read_protein_path(const Case& problem,
                                             const PreparedProtein& prepared,
                                             const ProteinParams& params,
                                             std::span<const std::uint32_t> words);

}  // namespace yupana::splice::cuda
