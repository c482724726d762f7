#pragma once

#include <cstdint>

#include "yupana/core/comm.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

/// Private to the family: the closure of a matrix of rank 0 by all ranks of its context.
namespace yupana::graph {

/// The share of the other ranks in one call of rank 0: while it makes the call, each of them calls
/// join_closure() once.
class SharedClosure {
 public:
  /// Of rank 0 alone.
  SharedClosure() = default;
  /// Of all ranks of the context.
  explicit SharedClosure(Context& context);
  SharedClosure(const SharedClosure&) = delete;
  SharedClosure& operator=(const SharedClosure&) = delete;
  /// Releases the other ranks if no closure needed them.
  ~SharedClosure();

  /// The symmetric closure in place: cpu::shortest_paths_symmetric, with its bits. The first one
  /// that is large enough is shared: tiles of the matrix go to all ranks, and their lengths back.
  ///   sent: the matrix, there and back, and the panels of compute_closure
  template <class T>
  std::int64_t compute(Context& context, MatrixView<T> weights);

 private:
  Comm* comm_ = nullptr;  ///< null: no other ranks wait
};

/// The share of any other rank. Collective.
void join_closure(Context& context);

}  // namespace yupana::graph
