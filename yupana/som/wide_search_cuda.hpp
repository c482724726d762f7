#pragma once

#include <cstdint>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/som/filter_cuda.hpp"

/// Private to the family; only files of the CUDA build include this.
namespace yupana::som::cuda {

/// The search of maps that are not narrow, and its memory on the current device. Tensor cores name
/// candidates: by one product of bfloat16 values, for samples with too many by three of their
/// halves; D in double takes what both leave open.
class WideSearch {
 public:
  /// For at most `rows` samples at once; `room` bytes may be taken for tiles.
  WideSearch(std::int64_t rows, std::int64_t neurons, std::int64_t features, std::uint64_t room);
  /// Bytes of a map's part.
  static std::uint64_t map_bytes(std::int64_t neurons, std::int64_t features);
  /// Bytes by sample searched at once, without tiles.
  static constexpr std::uint64_t row_bytes = 16;

  /// best[] of all samples. Waits for the device.
  void search(const DeviceSamples& samples, const DeviceCodebook& codebook, cudaStream_t stream);
  void add(const DeviceSamples& samples,
           std::int64_t neurons,
           const DeviceSums& sums,
           cudaStream_t stream);

  /// Samples the last search took one product, three, and double for; of tests and measurements.
  struct Open {
    std::int64_t after_one = 0, after_three = 0;
  };
  const Open& open() const { return open_; }

 private:
  /// Searches a range in slices; returns how many samples stay open, listed in `open`.
  std::int64_t filter(const DeviceSamples& samples,
                      const DeviceCodebook& codebook,
                      const FilterRange& range,
                      int products,
                      std::int32_t* open,
                      cudaStream_t stream);

  std::int64_t slice_ = 0;
  yupana::cuda::DeviceArray<std::int32_t> best_, first_open_, second_open_, starts_;
  yupana::cuda::DeviceArray<std::int64_t> opened_;
  yupana::cuda::DeviceArray<float> squares_, largest_, limits_;
  yupana::cuda::DeviceArray<unsigned char> tiles_[2], codebook_tiles_[2];
  yupana::cuda::DeviceArray<float4> bounds_, codebook_bounds_;
  yupana::cuda::DeviceArray<Candidate> lists_;
  yupana::cuda::DeviceArray<int4> counts_;
  Open open_;
  int skipped_ = 0;
};

}  // namespace yupana::som::cuda
