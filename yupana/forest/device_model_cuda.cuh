#pragma once

#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "yupana/core/cuda/device_facts.hpp"
#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/packed_cuda.hpp"

/// Rows go down the trees of a model on one device.
namespace yupana::forest::cuda {

struct Forest {
  const unsigned char* bytes;
  const TreeBytes* places;
  const std::uint32_t* words;
  int trees;
  int outputs;
  int features;
  int depth;  ///< of trees of LevelNodes
};

/// One thread a row: a block's values are stored feature after feature in shared memory, where a
/// warp reads 32 banks whichever features its rows need.
struct PredictTuning {
  static constexpr int threads = 256;
  static constexpr int most_shared = 96 << 10;  ///< bytes; two blocks share a multiprocessor
  static_assert(most_shared <= yupana::cuda::shared_bytes_everywhere);
};

/// Trees of LevelNodes pass through shared memory, one after the other while the next arrives, as
/// each block reads all of them for as many rows as it can hold. A thread has two: the reads of one
/// are under way while those of the other are waited for.
struct LevelTuning {
  static constexpr int rows_each = 2;
  static constexpr int least_threads = 256;  ///< that fit on every device
  static constexpr int most_threads = 1024;

  template <class T>
  static constexpr std::int64_t value_bytes(std::int64_t features, std::int64_t threads) {
    return features * threads * rows_each * static_cast<std::int64_t>(sizeof(T));
  }
  /// Whether trees of so many bytes go through shared memory.
  template <class T>
  static bool fits(std::int64_t tree_bytes, std::int64_t features) {
    return 2 * tree_bytes + value_bytes<T>(features, least_threads) <=
           yupana::cuda::shared_bytes_everywhere;
  }
  /// Whether a model's trees may be LevelNodes.
  template <class T>
  static bool fits(const Model& model, std::int64_t depth) {
    const std::int64_t features = std::ssize(model.features);
    return features <= LevelNode<T>::most_features && depth < 16 &&
           fits<T>(LevelNode<T>::bytes_of(static_cast<int>(depth)), features);
  }
};

/// As Tree::goes_left. word: flags of the node; words: null where no node has a category.
template <bool categories, class T>
__device__ bool goes_right(T x, T threshold, std::uint32_t word, const std::uint32_t* words) {
  const bool missing_right = (word & NodeFlags::missing_left) == 0;
  if (!categories || (word & (NodeFlags::one_category | NodeFlags::has_set)) == 0) {
    return missing_right ? !(x <= threshold) : x > threshold;
  }
  if (x != x) return missing_right;
  if ((word & NodeFlags::one_category) != 0) return x == threshold;
  std::uint32_t first;
  memcpy(&first, &threshold, sizeof(first));
  const std::uint32_t* const set = words + first;
  if (!(x >= 0 && x < static_cast<T>(set[0]))) return missing_right;
  const auto category = static_cast<std::uint32_t>(x);
  if (static_cast<T>(category) != x) return missing_right;
  return (set[1 + category / 32] >> (category % 32) & 1) == 0;
}

/// The number of the leaf where a row ends. value_of(feature).
template <bool categories, class Node, class ValueOf>
__device__ std::uint32_t leaf_of(const Node* nodes,
                                 const std::uint32_t* words,
                                 const ValueOf& value_of) {
  Node node = nodes[0];
  while ((node.word & NodeFlags::leaf) == 0) {
    const bool right =
        goes_right<categories>(value_of(node.feature()), node.threshold, node.word, words);
    node = nodes[node.place() + right];
  }
  return node.place();
}

/// Begins to copy a tree to shared memory, by all threads of the block.
__device__ inline void bring(unsigned char* to, const unsigned char* from, int bytes) {
  constexpr int step = 16;
  for (int i = step * static_cast<int>(threadIdx.x); i < bytes;
       i += step * static_cast<int>(blockDim.x)) {
    __pipeline_memcpy_async(to + i, from + i, step);
  }
  __pipeline_commit();
}

/// The shares of a row, tree after tree; few: outputs fit registers, otherwise shares, which are 0,
/// are summed in place.
template <bool few>
class RowShares {
 public:
  using Out = double;
  static constexpr int most_sums = 4;

  __device__ RowShares(double* shares, std::int64_t row, int outputs, int trees)
      : sums_(shares + row * outputs), outputs_(outputs), trees_(trees) {}
  __device__ void add(int, const void* leaves, std::uint32_t leaf) {
    const double* vote = static_cast<const double*>(leaves) + std::int64_t{leaf} * outputs_;
    if (few && outputs_ == 2) {  // in one read
      const double2 both = static_cast<const double2*>(leaves)[leaf];
      few_sums_[0] += both.x;
      few_sums_[1] += both.y;
    } else if constexpr (few) {
#pragma unroll
      for (int c = 0; c < most_sums; ++c) {
        if (c < outputs_) few_sums_[c] += vote[c];
      }
    } else {
      for (int c = 0; c < outputs_; ++c) sums_[c] += vote[c];
    }
  }
  __device__ void finish() {
    const double trees = trees_;
    if constexpr (few) {
#pragma unroll
      for (int c = 0; c < most_sums; ++c) {
        if (c < outputs_) sums_[c] = few_sums_[c] / trees;
      }
    } else {
      for (int c = 0; c < outputs_; ++c) sums_[c] /= trees;
    }
  }

 private:
  double* sums_;
  int outputs_, trees_;
  double few_sums_[most_sums] = {};
};

/// The leaves of a row, by their numbers in the trees.
class RowLeaves {
 public:
  using Out = std::int32_t;

  __device__ RowLeaves(std::int32_t* leaves, std::int64_t row, int, int trees)
      : to_(leaves + row * trees) {}
  __device__ void add(int tree, const void* leaves, std::uint32_t leaf) {
    to_[tree] = static_cast<const std::int32_t*>(leaves)[leaf];
  }
  __device__ void finish() {}

 private:
  std::int32_t* to_;
};

/// in_shared: the values are read there.
template <class Node, bool categories, class Result>
__global__ void __launch_bounds__(PredictTuning::threads)
    descend_kernel(Forest forest,
                   bool in_shared,
                   const typename Node::Value* table,
                   std::int64_t rows,
                   typename Result::Out* to) {
  using T = typename Node::Value;
  extern __shared__ __align__(16) unsigned char memory[];
  const std::int64_t row = std::int64_t{blockIdx.x} * PredictTuning::threads + threadIdx.x;
  if (row >= rows) return;
  const T* values = table + row;
  std::int64_t stride = rows;
  if (in_shared) {  // each thread reads what it wrote
    T* const own = reinterpret_cast<T*>(memory) + threadIdx.x;
    stride = PredictTuning::threads;
    for (int f = 0; f < forest.features; ++f) own[f * PredictTuning::threads] = values[f * rows];
    values = own;
  }
  const auto value_of = [&](std::uint32_t feature) { return values[feature * stride]; };
  Result result(to, row, forest.outputs, forest.trees);
  for (int t = 0; t < forest.trees; ++t) {
    const TreeBytes place = forest.places[t];
    const auto* const nodes = reinterpret_cast<const Node*>(forest.bytes + place.nodes);
    result.add(t, forest.bytes + place.leaves, leaf_of<categories>(nodes, forest.words, value_of));
  }
  result.finish();
}

/// Where bytes of a tree of LevelNodes are; all trees of a forest take as many.
struct LevelBytes {
  std::int64_t tree;
  int nodes;
  int room;  ///< that go through shared memory: nodes, perhaps with the leaves after them
};

/// The same of LevelNodes.
template <class Node, bool categories, class Result>
__global__ void __launch_bounds__(LevelTuning::most_threads)
    descend_levels_kernel(Forest forest,
                          LevelBytes bytes,
                          const typename Node::Value* table,
                          std::int64_t rows,
                          typename Result::Out* to) {
  using T = typename Node::Value;
  constexpr int each = LevelTuning::rows_each;
  static_assert(each == 2);
  extern __shared__ __align__(16) unsigned char memory[];
  const auto bring_tree = [&](int t) {
    bring(memory + (t & 1) * bytes.room, forest.bytes + t * bytes.tree, bytes.room);
  };
  bring_tree(0);
  const auto threads = static_cast<int>(blockDim.x);
  const std::int64_t row = std::int64_t{blockIdx.x} * threads * each + threadIdx.x;
  T* const values = reinterpret_cast<T*>(memory + 2 * bytes.room) + threadIdx.x;
  for (int f = 0; f < forest.features; ++f) {
    for (int k = 0; k < each; ++k) {
      values[(f * each + k) * threads] = table[f * rows + min(row + k * threads, rows - 1)];
    }
  }
  Result results[each] = {{to, row, forest.outputs, forest.trees},
                          {to, row + threads, forest.outputs, forest.trees}};
  for (int t = 0; t < forest.trees; ++t) {
    __pipeline_wait_prior(0);
    __syncthreads();  // the tree is there, and all threads have left the one before
    if (t + 1 < forest.trees) bring_tree(t + 1);
    const unsigned char* const tree = memory + (t & 1) * bytes.room;
    const auto* const thresholds = reinterpret_cast<const T*>(tree);
    const auto* const words =
        reinterpret_cast<const std::uint16_t*>(thresholds + (1 << forest.depth));
    std::uint32_t place[each] = {1, 1};
    for (int level = 0; level < forest.depth; ++level) {
#pragma unroll
      for (int k = 0; k < each; ++k) {
        const std::uint32_t word = words[place[k]];
        const T x = values[(static_cast<int>(word % Node::most_features) * each + k) * threads];
        const bool right =
            goes_right<categories>(x, thresholds[place[k]], word << 16, forest.words);
        place[k] = 2 * place[k] + right;
      }
    }
    const unsigned char* const leaves =
        bytes.nodes < bytes.room ? tree + bytes.nodes : forest.bytes + t * bytes.tree + bytes.nodes;
#pragma unroll
    for (int k = 0; k < each; ++k) {
      if (row + k * threads < rows) results[k].add(t, leaves, place[k] - (1u << forest.depth));
    }
  }
#pragma unroll
  for (int k = 0; k < each; ++k) {
    if (row + k * threads < rows) results[k].finish();
  }
}

/// A model on one device. Leaf: double, for shares; std::int32_t, for leaves.
template <class Node, class Leaf>
class DeviceModel {
 public:
  using T = typename Node::Value;

  DeviceModel(const Model& model, const PackedForest<Node, Leaf>& packed, const ForestShape& shape)
      : bytes_(packed.bytes().size()),
        places_(std::ssize(packed.trees())),
        words_(std::ssize(packed.words())),
        has_categories_(shape.has_categories) {
    const auto copy = [](auto& to, const auto& from) {
      yupana::cuda::upload("copy the model", to.data(), from.data(), to.size());
    };
    copy(bytes_, packed.bytes());
    copy(places_, packed.trees());
    copy(words_, packed.words());
    view_ = {bytes_.data(),
             places_.data(),
             words_.data(),
             static_cast<int>(model.trees.size()),
             static_cast<int>(model.is_class() ? std::ssize(model.classes) : 1),
             static_cast<int>(model.features.size()),
             packed.depth()};
    if (!packed.trees().empty()) tree_ = packed.trees().front();
  }

  /// rows x outputs, or rows x trees.
  void run(const T* table, std::int64_t rows, Leaf* to, cudaStream_t stream) const {
    if constexpr (std::is_same_v<Leaf, std::int32_t>) {
      return launch<RowLeaves>(table, rows, to, stream);
    } else {
      if (view_.outputs <= RowShares<true>::most_sums) {
        return launch<RowShares<true>>(table, rows, to, stream);
      }
      const auto bytes = static_cast<std::size_t>(rows * view_.outputs) * sizeof(double);
      yupana::cuda::check(cudaMemsetAsync(to, 0, bytes, stream), "clear shares");
      launch<RowShares<false>>(table, rows, to, stream);
    }
  }

 private:
  template <class Result>
  void launch(const T* table, std::int64_t rows, Leaf* to, cudaStream_t stream) const {
    const auto run = [&](auto kernel, auto how, int threads, int each, std::int64_t shared) {
      yupana::cuda::launch("predict",
                           kernel,
                           {divide_up(rows, threads * each), threads, shared},
                           stream,
                           view_,
                           how,
                           table,
                           rows,
                           to);
    };
    constexpr int least = PredictTuning::threads;
    if constexpr (std::is_same_v<Node, LevelNode<T>>) {
      const std::int64_t whole = tree_.end - tree_.nodes, nodes = tree_.leaves - tree_.nodes;
      const std::int64_t room = LevelTuning::fits<T>(whole, view_.features) ? whole : nodes;
      const int threads = threads_of_levels(room, rows);
      run(has_categories_ ? descend_levels_kernel<Node, true, Result>
                          : descend_levels_kernel<Node, false, Result>,
          LevelBytes{whole, static_cast<int>(nodes), static_cast<int>(room)},
          threads,
          LevelTuning::rows_each,
          2 * room + LevelTuning::value_bytes<T>(view_.features, threads));
    } else {
      const auto value_bytes = view_.features * static_cast<std::int64_t>(sizeof(T));
      const bool in_shared = least * value_bytes <= PredictTuning::most_shared;
      run(has_categories_ ? descend_kernel<Node, true, Result>
                          : descend_kernel<Node, false, Result>,
          in_shared,
          least,
          1,
          in_shared ? least * value_bytes : 0);
    }
  }

  /// As many as fit next to two trees, but of few rows some for each multiprocessor.
  int threads_of_levels(std::int64_t room, std::int64_t rows) const {
    constexpr int each = LevelTuning::rows_each, warp = 32;
    const yupana::cuda::DeviceFacts facts = yupana::cuda::device_facts();
    const std::int64_t fit = (facts.max_shared_bytes - 2 * room) /
                             LevelTuning::value_bytes<T>(std::max(view_.features, 1), warp) * warp;
    const std::int64_t needed =
        round_up(divide_up(rows, std::int64_t{each} * facts.multiprocessors), warp);
    const auto most = std::min<std::int64_t>(fit, LevelTuning::most_threads);
    return static_cast<int>(
        std::clamp<std::int64_t>(needed,
                                 LevelTuning::least_threads,
                                 std::max<std::int64_t>(most, LevelTuning::least_threads)));
  }

  yupana::cuda::DeviceArray<unsigned char> bytes_;
  yupana::cuda::DeviceArray<TreeBytes> places_;
  yupana::cuda::DeviceArray<std::uint32_t> words_;
  bool has_categories_;
  TreeBytes tree_{};  ///< the first one
  Forest view_;
};

}  // namespace yupana::forest::cuda
