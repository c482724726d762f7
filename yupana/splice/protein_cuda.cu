#include <algorithm>
#include <numeric>

#include "yupana/core/cuda/gpu_memory.hpp"
#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/cuda/side_by_side.hpp"
#include "yupana/core/error.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/devices_cuda.hpp"
#include "yupana/splice/flights_cuda.hpp"
#include "yupana/splice/protein_pack_cuda.hpp"

namespace yupana::splice::cuda {
namespace {

using namespace yupana::cuda;

/// Warps that trace at once on a multiprocessor.
constexpr int trace_warps = 8;

/// One batch on its way: the problems at these places.
struct ProteinFlight : Flight {
  using Flight::Flight;
  std::span<const std::size_t> places;
  DeviceProteins batch;
};

/// Bytes of a batch's upload, about: 1,300 genes. Smaller ones end with the longest of each: 1,010
/// in six batches took 30.5 ms and in one 26.
constexpr std::int64_t batch_upload = std::int64_t{48} << 20;

/// All that a call does to one device.
class ProteinAligner {
 public:
  ProteinAligner(Context& context,
                 Stage& stage,
                 int device,
                 const ProteinParams& params,
                 const ProteinTuning& tuning)
      : context_(context),
        stage_(stage),
        device_(device),
        params_(params),
        tuning_(tuning),
        allowed_(tuning.memory > 0 ? tuning.memory : context.gpu_memory() / 4 * 3) {}

  /// The problems at these places, in this order.
  void run(std::span<const Case> problems,
           std::span<const PreparedProtein> prepared,
           std::span<const std::size_t> places,
           std::vector<SplicedAlignment>& results) {
    const DeviceScope scope(device_);
    // What is timed is one batch, where memory allows it.
    const std::size_t most = tuning_.seconds != nullptr ? 1 : most_flights;
    Flights<ProteinFlight> flights(device_, context_.gpu_memory(), most);
    const auto finish = [&](ProteinFlight& flight) { end(flight, problems, prepared, results); };
    while (!places.empty()) {
      const Share share = next_share(problems, prepared, places, most);
      const auto start = [&](ProteinFlight& flight) {
        flight.places = places.first(share.cases);
        begin(flight, problems, prepared);
      };
      flights.add(share.bytes, allowed_, start, finish);
      places = places.subspan(share.cases);
    }
    flights.end_all(finish);
  }

 private:
  struct Share {
    std::size_t cases = 0;
    std::uint64_t bytes = 0;  ///< on the device
  };

  /// The first cases, as many as make a batch; of what memory allows a quarter is left to the
  /// traceback.
  Share next_share(std::span<const Case> problems,
                   std::span<const PreparedProtein> prepared,
                   std::span<const std::size_t> places,
                   std::size_t flights) const {
    Share share;
    std::int64_t upload = 0;
    for (const std::size_t place : places) {
      const PreparedProtein& p = prepared[place];
      const std::uint64_t all = share.bytes + protein_device_bytes(p, params_.align.alignment);
      if (share.cases > 0 && (all > allowed_ / flights || (flights > 1 && upload > batch_upload))) {
        break;
      }
      if (all > allowed_) {
        throw gpu_memory_error(fmt::format("aligning {} exons to {} amino acids",
                                           problems[place].exons.size(),
                                           problems[place].target.size()),
                               static_cast<double>(all) / 3 * 4,
                               context_.gpu_memory());
      }
      share.bytes = all;
      upload += protein_upload_bytes(p);
      ++share.cases;
    }
    return share;
  }
  /// How much memory the traceback has; returns its warps.
  int size_scratch(const ProteinLayout& layout, std::int64_t cases, DeviceProteins& batch) const {
    const int multiprocessors = yupana::cuda::device_facts().multiprocessors;
    batch.scratch_bytes = layout.longest * codon_width + (layout.path_words + 1) / 2 * 8;
    const auto allowed = static_cast<std::int64_t>(context_.gpu_memory() / 8 / most_flights);
    if (batch.scratch_bytes > allowed) {
      throw gpu_memory_error(fmt::format("the alignment of an exon of {} codons", layout.longest),
                             static_cast<double>(batch.scratch_bytes) * 8 * most_flights,
                             context_.gpu_memory());
    }
    const std::int64_t many = std::min<std::int64_t>(cases, trace_warps * multiprocessors);
    return static_cast<int>(std::min(many, allowed / batch.scratch_bytes));
  }

  /// Packs, uploads and launches.
  void begin(ProteinFlight& flight,
             std::span<const Case> problems,
             std::span<const PreparedProtein> prepared) {
    context_.check_cancelled();
    const cudaStream_t stream = flight.stream;
    const PackedProteins packed(problems, prepared, flight.places, params_);
    const ProteinLayout& layout = packed.layout();
    const auto cases = std::ssize(flight.places);
    const bool alignment = params_.align.alignment;
    // All memory before the first kernel: what follows must not wait for it, so as to hear of a
    // cancellation.
    DeviceProteins& batch = flight.batch;
    batch = {};
    const int warps = alignment ? size_scratch(layout, cases, batch) : 0;
    std::uint8_t* upload = nullptr;
    unsigned long long* counters = nullptr;
    Places arrays;
    arrays.add(upload, layout.bytes);
    arrays.add(batch.rows, layout.rows);
    arrays.add(batch.between, layout.between);
    arrays.add(batch.results, cases);
    arrays.add(counters, 3);
    arrays.add(batch.scratch, batch.scratch_bytes * warps);
    arrays.add(batch.words, alignment ? layout.words : 0);
    arrays.put_into(flight.memory.on_device(arrays.bytes()));
    batch.counters = flight.counters = reinterpret_cast<std::int32_t*>(counters);
    batch.words_used = counters + 2;
    // Cleared while the host packs.
    set_zero(batch.between, layout.between, stream);
    set_zero(batch.results, cases, stream);
    set_zero(counters, 3, stream);
    send(context_, flight, packed, upload, batch);
    launch_protein_forward(batch, stream);
    flight.marks[2].record(stream);
    if (alignment) launch_protein_trace(batch, warps, stream);
    flight.marks[3].record(stream);
  }

  void end(ProteinFlight& flight,
           std::span<const Case> problems,
           std::span<const PreparedProtein> prepared,
           std::vector<SplicedAlignment>& results) {
    const auto [done, paths] =
        receive(context_, flight, flight.batch, tuning_.seconds, "align proteins");
    hand_over(problems, prepared, flight.places, done, paths, results);
  }

  void hand_over(std::span<const Case> problems,
                 std::span<const PreparedProtein> prepared,
                 std::span<const std::size_t> places,
                 const std::vector<DeviceProteinResult>& done,
                 std::span<const std::uint32_t> paths,
                 std::vector<SplicedAlignment>& results) {
    double cells = 0;
    for (const std::size_t p : places) cells += static_cast<double>(prepared[p].cells);
    context_.parallel_for(std::ssize(places), 8, [&](std::size_t i) {
      const std::size_t p = places[i];
      SplicedAlignment& result = results[p];
      result.executed_cells = prepared[p].cells;
      result.wide = true;
      if (done[i].reading < 0) return;  // no exon is left at the last letter
      result.score = done[i].score;
      if (!params_.align.alignment) return;
      result.traced_cells = done[i].traced_cells;
      const auto words = paths.subspan(static_cast<std::size_t>(done[i].words_at),
                                       static_cast<std::size_t>(done[i].words));
      result.chain = read_protein_path(problems[p], prepared[p], params_, words);
    });
    stage_.advance(cells);
  }

  Context& context_;
  Stage& stage_;
  const int device_;
  const ProteinParams& params_;
  const ProteinTuning& tuning_;
  const std::uint64_t allowed_;  ///< bytes of all batches on their way
};

}  // namespace

std::vector<SplicedAlignment> align_protein(Context& context,
                                            std::span<const Case> problems,
                                            const ProteinParams& params,
                                            const ProteinTuning& tuning) {
  std::vector<SplicedAlignment> results(problems.size());
  std::vector<PreparedProtein> prepared(problems.size());
  context.parallel_for(std::ssize(problems), 4, [&](std::size_t p) {
    prepared[p] = prepare_protein(problems[p], params);
  });
  std::vector<double> work(problems.size());
  std::vector<std::size_t> order;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    const std::int64_t n = std::ssize(problems[p].target);
    results[p].score = n == 0 ? 0 : params.align.gap_open + n * params.align.gap_extend;
    work[p] = static_cast<double>(prepared[p].cells + prepared[p].boundaries);
    if (!problems[p].exons.empty()) order.push_back(p);
  }
  std::stable_sort(
      order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });
  Stage stage(context, "splice", std::accumulate(work.begin(), work.end(), 0.0), "cells");
  const std::vector<int>& devices = context.devices();
  const auto dealt = deal(order, work, devices.size());
  run_side_by_side(devices.size(), [&](std::size_t d) {
    ProteinAligner(context, stage, devices[d], params, tuning)
        .run(problems, prepared, dealt[d], results);
  });
  // Thousands of pieces of memory, by all threads.
  context.parallel_for(std::ssize(prepared), 8, [&](std::size_t p) { prepared[p] = {}; });
  return results;
}

}  // namespace yupana::splice::cuda
