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

template <class Node>
struct Forest {
  const unsigned char* bytes;
  const TreeBytes* places;
  const std::uint32_t* words;
  int trees;
  int outputs;
  int features;
};

/// One thread a row: a block's values are stored feature after feature in shared memory, where a
/// warp reads 32 banks whichever features its rows need.
struct PredictTuning {
  static constexpr int threads = 256;
  static constexpr int most_shared = 96 << 10;  ///< bytes; two blocks share a multiprocessor
  static_assert(most_shared <= yupana::cuda::shared_bytes_everywhere);
  /// Of a block whose trees are in shared memory too, one after the other while the next arrives:
  /// as many as there can be, for each block reads all trees.
  static constexpr int staged_threads = 1024;
};

/// As Tree::goes_left.
template <class Node>
__device__ bool known_goes_right(const Node& node,
                                 typename Node::Value x,
                                 bool missing_right,
                                 const std::uint32_t* words) {
  if ((node.word & NodeFlags::one_category) != 0) return x == node.threshold;
  if ((node.word & NodeFlags::has_set) == 0) return x > node.threshold;
  std::uint32_t first;
  memcpy(&first, &node.threshold, sizeof(first));
  const std::uint32_t* const set = words + first;
  if (!(x >= 0 && x < static_cast<typename Node::Value>(set[0]))) return missing_right;
  const auto category = static_cast<std::uint32_t>(x);
  if (static_cast<typename Node::Value>(category) != x) return missing_right;
  return (set[1 + category / 32] >> (category % 32) & 1) == 0;
}

/// The number of the leaf where a row ends. value_of(feature); words: null where no node has a
/// category.
template <bool categories, class Node, class ValueOf>
__device__ std::uint32_t leaf_of(const Node* nodes,
                                 const std::uint32_t* words,
                                 const ValueOf& value_of) {
  Node node = nodes[0];
  while ((node.word & NodeFlags::leaf) == 0) {
    const auto x = value_of(node.feature());
    const bool missing_right = (node.word & NodeFlags::missing_left) == 0;
    bool right;
    if constexpr (categories) {
      right = x != x ? missing_right : known_goes_right(node, x, missing_right, words);
    } else {
      right = missing_right ? !(x <= node.threshold) : x > node.threshold;
    }
    node = nodes[node.place() + right];
  }
  return node.place();
}

/// Begins to copy a tree to shared memory, by all threads of the block.
__device__ inline void bring(unsigned char* to, const unsigned char* from, int bytes) {
  constexpr int step = 16;
  for (int i = step * static_cast<int>(threadIdx.x); i < bytes;
       i += step * PredictTuning::staged_threads) {
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
    descend_kernel(Forest<Node> forest,
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

/// The same with trees in shared memory, of `room` bytes at most.
template <class Node, bool categories, class Result>
__global__ void __launch_bounds__(PredictTuning::staged_threads)
    descend_staged_kernel(Forest<Node> forest,
                          int room,
                          const typename Node::Value* table,
                          std::int64_t rows,
                          typename Result::Out* to) {
  using T = typename Node::Value;
  constexpr int threads = PredictTuning::staged_threads;
  extern __shared__ __align__(16) unsigned char memory[];
  const auto bring_tree = [&](int t) {
    const TreeBytes place = forest.places[t];
    bring(memory + (t & 1) * room,
          forest.bytes + place.nodes,
          static_cast<int>(place.end - place.nodes));
  };
  bring_tree(0);
  const std::int64_t row = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const bool is_inside = row < rows;
  T* const values = reinterpret_cast<T*>(memory + 2 * room) + threadIdx.x;
  for (int f = 0; f < forest.features; ++f) {
    values[f * threads] = table[f * rows + min(row, rows - 1)];
  }
  const auto value_of = [&](std::uint32_t feature) { return values[feature * threads]; };
  Result result(to, row, forest.outputs, forest.trees);
  for (int t = 0; t < forest.trees; ++t) {
    __pipeline_wait_prior(0);
    __syncthreads();  // the tree is there, and all threads have left the one before
    if (t + 1 < forest.trees) bring_tree(t + 1);
    const unsigned char* const tree = memory + (t & 1) * room;
    const TreeBytes place = forest.places[t];
    const std::uint32_t leaf =
        leaf_of<categories>(reinterpret_cast<const Node*>(tree), forest.words, value_of);
    if (is_inside) result.add(t, tree + (place.leaves - place.nodes), leaf);
  }
  if (is_inside) result.finish();
}

/// A model on one device. Leaf: double, for shares; std::int32_t, for leaves.
template <class Node, class Leaf>
class DeviceModel {
 public:
  using T = typename Node::Value;

  DeviceModel(const Model& model, const PackedForest<Node>& packed)
      : bytes_(packed.bytes.size()),
        places_(std::ssize(packed.trees)),
        words_(std::ssize(packed.words)),
        has_categories_(packed.has_categories) {
    const auto copy = [](auto& to, const auto& from) {
      yupana::cuda::upload("copy the model", to.data(), from.data(), to.size());
    };
    copy(bytes_, packed.bytes);
    copy(places_, packed.trees);
    copy(words_, packed.words);
    view_ = {bytes_.data(),
             places_.data(),
             words_.data(),
             static_cast<int>(model.trees.size()),
             static_cast<int>(model.is_class() ? std::ssize(model.classes) : 1),
             static_cast<int>(model.features.size())};
    for (const TreeBytes& place : packed.trees) {
      largest_ = std::max(largest_, place.end - place.nodes);
    }
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
    const auto run = [&](auto kernel, auto how, int threads, std::int64_t shared) {
      yupana::cuda::launch("predict",
                           kernel,
                           {divide_up(rows, threads), threads, shared},
                           stream,
                           view_,
                           how,
                           table,
                           rows,
                           to);
    };
    const auto value_bytes = view_.features * static_cast<std::int64_t>(sizeof(T));
    constexpr int most = PredictTuning::staged_threads, least = PredictTuning::threads;
    const std::int64_t staged = 2 * largest_ + most * value_bytes;
    if constexpr (!std::is_same_v<Node, WideNode<float>>) {
      if (fills_device(staged, rows)) {
        run(has_categories_ ? descend_staged_kernel<Node, true, Result>
                            : descend_staged_kernel<Node, false, Result>,
            static_cast<int>(largest_),
            most,
            staged);
        return;
      }
    }
    const bool in_shared = least * value_bytes <= PredictTuning::most_shared;
    run(has_categories_ ? descend_kernel<Node, true, Result> : descend_kernel<Node, false, Result>,
        in_shared,
        least,
        in_shared ? least * value_bytes : 0);
  }

  /// Whether large blocks of so much shared memory run on at least half of the device.
  static bool fills_device(std::int64_t shared, std::int64_t rows) {
    const yupana::cuda::DeviceFacts facts = yupana::cuda::device_facts();
    return shared <= facts.max_shared_bytes &&
           divide_up(rows, PredictTuning::staged_threads) >= facts.multiprocessors / 2;
  }

  yupana::cuda::DeviceArray<unsigned char> bytes_;
  yupana::cuda::DeviceArray<TreeBytes> places_;
  yupana::cuda::DeviceArray<std::uint32_t> words_;
  bool has_categories_;
  std::int64_t largest_ = 0;  ///< bytes of a tree
  Forest<Node> view_;
};

}  // namespace yupana::forest::cuda
