// Over 400 lines by its list of instantiations: one class, the closure of a matrix larger than a
// GPU.
#include <fmt/core.h>

#include <algorithm>

#include "yupana/core/cuda/gpu_memory.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/graph/closure_cuda.hpp"
#include "yupana/graph/resident_cuda.hpp"

// A pass takes the pivots of several strips at once: their rows S (and columns) come to the device
// and are closed strip by strip, each panel P being kept as it was when its turn came. Then every
// block of rows passes through the device once, takes all these panels one after the other, and
// goes back. Each cell so meets the same sums in the same order as in Closure.
//   Moved: the lower triangle (all of a directed matrix) down and up once a pass; 4 n^2 / 2 bytes
//   each way at 50 GB/s take n^2 * 40 ps, its add+mins with p pivots n^2 / 2 * p / 15 T/s = n^2 * p
//   * 0.033 ps. From p = 1,200 pivots a pass on, the transfers hide behind the arithmetic: 4,096
//   are taken where there is room.
namespace yupana::graph::cuda {

using namespace yupana::cuda;

namespace {

constexpr std::int64_t most_pivots = 4096;
constexpr int buffers = 3;  // one coming, one at work, one going

// Nothing may still be copied from or to host memory when an error leaves.
struct IdleAtEnd {
  ~IdleAtEnd() { cudaDeviceSynchronize(); }
};

template <class Kind>
class StreamedClosure {
 public:
  using Value = typename Kind::Value;
  using Word = typename Kind::Word;

  StreamedClosure(Context& context,
                  Stage& stage,
                  MatrixView<Value> weights,
                  bool symmetric,
                  std::int64_t strip);
  std::int64_t run();

 private:
  struct Buffer {
    DeviceArray<Value> rows;
    Event free;  ///< its rows are back on the host
    Event full;  ///< its rows are here
    Event done;  ///< its rows are new
  };

  void plan();
  StripRows<Value> view(Value* base, Range held) const;
  Side side_of(std::int64_t side) const;
  std::int64_t sides() const { return symmetric_ ? 1 : 2; }
  Value* strip_rows(std::int64_t side, std::int64_t index) {
    return strips_[side].data() + index * strip_ * width_;
  }
  Value* panel(std::int64_t side, std::int64_t index) {
    return panels_[side].data() + index * strip_ * width_;
  }
  template <class Body>
  void each_block(Range rows, const Body& body);
  void load(Range pivots);
  void close_strip(Range pivots, std::int64_t index);
  MinPlusTask<Kind> product(std::int64_t left_side, std::int64_t right_side, std::int64_t index);
  void update_block(Range pivots, Range rows, Value* base);
  void move(Value* device, Range rows, Range columns, cudaMemcpyKind way, cudaStream_t stream);

  Context& context_;
  Stage& stage_;
  MatrixView<Value> weights_;
  bool symmetric_;
  std::int64_t strip_;
  std::int64_t n_;
  std::int64_t width_;
  std::int64_t strips_a_pass_ = 0;
  std::int64_t block_ = 0;  ///< rows of a buffer
  std::int64_t next_ = 0;   ///< buffer
  Stream down_, main_, up_;
  DeviceArray<Value> strips_[2], panels_[2], squares_[2], turned_;
  DeviceArray<std::int64_t> vertex_;
  Buffer buffers_[buffers];
};

template <class Kind>
StreamedClosure<Kind>::StreamedClosure(
    Context& context, Stage& stage, MatrixView<Value> weights, bool symmetric, std::int64_t strip)
    : context_(context),
      stage_(stage),
      weights_(weights),
      symmetric_(symmetric),
      strip_(strip),
      n_(weights.rows),
      width_(round_up(n_, strip)) {
  plan();
  for (std::int64_t side = 0; side < sides(); ++side) {
    strips_[side] = DeviceArray<Value>(strips_a_pass_ * strip_ * width_);
    panels_[side] = DeviceArray<Value>(strips_a_pass_ * strip_ * width_);
  }
  for (auto& square : squares_) square = DeviceArray<Value>(strip_ * strip_);
  turned_ = DeviceArray<Value>(strip_ * strip_);
  vertex_ = yupana::cuda::uploaded("copy a table", std::vector<std::int64_t>{-1});
  for (Buffer& buffer : buffers_) buffer.rows = DeviceArray<Value>(block_ * width_);
}

// A quarter of the memory for blocks of rows, the rest for strips and their panels.
template <class Kind>
void StreamedClosure<Kind>::plan() {
  const auto row = static_cast<std::uint64_t>(width_) * sizeof(Value);
  const auto squares = static_cast<std::uint64_t>(3 * strip_ * strip_) * sizeof(Value) + 4096;
  const std::uint64_t memory = context_.gpu_memory();
  const std::uint64_t strip_bytes = static_cast<std::uint64_t>(2 * sides() * strip_) * row;
  const std::uint64_t block_bytes = static_cast<std::uint64_t>(buffers * strip_) * row;
  if (memory < squares + strip_bytes + block_bytes) {
    throw gpu_memory_error(fmt::format("a strip of the shortest paths between {} vertices", n_),
                           static_cast<double>(squares + strip_bytes + block_bytes),
                           memory);
  }
  const std::int64_t all = divide_up(n_, strip_);
  const auto at_most = [](std::uint64_t bytes, std::uint64_t piece, std::int64_t most) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(bytes / piece), 1, most);
  };
  block_ = at_most(memory / 4, block_bytes, std::min(all, most_pivots / strip_)) * strip_;
  const std::uint64_t blocks = static_cast<std::uint64_t>(block_ / strip_) * block_bytes;
  strips_a_pass_ =
      at_most(memory - squares - blocks, strip_bytes, std::min(all, most_pivots / strip_));
}

// Rows `held` of a matrix of n_ columns; `base` is where row 0 would lie.
template <class Kind>
StripRows<typename Kind::Value> StreamedClosure<Kind>::view(Value* base, Range held) const {
  StripRows<Value> rows;
  rows.base = base;
  rows.held = held;
  rows.strip = strip_;
  rows.stride = width_;
  rows.size = n_;
  return rows;
}

template <class Kind>
Side StreamedClosure<Kind>::side_of(std::int64_t side) const {
  if (symmetric_) return Side::mirrored;
  return side == 0 ? Side::rows : Side::columns;
}

template <class Kind>
void StreamedClosure<Kind>::move(
    Value* device, Range rows, Range columns, cudaMemcpyKind way, cudaStream_t stream) {
  Value* const host = weights_.row(rows.begin) + columns.begin;
  const auto host_pitch = static_cast<std::size_t>(weights_.stride) * sizeof(Value);
  const auto pitch = static_cast<std::size_t>(width_) * sizeof(Value);
  const auto bytes = static_cast<std::size_t>(columns.size()) * sizeof(Value);
  const bool up = way == cudaMemcpyDeviceToHost;
  copy_rows("copy weights",
            {up ? host : device, up ? host_pitch : pitch},
            {up ? device : host, up ? pitch : host_pitch},
            bytes,
            rows.size(),
            stream);
  context_.count_moved(bytes * static_cast<std::size_t>(rows.size()));
}

// body(rows, buffer) for `rows` in blocks, each with the next free buffer.
template <class Kind>
template <class Body>
void StreamedClosure<Kind>::each_block(Range rows, const Body& body) {
  for (std::int64_t first = rows.begin; first < rows.end; first += block_) {
    context_.check_cancelled();
    Buffer& buffer = buffers_[next_++ % buffers];
    buffer.free.wait();
    body(Range{first, std::min(rows.end, first + block_)}, buffer);
  }
}

// The strips of the pass: their rows, and of all rows the cells in their columns; for a symmetric
// matrix from the lower triangle.
template <class Kind>
void StreamedClosure<Kind>::load(Range pivots) {
  const auto gather_block = [&](Range rows, Buffer& buffer) {
    const bool inside = rows.begin >= pivots.begin && rows.end <= pivots.end;
    const Range columns = {inside ? 0 : pivots.begin, symmetric_ || !inside ? pivots.end : n_};
    move(buffer.rows.data(), rows, columns, cudaMemcpyHostToDevice, down_);
    buffer.full.record(down_);
    buffer.full.hold(main_);
    const auto block = view(buffer.rows.data() - rows.begin * width_ - columns.begin, rows);
    const std::int64_t end = rows.end == n_ ? width_ : rows.end;
    const auto gather = [&](std::int64_t first, std::int64_t side, Side from, Range wanted) {
      Value* const to = strip_rows(side, (first - pivots.begin) / strip_) + wanted.begin;
      launch_gather(block, from, first, wanted, no_edge<Kind>(), to, width_, main_);
    };
    for (std::int64_t first = pivots.begin; first < pivots.end; first += strip_) {
      const bool here = inside && first >= rows.begin && first < rows.end;
      const std::int64_t last = first + strip_;
      if (symmetric_) {
        if (here) gather(first, 0, Side::mirrored, {0, last});
        gather(first, 0, Side::mirrored, {std::max(rows.begin, last), std::max(end, last)});
      } else {
        if (here) gather(first, 0, Side::rows, {0, width_});
        gather(first, 1, Side::columns, {rows.begin, end});
      }
    }
    buffer.free.record(main_);
  };
  if (!symmetric_) each_block({0, pivots.begin}, gather_block);
  each_block(pivots, gather_block);
  each_block({pivots.end, n_}, gather_block);
}

template <class Kind>
MinPlusTask<Kind> StreamedClosure<Kind>::product(std::int64_t left_side,
                                                 std::int64_t right_side,
                                                 std::int64_t index) {
  MinPlusTask<Kind> task;
  task.left = reinterpret_cast<const Word*>(panel(left_side, index));
  task.right = reinterpret_cast<const Word*>(panel(right_side, index));
  task.left_stride = task.right_stride = static_cast<int>(width_);
  task.depth = static_cast<int>(strip_);
  task.stride = width_;
  task.columns = width_;
  return task;
}

// Closes strip `index` of the pass, keeps its panels, and brings the other strips up to date.
template <class Kind>
void StreamedClosure<Kind>::close_strip(Range pivots, std::int64_t index) {
  const std::int64_t first = pivots.begin + index * strip_;
  const Range whole = {pivots.begin, round_up(pivots.end, strip_)};
  const auto strips = [&](std::int64_t side) {
    return strips_[side].data() - pivots.begin * width_;
  };
  launch_gather(view(strips(0), whole),
                Side::rows,
                first,
                {first, first + strip_},
                no_edge<Kind>(),
                squares_[0].data(),
                strip_,
                main_);
  const std::int64_t tiles = strip_ / square_tile;
  for (std::int64_t pivot = 0; pivot < tiles; ++pivot) {
    launch_square_step<Kind>(squares_[pivot % 2].data(),
                             strip_,
                             squares_[(pivot + 1) % 2].data(),
                             tiles,
                             pivot,
                             first,
                             vertex_.data(),
                             main_);
  }
  if (!symmetric_) launch_transpose(squares_[0].data(), turned_.data(), strip_, main_);
  const auto row = static_cast<std::size_t>(width_) * sizeof(Value);
  const auto edge = static_cast<std::size_t>(strip_) * sizeof(Value);
  for (std::int64_t side = 0; side < sides(); ++side) {
    MinPlusTask<Kind> task = product(side, side, index);
    const bool turned = !symmetric_ && side == 0;
    task.left = reinterpret_cast<const Word*>((turned ? turned_ : squares_[0]).data());
    task.left_stride = static_cast<int>(strip_);
    task.right = reinterpret_cast<const Word*>(strip_rows(side, index));
    task.c = panel(side, index);
    task.rows = strip_;
    task.assign = true;
    task.areas[0] = {{0, strip_}, {0, width_}};
    launch_min_plus(task, TileSize::large, main_);
    if (side == 0) {  // its square is the closed one
      Value* const square = panel(0, index) + first;
      copy_rows("copy a square", {square, row}, {squares_[0].data(), edge}, edge, strip_, main_);
    }
    check(cudaMemcpyAsync(strip_rows(side, index),
                          panel(side, index),
                          row * static_cast<std::size_t>(strip_),
                          cudaMemcpyDeviceToDevice,
                          main_),
          "copy a strip");
  }
  for (std::int64_t side = 0; side < sides(); ++side) {
    const std::int64_t other = symmetric_ ? 0 : 1 - side;
    MinPlusTask<Kind> task = product(other, side, index);
    task.c = strips(side);
    task.rows = whole.end;
    task.areas[0] = {whole, {0, width_}};
    task.skipped = {first, first + strip_};
    launch_min_plus(task, TileSize::large, main_);
    launch_scatter(panel(other, index),
                   width_,
                   squares_[0].data(),
                   strip_,
                   Side::columns,
                   first,
                   view(strips(side), whole),
                   main_);
  }
}

// Takes the panels of the pass into a block of rows, and the new strips.
template <class Kind>
void StreamedClosure<Kind>::update_block(Range pivots, Range rows, Value* base) {
  const std::int64_t count = divide_up(pivots.size(), strip_);
  const bool inside = rows.begin >= pivots.begin && rows.end <= pivots.end;
  for (std::int64_t index = 0; index < count && !inside; ++index) {
    MinPlusTask<Kind> task = product(symmetric_ ? 0 : 1, 0, index);
    task.c = base;
    task.rows = rows.end;
    task.lower = symmetric_;
    task.areas[0] = {rows, {0, symmetric_ ? rows.end : n_}};
    task.skipped = pivots;
    launch_min_plus(task, TileSize::large, main_);
  }
  for (std::int64_t index = 0; index < count; ++index) {
    for (std::int64_t side = 0; side < sides(); ++side) {
      const std::int64_t first = pivots.begin + index * strip_;
      launch_scatter(strip_rows(side, index),
                     width_,
                     strip_rows(side, index) + first,
                     width_,
                     side_of(side),
                     first,
                     view(base, rows),
                     main_);
    }
  }
}

template <class Kind>
std::int64_t StreamedClosure<Kind>::run() {
  const yupana::cuda::PageLock lock(
      weights_.data,
      static_cast<std::uint64_t>(n_ * weights_.stride) * sizeof(Value),
      worth_locking);
  const IdleAtEnd idle;
  const auto size = static_cast<double>(n_);
  const auto update = [&](Range pivots) {
    return [this, pivots](Range rows, Buffer& buffer) {
      const Range columns = {0, symmetric_ ? rows.end : n_};
      move(buffer.rows.data(), rows, columns, cudaMemcpyHostToDevice, down_);
      buffer.full.record(down_);
      buffer.full.hold(main_);
      update_block(pivots, rows, buffer.rows.data() - rows.begin * width_);
      buffer.done.record(main_);
      buffer.done.hold(up_);
      move(buffer.rows.data(), rows, columns, cudaMemcpyDeviceToHost, up_);
      buffer.free.record(up_);
    };
  };
  std::int64_t found = -1;
  for (std::int64_t first = 0; first < n_ && found < 0; first += strips_a_pass_ * strip_) {
    const Range pivots = {first, std::min(n_, first + strips_a_pass_ * strip_)};
    load(pivots);
    for (std::int64_t index = 0; index * strip_ < pivots.size(); ++index) {
      close_strip(pivots, index);
    }
    for (const Range rows : {Range{0, pivots.begin}, pivots, Range{pivots.end, n_}}) {
      each_block(rows, update(pivots));
    }
    main_.wait();
    up_.wait();
    check(cudaMemcpy(&found, vertex_.data(), sizeof(found), cudaMemcpyDeviceToHost),
          "read a vertex");
    stage_.advance(size * size * static_cast<double>(pivots.size()) * (symmetric_ ? 0.5 : 1.0));
  }
  return found;
}

}  // namespace

template <class Kind>
std::int64_t close_streamed(Context& context,
                            Stage& stage,
                            MatrixView<typename Kind::Stored> weights,
                            bool symmetric,
                            std::int64_t strip) {
  const DeviceScope scope(context.devices().front());
  return StreamedClosure<Kind>(context, stage, weights, symmetric, strip).run();
}

YUPANA_FUNCTIONS(YUPANA_WHOLE_KINDS, close_streamed)

}  // namespace yupana::graph::cuda
