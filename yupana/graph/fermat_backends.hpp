#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "yupana/graph/fermat.hpp"
#include "yupana/graph/sparse.hpp"

/// Private to the family: the steps of fermat().
namespace yupana::graph {

/// Weights d^alpha in their final type, and the unit they are in.
struct FermatWeights {
  AnyMatrix values;
  double scale = 1;          ///< distances were divided by this before the power
  bool unreachable = false;  ///< some pair has no edge
  bool vanishing = false;    ///< WeightRule::vanishing
};

/// Checks the distances and turns them into weights, in place where the type stays.
FermatWeights fermat_weights(Context& context,
                             AnyMatrix distances,
                             Entries entries,
                             const FermatParams& params);

/// The facts that params and the type of the lengths decide; those of a graph whose edges join all
/// its n vertices.
FermatFacts make_facts(const FermatParams& params,
                       double unit,
                       Precision precision,
                       std::int64_t n);

/// Pairs i < j by their length F and their direct edge W; the rest have F < W.
struct EdgeCounts {
  std::int64_t kept = 0;
  std::int64_t longer = 0;
  std::int64_t unreachable = 0;
};

/// Sets the shares of the pairs of n vertices.
/// `vanishing`: of weights that are zero or lost digits no count of edges is true, so that shares
/// of edges are NaN.
void set_shares(const EdgeCounts& counts, std::int64_t n, bool vanishing, FermatFacts& facts);

/// How the shortest paths were found.
struct ClosureResult {
  std::int64_t kept = 0;  ///< pairs, of n (n - 1) / 2, whose length is their weight, finite or not
  double certified = 0;   ///< share of pairs certified without a search
  std::string method;
};

namespace reference {
template <class T>
ClosureResult compute_closure(Context& context, SquareMatrix<T>& weights);
}  // namespace reference

/// How records name the dense closure on GPUs.
inline constexpr const char* gpu_closure_method = "symmetric blocked Floyd-Warshall on the GPU";

/// The dense closure that `close` falls back to, and what it costs.
template <class T>
struct DenseClosure {
  /// In place, symmetric; returns the edges kept.
  std::function<std::int64_t(Context& context, MatrixView<T> weights)> compute;
  const char* method;
  double seconds;  ///< about, times the threads of the context: what a search may take in its place
  bool families;   ///< slow enough that putting relatives together first can pay
};

namespace cpu {
/// The certificate and the search run on the CPU, whatever closes.
template <class T>
ClosureResult compute_closure(Context& context,
                              SquareMatrix<T>& weights,
                              bool prune,
                              const DenseClosure<T>& dense);
template <class T>
DenseClosure<T> dense_closure(const Context& context, std::int64_t n);
}  // namespace cpu

/// Distances that lie on a GPU and the power that makes weights of them; empty: weights come from
/// the host.
struct DeviceSource {
  DeviceMatrix distances;
  double power = 1;
};

namespace cuda {
template <class T>
DenseClosure<T> dense_closure(const Context& context, std::int64_t n, const DeviceSource& source);
}  // namespace cuda

/// Shortest paths on the k-nearest-neighbour graph; sets max_neighbor_rank and certified of
/// `facts`, returns the lengths.
template <class T>
SquareMatrix<T> close_neighbors(Context& context,
                                const SquareMatrix<T>& weights,
                                std::int64_t k,
                                FermatFacts& facts);

/// Estimates through landmarks, in place. Returns how many pairs kept their weight.
template <class T>
std::int64_t estimate_by_landmarks(Context& context,
                                   SquareMatrix<T>& weights,
                                   const FermatParams& params);

/// Pairs i < j with a(i, j) = b(i, j).
template <class T>
std::int64_t equal_pairs(Context& context, const SquareMatrix<T>& a, const SquareMatrix<T>& b);

}  // namespace yupana::graph
