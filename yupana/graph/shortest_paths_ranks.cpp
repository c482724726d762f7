#include "yupana/graph/shortest_paths_ranks.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "yupana/core/tiles.hpp"
#include "yupana/graph/min_plus.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"
#include "yupana/graph/symmetric_cpu.hpp"

namespace yupana::graph {
namespace {

// Steps of k between two broadcasts: one panel of cpu::MinPlus, whose in-place products would give
// floats other last bits with other panels.
constexpr std::int64_t panel_depth = cpu::min_plus_panel;
// Sub-matrices up to here are closed by every rank for itself: n / 1024 of them cost 1024^2 n / 2.
constexpr std::int64_t leaf_edge = 1024;
// Columns of a product above the diagonal that are worked at once; half of them in vain.
constexpr std::int64_t strip_columns = 1024;

// Which rows a rank has: blocks in turn. They lie one after the other in its memory.
struct Deal {
  static constexpr std::int64_t block = 128;
  int ranks = 1;

  int owner(std::int64_t row) const { return static_cast<int>(row / block % ranks); }
  // Rows before `row` that the rank has: the place of its first row from there on.
  std::int64_t before(int rank, std::int64_t row) const {
    const std::int64_t round = block * ranks;
    return row / round * block + std::clamp<std::int64_t>(row % round - rank * block, 0, block);
  }
  // body(rows) for every stretch of the range that the rank has.
  template <class Body>
  void each(int rank, Range range, const Body& body) const {
    const std::int64_t round = block * ranks;
    for (std::int64_t at = range.begin / round * round + rank * block; at < range.end;
         at += round) {
      const Range rows = {std::max(at, range.begin), std::min(at + block, range.end)};
      if (rows.size() > 0) body(rows);
    }
  }
};

struct Request {
  std::int64_t type;  // 0: int32, 1: float, 2: double, -1: no more
  std::int64_t n;
};

template <class T>
constexpr std::int64_t type_number = std::is_integral_v<T> ? 0
                                     : sizeof(T) == 4      ? 1
                                                           : 2;

template <class T>
class Closure {
 public:
  Closure(Context& context, Comm& comm, std::int64_t n, Stage& stage)
      : context_(context),
        comm_(comm),
        deal_{comm.size()},
        n_(n),
        rows_(deal_.before(comm.rank(), n), n),
        min_plus_(context, stage, cpu::Signs::nonnegative, std::max(leaf_edge, n)),
        panel_(std::min(n, panel_depth) * n) {}

  void scatter(MatrixView<T> weights) { move_rows(weights, true); }
  void gather(MatrixView<T> weights) { move_rows(weights, false); }
  void close() { close({0, n_}); }

 private:
  // The upper triangle of [v, v) is closed; below the diagonal anything may stand, before and
  // after.
  void close(Range v) {
    if (v.size() <= leaf_edge) return close_leaf(v);
    const Range first = {v.begin, v.begin + cpu::halfway(v.size())};
    const Range second = {first.end, v.end};
    close(first);
    mirror(first, first);
    product(first, first, second);
    mirror(first, second);
    product(second, first, second);
    close(second);
    mirror(second, second);
    product(first, second, second);
    mirror(first, second);
    product(first, second, first);
  }

  void close_leaf(Range v) {
    const MatrixView<T> square = panel(v, v);
    cpu::close_symmetric(min_plus_, square);
    deal_.each(comm_.rank(), v, [&](Range rows) {
      for (std::int64_t i = rows.begin; i < rows.end; ++i) {
        const T* const from = square.row(i - v.begin) + (i - v.begin);
        std::copy(from, from + (v.end - i), row(i) + i);
      }
    });
  }

  // (rows, columns) = min of itself and (rows, steps) + (steps, columns); of a square on the
  // diagonal, rows = columns, the upper triangle at least.
  void product(Range rows, Range steps, Range columns) {
    for (Range k{steps.begin, steps.begin}; k.begin < steps.end; k.begin = k.end) {
      k.end = std::min(steps.end, k.begin + panel_depth);
      const MatrixView<T> right = panel(k, columns);
      const bool upper = rows.begin == columns.begin;
      const std::int64_t width = upper ? strip_columns : columns.size();
      for (std::int64_t at = columns.begin; at < columns.end; at += width) {
        const Range strip = {at, std::min(columns.end, at + width)};
        const Range above = {rows.begin, upper ? strip.end : rows.end};
        const MatrixView<T> left = mine(above, k);
        min_plus_.product(
            {{left.data, left.rows, left.cols, left.stride}},
            {{right.data + (at - columns.begin), k.size(), strip.size(), right.stride}},
            mine(above, strip));
      }
    }
  }

  // Rows of all ranks, side by side on every rank.
  MatrixView<T> panel(Range rows, Range columns) {
    const MatrixView<T> whole = {panel_.data(), rows.size(), columns.size(), columns.size()};
    for (std::int64_t at = rows.begin; at < rows.end;) {
      const std::int64_t end = std::min(rows.end, (at / Deal::block + 1) * Deal::block);
      const int owner = deal_.owner(at);
      if (owner == comm_.rank()) {
        for (std::int64_t i = at; i < end; ++i) {
          std::copy_n(row(i) + columns.begin, columns.size(), whole.row(i - rows.begin));
        }
      }
      const auto bytes = static_cast<std::size_t>((end - at) * columns.size()) * sizeof(T);
      comm_.broadcast(whole.row(at - rows.begin), bytes, owner);
      at = end;
    }
    return whole;
  }

  // Copies (rows, columns) onto (columns, rows); of a square on the diagonal the upper triangle
  // onto the lower one.
  void mirror(Range rows, Range columns) {
    for (Range some{rows.begin, rows.begin}; some.begin < rows.end; some.begin = some.end) {
      some.end = std::min(rows.end, some.begin + panel_depth);
      const auto messages = comm_.exchange(pieces(some, columns));
      context_.check_cancelled();
      context_.parallel_for(comm_.size(), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t from = begin; from < end; ++from) {
          const std::byte* next = messages[static_cast<std::size_t>(from)].data();
          each_cell_run(static_cast<int>(from), comm_.rank(), some, columns, [&](auto i, Range js) {
            for (std::int64_t j = js.begin; j < js.end; ++j, next += sizeof(T)) {
              std::memcpy(row(j) + i, next, sizeof(T));
            }
          });
        }
      });
    }
  }

  // What every rank needs of this one's rows.
  std::vector<std::vector<std::byte>> pieces(Range rows, Range columns) {
    std::vector<std::vector<std::byte>> messages(static_cast<std::size_t>(comm_.size()));
    context_.parallel_for(comm_.size(), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t to = begin; to < end; ++to) {
        std::vector<std::byte>& message = messages[static_cast<std::size_t>(to)];
        each_cell_run(comm_.rank(), static_cast<int>(to), rows, columns, [&](auto i, Range js) {
          const auto* const from = reinterpret_cast<const std::byte*>(row_of(i) + js.begin);
          message.insert(message.end(), from, from + js.size() * sizeof(T));
        });
      }
    });
    return messages;
  }

  // body(i, columns) for the cells of the rows of `from` whose mirror images `to` has, in one
  // order on both sides.
  template <class Body>
  void each_cell_run(int from, int to, Range rows, Range columns, const Body& body) const {
    const bool upper = rows.begin >= columns.begin;
    deal_.each(from, rows, [&](Range some) {
      for (std::int64_t i = some.begin; i < some.end; ++i) {
        const Range right = {upper ? std::max(columns.begin, i + 1) : columns.begin, columns.end};
        deal_.each(to, right, [&](Range js) { body(i, js); });
      }
    });
  }

  void move_rows(MatrixView<T> weights, bool outwards) {
    Array<T> rows(Deal::block * n_);
    for (std::int64_t at = 0; at < n_; at += Deal::block) {
      const Range some = {at, std::min(n_, at + Deal::block)};
      const int owner = deal_.owner(at);
      const auto bytes = static_cast<std::size_t>(some.size() * n_) * sizeof(T);
      if (comm_.rank() == 0 && outwards) {
        for (std::int64_t i = at; i < some.end; ++i) {
          std::copy_n(weights.row(i), n_, rows.data() + (i - at) * n_);
        }
        if (owner != 0) comm_.send(rows.data(), bytes, owner);
      }
      if (comm_.rank() == owner) {
        if (owner != 0 && outwards) comm_.receive(row(at), bytes, 0);
        if (owner == 0 && outwards) std::memcpy(row(at), rows.data(), bytes);
        if (owner != 0 && !outwards) comm_.send(row(at), bytes, 0);
      }
      if (comm_.rank() == 0 && !outwards) {
        if (owner != 0) comm_.receive(rows.data(), bytes, owner);
        const T* const from = owner == 0 ? row(at) : rows.data();
        // The lower triangle keeps the weights, for the count of edges that did not change.
        for (std::int64_t i = at; i < some.end; ++i) {
          std::copy(from + (i - at) * n_ + i, from + (i - at + 1) * n_, weights.row(i) + i);
        }
      }
    }
  }

  // A row of this rank.
  T* row(std::int64_t i) { return rows_.row(deal_.before(comm_.rank(), i)); }
  const T* row_of(std::int64_t i) { return row(i); }
  MatrixView<T> mine(Range rows, Range columns) {
    const std::int64_t begin = deal_.before(comm_.rank(), rows.begin);
    const std::int64_t end = deal_.before(comm_.rank(), rows.end);
    return {rows_.data() + begin * n_ + columns.begin, end - begin, columns.size(), n_};
  }

  Context& context_;
  Comm& comm_;
  Deal deal_;
  std::int64_t n_;
  Matrix<T> rows_;
  cpu::MinPlus<T> min_plus_;
  Array<T> panel_;
};

template <class T>
void serve(Context& context, Comm& comm, std::int64_t n) {
  Stage stage(context, "shortest paths");
  Closure<T> closure(context, comm, n, stage);
  closure.scatter({});
  closure.close();
  closure.gather({});
}

}  // namespace

template <class T>
std::int64_t shortest_paths_symmetric_ranks(Context& context, Comm& comm, MatrixView<T> weights) {
  if (weights.rows <= leaf_edge) return cpu::shortest_paths_symmetric(context, weights);
  Request request = {type_number<T>, weights.rows};
  comm.broadcast(&request, sizeof(request), 0);
  const auto n = static_cast<double>(weights.rows);
  Stage stage(context, "shortest paths", n * n * n / 2 / comm.size(), "add+min");
  Closure<T> closure(context, comm, weights.rows, stage);
  closure.scatter(weights);
  closure.close();
  closure.gather(weights);
  return cpu::mirror(context, weights);
}

void serve_shortest_paths(Context& context, Comm& comm) {
  for (Request request{};;) {
    comm.broadcast(&request, sizeof(request), 0);
    if (request.type < 0) return;
    if (request.type == 0) serve<std::int32_t>(context, comm, request.n);
    if (request.type == 1) serve<float>(context, comm, request.n);
    if (request.type == 2) serve<double>(context, comm, request.n);
  }
}

void release_ranks(Comm& comm) {
  Request request = {-1, 0};
  comm.broadcast(&request, sizeof(request), 0);
}

template std::int64_t shortest_paths_symmetric_ranks(Context&, Comm&, MatrixView<std::int32_t>);
template std::int64_t shortest_paths_symmetric_ranks(Context&, Comm&, MatrixView<float>);
template std::int64_t shortest_paths_symmetric_ranks(Context&, Comm&, MatrixView<double>);

}  // namespace yupana::graph
