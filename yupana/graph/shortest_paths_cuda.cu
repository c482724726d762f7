#include <algorithm>

#include "yupana/core/cuda/place.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/graph/closure_cuda.hpp"
#include "yupana/graph/min_plus.hpp"
#include "yupana/graph/resident_cuda.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"
#include "yupana/graph/shortest_paths_cuda.hpp"

namespace yupana::graph::cuda {

using namespace yupana::cuda;

namespace {

// Arithmetic of a number type with weights that are not negative, and with any.
template <class T>
struct KindOf;
template <>
struct KindOf<std::int32_t> {
  using Nonnegative = Int32;
  using Any = Int32;  // negative integers are closed as doubles
};
template <>
struct KindOf<float> {
  using Nonnegative = Float32;
  using Any = SignedFloat32;
};
template <>
struct KindOf<double> {
  using Nonnegative = Float64;
  using Any = Float64;
};

Stage closing_stage(Context& context, std::int64_t n, bool symmetric) {
  const auto size = static_cast<double>(n);
  return Stage(context, "shortest paths", size * size * size * (symmetric ? 0.5 : 1.0), "add+min");
}

template <class Kind>
std::int64_t close_rows(const DealtRows<typename Kind::Stored>& rows,
                        Stage& stage,
                        bool symmetric,
                        const ClosureLimits& limits) {
  ClosurePlan plan;
  plan.symmetric = symmetric;
  const std::int64_t size = rows.shape().size;
  plan.tiles = size >= limits.large_tiles ? TileSize::large : TileSize::small;
  plan.strip_tiles = size >= limits.strip_tiles ? TileSize::large : TileSize::small;
  Closure<Kind> closure(rows, plan);
  return closure.run(stage);
}

/// Sums of two lengths fit 16 bits: with an edge between all vertices no path exceeds the largest
/// weight, else none exceeds n - 1 times it.
bool fits_packed(const DealtRows<std::int32_t>& rows) {
  std::int64_t largest = 0;
  bool missing = false;
  for (const std::size_t part : rows.own_parts()) {
    const DeviceScope scope(rows.device(part));
    auto facts = yupana::cuda::uploaded("copy a table", std::vector<std::int32_t>{0, 0});
    const Stream stream;
    launch_facts(rows.own(part), facts.data(), stream);
    stream.wait();
    std::int32_t found[2];
    check(cudaMemcpy(found, facts.data(), sizeof(found), cudaMemcpyDeviceToHost), "read facts");
    largest = std::max<std::int64_t>(largest, found[0]);
    missing |= found[1] != 0;
  }
  if (rows.comm() != nullptr) {
    for (const std::int64_t theirs : all_gather(*rows.comm(), largest)) {
      largest = std::max(largest, theirs);
    }
    missing = !yupana::cuda::all_say_yes(*rows.comm(), !missing);
  }
  return largest * (missing ? rows.shape().size - 1 : 1) < packed_unreachable;
}

/// Closes integers in 16 bits, two cells a word, at about twice the rate. False where that would
/// not be exact or has no room.
bool close_packed(Context& context,
                  const DealtRows<std::int32_t>& rows,
                  Stage& stage,
                  const ClosureLimits& limits) {
  SquareShape shape = rows.shape();
  if (shape.size < limits.packed) return false;
  if (rows.parts() == 1) shape.strip = 256;  // 1 % faster here than 512
  shape.stride = shape.padded_width();
  shape.padded = true;
  const std::int64_t most_rows = divide_up(shape.strips(), rows.deal().devices) * shape.strip;
  const auto wide = static_cast<std::uint64_t>(most_rows * rows.shape().stride) * 4;
  const auto bytes = static_cast<std::uint64_t>(most_rows * shape.stride) * 2 +
                     closure_bytes<Packed16>(shape, true);
  bool room = limits.held + wide + bytes <= context.gpu_memory();
  std::vector<int> devices;
  for (const std::size_t part : rows.own_parts()) {
    const DeviceScope scope(devices.emplace_back(rows.device(part)));
    room = room && yupana::cuda::free_device_memory() >= bytes;
  }
  if (rows.comm() != nullptr) room = yupana::cuda::all_say_yes(*rows.comm(), room);
  if (!room || !fits_packed(rows)) return false;
  StripMemory<std::uint16_t> memory(devices, shape, rows.comm());
  const DealtRows<std::uint16_t>& narrow = memory.rows();
  const auto each = [&](const auto& body) {  // on all devices at once
    std::vector<Stream> streams;
    for (const std::size_t part : rows.own_parts()) {
      const DeviceScope scope(rows.device(part));
      body(part, streams.emplace_back());
    }
    for (const Stream& stream : streams) stream.wait();
  };
  each([&](std::size_t p, cudaStream_t s) { launch_narrow(rows.own(p), narrow.own(p), s); });
  close_rows<Packed16>(narrow, stage, true, limits);
  each([&](std::size_t p, cudaStream_t s) { launch_widen(narrow.own(p), rows.own(p), s); });
  memory.close();
  return true;
}

}  // namespace

template <class T>
void close_symmetric_rows(Context& context,
                          const DealtRows<T>& rows,
                          Stage& stage,
                          const ClosureLimits& limits) {
  if constexpr (std::is_same_v<T, std::int32_t>) {
    if (close_packed(context, rows, stage, limits)) return;
  }
  close_rows<typename KindOf<T>::Nonnegative>(rows, stage, true, limits);
}

SquareShape resident_shape(std::int64_t n, const ClosureLimits& limits) {
  SquareShape shape;
  shape.size = n;
  shape.strip = n >= limits.deep_strips ? 512 : 256;
  shape.stride = shape.padded_width();
  shape.padded = true;
  return shape;
}

namespace {

/// Few vertices: every step is one kernel over all tiles of a padded copy. 0.2 ms for 1,024 where
/// the strips would take as long for a quarter of them.
template <class Kind, class T = typename Kind::Stored>
std::int64_t close_small(
    T* weights, std::int64_t n, std::int64_t stride, bool symmetric, Stage& stage) {
  const std::int64_t width = round_up(n, square_tile);
  StripRows<T> rows;
  rows.base = weights;
  rows.held = {0, n};
  rows.strip = width;
  rows.stride = stride;
  rows.size = n;
  DeviceArray<T> squares[2] = {DeviceArray<T>(width * width), DeviceArray<T>(width * width)};
  auto vertex = yupana::cuda::uploaded("copy a table", std::vector<std::int64_t>{-1});
  const Stream stream;
  const Side side = symmetric ? Side::mirrored : Side::rows;
  launch_gather(rows, side, 0, {0, width}, unreachable<T>, squares[0].data(), width, stream);
  const std::int64_t tiles = width / square_tile;
  for (std::int64_t pivot = 0; pivot < tiles; ++pivot) {
    launch_square_step<Kind>(squares[pivot % 2].data(),
                             width,
                             squares[(pivot + 1) % 2].data(),
                             tiles,
                             pivot,
                             0,
                             vertex.data(),
                             stream);
  }
  const T* const closed = squares[tiles % 2].data();
  launch_scatter(closed, width, closed, width, side, 0, rows, stream);
  stream.wait();
  const auto size = static_cast<double>(n);
  stage.advance(size * size * size * (symmetric ? 0.5 : 1.0));
  std::int64_t found = -1;
  check(cudaMemcpy(&found, vertex.data(), sizeof(found), cudaMemcpyDeviceToHost), "read a vertex");
  return found;
}

/// The devices that hold the matrix together; none if it does not fit.
template <class Kind>
std::vector<int> devices_that_fit(Context& context,
                                  const SquareShape& shape,
                                  bool symmetric,
                                  const ClosureLimits& limits) {
  std::vector<int> devices = context.devices();
  // One device closes 4,096 vertices in about 3 ms: steps too short to share.
  if (devices.size() > 1 && shape.size < limits.shared) devices = {context.devices().front()};
  if (devices.size() > 1 && !link_devices(devices)) {
    context.note("shortest paths: the GPUs cannot read each other's memory; using the first");
    devices = {context.devices().front()};
  }
  const auto count = static_cast<std::int64_t>(devices.size());
  if (resident_bytes<Kind>(shape, count, symmetric) > context.gpu_memory()) devices.clear();
  return devices;
}

template <class Kind>
std::int64_t close_any(Context& context,
                       MatrixView<typename Kind::Stored> weights,
                       bool symmetric,
                       const ClosureLimits& limits,
                       std::int64_t& kept) {
  using T = typename Kind::Stored;
  const std::int64_t n = weights.rows;
  Stage stage = closing_stage(context, n, symmetric);
  const SquareShape shape = resident_shape(n, limits);
  const auto devices = devices_that_fit<Kind>(context, shape, symmetric, limits);
  if (devices.empty()) {
    const std::int64_t vertex =
        close_streamed<Kind>(context, stage, weights, symmetric, shape.strip);
    if (symmetric) kept = cpu::mirror(context, weights, cpu::Triangle::lower);
    return vertex;
  }
  Resident<T> resident(context, devices, weights, shape);
  std::int64_t vertex = -1;
  if (n <= limits.small) {
    const DeviceScope scope(devices.front());
    vertex = close_small<Kind>(resident.data(), n, shape.stride, symmetric, stage);
  } else if (symmetric) {
    close_symmetric_rows(context, resident.rows(), stage, limits);
  } else {
    vertex = close_rows<Kind>(resident.rows(), stage, false, limits);
  }
  if (symmetric) kept = mirror(resident.rows());
  if (vertex < 0) resident.copy_back();
  return vertex;
}

}  // namespace

template <class T>
std::int64_t close_symmetric(Context& context,
                             int device,
                             T* weights,
                             std::int64_t n,
                             std::int64_t stride,
                             cudaStream_t stream,
                             const ClosureLimits& limits) {
  if (n == 0) return 0;
  const DeviceScope scope(device);
  check(cudaStreamSynchronize(stream), "wait for the weights");
  Stage stage = closing_stage(context, n, true);
  SquareShape shape = resident_shape(n, limits);
  shape.stride = stride;
  shape.padded = false;
  const DealtRows<T> rows({{device, weights}}, shape);
  if (n <= limits.small) {
    close_small<typename KindOf<T>::Nonnegative>(weights, n, stride, true, stage);
  } else {
    close_symmetric_rows(context, rows, stage, limits);
  }
  return mirror(rows);
}

template <class T>
std::int64_t close_directed(Context& context,
                            int device,
                            T* weights,
                            std::int64_t n,
                            std::int64_t stride,
                            bool negative,
                            cudaStream_t stream,
                            const ClosureLimits& limits) {
  if (n == 0) return -1;
  const DeviceScope scope(device);
  check(cudaStreamSynchronize(stream), "wait for the weights");
  Stage stage = closing_stage(context, n, false);
  if (n <= limits.small) {
    return negative
               ? close_small<typename KindOf<T>::Any>(weights, n, stride, false, stage)
               : close_small<typename KindOf<T>::Nonnegative>(weights, n, stride, false, stage);
  }
  SquareShape shape = resident_shape(n, limits);
  shape.stride = stride;
  shape.padded = false;
  const DealtRows<T> rows({{device, weights}}, shape);
  if (negative) return close_rows<typename KindOf<T>::Any>(rows, stage, false, limits);
  return close_rows<typename KindOf<T>::Nonnegative>(rows, stage, false, limits);
}

template <class T>
std::int64_t close_symmetric(Context& context, MatrixView<T> weights, const ClosureLimits& limits) {
  std::int64_t kept = 0;
  if (weights.rows > 0) {
    close_any<typename KindOf<T>::Nonnegative>(context, weights, true, limits, kept);
  }
  return kept;
}

template <class T>
std::int64_t close_directed(Context& context,
                            MatrixView<T> weights,
                            bool negative,
                            const ClosureLimits& limits) {
  std::int64_t kept = 0;
  if (weights.rows == 0) return -1;
  if (negative) {
    return close_any<typename KindOf<T>::Any>(context, weights, false, limits, kept);
  }
  return close_any<typename KindOf<T>::Nonnegative>(context, weights, false, limits, kept);
}

template <class T>
std::int64_t shortest_paths_symmetric(Context& context, MatrixView<T> weights) {
  const int device = yupana::cuda::device_of(context, weights.data);
  if (device < 0) return close_symmetric(context, weights, {});
  return close_symmetric(context, device, weights.data, weights.rows, weights.stride, nullptr);
}
template <class T>
std::int64_t shortest_paths_directed(Context& context, MatrixView<T> weights, Signs signs) {
  const bool negative = signs == Signs::any;
  const int device = yupana::cuda::device_of(context, weights.data);
  if (device < 0) return close_directed(context, weights, negative, {});
  return close_directed(
      context, device, weights.data, weights.rows, weights.stride, negative, nullptr);
}

#define YUPANA_CLOSURES(T)                                                                      \
  template std::int64_t close_symmetric(                                                        \
      Context&, int, T*, std::int64_t, std::int64_t, cudaStream_t, const ClosureLimits&);       \
  template std::int64_t close_symmetric(Context&, MatrixView<T>, const ClosureLimits&);         \
  template std::int64_t close_directed(                                                         \
      Context&, int, T*, std::int64_t, std::int64_t, bool, cudaStream_t, const ClosureLimits&); \
  template std::int64_t close_directed(Context&, MatrixView<T>, bool, const ClosureLimits&);
YUPANA_CLOSURES(std::int32_t)
YUPANA_CLOSURES(float)
YUPANA_CLOSURES(double)
YUPANA_FUNCTIONS(YUPANA_DISTANCES,
                 close_symmetric_rows,
                 shortest_paths_symmetric,
                 shortest_paths_directed)

}  // namespace yupana::graph::cuda
