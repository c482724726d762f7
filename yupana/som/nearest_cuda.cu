// MatrixView<const T> has a conversion to itself; nvcc warns that it is never called.
#pragma nv_diag_suppress 554
#include <fmt/core.h>

#include <algorithm>

#include "yupana/core/cuda/gpu_memory.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/cuda/side_by_side.hpp"
#include "yupana/core/error.hpp"
#include "yupana/som/search_cuda.hpp"
#include "yupana/som/train_cuda.hpp"

namespace yupana::som::cuda {

using namespace yupana::cuda;

namespace {

// Samples that fill a device; values of D times features that take it a fifth of a second.
constexpr std::int64_t least_piece = 1 << 14;
constexpr std::int64_t most_work = 1'000'000'000'000;

/// Samples that are on the device at once, next to the codebook.
std::int64_t rows_that_fit(Context& context,
                           std::int64_t samples,
                           std::int64_t neurons,
                           std::int64_t features) {
  const std::uint64_t map = static_cast<std::uint64_t>(neurons * features) * sizeof(float);
  const auto row = static_cast<std::uint64_t>(features) * sizeof(float) + 24;
  const std::uint64_t room = context.gpu_memory() > map ? context.gpu_memory() - map : 0;
  auto rows = static_cast<std::int64_t>(room / row);
  if (rows < std::min<std::int64_t>(samples, 1024)) {
    throw gpu_memory_error(
        fmt::format("a map of {} neurons, {} features and 1,024 samples", neurons, features),
        static_cast<double>(map + 1024 * row),
        context.gpu_memory());
  }
  // A run that is cancelled waits for one piece.
  rows = std::min(rows, std::max(least_piece, most_work / (neurons * features)));
  return std::min(rows, samples);
}

/// Some of the samples on the current device, piece by piece, next to the codebook.
class Pieces {
 public:
  Pieces(Context& context,
         MatrixView<const float> samples,
         MatrixView<const float> codebook,
         std::int64_t first,
         std::int64_t end)
      : context_(context), samples_(samples), first_(first), end_(end), neurons_(codebook.rows) {
    map_ = copied(codebook, 0, codebook.rows);
  }
  cudaStream_t stream() const { return stream_; }
  DeviceCodebook codebook() { return {map_.data(), nullptr, neurons_, samples_.cols}; }
  /// work(samples on the device, the first one's row); what it starts has ended before the next.
  template <class Work>
  void each(yupana::Stage& stage, const Work& work) {
    const std::int64_t piece = rows_that_fit(context_, end_ - first_, neurons_, samples_.cols);
    for (std::int64_t first = first_; first < end_; first += piece) {
      const std::int64_t rows = std::min(piece, end_ - first);
      const DeviceArray<float> held = copied(samples_, first, rows);
      context_.count_moved(held.bytes());
      work(DeviceSamples{held.data(), rows, samples_.cols, samples_.cols}, first);
      stream_.wait();
      stage.advance(static_cast<double>(rows));
    }
  }

 private:
  Context& context_;
  Stream stream_;
  MatrixView<const float> samples_;
  std::int64_t first_, end_, neurons_;
  DeviceArray<float> map_;
};

/// work(pieces, device) on every device with a share of its own, side by side.
template <class Work>
void on_devices(Context& context,
                MatrixView<const float> samples,
                MatrixView<const float> codebook,
                const Work& work) {
  const std::int64_t count =
      std::clamp<std::int64_t>(samples.rows / least_piece, 1, std::ssize(context.devices()));
  yupana::cuda::run_side_by_side(static_cast<std::size_t>(count), [&](std::size_t d) {
    const DeviceScope scope(context.devices()[d]);
    const auto i = static_cast<std::int64_t>(d);
    Pieces pieces(
        context, samples, codebook, samples.rows * i / count, samples.rows * (i + 1) / count);
    work(pieces, d);
  });
}

}  // namespace

DeviceArray<float> copied(MatrixView<const float> samples, std::int64_t first, std::int64_t rows) {
  DeviceArray<float> array(rows * samples.cols);
  const auto width = static_cast<std::size_t>(samples.cols) * sizeof(float);
  yupana::cuda::copy_rows(
      "copy samples",
      {array.data(), width},
      {samples.row(first), static_cast<std::size_t>(samples.stride) * sizeof(float)},
      width,
      rows,
      nullptr);
  check(cudaStreamSynchronize(nullptr), "copy samples");
  return array;
}

NearestNeurons nearest_neurons(Context& context,
                               MatrixView<const float> samples,
                               MatrixView<const float> codebook) {
  const std::int64_t n = samples.rows;
  yupana::Stage stage(context, "nearest neurons", static_cast<double>(n), "samples");
  NearestNeurons result{
      Array<std::int32_t>(n), Array<std::int32_t>(n), Array<double>(n), Array<double>(n)};
  on_devices(context, samples, codebook, [&](Pieces& pieces, std::size_t) {
    pieces.each(stage, [&](const DeviceSamples& piece, std::int64_t first) {
      DeviceArray<std::int32_t> best(piece.rows), second(piece.rows);
      DeviceArray<double> near(piece.rows), next(piece.rows);
      launch_exact(piece,
                   pieces.codebook(),
                   nullptr,
                   nullptr,
                   {best.data(), second.data(), near.data(), next.data()},
                   pieces.stream());
      const auto back = [&](auto* to, const auto& from) {
        check(cudaMemcpyAsync(
                  to + first, from.data(), from.bytes(), cudaMemcpyDeviceToHost, pieces.stream()),
              "read neurons");
      };
      back(result.best.data(), best);
      back(result.second.data(), second);
      back(result.best_distance.data(), near);
      back(result.second_distance.data(), next);
      check(cudaStreamSynchronize(pieces.stream()), "search a map exactly");
    });
  });
  return result;
}

std::vector<std::int64_t> p_matrix(Context& context,
                                   MatrixView<const float> samples,
                                   MatrixView<const float> codebook,
                                   double radius) {
  yupana::Stage stage(
      context, "samples near neurons", static_cast<double>(samples.rows), "samples");
  std::vector<std::vector<unsigned long long>> shares(context.devices().size());
  on_devices(context, samples, codebook, [&](Pieces& pieces, std::size_t d) {
    DeviceArray<unsigned long long> counts(codebook.rows);
    check(cudaMemsetAsync(counts.data(), 0, counts.bytes(), pieces.stream()), "clear counts");
    pieces.each(stage, [&](const DeviceSamples& piece, std::int64_t) {
      launch_within(piece, pieces.codebook(), radius * radius, counts.data(), pieces.stream());
    });
    shares[d].resize(static_cast<std::size_t>(codebook.rows));
    check(cudaMemcpyAsync(shares[d].data(),
                          counts.data(),
                          counts.bytes(),
                          cudaMemcpyDeviceToHost,
                          pieces.stream()),
          "read counts");
    check(cudaStreamSynchronize(pieces.stream()), "read counts");
  });
  std::vector<std::int64_t> sums(static_cast<std::size_t>(codebook.rows), 0);
  for (const auto& share : shares) {
    for (std::size_t i = 0; i < share.size(); ++i) sums[i] += static_cast<std::int64_t>(share[i]);
  }
  return sums;
}

}  // namespace yupana::som::cuda
