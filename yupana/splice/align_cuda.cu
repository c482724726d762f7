#include <algorithm>
#include <optional>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/cuda/side_by_side.hpp"
#include "yupana/core/error.hpp"
#include "yupana/splice/devices_cuda.hpp"
#include "yupana/splice/flights_cuda.hpp"
#include "yupana/splice/launch_cuda.hpp"
#include "yupana/splice/pack_cuda.hpp"

namespace yupana::splice::cuda {
namespace {

using yupana::cuda::check;
using yupana::cuda::DeviceScope;
using yupana::cuda::run_side_by_side;

/// Warps that trace at once on a multiprocessor, each with rows of an exon in memory of its own.
constexpr int warps_that_trace = 8;
/// Rows of an exon that such a warp keeps where there are many; longer exons are computed in slabs.
constexpr std::int64_t slab_rows_of_many = 384;

/// Shared memory of a multiprocessor that rows may take, less than any device since 8.0 has.
constexpr std::int64_t shared_bytes = 160 << 10;

/// One batch on its way, cases of one width.
struct CaseFlight : Flight {
  using Flight::Flight;
  std::span<const BatchCase> cases;
  std::size_t from = 0;  ///< the first one's place among all
  DeviceBatch batch;
};

/// All that a call does to one device.
class Aligner {
 public:
  Aligner(
      Context& context, Stage& stage, int device, const AlignParams& params, const Tuning& tuning)
      : context_(context),
        stage_(stage),
        device_(device),
        params_(params),
        tuning_(tuning),
        allowed_(tuning.memory > 0 ? tuning.memory : context.gpu_memory() / 4 * 3) {
    const DeviceScope scope(device_);
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device_),
          "ask for multiprocessors");
  }
  std::int64_t schedulers() const { return std::int64_t{4} * multiprocessors_; }

  /// Cases of one width, longest first, into the results of the same places. Cases that did not fit
  /// stay without result and are told.
  std::vector<std::size_t> run(std::span<const BatchCase> cases,
                               std::span<SplicedAlignment* const> results) {
    const DeviceScope scope(device_);
    std::vector<std::size_t> overflown;
    // What is timed is one batch, where memory allows it.
    const std::size_t most = tuning_.seconds != nullptr ? 1 : most_flights;
    std::int64_t warps = 0;
    for (const BatchCase& c : cases) warps += c.prepared->shape.blocks;
    Flights<CaseFlight> flights(device_, context_.gpu_memory(), most);
    const auto finish = [&](CaseFlight& flight) { end(flight, results, overflown); };
    for (std::size_t from = 0; from < cases.size();) {
      const Share share = next_share(cases.subspan(from), most);
      const auto start = [&](CaseFlight& flight) {
        flight.cases = cases.subspan(from, share.cases);
        flight.from = from;
        begin(flight, warps);
      };
      flights.add(share.bytes, allowed_, start, finish);
      from += share.cases;
    }
    flights.end_all(finish);
    return overflown;
  }

 private:
  struct Share {
    std::size_t cases = 0;
    std::uint64_t bytes = 0;  ///< on the device
  };

  /// The first cases, as many as make a batch; of what memory allows a quarter is left to the
  /// traceback.
  Share next_share(std::span<const BatchCase> cases, std::size_t flights) const {
    Share share;
    std::int64_t upload = 0;
    for (const BatchCase& c : cases) {
      const std::uint64_t bytes = device_bytes(*c.prepared, params_);
      const std::uint64_t all = share.bytes + bytes;
      if (share.cases > 0 && (all > allowed_ / flights || (flights > 1 && upload > batch_upload))) {
        break;
      }
      if (all > allowed_) refuse(c, bytes);
      share.bytes = all;
      upload += upload_bytes(*c.prepared);
      ++share.cases;
    }
    return share;
  }
  [[noreturn]] void refuse(const BatchCase& c, std::uint64_t bytes) const {
    throw Error(
        ErrorCode::out_of_resources,
        fmt::format("splice: {} exons against {} target letters need {:.1f} GB of GPU memory "
                    "and {:.1f} GB are allowed; give fewer candidates or more --gpu-memory, "
                    "or use --device cpu",
                    c.problem->exons.size(),
                    c.problem->target.size(),
                    static_cast<double>(bytes) * 1e-9,
                    static_cast<double>(allowed_) * 1e-9));
  }

  /// Packs, uploads and launches; `all_warps` are those of all batches, which share the device.
  void begin(CaseFlight& flight, std::int64_t all_warps) {
    context_.check_cancelled();
    const std::span<const BatchCase> cases = flight.cases;
    const cudaStream_t stream = flight.stream;
    PackedBatch packed(cases, params_);
    const BatchLayout& layout = packed.layout();
    const Width width = cases.front().prepared->width;
    const bool affine = params_.gap_open != 0;
    // All memory before the first kernel: what follows must not wait for it, so as to hear of a
    // cancellation.
    DeviceBatch& batch = flight.batch;
    batch = {};
    batch.shared_words = shared_words(cases, all_warps);
    const int trace_warps = params_.alignment ? size_scratch(cases, layout, batch) : 0;
    std::uint8_t* upload = nullptr;
    unsigned long long* counters = nullptr;
    Places places;
    places.add(upload, layout.bytes);
    // Sweeps look up letters 128 positions ahead.
    places.add(batch.program, layout.program + 128);
    places.add(batch.boundaries, layout.boundaries);
    places.add(batch.state, layout.state);
    places.add(batch.results, std::ssize(cases));
    places.add(counters, 3);
    places.add(batch.scratch, batch.scratch_words * trace_warps);
    places.add(batch.words, params_.alignment ? layout.words : 0);
    places.put_into(flight.memory.on_device(places.bytes()));
    batch.counters = flight.counters = reinterpret_cast<std::int32_t*>(counters);
    batch.words_used = counters + 2;
    // Cleared while the host packs.
    set_zero(batch.boundaries, layout.boundaries, stream);
    set_zero(batch.results, std::ssize(cases), stream);
    set_zero(counters, 3, stream);
    std::uint8_t* from = flight.memory.on_host(layout.bytes);
    packed.fill(context_, from);
    flight.marks[0].record(stream);
    const auto bytes = static_cast<std::size_t>(layout.bytes);
    check(cudaMemcpyAsync(upload, from, bytes, cudaMemcpyHostToDevice, stream), "upload cases");
    context_.count_moved(bytes);
    packed.point_into(upload, batch);
    flight.marks[1].record(stream);
    launch_forward(width, affine, batch, stream);
    flight.marks[2].record(stream);
    if (params_.alignment) launch_trace(width, affine, batch, trace_warps, stream);
    flight.marks[3].record(stream);
  }

  void end(CaseFlight& flight,
           std::span<SplicedAlignment* const> results,
           std::vector<std::size_t>& overflown) {
    const DeviceBatch& batch = flight.batch;
    const auto& marks = flight.marks;
    wait_for(context_, flight.stream, batch.counters, marks[1], "align exons");
    const auto scores =
        read_back(flight.memory, batch.results, flight.cases.size(), flight.stream, "read scores");
    const std::vector<DeviceResult> done(scores.begin(), scores.end());
    if (tuning_.seconds != nullptr) {
      tuning_.seconds->upload += seconds_between(marks[0], marks[1]);
      tuning_.seconds->forward += seconds_between(marks[1], marks[2]);
      tuning_.seconds->trace += seconds_between(marks[2], marks[3]);
    }
    std::int64_t used = 0;
    for (const DeviceResult& result : done) used = std::max(used, result.words_at + result.words);
    const std::span<const std::uint32_t> paths = read_back(flight.memory,
                                                           batch.words,
                                                           static_cast<std::size_t>(used),
                                                           flight.stream,
                                                           "read alignments");
    const auto here = results.subspan(flight.from, flight.cases.size());
    for (const std::size_t i : hand_over(flight.cases, here, done, paths)) {
      overflown.push_back(flight.from + i);
    }
  }

  template <class T>
  static void set_zero(T* array, std::int64_t count, cudaStream_t stream) {
    if (count == 0) return;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    check(cudaMemsetAsync(array, 0, bytes, stream), "clear memory");
  }

  /// Shared memory a warp gets for rows: for all that the cases need, but so that many warps find
  /// room side by side.
  std::int64_t shared_words(std::span<const BatchCase> cases, std::int64_t warps) const {
    const int halves = halves_of(cases.front().prepared->width);
    const std::int64_t planes = row_planes(halves, params_.gap_open != 0, params_.alignment);
    std::int64_t most = 0;
    for (const BatchCase& c : cases) {
      const PreparedCase& p = *c.prepared;
      most = std::max(most, (p.plan.slots + 1) * planes * p.shape.columns * 32);
    }
    const std::int64_t beside = std::clamp<std::int64_t>(warps / multiprocessors_ + 1, 1, 16);
    const std::int64_t room = std::min<std::int64_t>(most_shared_bytes, shared_bytes / beside);
    return std::min(most, room / 128 * 32);
  }

  /// How much memory the traceback has; returns its warps.
  int size_scratch(std::span<const BatchCase> cases,
                   const BatchLayout& layout,
                   DeviceBatch& batch) const {
    std::int64_t longest = 1, columns = 4;
    for (const BatchCase& c : cases) {
      longest = std::max(longest, c.prepared->plan.longest);
      columns = std::max<std::int64_t>(columns, c.prepared->shape.columns);
    }
    const std::int64_t row = (params_.gap_open != 0 ? 2 : 1) * columns * 32;
    const auto allowed = static_cast<std::int64_t>(context_.gpu_memory() / 8 / most_flights / 4);
    const auto many =
        std::min<std::int64_t>(std::ssize(cases), warps_that_trace * multiprocessors_);
    const std::int64_t least = row * (1 + program_gap + 1) + layout.path_words;
    const auto warps = static_cast<int>(std::clamp<std::int64_t>(allowed / least, 1, many));
    const std::int64_t room = (allowed / warps - layout.path_words) / row - program_gap - 1;
    std::int64_t slab = std::min(longest, std::max<std::int64_t>(1, room));
    if (warps > 16) slab = std::min(slab, slab_rows_of_many);
    if (tuning_.slab_rows > 0) slab = tuning_.slab_rows;
    batch.slab_rows = static_cast<std::int32_t>(slab);
    batch.scratch_words = (slab + program_gap + 1) * row + layout.path_words;
    return warps;
  }

  std::vector<std::size_t> hand_over(std::span<const BatchCase> cases,
                                     std::span<SplicedAlignment* const> results,
                                     const std::vector<DeviceResult>& done,
                                     std::span<const std::uint32_t> paths) {
    std::vector<std::size_t> overflown;
    double cells = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (done[i].overflow != 0) {
        overflown.push_back(i);
      } else {
        cells += static_cast<double>(cases[i].prepared->plan.cells(cases[i].prepared->letters));
      }
    }
    context_.parallel_for(std::ssize(cases), 8, [&](std::int64_t from, std::int64_t to) {
      for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
        const PreparedCase& prepared = *cases[i].prepared;
        SplicedAlignment& result = *results[i];
        if (done[i].overflow != 0) continue;
        result.score = done[i].score;
        result.executed_cells = prepared.plan.cells(prepared.letters);
        result.traced_cells = done[i].traced_cells;
        result.wide = prepared.width == Width::wide;
        result.chain = read_path(*cases[i].problem,
                                 prepared,
                                 params_.substitution,
                                 paths.subspan(static_cast<std::size_t>(done[i].words_at),
                                               static_cast<std::size_t>(done[i].words)));
      }
    });
    stage_.advance(cells);
    return overflown;
  }

  Context& context_;
  Stage& stage_;
  const int device_;
  const AlignParams& params_;
  const Tuning& tuning_;
  const std::uint64_t allowed_;  ///< bytes of all batches on their way
  int multiprocessors_ = 0;
};

/// Cases of one device by width, longest first; the ones that 16 bits did not hold again in 32.
void run_device(Context& context,
                Aligner& aligner,
                std::span<const Case> problems,
                std::vector<PreparedCase>& prepared,
                std::vector<std::size_t> mine,
                const AlignParams& params,
                const Tuning& tuning,
                std::vector<SplicedAlignment>& results) {
  for (const Width width : {Width::packed4, Width::packed8, Width::wide}) {
    std::vector<std::size_t> places;
    for (const std::size_t p : mine) {
      if (prepared[p].width == width) places.push_back(p);
    }
    if (places.empty()) continue;
    std::vector<PreparedCase*> shaped;
    std::vector<BatchCase> cases;
    std::vector<SplicedAlignment*> into;
    for (const std::size_t p : places) {
      shaped.push_back(&prepared[p]);
      cases.push_back({&problems[p], &prepared[p]});
      into.push_back(&results[p]);
    }
    choose_shapes(context, shaped, params, tuning, aligner.schedulers());
    for (const std::size_t i : aligner.run(cases, into)) {
      const std::size_t p = places[i];
      if (width == Width::wide) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("splice: scores against {} target letters do not fit 32 bits; give "
                                "smaller scores",
                                problems[p].target.size()));
      }
      widen(prepared[p], problems[p], params);
    }
  }
}

}  // namespace

std::vector<SplicedAlignment> align(Context& context,
                                    std::span<const Case> problems,
                                    const AlignParams& params,
                                    const Tuning& tuning) {
  std::vector<SplicedAlignment> results(problems.size());
  std::vector<PreparedCase> prepared(problems.size());
  context.parallel_for(std::ssize(problems), 4, [&](std::int64_t from, std::int64_t to) {
    for (auto p = static_cast<std::size_t>(from); p < static_cast<std::size_t>(to); ++p) {
      prepared[p] = prepare(problems[p], params, tuning);
    }
  });
  std::vector<double> work(problems.size());
  std::vector<std::size_t> order;
  double cells = 0;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    const std::int64_t n = std::ssize(problems[p].target);
    if (problems[p].exons.empty()) {
      results[p].score = n == 0 ? 0 : params.gap_open + n * params.gap_extend;
      continue;
    }
    work[p] = estimated_work(prepared[p], params);
    cells += static_cast<double>(prepared[p].plan.cells(n));
    order.push_back(p);
  }
  std::stable_sort(
      order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });
  Stage stage(context, "splice", cells, "cells");
  const std::vector<int>& devices = context.devices();
  std::vector<std::vector<std::size_t>> dealt = deal(order, work, devices.size());
  const auto run = [&](std::size_t d) {
    Aligner aligner(context, stage, devices[d], params, tuning);
    run_device(context, aligner, problems, prepared, std::move(dealt[d]), params, tuning, results);
  };
  run_side_by_side(devices.size(), run);
  // Thousands of small pieces of memory, by all threads.
  context.parallel_for(std::ssize(prepared), 8, [&](std::int64_t from, std::int64_t to) {
    for (auto p = static_cast<std::size_t>(from); p < static_cast<std::size_t>(to); ++p) {
      prepared[p] = {};
    }
  });
  return results;
}

}  // namespace yupana::splice::cuda
