// MatrixView<const T> has a conversion to itself; nvcc warns that it is never called.
#pragma nv_diag_suppress 554
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/som/search_cuda.hpp"
#include "yupana/som/sums.hpp"
#include "yupana/som/train_cuda.hpp"

namespace yupana::som::cuda {

using yupana::cuda::check;
using yupana::cuda::DeviceArray;
using yupana::cuda::DeviceScope;
using yupana::cuda::Stream;

namespace {

template <class T>
void upload(DeviceArray<T>& to, const T* from, std::int64_t count, cudaStream_t stream) {
  to = DeviceArray<T>(count);
  check(cudaMemcpyAsync(to.data(),
                        from,
                        static_cast<std::size_t>(count) * sizeof(T),
                        cudaMemcpyHostToDevice,
                        stream),
        "copy to the device");
}

template <class T>
void clear(DeviceArray<T>& array, cudaStream_t stream) {
  check(cudaMemsetAsync(array.data(), 0, array.bytes(), stream), "clear memory");
}

/// A codebook, its sums and what a run needs beside them on one device.
class Map {
 public:
  Map(const Matrix<float>& codebook,
      const FixedPoint& fixed,
      const SomParams& params,
      cudaStream_t stream)
      : neurons_(codebook.rows()), features_(codebook.cols()), params_(params), stream_(stream) {
    const Schedule& schedule = params.schedule;
    std::vector<double> tables;
    for (std::int64_t t = 0; t < schedule.iterations; ++t) {
      const auto table = neighborhood_table(params.grid, params.neighborhood, schedule.sigma(t));
      tables.insert(tables.end(), table.begin(), table.end());
    }
    upload(weights_, codebook.data(), neurons_ * features_, stream);
    upload(scale_, fixed.scale.data(), features_, stream);
    if (!tables.empty()) upload(tables_, tables.data(), std::ssize(tables), stream);
    squares_ = DeviceArray<float>(neurons_);
    largest_ = DeviceArray<double>(schedule.iterations + 1);
    clear(largest_, stream);
    for (int side = 0; side < 2; ++side) {
      sums_[side] = DeviceArray<unsigned long long>(neurons_ * features_);
      counts_[side] = DeviceArray<unsigned long long>(neurons_);
      clear(sums_[side], stream);
      clear(counts_[side], stream);
    }
    check(cudaStreamSynchronize(stream), "copy to the device");  // from pageable memory
    launch_squares(codebook_view(), stream);
  }

  DeviceCodebook codebook_view() {
    return {weights_.data(), squares_.data(), largest_.data(), neurons_, features_};
  }
  DeviceSums sums(std::int64_t iteration) {
    const auto side = static_cast<std::size_t>(iteration % 2);
    return {sums_[side].data(), counts_[side].data(), scale_.data()};
  }
  void smooth(std::int64_t iteration) {
    const Grid& grid = params_.grid;
    launch_smooth(codebook_view(),
                  iteration,
                  sums(iteration),
                  sums(iteration + 1),
                  {tables_.data() + iteration * 2 * grid.size(),
                   static_cast<int>(grid.rows),
                   static_cast<int>(grid.cols),
                   grid.lattice == Lattice::hexagonal,
                   grid.toroidal},
                  stream_);
  }
  void copy_back(Matrix<float>& codebook) {
    check(cudaMemcpyAsync(
              codebook.data(), weights_.data(), weights_.bytes(), cudaMemcpyDeviceToHost, stream_),
          "read the codebook");
    check(cudaStreamSynchronize(stream_), "read the codebook");
  }

 private:
  std::int64_t neurons_, features_;
  const SomParams& params_;
  cudaStream_t stream_;
  DeviceArray<float> weights_, squares_;
  DeviceArray<double> scale_, tables_, largest_;
  DeviceArray<unsigned long long> sums_[2], counts_[2];
};

/// Samples of one piece and what their search leaves.
class Piece {
 public:
  Piece(const DeviceSamples& samples, bool narrow, cudaStream_t stream)
      : samples_(samples), narrow_(narrow) {
    if (narrow) return;
    norms_ = DeviceArray<float>(samples.rows);
    best_ = DeviceArray<std::int32_t>(samples.rows);
    open_ = DeviceArray<std::int32_t>(samples.rows);
    opened_ = DeviceArray<std::int64_t>(1);
    launch_norms(samples, norms_.data(), stream);
  }

  void add(Map& map, std::int64_t iteration, cudaStream_t stream) {
    if (samples_.rows == 0) return;
    if (narrow_) {
      launch_narrow(samples_, map.codebook_view(), iteration, map.sums(iteration), stream);
      return;
    }
    launch_wide(samples_,
                map.codebook_view(),
                iteration,
                {norms_.data(), best_.data(), open_.data(), opened_.data()},
                stream);
    launch_exact(
        samples_, map.codebook_view(), open_.data(), opened_.data(), {best_.data()}, stream);
    launch_wide_sums(samples_, best_.data(), map.sums(iteration), stream);
  }

 private:
  DeviceSamples samples_;
  bool narrow_;
  DeviceArray<float> norms_;
  DeviceArray<std::int32_t> best_, open_;
  DeviceArray<std::int64_t> opened_;
};

/// Rows that fit the device at once beside the map.
std::int64_t rows_that_fit(Context& context,
                           MatrixView<const float> samples,
                           const Matrix<float>& codebook) {
  const std::uint64_t map =
      static_cast<std::uint64_t>(codebook.rows() * codebook.cols()) * 20 + (1 << 22);
  const auto row = static_cast<std::uint64_t>(samples.cols) * sizeof(float) + 16;
  const std::uint64_t room = context.gpu_memory() > map ? context.gpu_memory() - map : 0;
  const auto rows = static_cast<std::int64_t>(room / row);
  if (rows < std::min<std::int64_t>(samples.rows, 1024)) {
    throw Error(ErrorCode::out_of_resources,
                fmt::format("som: {} MB on the device wanted for a map of {} x {} and 1,024 "
                            "samples, --gpu-memory allows {}",
                            (map + 1024 * row) >> 20,
                            codebook.rows(),
                            codebook.cols(),
                            context.gpu_memory() >> 20));
  }
  return std::min(rows, samples.rows);
}

DeviceArray<float> copied(MatrixView<const float> samples, std::int64_t first, std::int64_t rows) {
  DeviceArray<float> array(rows * samples.cols);
  const auto width = static_cast<std::size_t>(samples.cols) * sizeof(float);
  check(cudaMemcpy2D(array.data(),
                     width,
                     samples.row(first),
                     static_cast<std::size_t>(samples.stride) * sizeof(float),
                     width,
                     static_cast<std::size_t>(rows),
                     cudaMemcpyHostToDevice),
        "copy samples");
  check(cudaStreamSynchronize(nullptr), "copy samples");
  return array;
}

}  // namespace

void train_batch(Context& context,
                 MatrixView<const float> samples,
                 const SomParams& params,
                 Matrix<float>& codebook) {
  const DeviceScope scope(context.devices().front());
  const Stream stream;
  const Schedule& schedule = params.schedule;
  yupana::Stage stage(context,
                      "som",
                      static_cast<double>(schedule.iterations) * static_cast<double>(samples.rows),
                      "samples");
  const FixedPoint fixed = FixedPoint::of(samples.rows, largest_values(context, samples));
  const std::int64_t rows = rows_that_fit(context, samples, codebook);
  const bool narrow = is_narrow(codebook.rows(), codebook.cols());
  Map map(codebook, fixed, params, stream);
  DeviceArray<float> held;
  std::optional<Piece> piece;
  for (std::int64_t t = 0; t < schedule.iterations; ++t) {
    for (std::int64_t first = 0; first < samples.rows; first += rows) {
      const std::int64_t count = std::min(rows, samples.rows - first);
      if (t == 0 || rows < samples.rows) {
        stream.wait();
        piece.reset();
        held = DeviceArray<float>();
        held = copied(samples, first, count);
        context.count_moved(held.bytes());
        piece.emplace(
            DeviceSamples{held.data(), count, samples.cols, samples.cols}, narrow, stream);
      }
      piece->add(map, t, stream);
      stage.advance(static_cast<double>(count));
    }
    map.smooth(t);
    if (t % 16 == 15) stream.wait();  // what a cancelled run waits for
  }
  map.copy_back(codebook);
}

double train_resident(Context& context,
                      const float* samples,
                      std::int64_t rows,
                      const std::vector<float>& largest,
                      const SomParams& params,
                      Matrix<float>& codebook) {
  const DeviceScope scope(context.devices().front());
  const Stream stream;
  const std::int64_t features = codebook.cols();
  SomParams whole = params;
  whole.schedule = resolved(params.schedule, params.grid);
  Map map(codebook, FixedPoint::of(rows, largest), whole, stream);
  Piece piece({samples, rows, features, features}, is_narrow(codebook.rows(), features), stream);
  stream.wait();
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t t = 0; t < whole.schedule.iterations; ++t) {
    piece.add(map, t, stream);
    map.smooth(t);
  }
  stream.wait();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  map.copy_back(codebook);
  return took.count();
}

NearestNeurons nearest_neurons(Context& context,
                               MatrixView<const float> samples,
                               MatrixView<const float> codebook) {
  const DeviceScope scope(context.devices().front());
  const Stream stream;
  const std::int64_t n = samples.rows;
  yupana::Stage stage(context, "nearest neurons", static_cast<double>(n), "samples");
  NearestNeurons result{
      Array<std::int32_t>(n), Array<std::int32_t>(n), Array<double>(n), Array<double>(n)};
  Matrix<float> weights(codebook.rows, codebook.cols);
  for (std::int64_t i = 0; i < codebook.rows; ++i) {
    std::copy_n(codebook.row(i), codebook.cols, weights.row(i));
  }
  DeviceArray<float> map;
  upload(map, weights.data(), codebook.rows * codebook.cols, stream);
  const std::int64_t piece = std::min(rows_that_fit(context, samples, weights), n);
  for (std::int64_t first = 0; first < n; first += piece) {
    const std::int64_t rows = std::min(piece, n - first);
    const DeviceArray<float> held = copied(samples, first, rows);
    context.count_moved(held.bytes());
    DeviceArray<std::int32_t> neurons[2] = {DeviceArray<std::int32_t>(rows),
                                            DeviceArray<std::int32_t>(rows)};
    DeviceArray<double> distances[2] = {DeviceArray<double>(rows), DeviceArray<double>(rows)};
    launch_exact({held.data(), rows, samples.cols, samples.cols},
                 {map.data(), nullptr, nullptr, codebook.rows, codebook.cols},
                 nullptr,
                 nullptr,
                 {neurons[0].data(), neurons[1].data(), distances[0].data(), distances[1].data()},
                 stream);
    stream.wait();
    const auto back = [](auto* to, const auto& from) {
      check(cudaMemcpy(to, from.data(), from.bytes(), cudaMemcpyDeviceToHost), "read neurons");
    };
    back(result.best.data() + first, neurons[0]);
    back(result.second.data() + first, neurons[1]);
    back(result.best_distance.data() + first, distances[0]);
    back(result.second_distance.data() + first, distances[1]);
    stage.advance(static_cast<double>(rows));
  }
  return result;
}

}  // namespace yupana::som::cuda
