#include <algorithm>
#include <mutex>
#include <optional>
#include <type_traits>
#include <vector>

#include "yupana/core/cuda/gpu_memory.hpp"
#include "yupana/core/cuda/page_lock.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/cuda/side_by_side.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/forest/device_model_cuda.cuh"
#include "yupana/forest/passage_cuda.cuh"
#include "yupana/forest/predict.hpp"
#include "yupana/forest/tree_cuda.hpp"
#include "yupana/forest/upload_cuda.hpp"

namespace yupana::forest::cuda {

using namespace yupana::cuda;

namespace {

/// What is predicted of a row: shares, or the leaf in each tree.
template <class Leaf>
std::int64_t width_of(const Model& model) {
  if (std::is_same_v<Leaf, std::int32_t>) return std::ssize(model.trees);
  return model.is_class() ? std::ssize(model.classes) : 1;
}

/// use(Node{}): of the smallest nodes that a model's trees can have.
template <class T, class Use>
void with_nodes(const Model& model, const ForestShape& shape, const Use& use) {
  if (LevelTuning::fits<T>(model, shape.depth)) return use(LevelNode<T>{});
  if constexpr (std::is_same_v<T, float>) {
    if (fits<NarrowNode>(model)) return use(NarrowNode{});
  }
  use(WideNode<T>{});
}

constexpr auto one_by_one = [](std::int64_t count, const auto& body) {
  for (std::int64_t i = 0; i < count; ++i) body(i);
};

/// A loop for the packing of trees, on a context's threads.
auto on_threads(Context& context) {
  return [&context](std::int64_t count, const auto& body) {
    context.parallel_for(count, 1, [&](std::int64_t i) { body(i); });
  };
}

/// What is predicted of all rows, in slots that fit each device; rows are dealt over them.
template <class Node, class Leaf>
void predict_rows(Context& context,
                  const Model& model,
                  const ForestShape& shape,
                  TableView<typename Node::Value> table,
                  Leaf* to) {
  using T = typename Node::Value;
  const std::int64_t width = width_of<Leaf>(model);
  const std::vector<int>& devices = context.devices();
  const std::int64_t value_bytes = table.columns * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t result_bytes = width * static_cast<std::int64_t>(sizeof(Leaf));
  const auto row_bytes = static_cast<std::uint64_t>(value_bytes + result_bytes);
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
  Staging staging(context, devices.front(), std::move(bytes));  // is made meanwhile
  PackedForest<Node, Leaf> packed(model, shape);
  std::once_flag is_packed;
  const std::uint64_t forest = packed.size() + (1 << 20);
  const std::uint64_t room = context.gpu_memory() > forest ? context.gpu_memory() - forest : 0;
  const auto fits = static_cast<std::int64_t>(room / row_bytes);
  if (fits < std::min<std::int64_t>(table.rows, 1024)) {
    throw gpu_memory_error(fmt::format("predicting 1,024 rows of {} columns", table.columns),
                           static_cast<double>(forest + 1024 * row_bytes),
                           context.gpu_memory());
  }
  run_side_by_side(devices.size(), [&](std::size_t d) {
    const DeviceScope scope(devices[d]);
    const std::int64_t begin = begin_of(d), end = begin_of(d + 1);
    if (begin == end) return;
    std::optional<DeviceModel<Node, Leaf>> own;
    const auto make_model = [&] {
      if (own) return;
      std::call_once(is_packed, [&] { packed.pack(on_threads(context)); });
      own.emplace(model, packed, shape);
    };
    // Page-locked rows are on the bus meanwhile. A loop for packing cannot run among those that
    // fill pieces.
    if (!is_locked) make_model();
    const auto run = [&](const T* values, std::int64_t rows, Leaf* results, cudaStream_t stream) {
      make_model();
      own->run(values, rows, results, stream);
    };
    const std::int64_t part = rows_of_part(value_bytes, is_locked);
    const std::int64_t most =
        std::max(most_slot_bytes(is_locked) / value_bytes / part, std::int64_t{1}) * part;
    const unsigned slots = end - begin <= std::min(most, fits) ? 1 : 2;
    const std::int64_t rows = std::min({end - begin, most, fits / slots});
    Passage<T, Leaf, decltype(run)> passage(
        context, staging.of(d), is_locked, slots, rows, part, table.columns, width, run);
    for (std::int64_t first = begin; first < end; first += rows) {
      context.check_cancelled();
      const TableView<T> some{
          table.data + first, std::min(rows, end - first), table.columns, table.stride};
      passage.send(some, to + first * width);
    }
    passage.wait();
  });
}

/// The same of a table in the memory of `device`, column after column without gaps, into memory
/// there.
template <class Node, class Leaf>
void predict_resident(const Model& model,
                      const ForestShape& shape,
                      int device,
                      TableView<typename Node::Value> table,
                      Leaf* to) {
  if (table.rows == 0) return;
  PackedForest<Node, Leaf> packed(model, shape);
  packed.pack(one_by_one);
  const DeviceScope scope(device);
  const Stream stream;
  const DeviceModel<Node, Leaf> own(model, packed, shape);
  own.run(table.data, table.rows, to, stream);
  check(cudaStreamSynchronize(stream), "predict");
}

template <class T, class Leaf>
void predict_on_devices(Context& context, const Model& model, TableView<T> table, Leaf* to) {
  const ForestShape shape = shape_of(model, on_threads(context));
  with_nodes<T>(model, shape, [&]<class Node>(Node) {
    predict_rows<Node>(context, model, shape, table, to);
  });
}

template <class T, class Leaf>
void predict_on_device(const Model& model, int device, TableView<T> table, Leaf* to) {
  check_columns(model, table.columns);
  const ForestShape shape = shape_of(model, one_by_one);
  with_nodes<T>(model, shape, [&]<class Node>(Node) {
    predict_resident<Node>(model, shape, device, table, to);
  });
}

}  // namespace

template <class T>
Matrix<double> predict_shares(Context& context, const Model& model, TableView<T> table) {
  Matrix<double> shares(table.rows, width_of<double>(model));
  predict_on_devices(context, model, table, shares.data());
  return shares;
}

template <class T>
Matrix<std::int32_t> apply(Context& context, const Model& model, TableView<T> table) {
  Matrix<std::int32_t> leaves(table.rows, width_of<std::int32_t>(model));
  predict_on_devices(context, model, table, leaves.data());
  return leaves;
}

template <class T>
void predict_resident_shares(const Model& model, int device, TableView<T> table, double* shares) {
  predict_on_device(model, device, table, shares);
}

template <class T>
void apply_to_resident(const Model& model, int device, TableView<T> table, std::int32_t* leaves) {
  predict_on_device(model, device, table, leaves);
}

double seconds_of_shares(const Model& model, TableView<float> table, int repeats) {
  DeviceArray<float> values(table.rows * table.columns);
  DeviceArray<double> shares(table.rows * width_of<double>(model));
  for (std::int64_t c = 0; c < table.columns; ++c) {
    yupana::cuda::upload(
        "copy a column", values.data() + c * table.rows, table.data + c * table.stride, table.rows);
  }
  std::vector<double> seconds;
  const ForestShape shape = shape_of(model, one_by_one);
  with_nodes<float>(model, shape, [&]<class Node>(Node) {
    PackedForest<Node, double> packed(model, shape);
    packed.pack(one_by_one);
    const DeviceModel<Node, double> own(model, packed, shape);
    const Stream stream;
    for (int repeat = 0; repeat <= repeats; ++repeat) {
      const Event begin(true), end(true);
      begin.record(stream);
      own.run(values.data(), table.rows, shares.data(), stream);
      end.record(stream);
      end.wait();
      if (repeat > 0) seconds.push_back(yupana::cuda::seconds_between(begin, end));
    }
  });
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, predict_shares, predict_resident_shares, apply_to_resident, apply)

}  // namespace yupana::forest::cuda
