// The closure of the tiles of all ranks by their GPUs, and products of those of one rank on its
// own.
#include <algorithm>
#include <array>
#include <type_traits>

#include "yupana/core/cuda/page_lock.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/graph/closure_cuda.hpp"
#include "yupana/graph/distributed_closure_cuda.hpp"
#include "yupana/graph/min_plus_cuda.hpp"
#include "yupana/graph/resident_cuda.hpp"
#include "yupana/graph/shortest_paths_cuda.hpp"

namespace yupana::graph::cuda {
namespace {

using namespace yupana::cuda;

/// Weights are not negative.
template <class T>
using KindOf = std::conditional_t<std::is_integral_v<T>,
                                  Int32,
                                  std::conditional_t<sizeof(T) == 4, Float32, Float64>>;

enum class To { rows, tiles };

/// The tiles of this rank go to the rows that all ranks hold together, or come back.
template <class T>
void move_tiles(Context& context,
                DistributedSymmetricMatrix<T>& tiles,
                const StripRows<T>& rows,
                To to) {
  const std::vector<MatrixView<T>> groups = tiles.memory();
  std::int64_t most = 0;
  for (const MatrixView<T>& host : groups) most = std::max(most, host.rows * host.cols);
  std::array<DeviceArray<T>, 2> buffers = {DeviceArray<T>(most), DeviceArray<T>(most)};
  const std::array<Stream, 2> streams;
  std::vector<PageLock> locks;
  std::int64_t columns = 0;  // tile columns before this group
  for (std::size_t g = 0; g < groups.size(); ++g) {
    context.check_cancelled();
    const MatrixView<T>& host = groups[g];
    const auto bytes = static_cast<std::size_t>(host.rows * host.cols) * sizeof(T);
    const cudaStream_t stream = streams[g % 2];
    locks.emplace_back(host.data, bytes, worth_locking);
    TileGroup<T> group;
    group.cells = buffers[g % 2].data();
    group.rows = host.rows;
    group.columns = host.cols;
    group.first_row = tiles.own_rows({0, tiles.tiles()}).at(0);
    group.row_step = tiles.grid().rows;
    group.first_column = tiles.own_columns({0, tiles.tiles()}).at(columns);
    group.column_step = tiles.grid().columns;
    columns += host.cols / DistributedSymmetricMatrix<T>::tile_size;
    if (to == To::rows) {
      check(cudaMemcpyAsync(group.cells, host.data, bytes, cudaMemcpyHostToDevice, stream),
            "copy tiles");
      launch_tiles_to_rows(group, rows, stream);
    } else {
      launch_rows_to_tiles(rows, group, unreachable<T>, stream);
      check(cudaMemcpyAsync(host.data, group.cells, bytes, cudaMemcpyDeviceToHost, stream),
            "copy tiles");
    }
    context.count_moved(bytes);
  }
  for (const Stream& stream : streams) stream.wait();
}

// Tiles of the product reach over the end of a panel, by less than this.
constexpr std::int64_t margin = 128;
// From so many large tiles on they fill the multiprocessors of an H200 twice.
constexpr std::int64_t many_tiles = 264;

template <class T>
class OnDevices : public TileProducts<T> {
 public:
  OnDevices(Context& context,
            const std::vector<MatrixView<T>>& groups,
            std::int64_t depth,
            std::int64_t height,
            std::int64_t width) {
    for (const int device : context.devices()) {
      const DeviceScope scope(device);
      members_.push_back(std::make_unique<Member>(device, depth * height, depth * width));
    }
    for (const MatrixView<T>& host : groups) {
      Member& member = *members_[groups_.size() % members_.size()];
      const DeviceScope scope(member.device);
      const std::int64_t cells = host.rows * host.stride;
      groups_.push_back({host,
                         &member,
                         DeviceArray<T>(cells),
                         PageLock(host.data, static_cast<std::uint64_t>(cells) * sizeof(T))});
      store(host);
      context.count_moved(static_cast<std::uint64_t>(cells) * sizeof(T));
    }
    synchronize();
  }
  ~OnDevices() override {
    // Memory of panels and tiles is theirs until the last kernel is done.
    for (const auto& member : members_) {
      cudaStreamSynchronize(member->main);
      cudaStreamSynchronize(member->copies);
    }
  }

  void load_panels(MatrixView<T> left, MatrixView<T> right) override {
    left_stride_ = left.stride;
    right_stride_ = right.stride;
    depth_ = left.rows;
    for (const auto& member : members_) {
      const DeviceScope scope(member->device);
      // Two pairs of panels: the next ones come while products still read the last.
      Panels& old = member->panels[turn_];
      old.used.record(member->main);
      Panels& next = member->panels[1 - turn_];
      next.used.hold(member->copies);
      copy(next.left.data(), left, member->copies);
      copy(next.right.data(), right, member->copies);
      next.loaded.record(member->copies);
      next.loaded.hold(member->main);
    }
    turn_ = 1 - turn_;
    for (const auto& member : members_) member->panels[turn_].loaded.wait();
  }

  void multiply(MatrixView<T> block, std::int64_t top, std::int64_t begin) override {
    Group& group = group_of(block);
    const DeviceScope scope(group.member->device);
    using Word = typename KindOf<T>::Word;
    Panels& panels = group.member->panels[turn_];
    MinPlusTask<KindOf<T>> task;
    task.left = reinterpret_cast<const Word*>(panels.left.data()) + top;
    task.left_stride = static_cast<int>(left_stride_);
    task.right = reinterpret_cast<const Word*>(panels.right.data()) + begin;
    task.right_stride = static_cast<int>(right_stride_);
    task.depth = static_cast<int>(depth_);
    task.c = on_device(group, block);
    task.stride = block.stride;
    task.rows = block.rows;
    task.columns = block.cols;
    task.areas[0] = {{0, block.rows}, {0, block.cols}};
    const std::int64_t tiles = divide_up(block.rows, tile_rows<KindOf<T>>(TileSize::large)) *
                               divide_up(block.cols, tile_columns<KindOf<T>>(TileSize::large));
    const TileSize size = tiles >= many_tiles ? TileSize::large : TileSize::small;
    launch_min_plus(task, size, group.member->main);
  }

  void record() override {
    for (const auto& member : members_) {
      const DeviceScope scope(member->device);
      member->marked.record(member->main);
      member->marked.hold(member->copies);
    }
  }
  void fetch(MatrixView<T> block) override {
    Group& group = group_of(block);
    move(group, block.data, on_device(group, block), block);
  }
  void store(MatrixView<T> block) override {
    Group& group = group_of(block);
    move(group, on_device(group, block), block.data, block);
  }
  void synchronize() override {
    for (const auto& member : members_) member->copies.wait();
  }

 private:
  struct Panels {
    DeviceArray<T> left, right;
    Event loaded, used;
  };
  struct Member {
    Member(int device_, std::int64_t left, std::int64_t right) : device(device_) {
      for (Panels& some : panels) {
        some.left = DeviceArray<T>(left + margin);
        some.right = DeviceArray<T>(right + margin);
      }
    }
    int device;
    Stream main, copies;
    Panels panels[2];
    Event marked;
  };
  struct Group {
    MatrixView<T> host;
    Member* member;
    DeviceArray<T> cells;
    PageLock locked;
  };

  static void copy(T* to, MatrixView<T> panel, cudaStream_t stream) {
    const auto bytes = static_cast<std::size_t>(panel.rows * panel.stride) * sizeof(T);
    check(cudaMemcpyAsync(to, panel.data, bytes, cudaMemcpyHostToDevice, stream), "copy a panel");
  }
  static void move(Group& group, T* to, const T* from, const MatrixView<T>& block) {
    const DeviceScope scope(group.member->device);
    const auto pitch = static_cast<std::size_t>(block.stride) * sizeof(T);
    copy_rows("copy tiles",
              {to, pitch},
              {from, pitch},
              static_cast<std::size_t>(block.cols) * sizeof(T),
              block.rows,
              group.member->copies);
  }
  Group& group_of(const MatrixView<T>& block) {
    return *std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
      const T* const end = group.host.data + group.host.rows * group.host.stride;
      return block.data >= group.host.data && block.data < end;
    });
  }
  static T* on_device(Group& group, const MatrixView<T>& block) {
    return group.cells.data() + (block.data - group.host.data);
  }

  std::vector<std::unique_ptr<Member>> members_;
  std::vector<Group> groups_;
  int turn_ = 0;
  std::int64_t left_stride_ = 0, right_stride_ = 0, depth_ = 0;
};

}  // namespace

template <class T>
bool close_on_gpus_of_ranks(Context& context,
                            Stage& stage,
                            DistributedSymmetricMatrix<T>& weights) {
  constexpr std::int64_t min_vertices = 1024;  // below, one process closes on the CPU
  Comm& comm = weights.comm();
  ClosureLimits limits;
  const SquareShape shape = resident_shape(weights.size(), limits);
  if (comm.size() == 1 || comm.local_size() < comm.size() || weights.size() < min_vertices ||
      shape.strips() < comm.size()) {
    return false;
  }
  for (const MatrixView<T>& group : weights.memory()) {
    const auto bytes = static_cast<std::uint64_t>(group.rows * group.cols) * sizeof(T);
    limits.held = std::max<std::uint64_t>(limits.held, 2 * bytes);
  }
  const bool fits =
      limits.held + resident_bytes<KindOf<T>>(shape, comm.size(), true) <= context.gpu_memory();
  if (!yupana::cuda::all_say_yes(comm, fits && !context.devices().empty())) return false;
  // Each its own, where every rank was given the same list.
  const std::vector<int>& devices = context.devices();
  const int device = devices[static_cast<std::size_t>(comm.local_rank()) % devices.size()];
  const DeviceScope scope(device);
  if (!yupana::cuda::can_share_memory(comm)) {
    context.note(
        "shortest paths: the ranks' GPUs cannot map each other's memory; panels go through "
        "the host");
    return false;
  }
  StripMemory<T> memory({device}, shape, &comm);
  const StripRows<T> rows = memory.rows().all(static_cast<std::size_t>(comm.rank()));
  move_tiles(context, weights, rows, To::rows);
  comm.barrier();
  close_symmetric_rows(context, memory.rows(), stage, limits);
  comm.barrier();
  move_tiles(context, weights, rows, To::tiles);
  memory.close();
  return true;
}

template <class T>
std::unique_ptr<TileProducts<T>> tile_products(Context& context,
                                               const std::vector<MatrixView<T>>& groups,
                                               std::int64_t depth,
                                               std::int64_t height,
                                               std::int64_t width) {
  if (groups.empty() || context.devices().empty()) return nullptr;
  const std::size_t devices = context.devices().size();
  std::vector<std::uint64_t> bytes(
      devices, static_cast<std::uint64_t>(2 * (depth * (height + width) + 2 * margin)) * sizeof(T));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    bytes[g % devices] += static_cast<std::uint64_t>(groups[g].rows * groups[g].stride) * sizeof(T);
  }
  if (*std::max_element(bytes.begin(), bytes.end()) > context.gpu_memory()) return nullptr;
  return std::make_unique<OnDevices<T>>(context, groups, depth, height, width);
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, close_on_gpus_of_ranks, tile_products)

}  // namespace yupana::graph::cuda
