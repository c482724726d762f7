#include <algorithm>
#include <vector>

#include "yupana/core/cuda/gpu_memory.hpp"
#include "yupana/core/cuda/page_lock.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/cuda/side_by_side.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/forest/device_model_cuda.cuh"
#include "yupana/forest/passage_cuda.cuh"
#include "yupana/forest/tree_cuda.hpp"
#include "yupana/forest/upload_cuda.hpp"

namespace yupana::forest::cuda {

using namespace yupana::cuda;

namespace {

/// to(row, column of `width`) of all rows, in slots that fit each device; rows assigned over them.
/// run(model, values, rows, results, stream)
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
  const std::uint64_t forest = packed.nodes.bytes() + packed.votes.bytes() +
                               packed.words.size() * sizeof(std::uint32_t) + (1 << 20);
  const std::uint64_t room = context.gpu_memory() > forest ? context.gpu_memory() - forest : 0;
  const auto fits = static_cast<std::int64_t>(room / row_bytes);
  if (fits < std::min<std::int64_t>(table.rows, 1024)) {
    throw gpu_memory_error(fmt::format("predicting 1,024 rows of {} columns", table.columns),
                           static_cast<double>(forest + 1024 * row_bytes),
                           context.gpu_memory());
  }
  const auto count = static_cast<std::int64_t>(devices.size());
  const auto begin_of = [&](std::size_t d) {
    return static_cast<std::int64_t>(d) * table.rows / count;
  };
  const bool is_locked = yupana::cuda::is_page_locked(
      table.data, table.data + (table.columns - 1) * table.stride + table.rows - 1);
  std::vector<std::uint64_t> bytes;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    bytes.push_back(static_cast<std::uint64_t>((begin_of(d + 1) - begin_of(d)) * value_bytes));
  }
  Staging staging(context, devices.front(), std::move(bytes));
  run_side_by_side(devices.size(), [&](std::size_t d) {
    const DeviceScope scope(devices[d]);
    const std::int64_t begin = begin_of(d), end = begin_of(d + 1);
    if (begin == end) return;
    const DeviceModel<T> own(model, packed, width);
    const auto run_own = [&](const T* values, std::int64_t rows, R* results, cudaStream_t stream) {
      run(own, values, rows, results, stream);
    };
    const std::int64_t part = rows_of_part(value_bytes);
    const std::int64_t most =
        std::max(most_slot_bytes / value_bytes / part, std::int64_t{1}) * part;
    const unsigned slots = end - begin <= std::min(most, fits) ? 1 : 2;
    const std::int64_t rows = std::min({end - begin, most, fits / slots});
    Passage<T, R, decltype(run_own)> passage(
        context, staging.of(d), is_locked, slots, rows, table.columns, width, run_own);
    for (std::int64_t first = begin; first < end; first += rows) {
      context.check_cancelled();
      const TableView<T> some{
          table.data + first, std::min(rows, end - first), table.columns, table.stride};
      passage.send(some, part, to + first * width);
    }
    passage.wait();
  });
}

/// for_each of packed_forest().
auto on_threads(Context& context) {
  return [&context](std::int64_t count, const auto& body) {
    context.parallel_for(count, 1, [&](std::int64_t i) { body(i); });
  };
}
constexpr auto one_by_one = [](std::int64_t count, const auto& body) {
  for (std::int64_t i = 0; i < count; ++i) body(i);
};

}  // namespace

template <class T>
Matrix<double> predict_shares(Context& context, const Model& model, TableView<T> table) {
  const std::int64_t outputs = model.is_class() ? std::ssize(model.classes) : 1;
  const PackedForest<T> packed = packed_forest(model, table, true, on_threads(context));
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
  const PackedForest<T> packed = packed_forest(model, table, true, one_by_one);
  if (table.rows == 0) return;
  const DeviceScope scope(device);
  const Stream stream;
  const DeviceModel<T> own(model, packed, outputs);
  own.shares(table.data, table.rows, shares, stream);
  check(cudaStreamSynchronize(stream), "predict");
}

template <class T>
void apply_to_resident(const Model& model, int device, TableView<T> table, std::int32_t* leaves) {
  const PackedForest<T> packed = packed_forest(model, table, false, one_by_one);
  if (table.rows == 0) return;
  const DeviceScope scope(device);
  const Stream stream;
  const DeviceModel<T> own(model, packed, 0);
  own.leaves(table.data, table.rows, leaves, stream);
  check(cudaStreamSynchronize(stream), "predict");
}

double seconds_of_shares(const Model& model, TableView<float> table, int repeats) {
  const std::int64_t outputs = model.is_class() ? std::ssize(model.classes) : 1;
  const DeviceModel<float> own(model, packed_forest(model, table, true, one_by_one), outputs);
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
  const PackedForest<T> packed = packed_forest(model, table, false, on_threads(context));
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
