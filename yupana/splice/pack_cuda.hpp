#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/splice/prepare_cuda.hpp"

/// Private to the family: the cases of a batch in one piece of host memory, as they are uploaded.
namespace yupana::splice::cuda {

/// A case of a batch, with what the host found out about it.
struct BatchCase {
  const Case* problem = nullptr;
  const PreparedCase* prepared = nullptr;
};

/// Where each array lies in the upload, in bytes; and how much the arrays take that are made on the
/// device.
struct BatchLayout {
  std::int64_t cases = 0, starts = 0, readings = 0, ended = 0, items = 0;
  std::int64_t bases = 0, targets = 0, column_scores = 0, substitution = 0;
  std::int64_t bytes = 0;       ///< of the upload
  std::int64_t program = 0;     ///< positions of all programs
  std::int64_t boundaries = 0;  ///< words of 8 bytes
  std::int64_t state = 0;       ///< words of 4 bytes
  std::int64_t path_words = 0;  ///< of one alignment at most
  std::int64_t words = 0;       ///< of all
  std::int64_t item_count = 0;
};

class PackedBatch {
 public:
  /// Cases of one width, longest first. Finds the layout alone.
  PackedBatch(std::span<const BatchCase> cases, const AlignParams& params);
  /// Writes layout().bytes, on all threads.
  void fill(Context& context, std::uint8_t* memory);

  const BatchLayout& layout() const { return layout_; }
  std::span<const BatchCase> cases() const { return cases_; }
  /// Points a batch at a copy of the upload on a device.
  void point_into(const std::uint8_t* upload, DeviceBatch& batch) const;

 private:
  void lay_out();
  void fill_case(std::size_t index);
  void fill_starts(const DeviceCase& c, const PreparedCase& prepared, const Case& problem);
  void fill_readings(const DeviceCase& c, const PreparedCase& prepared);
  void fill_letters(const DeviceCase& c, const PreparedCase& prepared, const Case& problem);
  template <class T>
  T* at(std::int64_t offset) {
    return reinterpret_cast<T*>(memory_ + offset);
  }

  std::span<const BatchCase> cases_;
  const AlignParams& params_;
  const bool affine_;
  BatchLayout layout_;
  std::vector<DeviceCase> device_cases_;
  std::vector<std::int64_t> first_item_;
  std::uint8_t* memory_ = nullptr;
};

/// The chain of an alignment from its words.
std::vector<ExonAlignment> read_path(const Case& problem,
                                     const PreparedCase& prepared,
                                     const Substitution& substitution,
                                     std::span<const std::uint32_t> words);

}  // namespace yupana::splice::cuda
