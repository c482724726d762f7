#include <algorithm>
#include <array>
#include <numeric>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/cuda/side_by_side.hpp"
#include "yupana/core/error.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/devices_cuda.hpp"
#include "yupana/splice/protein_prepare_cuda.hpp"
#include "yupana/splice/protein_strip_cuda.cuh"

namespace yupana::splice::cuda {
namespace {

using yupana::cuda::check;
using yupana::cuda::DeviceArray;
using yupana::cuda::DeviceScope;
using yupana::cuda::Event;
using yupana::cuda::run_side_by_side;
using yupana::cuda::Stream;

/// Warps that trace at once on a multiprocessor.
constexpr int trace_warps = 8;

/// The arrays of a batch, one case behind the other.
struct PackedProteins {
  std::vector<DeviceProteinCase> cases;
  std::vector<DeviceProteinStart> starts;
  std::vector<DeviceStream> streams;
  std::vector<DeviceCarry> carries;
  std::vector<DeviceLeaving> leavings;
  std::vector<DeviceMerge> merges;
  std::vector<std::int32_t> merged;
  std::vector<DeviceProteinReading> readings;
  std::vector<WorkItem> items;
  std::vector<std::uint8_t> bases, targets;
  std::int64_t rows = 0, between = 0, words = 0, path_words = 0, longest = 1;
};

template <class T>
void append_all(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::array<std::uint8_t, 256> base_codes_by_letter() {
  std::array<std::uint8_t, 256> codes{};
  for (int letter = 0; letter < 256; ++letter) {
    codes[static_cast<std::size_t>(letter)] =
        static_cast<std::uint8_t>(base_code(static_cast<char>(letter)));
  }
  return codes;
}

void add_case(PackedProteins& to,
              const Case& problem,
              const PreparedProtein& p,
              const ProteinParams& params) {
  const std::int64_t row_words = codon_row_words(params.align.alignment);
  DeviceProteinCase c;
  c.starts = std::ssize(to.starts);
  c.carries = std::ssize(to.carries), c.leavings = std::ssize(to.leavings);
  c.merges = std::ssize(to.merges), c.merged = std::ssize(to.merged);
  c.readings = std::ssize(to.readings);
  c.bases = std::ssize(to.bases), c.target = std::ssize(to.targets);
  c.rows = to.rows, c.rows_of_block = p.rows * row_words;
  c.words = to.between, c.words_of_block = 2 * p.boundaries;
  c.start_count = static_cast<std::int32_t>(p.starts.size());
  c.letters = p.letters;
  c.blocks = p.blocks;
  for (std::int32_t b = 0; b < c.blocks; ++b) {
    to.items.push_back({static_cast<std::int32_t>(to.cases.size()), b});
  }
  to.cases.push_back(c);
  append_all(to.starts, p.starts);
  append_all(to.streams, p.streams);
  append_all(to.carries, p.carries);
  append_all(to.leavings, p.leavings);
  append_all(to.merges, p.merges);
  append_all(to.merged, p.merged);
  append_all(to.readings, p.readings);
  static const std::array<std::uint8_t, 256> code_of = base_codes_by_letter();
  to.bases.resize(static_cast<std::size_t>(c.bases + p.bases));
  std::uint8_t* base = to.bases.data() + c.bases;
  for (const Start& start : p.plan.starts) {
    const char* first = problem.bases.data() + start.first - 1;
    for (std::int64_t i = 0; i < start.rows; ++i) {
      *base++ = code_of[static_cast<unsigned char>(first[i])];
    }
  }
  for (const char letter : problem.target) {
    to.targets.push_back(params.align.substitution.code[static_cast<unsigned char>(letter)]);
  }
  to.rows += c.blocks * c.rows_of_block;
  to.between += (c.blocks - 1) * c.words_of_block;
  to.words += protein_path_words(p);
  to.path_words = std::max(to.path_words, protein_path_words(p));
  to.longest = std::max(to.longest, p.longest);
}

std::array<std::uint8_t, 125> amino_codes(const ProteinParams& params) {
  std::array<std::uint8_t, 125> codes{};
  for (int codon = 0; codon < 125; ++codon) {
    const char amino = params.code.translate_codes(codon / 25, codon / 5 % 5, codon % 5);
    codes[static_cast<std::size_t>(codon)] =
        params.align.substitution.code[static_cast<unsigned char>(amino)];
  }
  return codes;
}

/// All that a call does to one device.
class ProteinAligner {
 public:
  ProteinAligner(Context& context,
                 Stage& stage,
                 int device,
                 const ProteinParams& params,
                 const ProteinTuning& tuning)
      : context_(context), stage_(stage), device_(device), params_(params), tuning_(tuning) {}

  /// The problems at these places, in this order.
  void run(std::span<const Case> problems,
           std::span<const PreparedProtein> prepared,
           std::span<const std::size_t> places,
           std::vector<SplicedAlignment>& results) {
    const DeviceScope scope(device_);
    while (!places.empty()) {
      const std::size_t count = fitting(problems, prepared, places);
      run_batch(problems, prepared, places.first(count), results);
      places = places.subspan(count);
    }
  }

 private:
  /// As many of the first cases as memory holds; a quarter is left to the traceback.
  std::size_t fitting(std::span<const Case> problems,
                      std::span<const PreparedProtein> prepared,
                      std::span<const std::size_t> places) const {
    const std::uint64_t allowed =
        tuning_.memory > 0 ? tuning_.memory : context_.gpu_memory() / 4 * 3;
    std::uint64_t held = 0;
    std::size_t count = 0;
    for (; count < places.size(); ++count) {
      held += protein_device_bytes(prepared[places[count]], params_.align.alignment);
      if (held > allowed) break;
    }
    if (count > 0) return count;
    const Case& problem = problems[places.front()];
    refuse(
        fmt::format("{} exons against {} amino acids", problem.exons.size(), problem.target.size()),
        held,
        allowed);
  }
  [[noreturn]] static void refuse(const std::string& what,
                                  std::uint64_t wanted,
                                  std::uint64_t allowed) {
    throw Error(ErrorCode::out_of_resources,
                fmt::format("splice: {} need {:.1f} GB of GPU memory and {:.1f} GB are allowed; "
                            "give fewer candidates or more --gpu-memory, or use --device cpu",
                            what,
                            static_cast<double>(wanted) * 1e-9,
                            static_cast<double>(allowed) * 1e-9));
  }

  /// Holds what it uploads until the batch is done.
  template <class T>
  const T* upload(const std::vector<T>& from,
                  std::vector<DeviceArray<std::uint8_t>>& held,
                  cudaStream_t stream) {
    const std::size_t bytes = from.size() * sizeof(T);
    held.emplace_back(static_cast<std::int64_t>(bytes));
    if (bytes == 0) return nullptr;
    check(cudaMemcpyAsync(held.back().data(), from.data(), bytes, cudaMemcpyHostToDevice, stream),
          "upload proteins");
    context_.count_moved(bytes);
    return reinterpret_cast<const T*>(held.back().data());
  }

  DeviceProteins upload_all(const PackedProteins& packed,
                            std::vector<DeviceArray<std::uint8_t>>& held,
                            cudaStream_t stream) {
    DeviceProteins batch;
    batch.cases = upload(packed.cases, held, stream);
    batch.starts = upload(packed.starts, held, stream);
    batch.streams = upload(packed.streams, held, stream);
    batch.carries = upload(packed.carries, held, stream);
    batch.leavings = upload(packed.leavings, held, stream);
    batch.merges = upload(packed.merges, held, stream);
    batch.merged = upload(packed.merged, held, stream);
    batch.readings = upload(packed.readings, held, stream);
    batch.items = upload(packed.items, held, stream);
    batch.bases = upload(packed.bases, held, stream);
    batch.targets = upload(packed.targets, held, stream);
    const Substitution& s = params_.align.substitution;
    std::vector<std::int32_t> scores(s.scores.begin(), s.scores.end());
    for (std::int32_t& score : scores) score -= 2 * params_.align.gap_extend;
    batch.substitution = upload(scores, held, stream);
    const auto codes = amino_codes(params_);
    batch.amino = upload(std::vector<std::uint8_t>(codes.begin(), codes.end()), held, stream);
    batch.row_words = codon_row_words(params_.align.alignment);
    batch.path_words = packed.path_words;
    batch.item_count = static_cast<std::int32_t>(packed.items.size());
    batch.case_count = static_cast<std::int32_t>(packed.cases.size());
    batch.letters = s.letters;
    batch.open = params_.align.gap_open;
    batch.alignment = params_.align.alignment;
    return batch;
  }

  /// Memory of the traceback; returns its warps.
  int take_scratch(const PackedProteins& packed,
                   DeviceProteins& batch,
                   DeviceArray<std::uint8_t>& scratch) const {
    int multiprocessors = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device_),
          "ask for multiprocessors");
    batch.scratch_bytes = packed.longest * codon_width + (packed.path_words + 1) / 2 * 8;
    const auto allowed = static_cast<std::int64_t>(context_.gpu_memory() / 8);
    if (batch.scratch_bytes > allowed) {
      refuse(fmt::format("the alignment of an exon of {} codons", packed.longest),
             static_cast<std::uint64_t>(batch.scratch_bytes),
             static_cast<std::uint64_t>(allowed));
    }
    const auto many = std::min<std::int64_t>(batch.case_count, trace_warps * multiprocessors);
    const std::int64_t warps = std::min(many, allowed / batch.scratch_bytes);
    scratch = DeviceArray<std::uint8_t>(warps * batch.scratch_bytes);
    batch.scratch = scratch.data();
    return static_cast<int>(warps);
  }

  template <class T>
  static void set_zero(DeviceArray<T>& array, cudaStream_t stream) {
    if (array.empty()) return;
    check(cudaMemsetAsync(array.data(), 0, array.bytes(), stream), "clear memory");
  }

  void run_batch(std::span<const Case> problems,
                 std::span<const PreparedProtein> prepared,
                 std::span<const std::size_t> places,
                 std::vector<SplicedAlignment>& results) {
    context_.check_cancelled();
    PackedProteins packed;
    for (const std::size_t p : places) add_case(packed, problems[p], prepared[p], params_);
    const Stream stream;
    const std::array<Event, 4> marks{Event(true), Event(true), Event(true), Event(true)};
    marks[0].record(stream);
    std::vector<DeviceArray<std::uint8_t>> held;
    DeviceProteins batch = upload_all(packed, held, stream);
    DeviceArray<std::int32_t> rows(packed.rows);
    DeviceArray<std::uint64_t> between(packed.between);
    DeviceArray<DeviceProteinResult> there(std::ssize(places));
    DeviceArray<unsigned long long> counters(3);
    batch.rows = rows.data();
    batch.between = between.data();
    batch.results = there.data();
    batch.counters = reinterpret_cast<std::int32_t*>(counters.data());
    batch.words_used = counters.data() + 2;
    set_zero(between, stream);
    set_zero(there, stream);
    set_zero(counters, stream);
    // All memory before the first kernel: what follows must not wait for it, so as to hear of a
    // cancellation.
    DeviceArray<std::uint8_t> scratch;
    DeviceArray<std::uint32_t> words;
    int warps = 0;
    if (batch.alignment) {
      warps = take_scratch(packed, batch, scratch);
      words = DeviceArray<std::uint32_t>(packed.words);
      batch.words = words.data();
    }
    marks[1].record(stream);
    launch_protein_forward(batch, stream);
    marks[2].record(stream);
    if (batch.alignment) launch_protein_trace(batch, warps, stream);
    marks[3].record(stream);
    wait_for(context_, stream, batch.counters, "align proteins");
    std::vector<DeviceProteinResult> done(places.size());
    check(cudaMemcpyAsync(done.data(), there.data(), there.bytes(), cudaMemcpyDeviceToHost, stream),
          "read scores");
    stream.wait();
    if (tuning_.seconds != nullptr) {
      tuning_.seconds->upload += seconds_between(marks[0], marks[1]);
      tuning_.seconds->forward += seconds_between(marks[1], marks[2]);
      tuning_.seconds->trace += seconds_between(marks[2], marks[3]);
    }
    hand_over(problems, prepared, places, done, read_words(done, words, stream), results);
  }

  static std::vector<std::uint32_t> read_words(const std::vector<DeviceProteinResult>& done,
                                               const DeviceArray<std::uint32_t>& words,
                                               const Stream& stream) {
    std::int64_t used = 0;
    for (const DeviceProteinResult& r : done) used = std::max(used, r.words_at + r.words);
    std::vector<std::uint32_t> paths(static_cast<std::size_t>(used));
    if (used == 0) return paths;
    check(cudaMemcpyAsync(paths.data(),
                          words.data(),
                          paths.size() * sizeof(std::uint32_t),
                          cudaMemcpyDeviceToHost,
                          stream),
          "read alignments");
    stream.wait();
    return paths;
  }

  void hand_over(std::span<const Case> problems,
                 std::span<const PreparedProtein> prepared,
                 std::span<const std::size_t> places,
                 const std::vector<DeviceProteinResult>& done,
                 const std::vector<std::uint32_t>& paths,
                 std::vector<SplicedAlignment>& results) {
    double cells = 0;
    for (const std::size_t p : places) cells += static_cast<double>(prepared[p].cells);
    context_.parallel_for(std::ssize(places), 8, [&](std::int64_t from, std::int64_t to) {
      for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
        const std::size_t p = places[i];
        SplicedAlignment& result = results[p];
        result.executed_cells = prepared[p].cells;
        result.wide = true;
        if (done[i].reading < 0) continue;  // no exon is left at the last letter
        result.score = done[i].score;
        if (!params_.align.alignment) continue;
        result.traced_cells = done[i].traced_cells;
        const auto words = std::span(paths).subspan(static_cast<std::size_t>(done[i].words_at),
                                                    static_cast<std::size_t>(done[i].words));
        result.chain = read_protein_path(problems[p], prepared[p], params_, words);
      }
    });
    stage_.advance(cells);
  }

  Context& context_;
  Stage& stage_;
  const int device_;
  const ProteinParams& params_;
  const ProteinTuning& tuning_;
};

}  // namespace

std::vector<SplicedAlignment> align_protein(Context& context,
                                            std::span<const Case> problems,
                                            const ProteinParams& params,
                                            const ProteinTuning& tuning) {
  std::vector<SplicedAlignment> results(problems.size());
  std::vector<PreparedProtein> prepared(problems.size());
  context.parallel_for(std::ssize(problems), 4, [&](std::int64_t from, std::int64_t to) {
    for (auto p = static_cast<std::size_t>(from); p < static_cast<std::size_t>(to); ++p) {
      prepared[p] = prepare_protein(problems[p], params);
    }
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
  return results;
}

}  // namespace yupana::splice::cuda
