#include "yupana/graph/shared_closure.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "yupana/graph/distributed_closure.hpp"
#include "yupana/graph/min_plus.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"

namespace yupana::graph {
namespace {

// Up to here rank 0 works alone.
constexpr std::int64_t min_shared = 1024;

/// What rank 0 needs from the others.
struct Request {
  enum Type : std::int64_t { none, int32, float32, float64 };
  std::int64_t type = none;
  std::int64_t n = 0;
};

template <class T>
constexpr Request::Type type_of = std::is_integral_v<T> ? Request::int32
                                  : sizeof(T) == 4      ? Request::float32
                                                        : Request::float64;

void broadcast(Comm& comm, Request& request) { comm.broadcast(&request, sizeof(request), 0); }

// In the memory of rank 0; the others pass an empty view.
template <class T>
void close_on_ranks(Context& context, Comm& comm, std::int64_t n, MatrixView<T> weights) {
  std::vector<Range> all_of_rank_0(static_cast<std::size_t>(comm.size()));
  all_of_rank_0.front() = {0, n};
  DistributedSymmetricMatrix<T> tiles(comm, n);
  scatter_rows(context, tiles, all_of_rank_0, [&](std::int64_t i, T* row) {
    std::copy_n(weights.row(i), i + 1, row);
  });
  compute_closure(context, tiles);
  // The lower triangle keeps the weights, for the count of edges that did not change.
  gather_rows(context, tiles, all_of_rank_0, [&](Range rows, MatrixView<const T> values) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      std::copy(values.row(i - rows.begin) + i, values.row(i - rows.begin) + n, weights.row(i) + i);
    }
  });
}

}  // namespace

SharedClosure::SharedClosure(Context& context)
    : comm_(context.ranks() > 1 ? context.comm() : nullptr) {}

SharedClosure::~SharedClosure() {
  if (comm_ == nullptr) return;
  Request none;
  broadcast(*comm_, none);
}

template <class T>
std::int64_t SharedClosure::compute(Context& context, MatrixView<T> weights) {
  if (comm_ == nullptr || weights.rows <= min_shared) {
    return cpu::shortest_paths_symmetric(context, weights);
  }
  Comm& comm = *std::exchange(comm_, nullptr);
  Request request = {type_of<T>, weights.rows};
  broadcast(comm, request);
  close_on_ranks(context, comm, weights.rows, weights);
  return cpu::mirror(context, weights);
}

void join_closure(Context& context) {
  Comm& comm = *context.comm();
  Request request;
  broadcast(comm, request);
  if (request.type == Request::int32) close_on_ranks<std::int32_t>(context, comm, request.n, {});
  if (request.type == Request::float32) close_on_ranks<float>(context, comm, request.n, {});
  if (request.type == Request::float64) close_on_ranks<double>(context, comm, request.n, {});
}

template std::int64_t SharedClosure::compute(Context&, MatrixView<std::int32_t>);
template std::int64_t SharedClosure::compute(Context&, MatrixView<float>);
template std::int64_t SharedClosure::compute(Context&, MatrixView<double>);

}  // namespace yupana::graph
