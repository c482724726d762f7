// MatrixView<const T> has a conversion to itself; nvcc warns that it is never called.
#pragma nv_diag_suppress 554
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>

#include "yupana/core/cuda/gpu_memory.hpp"
#include "yupana/core/cuda/place.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/cuda/side_by_side.hpp"
#include "yupana/core/error.hpp"
#include "yupana/som/device_map_cuda.hpp"
#include "yupana/som/search_cuda.hpp"
#include "yupana/som/sums.hpp"
#include "yupana/som/train_cuda.hpp"
#include "yupana/som/wide_search_cuda.hpp"

namespace yupana::som::cuda {

using namespace yupana::cuda;

namespace {

// A further device pays off above this many samples of its own.
constexpr std::int64_t least_share = 4096;

/// How the samples of one device go through it.
struct Plan {
  std::int64_t rows;          ///< at once
  std::uint64_t tile_memory;  ///< of WideSearch
};

Plan plan(Context& context, std::int64_t samples, std::int64_t neurons, std::int64_t features) {
  const bool narrow = is_narrow(neurons, features);
  const std::uint64_t map = DeviceMap::bytes(neurons, features) +
                            (narrow ? 0 : WideSearch::map_bytes(neurons, features)) + (1 << 22);
  const auto row = static_cast<std::uint64_t>(features) * sizeof(float) + WideSearch::row_bytes;
  std::uint64_t room = context.gpu_memory() > map ? context.gpu_memory() - map : 0;
  const std::uint64_t tiles = narrow ? 0 : room / 4;
  room -= tiles;
  const auto rows = static_cast<std::int64_t>(room / row);
  if (rows < std::min<std::int64_t>(samples, 1024)) {
    throw gpu_memory_error(
        fmt::format("a map of {} neurons, {} features and 1,024 samples", neurons, features),
        static_cast<double>(map) + static_cast<double>(1024 * row) * (narrow ? 1 : 4.0 / 3),
        context.gpu_memory());
  }
  return {std::min(rows, samples), tiles};
}

/// Adds samples on the current device to the map's sums.
class Adder {
 public:
  Adder(DeviceMap& map, std::int64_t rows, std::uint64_t tile_memory) : map_(map) {
    if (!is_narrow(map.neurons(), map.features())) {
      wide_.emplace(rows, map.neurons(), map.features(), tile_memory);
    }
  }

  void add(const DeviceSamples& samples, std::int64_t iteration, cudaStream_t stream) {
    if (samples.rows == 0) return;
    if (!wide_) {
      launch_narrow(samples, map_.codebook(), map_.sums(iteration), stream);
      return;
    }
    wide_->search(samples, map_.codebook(), stream);
    wide_->add(samples, map_.neurons(), map_.sums(iteration), stream);
  }

 private:
  DeviceMap& map_;
  std::optional<WideSearch> wide_;
};

/// One device's share of the samples, and its copy of the map.
class Worker {
 public:
  /// resident: the samples in the device's memory, rows without gaps; null: they are copied to it.
  Worker(Context& context,
         int device,
         MatrixView<const float> samples,
         const float* resident,
         const Matrix<float>& codebook,
         const FixedPoint& fixed,
         const SomParams& params)
      : context_(context),
        device_(device),
        samples_(samples),
        resident_(resident),
        plan_(plan(context, samples.rows, codebook.rows(), codebook.cols())),
        map_(codebook, fixed, params, stream_),
        adder_(map_, plan_.rows, plan_.tile_memory) {}

  int device() const { return device_; }
  DeviceMap& map() { return map_; }
  const Stream& stream() const { return stream_; }

  void add(std::int64_t iteration, yupana::Stage& stage) {
    for (std::int64_t first = 0; first < samples_.rows; first += plan_.rows) {
      const std::int64_t count = std::min(plan_.rows, samples_.rows - first);
      if (resident_ == nullptr && (iteration == 0 || plan_.rows < samples_.rows)) {
        stream_.wait();
        held_ = DeviceArray<float>();
        held_ = copied(samples_, first, count);
        context_.count_moved(held_.bytes());
      }
      const float* const values =
          resident_ == nullptr ? held_.data() : resident_ + first * samples_.cols;
      adder_.add({values, count, samples_.cols, samples_.cols}, iteration, stream_);
      stage.advance(static_cast<double>(count));
    }
    added_[iteration % 2].record(stream_);
  }

  /// The batch rule: part `i` of `count` of a large map, else all of it.
  void smooth(std::int64_t iteration, std::int64_t i, std::int64_t count) {
    if (!map_.is_large()) return map_.smooth(iteration);
    map_.smooth(iteration, map_.part(i, count));
    smoothed_.record(stream_);
  }

  /// Its sums of an iteration are complete. Two events: a device that is ahead reaches its next
  /// iteration while others still wait for this one.
  const Event& added(std::int64_t iteration) const { return added_[iteration % 2]; }
  /// Its weights of the last iteration are complete.
  const Event& smoothed() const { return smoothed_; }

 private:
  Context& context_;
  int device_;
  Stream stream_;
  Event added_[2], smoothed_;
  MatrixView<const float> samples_;
  const float* resident_;
  Plan plan_;
  DeviceMap map_;
  Adder adder_;
  DeviceArray<float> held_;
};

using Workers = std::vector<std::unique_ptr<Worker>>;

/// What workers need to share sums; whether kernels of each device read the others' memory.
bool connected(const Workers& workers) {
  if (workers.size() == 1) return false;
  bool direct = workers.size() <= DeviceMap::most_direct + 1;
  for (const auto& from : workers) {
    const DeviceScope scope(from->device());
    from->map().expect_others();
    for (const auto& to : workers) {
      if (to->device() == from->device()) continue;
      const cudaError_t status = cudaDeviceEnablePeerAccess(to->device(), 0);
      if (status == cudaSuccess) continue;
      cudaGetLastError();
      direct = direct && status == cudaErrorPeerAccessAlreadyEnabled;
    }
  }
  return direct;
}

/// A worker gets the sums of all.
void share_sums(Workers& workers, std::size_t mine, bool direct, std::int64_t iteration) {
  Worker& worker = *workers[mine];
  std::vector<DeviceMap::Peer> others;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (i == mine) continue;
    workers[i]->added(iteration).hold(worker.stream());
    others.push_back({&workers[i]->map(), workers[i]->device()});
  }
  worker.map().gather(others, worker.device(), direct, iteration);
}

/// What a worker has smoothed goes to all others.
void share_weights(Workers& workers, std::size_t mine, std::int64_t iteration) {
  Worker& worker = *workers[mine];
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (i == mine) continue;
    Worker& other = *workers[i];
    other.smoothed().hold(worker.stream());
    worker.map().take_weights(other.map(),
                              other.device(),
                              worker.device(),
                              iteration,
                              worker.map().part(static_cast<std::int64_t>(i), std::ssize(workers)));
  }
}

/// All iterations, a thread a device; devices wait for each other on their streams alone. Sums are
/// cleared one iteration late, so a slow device never reads cleared sums.
void iterate(Workers& workers, std::int64_t iterations, bool direct, yupana::Stage& stage) {
  const std::size_t count = workers.size();
  std::barrier meeting(static_cast<std::ptrdiff_t>(count));
  std::atomic<bool> failed = false;
  yupana::cuda::run_side_by_side(count, [&](std::size_t i) {
    Worker& worker = *workers[i];
    const DeviceScope own(worker.device());
    std::exception_ptr error;
    // After an error everybody still comes to the meetings, and does nothing else.
    const auto unless_failed = [&](auto&& body) {
      if (failed) return;
      try {
        body();
      } catch (...) {
        error = std::current_exception();
        failed = true;
      }
    };
    for (std::int64_t t = 0; t < iterations; ++t) {
      unless_failed([&] {
        worker.add(t, stage);
        if (t % 16 == 15) worker.stream().wait();  // for no longer does a cancelled run
      });
      if (count == 1) {
        unless_failed([&] { worker.map().smooth(t); });
        continue;
      }
      meeting.arrive_and_wait();
      unless_failed([&] {
        share_sums(workers, i, direct, t);
        worker.smooth(t, static_cast<std::int64_t>(i), static_cast<std::int64_t>(count));
      });
      if (!worker.map().is_large()) continue;
      meeting.arrive_and_wait();
      unless_failed([&] { share_weights(workers, i, t); });
    }
    // Others read this device's memory: after an error too, nothing may go before all have ended.
    const cudaError_t ended = cudaStreamSynchronize(worker.stream());
    unless_failed([&] { check(ended, "train a map"); });
    if (error) std::rethrow_exception(error);
  });
}

yupana::Stage training_stage(Context& context, std::int64_t rows, std::int64_t iterations) {
  return yupana::Stage(
      context, "som", static_cast<double>(iterations) * static_cast<double>(rows), "samples");
}

}  // namespace

void train_batch(Context& context,
                 MatrixView<const float> samples,
                 const SomParams& params,
                 Matrix<float>& codebook) {
  if (const int device = yupana::cuda::device_of(context, samples.data); device >= 0) {
    const std::vector<float> largest = finite_extents(device, samples);
    train_resident(context, {{device, samples.data, samples.rows}}, largest, params, codebook);
    return;
  }
  const std::int64_t iterations = params.schedule.iterations;
  yupana::Stage stage = training_stage(context, samples.rows, iterations);
  const FixedPoint fixed = FixedPoint::of(samples.rows, largest_values(context, samples));
  const auto devices =
      std::clamp<std::int64_t>(samples.rows / least_share, 1, std::ssize(context.devices()));
  Workers workers;
  for (std::int64_t i = 0; i < devices; ++i) {
    const int device = context.devices()[static_cast<std::size_t>(i)];
    const std::int64_t first = samples.rows * i / devices, end = samples.rows * (i + 1) / devices;
    const DeviceScope scope(device);
    workers.push_back(std::make_unique<Worker>(
        context,
        device,
        MatrixView<const float>(samples.row(first), end - first, samples.cols, samples.stride),
        nullptr,
        codebook,
        fixed,
        params));
  }
  iterate(workers, iterations, connected(workers), stage);
  const DeviceScope scope(workers.front()->device());
  workers.front()->map().copy_back(codebook);
}

double train_resident(Context& context,
                      const std::vector<ResidentShare>& shares,
                      const std::vector<float>& largest,
                      const SomParams& params,
                      Matrix<float>& codebook) {
  const std::int64_t features = codebook.cols();
  SomParams whole = params;
  whole.schedule = resolved(params.schedule, params.grid);
  std::int64_t rows = 0;
  for (const ResidentShare& share : shares) rows += share.rows;
  const FixedPoint fixed = FixedPoint::of(rows, largest);
  yupana::Stage stage = training_stage(context, rows, whole.schedule.iterations);
  Workers workers;
  for (const ResidentShare& share : shares) {
    const DeviceScope scope(share.device);
    const MatrixView<const float> shape(nullptr, share.rows, features, features);
    workers.push_back(std::make_unique<Worker>(
        context, share.device, shape, share.samples, codebook, fixed, whole));
    workers.back()->stream().wait();
  }
  const bool direct = connected(workers);
  const auto begin = std::chrono::steady_clock::now();
  iterate(workers, whole.schedule.iterations, direct, stage);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const DeviceScope scope(shares.front().device);
  workers.front()->map().copy_back(codebook);
  return took.count();
}

}  // namespace yupana::som::cuda
