// Neighbour joining on a GPU: the rule and the bounds of neighbor_joining_cpu.cpp. A step is three
// kernels that find on the device what they join, so that the host queues steps without waiting:
//   survey  how far the means have moved; the smallest Q among the pairs that rows remember
//   search  reads the rows whose bound reaches it, a block a row; the last block chooses the pair
//   join    distances to the new cluster
#include <algorithm>
#include <bit>

#include "yupana/analysis/neighbor_joining_backends.hpp"
#include "yupana/analysis/neighbor_joining_setup_cuda.cuh"
#include "yupana/analysis/neighbor_joining_steps_cuda.cuh"
#include "yupana/analysis/upload_panels.hpp"
#include "yupana/core/instantiate.hpp"

namespace yupana::analysis::cuda {

using namespace yupana::cuda;

namespace {

constexpr std::int64_t steps_between_looks = 64;
void (*const read_near_rows)(Step) = search_kernel<false>;
void (*const read_all_rows)(Step) = search_kernel<true>;

/// Memory of the clusters' places.
struct PlaceArrays {
  DeviceArray<double> sum, variance_sum, known, key;
  DeviceArray<std::int32_t> nearest, node;
  DeviceArray<std::int64_t> row;

  PlaceArrays(std::int64_t n, Joining method)
      : sum(n),
        variance_sum(method == Joining::bionj ? n : 0),
        known(n),
        key(n),
        nearest(n),
        node(n),
        row(n) {}
  Places view() {
    return {sum.data(),
            variance_sum.data(),
            known.data(),
            key.data(),
            nearest.data(),
            node.data(),
            row.data()};
  }
};

std::int64_t triangle(std::int64_t n) { return n * (n - 1) / 2; }

template <class T>
class GpuClusters {
 public:
  GpuClusters(
      Context& context, const T* distances, std::int64_t n, std::int64_t stride, Joining method)
      : context_(context),
        method_(method),
        n_(n),
        width_(n_),
        alive_(n_),
        search_blocks_(yupana::cuda::device_facts().multiprocessors *
                       yupana::cuda::resident_blocks(read_near_rows, search_threads)),
        d_(triangle(n_)),
        v_(method == Joining::bionj ? triangle(n_) : 0),
        places_{PlaceArrays(n_, method), PlaceArrays(n_, method)},
        living_(n_),
        rank_(n_),
        found_(std::max(search_blocks_, place_blocks())),
        joins_(n_),
        state_(1) {
    upload(distances, stride);
    take_sums();
    take_keys();
  }
  ~GpuClusters() { cudaStreamSynchronize(stream_); }

  Phylogeny tree() {
    for (std::int64_t steps = 1; alive_ > 3; ++steps) {
      if (steps % steps_between_looks == 0) look();
      join_closest();
    }
    close_up();
    return recorded();
  }

 private:
  std::int64_t place_blocks() const { return divide_up(width_, place_threads); }

  Step step() {
    return {places_[now_].view(),
            d_.data(),
            v_.data(),
            state_.data(),
            found_.data(),
            joins_.data(),
            width_,
            alive_,
            n_,
            method_};
  }

  /// The lower triangle in doubles; clusters of one leaf.
  void upload(const T* distances, std::int64_t stride) {
    const std::int64_t rows = std::min(panel_rows<T>(n_), n_);
    DeviceArray<T> device_panel(rows * n_);
    launch("start clusters",
           start_kernel,
           {place_blocks(), place_threads},
           stream_,
           places_[now_].view(),
           n_,
           state_.data());
    upload_panels(context_, distances, n_, stride, n_, stream_, [&](const Panel<T>& panel) {
      const Range at = panel.rows;
      const std::size_t row_bytes = static_cast<std::size_t>(at.end) * sizeof(T);
      const RowsTo to{device_panel.data(), row_bytes};
      const RowsFrom from{panel.cells, static_cast<std::size_t>(panel.width) * sizeof(T)};
      copy_rows("copy distances", to, from, row_bytes, at.size(), stream_);
      const LaunchShape block_a_row(at.size(), place_threads);
      launch("take distances",
             take_panel_kernel<T>,
             block_a_row,
             stream_,
             static_cast<const T*>(device_panel.data()),
             at.begin,
             at.end,
             d_.data(),
             v_.data(),
             state_.data());
    });
    check_sums(n_, largest());
  }

  double largest() {
    State state;
    check(cudaMemcpy(&state, state_.data(), sizeof(State), cudaMemcpyDeviceToHost),
          "read the largest distance");
    return std::bit_cast<double>(ordered(state.largest));
  }

  void take_sums() {
    const auto add_up = [&](const double* cells, double* sums) {
      launch("add up distances",
             add_up_kernel,
             {divide_up(width_, sum_rows), sum_threads},
             stream_,
             cells,
             static_cast<const std::int64_t*>(places_[now_].row.data()),
             width_,
             sums);
    };
    add_up(d_.data(), places_[now_].sum.data());
    if (method_ == Joining::bionj) add_up(v_.data(), places_[now_].variance_sum.data());
    summed_ = alive_;
  }

  void take_keys() {
    launch("take means", known_kernel, {place_blocks(), place_threads}, stream_, step());
    launch("read all rows", read_all_rows, {search_blocks_, search_threads}, stream_, step());
    check(cudaMemsetAsync(&state_.data()->read, 0, sizeof(State::read), stream_), "clear a count");
  }

  /// Renews the keys where as many cells were read as that takes.
  void look() {
    context_.check_cancelled();
    unsigned long long read = 0;
    check(
        cudaMemcpyAsync(&read, &state_.data()->read, sizeof read, cudaMemcpyDeviceToHost, stream_),
        "read a count");
    stream_.wait();
    if (read > static_cast<unsigned long long>(alive_ * alive_ / 2)) take_keys();
  }

  void join_closest() {
    const Step now = step();
    const LaunchShape by_place{place_blocks(), place_threads};
    launch_dependent("survey rows", survey_kernel, by_place, stream_, now);
    launch_dependent("search rows",
                     read_near_rows,
                     {std::min(search_blocks_, width_), search_threads},
                     stream_,
                     now);
    launch_dependent("join two clusters", join_kernel, by_place, stream_, now);
    --alive_;
    if (2 * alive_ <= summed_) {
      close_up();
      take_sums();
    } else if (8 * alive_ < 7 * width_) {
      close_up();
    }
  }

  /// Leaves out the places that are gone: rows keep where they begin and become shorter.
  void close_up() {
    if (alive_ == width_) return;
    launch("list clusters",
           living_kernel,
           {1, living_threads},
           stream_,
           static_cast<const std::int32_t*>(places_[now_].node.data()),
           width_,
           living_.data(),
           rank_.data());
    const Places from = places_[now_].view(), to = places_[now_ ^ 1].view();
    now_ ^= 1;
    width_ = alive_;
    launch("move clusters",
           move_places_kernel,
           {place_blocks(), place_threads},
           stream_,
           from,
           to,
           static_cast<const std::int32_t*>(living_.data()),
           static_cast<const std::int32_t*>(rank_.data()),
           width_);
    for (double* const cells : {d_.data(), v_.data()}) {
      if (cells == nullptr) continue;
      launch("close up rows",
             close_up_kernel,
             {width_, place_threads},
             stream_,
             cells,
             static_cast<const std::int64_t*>(to.row),
             static_cast<const std::int32_t*>(living_.data()));
    }
  }

  /// The tree of all joins and of the last three clusters.
  Phylogeny recorded() {
    std::vector<Join> joins(static_cast<std::size_t>(n_ - 3));
    std::int32_t nodes[3];
    std::int64_t rows[3];
    double last[3];  // d(1, 0), d(2, 0), d(2, 1)
    const auto download = [&](auto* to, const auto* from, std::size_t count) {
      check(cudaMemcpyAsync(to, from, count * sizeof *to, cudaMemcpyDeviceToHost, stream_),
            "read the tree");
      stream_.wait();
    };
    download(joins.data(), joins_.data(), joins.size());
    download(nodes, places_[now_].node.data(), 3);
    download(rows, places_[now_].row.data(), 3);
    download(last, d_.data() + rows[1], 1);
    download(last + 1, d_.data() + rows[2], 2);
    Phylogeny tree = leaves_alone(n_);
    for (const Join& join : joins) {
      const std::int64_t made = tree.add_node();
      tree.attach(join.node_a, made, join.branch_a);
      tree.attach(join.node_b, made, join.branch_b);
    }
    const LastJoin join = LastJoin::of(last[0], last[1], last[2]);
    const std::int64_t root = tree.add_node();
    for (const int i : {0, 1, 2}) tree.attach(nodes[i], root, join.branch[i]);
    return tree;
  }

  Context& context_;
  Joining method_;
  std::int64_t n_, width_, alive_;
  std::int64_t summed_ = 0;  ///< clusters when the sums were taken
  std::int64_t search_blocks_;
  DeviceArray<double> d_, v_;  ///< v: variances of bionj
  PlaceArrays places_[2];
  int now_ = 0;  ///< which of them holds the clusters
  DeviceArray<std::int32_t> living_, rank_;
  DeviceArray<Cell> found_;
  DeviceArray<Join> joins_;
  DeviceArray<State> state_;
  Stream stream_;
};

}  // namespace

namespace {
std::uint64_t bytes_of(std::int64_t n, Joining method) {
  const std::int64_t triangles = method == Joining::bionj ? 2 : 1;
  const std::int64_t place = 2 * (4 * sizeof(double) + 2 * sizeof(std::int32_t) + 8) +
                             2 * sizeof(std::int32_t) + sizeof(Join);
  const std::int64_t panel = std::max<std::int64_t>(panel_bytes, n * sizeof(double));
  return static_cast<std::uint64_t>(triangles * triangle(n) * std::int64_t{sizeof(double)} + panel +
                                    place * n + (1 << 20));
}
}  // namespace

bool neighbor_joining_fits(Context& context, std::int64_t n, Joining method) {
  const DeviceScope scope(context.devices().front());
  return bytes_of(n, method) <=
         std::min(context.gpu_memory(), yupana::cuda::free_device_memory() / 16 * 15);
}

template <class T>
Phylogeny neighbor_joining(
    Context& context, const T* distances, std::int64_t n, std::int64_t stride, Joining method) {
  const DeviceScope scope(context.devices().front());
  return GpuClusters<T>(context, distances, n, stride, method).tree();
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, neighbor_joining)

}  // namespace yupana::analysis::cuda
