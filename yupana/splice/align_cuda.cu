#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "yupana/core/cuda/gpu_memory.hpp"
#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/cuda/side_by_side.hpp"
#include "yupana/core/error.hpp"
#include "yupana/splice/checks.hpp"
#include "yupana/splice/devices_cuda.hpp"
#include "yupana/splice/flights_cuda.hpp"
#include "yupana/splice/launch_cuda.hpp"
#include "yupana/splice/pack_cuda.hpp"

namespace yupana::splice::cuda {
namespace {

using namespace yupana::cuda;

/// Warps that trace at once on a multiprocessor, each with rows of an exon in memory of its own.
constexpr int warps_that_trace = 8;
/// Rows of an exon that such a warp keeps where there are many; longer exons are computed in slabs.
constexpr std::int64_t slab_rows_of_many = 384;

/// Shared memory of a multiprocessor that rows may take, where the device has as much.
constexpr std::int64_t shared_bytes = 160 << 10;

/// Bytes of a batch's upload.
constexpr double least_upload = 2 << 20;
constexpr double most_upload = 16 << 20;
/// Bytes on the device that a batch may take at least, where memory allows it.
constexpr std::uint64_t least_of_batch = 256 << 20;

/// Cases of one width, longest first, by their places among all.
struct Lot {
  std::vector<std::size_t> places;
  std::vector<PreparedCase> prepared;
};

/// A lot on its way.
struct CaseFlight : Flight {
  using Flight::Flight;
  Lot lot;
  std::vector<BatchCase> cases;
  DeviceBatch batch;
};

/// All that a call does to one device.
class Aligner {
 public:
  Aligner(Context& context,
          Stage& stage,
          int device,
          std::span<const Case> problems,
          std::span<const RoughCase> rough,
          const AlignParams& params,
          const Tuning& tuning,
          std::vector<SplicedAlignment>& results)
      : context_(context),
        stage_(stage),
        device_(device),
        problems_(problems),
        rough_(rough),
        params_(params),
        tuning_(tuning),
        results_(results),
        allowed_(tuning.memory > 0 ? tuning.memory : context.gpu_memory() / 4 * 3) {
    const DeviceScope scope(device_);
    half_floats_ = packed_are_half_floats();
    const yupana::cuda::DeviceFacts facts = yupana::cuda::device_facts();
    multiprocessors_ = facts.multiprocessors;
    shared_bytes_ = std::min<std::int64_t>(shared_bytes, facts.multiprocessor_shared_bytes);
  }

  /// The cases at these places, longest first; the ones that 16 bits did not hold again in 32.
  void run(std::span<const std::size_t> places) {
    const DeviceScope scope(device_);
    for (const std::size_t p : places) {
      work_ += rough_[p].work;
      warps_ += least_warps(p);
    }
    const std::vector<std::size_t> overflown = run_once(places, tuning_);
    Tuning wide = tuning_;
    wide.wide = true;
    const std::vector<std::size_t> lost = run_once(overflown, wide);
    if (lost.empty()) return;
    throw Error(ErrorCode::bad_input,
                fmt::format("splice: scores against {} target letters do not fit 32 bits; give "
                            "smaller scores",
                            problems_[lost.front()].target.size()));
  }

 private:
  /// Cases that did not fit stay without result and are told.
  std::vector<std::size_t> run_once(std::span<const std::size_t> places, const Tuning& tuning) {
    std::vector<std::size_t> overflown;
    // What is timed is one batch, where memory allows it.
    const bool timed = tuning_.seconds != nullptr;
    const std::size_t most = tuning_.flights > 0 ? tuning_.flights : timed ? 1 : most_flights;
    const double upload = timed && tuning_.flights == 0 ? HUGE_VAL : batch_upload(places);
    Flights<CaseFlight> flights(device_, context_.gpu_memory(), most);
    const auto finish = [&](CaseFlight& flight) { end(flight, overflown); };
    while (!places.empty()) {
      std::size_t count = 0;
      std::int64_t warps = 0;
      for (double bytes = 0; count < places.size() && (bytes < upload || !fills(warps)); ++count) {
        bytes += rough_[places[count]].upload;
        warps += least_warps(places[count]);
      }
      for (Lot& lot : prepare_lots(places.first(count), tuning)) {
        for (std::size_t from = 0; from < lot.places.size();) {
          const Share share = next_share(lot, from, most);
          const auto start = [&](CaseFlight& flight) {
            const auto part = [&](auto& all) {
              return std::vector(std::move_iterator(all.begin() + from),
                                 std::move_iterator(all.begin() + from + share.cases));
            };
            flight.lot = {part(lot.places), part(lot.prepared)};
            begin(flight);
          };
          flights.add(share.bytes, allowed_, start, finish);
          from += share.cases;
        }
      }
      places = places.subspan(count);
    }
    flights.end_all(finish);
    return overflown;
  }

  /// Of a case, at 512 columns each.
  std::int64_t least_warps(std::size_t place) const {
    return std::ssize(problems_[place].target) / 512 + 1;
  }
  /// Whether so many keep every scheduler at work: few large cases do not.
  bool fills(std::int64_t warps) const { return warps >= std::int64_t{4} * multiprocessors_; }

  /// Bytes of a batch's upload, about: of few cases a third, so that kernels begin early; of many
  /// as much as fills the device and is packed while it works.
  double batch_upload(std::span<const std::size_t> places) const {
    if (tuning_.upload > 0) return static_cast<double>(tuning_.upload);
    double all = 0;
    for (const std::size_t p : places) all += rough_[p].upload;
    return std::clamp(all / double{most_flights}, least_upload, most_upload);
  }

  /// By width, each in the order of the places.
  std::array<Lot, 3> prepare_lots(std::span<const std::size_t> places, const Tuning& tuning) {
    context_.check_cancelled();
    std::vector<PreparedCase> prepared(places.size());
    context_.parallel_for(std::ssize(places), 2, [&](std::size_t i) {
      prepared[i] = prepare(problems_[places[i]], params_, tuning, half_floats_);
    });
    choose_shapes(context_, prepared, params_, tuning, work_, std::int64_t{4} * multiprocessors_);
    std::array<Lot, 3> lots;
    for (std::size_t i = 0; i < places.size(); ++i) {
      Lot& lot = lots[static_cast<std::size_t>(prepared[i].width)];
      lot.places.push_back(places[i]);
      lot.prepared.push_back(std::move(prepared[i]));
    }
    return lots;
  }

  struct Share {
    std::size_t cases = 0;
    std::uint64_t bytes = 0;  ///< on the device
  };

  /// As many cases as memory holds beside other flights; of what is allowed a quarter is left to
  /// the traceback.
  Share next_share(const Lot& lot, std::size_t from, std::size_t flights) const {
    Share share;
    // About as much again is for the traceback; what is more than stays for the next call is taken
    // from the driver in each, where cases are too large for fewer to fill the device.
    const std::uint64_t kept = most_kept(context_.gpu_memory()) / most_flights / 2;
    const std::uint64_t most = allowed_ / flights;
    const std::uint64_t little =
        flights == 1 ? most : std::min(most, std::max(kept, least_of_batch));
    std::int64_t warps = 0;
    for (std::size_t i = from; i < lot.places.size(); ++i) {
      const std::uint64_t bytes = device_bytes(lot.prepared[i], params_);
      if (share.cases > 0 && share.bytes + bytes > (fills(warps) ? little : most)) break;
      if (bytes > allowed_) refuse(problems_[lot.places[i]], bytes);
      share.bytes += bytes;
      ++share.cases;
      warps += lot.prepared[i].shape.blocks;
    }
    return share;
  }
  [[noreturn]] void refuse(const Case& problem, std::uint64_t bytes) const {
    throw gpu_memory_error(
        fmt::format(
            "aligning {} exons to {} target letters", problem.exons.size(), problem.target.size()),
        static_cast<double>(bytes) / 3 * 4,
        context_.gpu_memory());
  }

  /// Packs, uploads and launches.
  void begin(CaseFlight& flight) {
    flight.cases.clear();
    for (std::size_t i = 0; i < flight.lot.places.size(); ++i) {
      flight.cases.push_back({&problems_[flight.lot.places[i]], &flight.lot.prepared[i]});
    }
    const std::span<const BatchCase> cases = flight.cases;
    const cudaStream_t stream = flight.stream;
    PackedBatch packed(cases, params_);
    const BatchLayout& layout = packed.layout();
    const Width width = cases.front().prepared->width;
    const bool affine = params_.gap_open != 0;
    // All memory before the first kernel: what follows must not wait, so as to hear of a
    // cancellation.
    DeviceBatch& batch = flight.batch;
    batch = {};
    batch.shared_words = shared_words(cases, std::max(layout.item_count, warps_));
    const int trace_warps = params_.alignment ? size_scratch(cases, layout, batch) : 0;
    std::uint8_t* upload = nullptr;
    unsigned long long* counters = nullptr;
    Places places;
    places.add(upload, layout.bytes);
    // Sweeps look up letters 128 positions ahead.
    places.add(batch.program, layout.program + program_end);
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
    send(context_, flight, packed, upload, batch);
    launch_forward(width, affine, batch, stream);
    flight.marks[2].record(stream);
    if (params_.alignment) launch_trace(width, affine, batch, trace_warps, stream);
    flight.marks[3].record(stream);
  }

  void end(CaseFlight& flight, std::vector<std::size_t>& overflown) {
    const auto [done, paths] =
        receive(context_, flight, flight.batch, tuning_.seconds, "align exons");
    double cells = 0;
    for (std::size_t i = 0; i < done.size(); ++i) {
      const std::size_t place = flight.lot.places[i];
      if (done[i].overflow != 0) {
        overflown.push_back(place);
      } else {
        cells += rough_[place].cells;
      }
    }
    hand_over(flight, done, paths);
    stage_.advance(cells);
  }

  /// Shared memory a warp gets for rows: for all that the cases need, but so that many warps find
  /// room side by side.
  std::int64_t shared_words(std::span<const BatchCase> cases, std::int64_t warps) const {
    const int halves = halves_of(cases.front().prepared->width);
    const std::int64_t planes = row_planes(halves, params_.gap_open != 0, params_.alignment);
    std::int64_t most = 0;
    for (const BatchCase& c : cases) {
      const PreparedCase& p = *c.prepared;
      const std::int64_t rows = (p.plan.slots + 1) * planes * p.shape.columns * 32;
      most = std::max(most, rows + block_words(p, params_).stage);
    }
    const std::int64_t beside = std::clamp<std::int64_t>(warps / multiprocessors_ + 1, 1, 16);
    const std::int64_t room = std::min<std::int64_t>(most_shared_bytes, shared_bytes_ / beside);
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

  /// Results of what did not overflow; what was prepared goes, thousands of pieces of memory, by
  /// all threads.
  void hand_over(CaseFlight& flight,
                 const std::vector<DeviceResult>& done,
                 std::span<const std::uint32_t> paths) {
    const auto hand_over_one = [&](std::size_t i) {
      const PreparedCase prepared = std::move(flight.lot.prepared[i]);
      if (done[i].overflow != 0) return;
      SplicedAlignment& result = results_[flight.lot.places[i]];
      result.score = done[i].score;
      result.executed_cells = prepared.plan.cells(prepared.letters);
      result.traced_cells = done[i].traced_cells;
      result.wide = prepared.width == Width::wide;
      result.chain = read_path(*flight.cases[i].problem,
                               prepared,
                               params_.substitution,
                               paths.subspan(static_cast<std::size_t>(done[i].words_at),
                                             static_cast<std::size_t>(done[i].words)));
      // Here and not at the end: the device is at work on the next.
      const std::size_t place = flight.lot.places[i];
      if (params_.alignment) {
        check_score(rescore(problems_[place], result.chain, params_), result.score, place);
      }
    };
    context_.parallel_for(
        std::ssize(done), 4, [&](std::int64_t i) { hand_over_one(static_cast<std::size_t>(i)); });
  }

  Context& context_;
  Stage& stage_;
  const int device_;
  const std::span<const Case> problems_;
  const std::span<const RoughCase> rough_;
  const AlignParams& params_;
  const Tuning& tuning_;
  std::vector<SplicedAlignment>& results_;
  const std::uint64_t allowed_;  ///< bytes of all batches on their way
  double work_ = 0;              ///< of all cases, which run side by side
  std::int64_t warps_ = 0;       ///< of them, at least
  int multiprocessors_ = 0;
  bool half_floats_ = false;  ///< 16-bit scores are PackedHalves
  std::int64_t shared_bytes_ = 0;
};

}  // namespace

std::vector<SplicedAlignment> align(Context& context,
                                    std::span<const Case> problems,
                                    const AlignParams& params,
                                    const Tuning& tuning) {
  std::vector<SplicedAlignment> results(problems.size());
  // Cases are prepared on their way; to deal them it is enough to know about how long they are.
  std::vector<RoughCase> rough(problems.size());
  context.parallel_for(
      std::ssize(problems), 64, [&](std::size_t p) { rough[p] = rough_case(problems[p], params); });
  std::vector<double> work(problems.size());
  double cells = 0;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    work[p] = rough[p].work;
    cells += rough[p].cells;
  }
  std::vector<std::size_t> order = longest_first(work);
  std::erase_if(order, [&](std::size_t p) {
    if (!problems[p].exons.empty()) return false;
    const std::int64_t n = std::ssize(problems[p].target);
    results[p].score = n == 0 ? 0 : params.gap_open + n * params.gap_extend;
    return true;
  });
  Stage stage(context, "splice", cells, "cells");
  const std::vector<int>& devices = context.devices();
  const std::vector<std::vector<std::size_t>> dealt = deal(order, work, devices.size());
  run_side_by_side(devices.size(), [&](std::size_t d) {
    Aligner(context, stage, devices[d], problems, rough, params, tuning, results).run(dealt[d]);
  });
  return results;
}

}  // namespace yupana::splice::cuda
