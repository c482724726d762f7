#include "yupana/graph/shortest_paths_ranks.hpp"

#include <algorithm>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/distributed_closure.hpp"
#include "yupana/graph/min_plus.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"

namespace yupana::graph {
namespace {

// Up to here the first rank works alone.
constexpr std::int64_t min_shared = 1024;

struct Request {
  std::int64_t type;  // 0: int32, 1: float, 2: double, -1: no more
  std::int64_t n;
};

template <class T>
constexpr std::int64_t type_number = std::is_integral_v<T> ? 0
                                     : sizeof(T) == 4      ? 1
                                                           : 2;

// Of the first rank's matrix, which the others do not have.
template <class T>
void close_and_return(Context& context, Comm& comm, std::int64_t n, MatrixView<T> weights) {
  std::vector<Range> first(static_cast<std::size_t>(comm.size()));
  first.front() = {0, n};
  DistributedSymmetricMatrix<T> tiles(comm, n);
  scatter_rows(context, tiles, first, [&](std::int64_t i, T* row) {
    std::copy_n(weights.row(i), i + 1, row);
  });
  compute_closure(context, tiles);
  // The lower triangle keeps the weights, for the count of edges that did not change.
  gather_rows(context, tiles, first, [&](Range rows, MatrixView<const T> values) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      std::copy(values.row(i - rows.begin) + i, values.row(i - rows.begin) + n, weights.row(i) + i);
    }
  });
}

}  // namespace

template <class T>
std::int64_t shortest_paths_symmetric_ranks(Context& context, Comm& comm, MatrixView<T> weights) {
  if (weights.rows <= min_shared) return cpu::shortest_paths_symmetric(context, weights);
  Request request = {type_number<T>, weights.rows};
  comm.broadcast(&request, sizeof(request), 0);
  close_and_return(context, comm, weights.rows, weights);
  return cpu::mirror(context, weights);
}

void serve_shortest_paths(Context& context, Comm& comm) {
  for (Request request{};;) {
    comm.broadcast(&request, sizeof(request), 0);
    if (request.type < 0) return;
    if (request.type == 0) close_and_return<std::int32_t>(context, comm, request.n, {});
    if (request.type == 1) close_and_return<float>(context, comm, request.n, {});
    if (request.type == 2) close_and_return<double>(context, comm, request.n, {});
  }
}

void release_ranks(Comm& comm) {
  Request request = {-1, 0};
  comm.broadcast(&request, sizeof(request), 0);
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, shortest_paths_symmetric_ranks)

}  // namespace yupana::graph
