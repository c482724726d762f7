#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "yupana/core/cuda/page_lock.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/cuda/side_by_side.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/forest/device_model_cuda.cuh"
#include "yupana/forest/tree_cuda.hpp"
#include "yupana/forest/upload_cuda.hpp"

namespace yupana::forest::cuda {

using yupana::cuda::check;
using yupana::cuda::copy_rows;
using yupana::cuda::DeviceArray;
using yupana::cuda::DeviceScope;
using yupana::cuda::Event;
using yupana::cuda::PageLock;
using yupana::cuda::run_side_by_side;
using yupana::cuda::Stream;

namespace {

/// Rows in flight through one device: while one piece is predicted, the next is copied to the
/// device and the results of the previous one to the host.
template <class T, class R>
class Passage {
 public:
  /// pieces: of a Staging; null: values go as they are.
  Passage(Context& context,
          unsigned char* pieces,
          unsigned slots,
          std::int64_t piece,
          std::int64_t columns,
          std::int64_t width)
      : staged_(pieces != nullptr), upload_(context, pieces) {
    for (unsigned s = 0; s < slots; ++s) slots_.emplace_back(piece * columns, piece * width);
  }

  template <class Run>
  void send(
      TableView<T> table, std::int64_t width, R* to, const DeviceModel<T>& model, const Run& run) {
    Slot& slot = slots_[next_++ % slots_.size()];
    slot.predicted.hold(in_);
    if (staged_) {
      const auto column = [&](std::int64_t c) { return table.column(c); };
      upload_.columns(
          slot.values.data(), column, table.columns, nullptr, table.rows, in_, [](std::int64_t) {});
    } else {
      const std::size_t bytes = static_cast<std::size_t>(table.rows) * sizeof(T);
      copy_rows("copy rows",
                {slot.values.data(), bytes},
                {table.data, static_cast<std::size_t>(table.stride) * sizeof(T)},
                bytes,
                table.columns,
                in_);
      upload_.context().count_moved(bytes * static_cast<std::size_t>(table.columns));
    }
    slot.arrived.record(in_);
    slot.arrived.hold(main_);
    slot.returned.hold(main_);
    run(model, slot.values.data(), table.rows, slot.results.data(), main_);
    slot.predicted.record(main_);
    slot.predicted.hold(out_);
    const auto bytes = static_cast<std::size_t>(table.rows * width) * sizeof(R);
    check(cudaMemcpyAsync(to, slot.results.data(), bytes, cudaMemcpyDeviceToHost, out_),
          "read predictions");
    slot.returned.record(out_);
  }
  void wait() { out_.wait(); }

 private:
  struct Slot {
    Slot(std::int64_t values_, std::int64_t results_) : values(values_), results(results_) {}
    DeviceArray<T> values;
    DeviceArray<R> results;
    Event arrived, predicted, returned;
  };

  bool staged_;
  Upload upload_;
  Stream in_, main_, out_;
  std::vector<Slot> slots_;
  std::size_t next_ = 0;
};

// Bytes of results below which locking their pages costs more than it saves.
constexpr std::uint64_t worth_locking = std::uint64_t{16} << 20;

/// Rows in flight at a time: 64 MiB of values, in many pieces of page-locked memory.
std::int64_t rows_in_flight(std::int64_t row_bytes) {
  return std::max<std::int64_t>((std::int64_t{64} << 20) / row_bytes, 1 << 14);
}

/// to(row, column of `width`) of all rows, in pieces that fit each device; rows assigned over them.
template <class T, class R, class Run>
void predict_rows(Context& context,
                  const Model& model,
                  const PackedForest<T>& packed,
                  TableView<T> table,
                  std::int64_t width,
                  R* to,
                  const Run& run) {
  const std::vector<int>& devices = context.devices();
  const std::int64_t value_bytes = table.columns * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t result_bytes = width * static_cast<std::int64_t>(sizeof(R));
  const auto row_bytes = static_cast<std::uint64_t>(value_bytes + result_bytes);
  const std::uint64_t forest = packed.nodes.size() * sizeof(PackedNode<T>) +
                               packed.votes.size() * sizeof(double) +
                               packed.words.size() * sizeof(std::uint32_t) + (1 << 20);
  const std::uint64_t room = context.gpu_memory() > forest ? context.gpu_memory() - forest : 0;
  const auto fits = static_cast<std::int64_t>(room / row_bytes);
  if (fits < std::min<std::int64_t>(table.rows, 1024)) {
    throw Error(ErrorCode::out_of_resources,
                fmt::format("predict: {} of trees and 1,024 rows of {} bytes want more than the "
                            "{} that --gpu-memory allows; use --device cpu",
                            needed_bytes(static_cast<double>(forest)),
                            row_bytes,
                            allowed_bytes(static_cast<double>(context.gpu_memory()))));
  }
  const auto count = static_cast<std::int64_t>(devices.size());
  const auto begin_of = [&](std::size_t d) {
    return static_cast<std::int64_t>(d) * table.rows / count;
  };
  std::vector<std::uint64_t> bytes;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    bytes.push_back(static_cast<std::uint64_t>((begin_of(d + 1) - begin_of(d)) * value_bytes));
  }
  Staging staging(context, devices.front(), std::move(bytes));
  const auto out = static_cast<std::uint64_t>(table.rows * result_bytes);
  if (out >= worth_locking) yupana::cuda::make_pages(context, to, out);
  const PageLock lock(to, out, worth_locking);
  run_side_by_side(devices.size(), [&](std::size_t d) {
    const DeviceScope scope(devices[d]);
    const std::int64_t begin = begin_of(d), end = begin_of(d + 1);
    if (begin == end) return;
    const DeviceModel<T> own(model, packed, width);
    const std::int64_t most = rows_in_flight(value_bytes);
    const unsigned slots = end - begin <= std::min(most, fits) ? 1 : 2;
    const std::int64_t piece = std::min({end - begin, most, fits / slots});
    Passage<T, R> passage(context, staging.of(d), slots, piece, table.columns, width);
    for (std::int64_t first = begin; first < end; first += piece) {
      context.check_cancelled();
      const TableView<T> rows{
          table.data + first, std::min(piece, end - first), table.columns, table.stride};
      passage.send(rows, width, to + first * width, own, run);
    }
    passage.wait();
    context.count_moved(static_cast<std::uint64_t>((end - begin) * result_bytes));
  });
}

}  // namespace

template <class T>
Matrix<double> predict_shares(Context& context, const Model& model, TableView<T> table) {
  const std::int64_t outputs = model.is_class() ? std::ssize(model.classes) : 1;
  const PackedForest<T> packed = packed_forest(model, table, true);
  Matrix<double> shares(table.rows, outputs);
  predict_rows(context,
               model,
               packed,
               table,
               outputs,
               shares.data(),
               [](const DeviceModel<T>& own,
                  const T* values,
                  std::int64_t rows,
                  double* to,
                  cudaStream_t stream) { own.shares(values, rows, to, stream); });
  return shares;
}

template <class T>
void predict_resident_shares(const Model& model, int device, TableView<T> table, double* shares) {
  const std::int64_t outputs = model.is_class() ? std::ssize(model.classes) : 1;
  const PackedForest<T> packed = packed_forest(model, table, true);
  if (table.rows == 0) return;
  const DeviceScope scope(device);
  const Stream stream;
  const DeviceModel<T> own(model, packed, outputs);
  own.shares(table.data, table.rows, shares, stream);
  check(cudaStreamSynchronize(stream), "predict");
}

template <class T>
void apply_to_resident(const Model& model, int device, TableView<T> table, std::int32_t* leaves) {
  const PackedForest<T> packed = packed_forest(model, table, false);
  if (table.rows == 0) return;
  const DeviceScope scope(device);
  const Stream stream;
  const DeviceModel<T> own(model, packed, 0);
  own.leaves(table.data, table.rows, leaves, stream);
  check(cudaStreamSynchronize(stream), "predict");
}

double seconds_of_shares(const Model& model, TableView<float> table, int repeats) {
  const std::int64_t outputs = model.is_class() ? std::ssize(model.classes) : 1;
  const DeviceModel<float> own(model, packed_forest(model, table, true), outputs);
  DeviceArray<float> values(table.rows * table.columns);
  DeviceArray<double> shares(table.rows * outputs);
  for (std::int64_t c = 0; c < table.columns; ++c) {
    yupana::cuda::upload(
        "copy a column", values.data() + c * table.rows, table.data + c * table.stride, table.rows);
  }
  const Stream stream;
  std::vector<double> seconds;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    const Event begin(true), end(true);
    begin.record(stream);
    own.shares(values.data(), table.rows, shares.data(), stream);
    end.record(stream);
    end.wait();
    if (repeat > 0) seconds.push_back(yupana::cuda::seconds_between(begin, end));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

template <class T>
Matrix<std::int32_t> apply(Context& context, const Model& model, TableView<T> table) {
  const PackedForest<T> packed = packed_forest(model, table, false);
  Matrix<std::int32_t> nodes(table.rows, std::ssize(model.trees));
  predict_rows(context,
               model,
               packed,
               table,
               nodes.cols(),
               nodes.data(),
               [](const DeviceModel<T>& own,
                  const T* values,
                  std::int64_t rows,
                  std::int32_t* to,
                  cudaStream_t stream) { own.leaves(values, rows, to, stream); });
  return nodes;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, predict_shares, predict_resident_shares, apply_to_resident, apply)

}  // namespace yupana::forest::cuda
