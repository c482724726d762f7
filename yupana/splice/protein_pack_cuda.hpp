#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/splice/protein_prepare_cuda.hpp"

/// Private to the family: the proteins of a batch in one piece of host memory, as they are
/// uploaded. Only files of the CUDA build include this.
namespace yupana::splice::cuda {

/// Where each array lies in the upload, in bytes; and how much the arrays take that are made on the
/// device.
struct ProteinLayout {
  std::int64_t cases = 0, starts = 0, streams = 0, carries = 0, leavings = 0, merges = 0;
  std::int64_t merged = 0, readings = 0, items = 0, bases = 0, targets = 0;
  std::int64_t substitution = 0, amino = 0;
  std::int64_t bytes = 0;       ///< of the upload
  std::int64_t rows = 0;        ///< words of 4 bytes
  std::int64_t between = 0;     ///< words of 8 bytes
  std::int64_t words = 0;       ///< of all alignments at most
  std::int64_t path_words = 0;  ///< of one
  std::int64_t longest = 1;     ///< codons of one stream
  std::int64_t item_count = 0;
};

class PackedProteins {
 public:
  /// The problems at these places, in this order. Finds the layout alone.
  PackedProteins(std::span<const Case> problems,
                 std::span<const PreparedProtein> prepared,
                 std::span<const std::size_t> places,
                 const ProteinParams& params);
  /// Writes layout().bytes, on all threads.
  void fill(Context& context, std::uint8_t* memory) const;

  const ProteinLayout& layout() const { return layout_; }
  /// Points a batch at a copy of the upload on a device.
  void point_into(const std::uint8_t* upload, DeviceProteins& batch) const;

 private:
  void fill_case(std::size_t index, std::uint8_t* memory) const;

  const std::span<const Case> problems_;
  const std::span<const PreparedProtein> prepared_;
  const std::span<const std::size_t> places_;
  const ProteinParams& params_;
  ProteinLayout layout_;
  std::vector<DeviceProteinCase> cases_;
  std::vector<std::int64_t> first_item_;
};

}  // namespace yupana::splice::cuda
