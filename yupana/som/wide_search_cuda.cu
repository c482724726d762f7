#include <algorithm>

#include "yupana/core/cuda/device_facts.hpp"
#include "yupana/som/wide_search_cuda.hpp"

namespace yupana::som::cuda {

using namespace yupana::cuda;

namespace {

// Samples whose tiles are in memory at once: eight rounds of 128 rows a multiprocessor.
std::int64_t most_slice() {
  return std::int64_t{8} * yupana::cuda::device_facts().multiprocessors * tile_rows;
}
// Hopper's own instructions are ahead of mma.sync from this many tiles of features on, those of
// three products counted three times.
constexpr int least_wgmma_tiles = 3;

std::int64_t slice_bytes(std::int64_t features) {
  return tile_chunks(features) * tile_features * 4 + 4 * list_capacity * 8 + 16 + 16 + 4;
}

}  // namespace

std::uint64_t WideSearch::map_bytes(std::int64_t neurons, std::int64_t features) {
  const auto rows = static_cast<std::uint64_t>(padded_rows(neurons));
  return rows * (static_cast<std::uint64_t>(tile_chunks(features)) * tile_features * 4 + 32);
}

WideSearch::WideSearch(std::int64_t rows,
                       std::int64_t neurons,
                       std::int64_t features,
                       std::uint64_t room)
    : best_(rows), first_open_(rows), second_open_(rows), starts_(neurons), opened_(1) {
  const auto fitting = static_cast<std::int64_t>(room) / slice_bytes(features);
  slice_ = std::min({most_slice(),
                     padded_rows(rows),
                     std::max<std::int64_t>(neuron_block, fitting / neuron_block * neuron_block)});
  const std::int64_t row = std::int64_t{tile_chunks(features)} * tile_features * 2;
  const std::int64_t padded = padded_rows(neurons);
  for (int half = 0; half < 2; ++half) {
    tiles_[half] = DeviceArray<unsigned char>(slice_ * row);
    codebook_tiles_[half] = DeviceArray<unsigned char>(padded * row);
  }
  bounds_ = DeviceArray<float4>(slice_);
  lists_ = DeviceArray<Candidate>(slice_ * 4 * list_capacity);
  counts_ = DeviceArray<int4>(slice_);
  limits_ = DeviceArray<float>(slice_);
  codebook_bounds_ = DeviceArray<float4>(padded);
  squares_ = DeviceArray<float>(padded);
  largest_ = DeviceArray<float>(3);
}

std::int64_t WideSearch::filter(const DeviceSamples& samples,
                                const DeviceCodebook& codebook,
                                const FilterRange& range,
                                int products,
                                std::int32_t* open,
                                cudaStream_t stream) {
  const int chunks = tile_chunks(samples.features);
  const auto launch_filter =
      has_wgmma() && products * chunks >= least_wgmma_tiles ? launch_wgmma : launch_mma;
  const FilterCodebook filter{{codebook_tiles_[0].data(),
                               codebook_tiles_[1].data(),
                               codebook_bounds_.data(),
                               padded_rows(codebook.neurons),
                               chunks},
                              squares_.data(),
                              largest_.data()};
  const FilterOutput output{lists_.data(), counts_.data(), limits_.data()};
  check(cudaMemsetAsync(opened_.data(), 0, sizeof(std::int64_t), stream), "search a map");
  launch_codebook_tiles(codebook, filter, stream);
  for (std::int64_t done = 0; done < range.rows; done += slice_) {
    const FilterRange slice{range.list, range.first + done, std::min(slice_, range.rows - done)};
    const FilterTiles tiles{tiles_[0].data(),
                            products > 1 ? tiles_[1].data() : nullptr,
                            bounds_.data(),
                            padded_rows(slice.rows),
                            chunks};
    launch_sample_tiles(samples, slice, codebook.center, tiles, stream);
    launch_filter({tiles,
                   filter,
                   output,
                   products,
                   static_cast<int>(filter.tiles.rows / neuron_block),
                   samples.features},
                  stream);
    launch_refine(samples, codebook, slice, output, best_.data(), open, opened_.data(), stream);
  }
  std::int64_t opened = 0;
  check(cudaMemcpyAsync(&opened, opened_.data(), sizeof opened, cudaMemcpyDeviceToHost, stream),
        "search a map");
  check(cudaStreamSynchronize(stream), "search a map");
  return opened;
}

void WideSearch::search(const DeviceSamples& samples,
                        const DeviceCodebook& codebook,
                        cudaStream_t stream) {
  // A smooth map leaves most samples open after one product, and the next one is alike; now and
  // then it is tried again.
  const bool skip = 4 * open_.after_one > samples.rows && ++skipped_ % 8 != 0;
  std::int64_t opened = samples.rows;
  FilterRange range{nullptr, 0, samples.rows};
  if (!skip) {
    opened = filter(samples, codebook, range, 1, first_open_.data(), stream);
    open_.after_one = opened;
    range = {first_open_.data(), 0, opened};
  }
  if (opened > 0) opened = filter(samples, codebook, range, 3, second_open_.data(), stream);
  open_.after_three = opened;
  if (opened == 0) return;
  launch_exact(samples, codebook, second_open_.data(), opened_.data(), {best_.data()}, stream);
}

void WideSearch::add(const DeviceSamples& samples,
                     std::int64_t neurons,
                     const DeviceSums& sums,
                     cudaStream_t stream) {
  launch_sorted_sums(samples,
                     neurons,
                     best_.data(),
                     {first_open_.data(), second_open_.data(), starts_.data()},
                     sums,
                     stream);
}

}  // namespace yupana::som::cuda
