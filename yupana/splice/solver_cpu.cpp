#include "yupana/splice/solver_cpu.hpp"

#include <algorithm>
#include <limits>
#include <thread>

#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::splice::cpu {

// A block's row, its profiles of four bases and what else is touched stay in 32 KiB.
constexpr std::int64_t block_bytes = 4096;

/// What a block carries from start to start.
template <class T>
struct BlockState {
  Array<T> memory;            ///< of the rows below
  Row<T> running;             ///< best over all exons that ended
  std::vector<Row<T>> slots;  ///< best over exons of one end that has not been passed
  Array<T> best, gap;         ///< the row being computed
  std::int64_t version = -1;
  double cells = 0;  ///< not told to the stage yet
};

template <class T>
Range<T>::Range(const Case& problem, const AlignParams& params) {
  std::int64_t begin = 0, entry = 0, exit = 0, size = 0;
  for (const Exon& exon : problem.exons) {
    begin = std::min<std::int64_t>(begin, exon.begin);
    entry = std::max<std::int64_t>(entry, exon.entry);
    exit = std::max<std::int64_t>(exit, exon.exit);
    for (const std::int32_t x : {exon.begin, exon.entry, exon.exit}) {
      size = std::max(size, std::abs(std::int64_t{x}));
    }
  }
  for (const int score : params.substitution.scores) {
    size = std::max(size, std::abs(score - std::int64_t{2} * params.gap_extend));
  }
  size = std::max<std::int64_t>(size, -std::int64_t{params.gap_open});
  // Every row is at least what the empty chain gives, zero + begin + open; a gap of bases two
  // openings less. What stops at the lower end of the range and then gains an entry is below both,
  // so that it never wins where the true value would not.
  const std::int64_t margin = entry - begin - std::int64_t{2} * params.gap_open + 2;
  const std::int64_t gain = std::max<std::int64_t>(
      0, params.substitution.highest() - std::int64_t{2} * params.gap_extend);
  const std::int64_t whole = gain * std::ssize(problem.target);
  if constexpr (sizeof(T) == 2) {
    lowest = std::numeric_limits<T>::min();
    fits = size <= 8000 && margin <= 16000 && margin + whole <= 64000;
    zero = static_cast<T>(fits ? lowest + margin : 0);
  } else {
    lowest = -(1 << 29);
    fits = whole < (1 << 29);
  }
}

template <class T>
Solver<T>::Solver(Context& context,
                  const Case& problem,
                  const AlignParams& params,
                  const Plan& plan,
                  const Tuning& tuning,
                  int workers)
    : context_(context),
      problem_(problem),
      params_(params),
      plan_(plan),
      tuning_(tuning),
      workers_(workers),
      kernels_(row_kernels<T>()),
      range_(problem, params),
      affine_(params.gap_open != 0),
      letters_(std::ssize(problem.target)),
      planes_((affine_ ? 2 : 1) * (params.alignment ? 3 : 1)) {}

template <class T>
void Solver<T>::cut_blocks(const Tuning& tuning) {
  std::int64_t columns = block_bytes / static_cast<std::int64_t>(sizeof(T));
  if (workers_ > 1) {
    // Narrow blocks keep every worker busy; below 8 vectors the lanes' ends cost too much.
    const std::int64_t share = divide_up(letters_, workers_);
    columns = std::clamp(share, 8 * kernels_.lanes, columns);
  }
  if (tuning.block_columns > 0) columns = tuning.block_columns;
  columns = round_up(columns, kernels_.lanes);
  const std::int64_t blocks = std::max<std::int64_t>(1, divide_up(letters_, columns));
  // As equal as whole vectors allow; only the last may end inside one.
  columns = std::max(kernels_.lanes, round_up(divide_up(letters_, blocks), kernels_.lanes));
  for (std::int64_t first = 1; first <= letters_ || blocks_.empty(); first += columns) {
    const std::int64_t width = std::min(columns, letters_ - first + 1);
    blocks_.push_back({first, width, divide_up(width, kernels_.lanes)});
  }
}

template <class T>
void Solver<T>::make_profiles() {
  const Substitution& s = params_.substitution;
  std::int64_t columns = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) columns += count(static_cast<std::int64_t>(b));
  profiles_ = Array<T>::zeros(columns * s.letters);
  room_ = Array<T>(columns);
  std::fill(room_.begin(), room_.end(), range_.lowest);
  profile_of_.assign(blocks_.size() * 256, nullptr);
  const std::int64_t gain =
      std::max<std::int64_t>(0, s.highest() - std::int64_t{2} * params_.gap_extend);
  std::int64_t at = 0, room_at = 0;
  for (std::int64_t b = 0; b < std::ssize(blocks_); ++b) {
    const Block& block = blocks_[b];
    room_of_.push_back(room_at);
    for (std::int64_t j = block.first; j < block.first + block.width; ++j) {
      room_[room_at + place(b, j)] = static_cast<T>((gain * (letters_ - j) + 1) / 2);
    }
    if (b == 0) room_[stride(0)] = static_cast<T>((gain * letters_ + 1) / 2);
    room_at += count(b);
    for (int letter = 0; letter < s.letters; ++letter) {
      T* profile = profiles_.data() + at;
      for (std::int64_t j = block.first; j < block.first + block.width; ++j) {
        const auto target = static_cast<unsigned char>(problem_.target[j - 1]);
        profile[place(b, j)] =
            static_cast<T>(s.scores[letter * s.letters + s.code[target]] - 2 * params_.gap_extend);
      }
      for (int c = 0; c < 256; ++c) {
        if (s.code[c] == letter) profile_of_[b * 256 + c] = profile;
      }
      at += count(b);
    }
  }
}

template <class T>
void Solver<T>::take_memory() {
  std::int64_t versions = 0;
  for (std::int64_t b = 0; b < std::ssize(blocks_); ++b) {
    versions_of_.push_back(versions);
    if (params_.alignment) versions += plan_.versions * row_size(b);
  }
  const std::int64_t rows = blocks_.size() > 1 ? plan_.rows : plan_.longest + 1;
  versions_ = Array<T>(versions);
  left_ = Array<T>(rows);
  left_gap_ = Array<T>(rows);
  scores_.assign(plan_.readings.size(), 0);
}

template <class T>
Row<T> Solver<T>::row_at(T* memory, std::int64_t block) const {
  const std::int64_t plane = stride(block) + kernels_.lanes;
  Row<T> row;
  row.best = memory;
  T* next = memory + plane;
  const auto take = [&] {
    T* here = next;
    next += plane;
    return here;
  };
  if (params_.alignment) row.best_low = take(), row.best_high = take();
  if (affine_) row.gap = take();
  if (affine_ && params_.alignment) row.gap_low = take(), row.gap_high = take();
  return row;
}

template <class T>
void Solver<T>::clear(const Row<T>& row, std::int64_t block) const {
  std::fill_n(row.best, row_size(block), range_.lowest);
}

// The row above a start. False if the scores of the rows to come may not fit.
template <class T>
bool Solver<T>::enter(
    std::int64_t block, const Start& start, const Row<T>& from, T* best, T* gap) const {
  const T open = static_cast<T>(params_.gap_open);
  const T entry = static_cast<T>(start.entry);
  const T* room = room_.data() + room_of_[block];
  const T none = static_cast<T>(range_.zero + start.begin);
  const T none_gap = static_cast<T>(none + open);
  const std::int64_t columns = stride(block);
  bool over = kernels_.enter(columns, best, from.best, entry, none_gap, room);
  if (block == 0) {
    over |= kernels_.enter(
        kernels_.lanes, best + columns, from.best + columns, entry, none, room + columns);
  }
  if (affine_) {
    over |= kernels_.enter(count(block), gap, from.gap, entry, range_.lowest, room);
    kernels_.merge(count(block), gap, nullptr, nullptr, best, open, 0, 0);
  }
  return !over;
}

// The column of no target letter: below the row above the start all bases are in gaps.
template <class T>
void Solver<T>::begin_left(
    const T* best, const T* gap, std::int64_t rows, T* left, T* left_gap) const {
  const T below = affine_ ? gap[stride(0)] : best[stride(0)];
  left[0] = best[stride(0)];
  std::fill_n(left + 1, rows, below);
  std::fill_n(left_gap, rows + 1, static_cast<T>(below + params_.gap_open));
}

template <class T>
void Solver<T>::read(std::int64_t block, const Reading& reading, BlockState<T>& state) {
  const std::int64_t index = &reading - plan_.readings.data();
  if (block + 1 == std::ssize(blocks_)) {
    const std::int64_t at = letters_ == 0 ? stride(0) : place(block, letters_);
    scores_[index] = std::int64_t{state.best[at]} - range_.zero +
                     std::int64_t{params_.gap_extend} * (reading.rows + letters_) + reading.end;
  }
  if (reading.slot < 0) return;
  const Row<T>& slot = state.slots[reading.slot];
  if (reading.fresh) clear(slot, block);
  const T added = range_.constant(params_.gap_extend * reading.rows + reading.exit);
  const T low = static_cast<T>(index & 0x7fff);
  const T high = static_cast<T>(index >> 15);
  kernels_.merge(
      count(block), slot.best, slot.best_low, slot.best_high, state.best.data(), added, low, high);
  if (!affine_) return;
  kernels_.merge(
      count(block), slot.gap, slot.gap_low, slot.gap_high, state.gap.data(), added, low, high);
}

template <class T>
void Solver<T>::run_start(std::int64_t block, std::int64_t index, BlockState<T>& state) {
  const Start& start = plan_.starts[index];
  for (std::int64_t e = start.ended_from; e < start.ended_to; ++e) {
    const Row<T>& to = state.running;
    const Row<T>& from = state.slots[plan_.ended[e]];
    kernels_.absorb(
        count(block), to.best, to.best_low, to.best_high, from.best, from.best_low, from.best_high);
    if (!affine_) continue;
    kernels_.absorb(
        count(block), to.gap, to.gap_low, to.gap_high, from.gap, from.gap_low, from.gap_high);
  }
  if (params_.alignment && state.version != start.version) {
    std::copy_n(state.running.best,
                row_size(block),
                versions_.data() + versions_of_[block] + start.version * row_size(block));
    state.version = start.version;
  }
  if (!enter(block, start, state.running, state.best.data(), state.gap.data())) overflow_ = true;

  const std::int64_t offset = blocks_.size() > 1 ? start.rows_before : 0;
  T* left = left_.data() + offset;
  T* left_gap = left_gap_.data() + offset;
  if (block == 0) {
    begin_left(state.best.data(), state.gap.data(), start.rows, left, left_gap);
    state.best[stride(0)] = left[1];
  }
  RowsTask<T> task;
  task.best = state.best.data();
  task.gap = state.gap.data();
  const bool followed = block + 1 < std::ssize(blocks_);
  std::int64_t done = 0;
  T corner = left[0];
  for (std::int64_t r = start.readings_from; r < start.readings_to; ++r) {
    const Reading& reading = plan_.readings[r];
    if (reading.rows > done) {
      task.rows = reading.rows - done;
      task.bases = problem_.bases.data() + start.first - 1 + done;
      task.left = left + done;
      task.left_gap = left_gap + done;
      task.right = followed ? left + done : nullptr;
      task.right_gap = followed ? left_gap + done : nullptr;
      // The last piece wrote its right column here; this one writes the same again at its end.
      left[done] = corner;
      corner = left[reading.rows];
      run_rows(task, block);
      done = reading.rows;
    }
    read(block, reading, state);
  }
}

template <class T>
bool Solver<T>::wait_for(std::int64_t block, std::int64_t start) const {
  if (block == 0) return true;
  const std::atomic<std::int64_t>& before = progress_[block - 1];
  for (int spins = 0; before.load(std::memory_order_acquire) <= start; ++spins) {
    if (failed_.load(std::memory_order_relaxed)) return false;
    if (overflow_.load(std::memory_order_relaxed)) return false;
    if (spins > 100) std::this_thread::yield();
  }
  return true;
}

template <class T>
void Solver<T>::run_block(std::int64_t block) {
  BlockState<T> state;
  const std::int64_t size = row_size(block);
  state.memory = Array<T>((plan_.slots + 1) * size);
  for (std::int64_t s = 0; s <= plan_.slots; ++s) {
    state.slots.push_back(row_at(state.memory.data() + s * size, block));
  }
  state.running = state.slots.back();
  clear(state.running, block);
  const std::int64_t columns = stride(block) + kernels_.lanes;
  state.best = Array<T>::zeros(columns);
  state.gap = Array<T>::zeros(affine_ ? columns : 0);
  for (std::int64_t s = 0; s < std::ssize(plan_.starts); ++s) {
    if (!wait_for(block, s) || overflow_.load(std::memory_order_relaxed)) break;
    run_start(block, s, state);
    progress_[block].store(s + 1, std::memory_order_release);
    state.cells += static_cast<double>(plan_.starts[s].rows * blocks_[block].width);
    if (state.cells < 1e7) continue;
    tell(state.cells);
    state.cells = 0;
  }
  tell(state.cells);
}

// Workers take blocks from left to right, so that the block one waits for is always being worked on
// or done, however many of them really run.
template <class T>
void Solver<T>::run_blocks() {
  progress_ = std::vector<std::atomic<std::int64_t>>(blocks_.size());
  std::atomic<std::int64_t> next{0};
  const auto work = [&] {
    try {
      for (std::int64_t b = next++; b < std::ssize(blocks_) && !failed_; b = next++) run_block(b);
    } catch (...) {
      failed_ = true;
      throw;
    }
  };
  if (workers_ == 1 || blocks_.size() == 1) {
    work();
  } else {
    context_.parallel_for(workers_, 1, [&](std::int64_t, std::int64_t) { work(); });
  }
}

template <class T>
bool Solver<T>::solve(Stage* stage, SplicedAlignment& result) {
  if (!range_.fits) return false;
  stage_ = stage;
  cut_blocks(tuning_);
  make_profiles();
  take_memory();
  run_blocks();
  if (overflow_) return false;
  result.executed_cells = plan_.cells(letters_);
  std::int64_t best = -1;
  for (std::int64_t r = 0; r < std::ssize(plan_.readings); ++r) {
    if (best >= 0 && scores_[r] < scores_[best]) continue;
    if (best < 0 || scores_[r] > scores_[best] ||
        plan_.readings[r].rank < plan_.readings[best].rank) {
      best = r;
    }
  }
  if (best < 0) {
    result.score = letters_ == 0 ? 0 : params_.gap_open + params_.gap_extend * letters_;
    return true;
  }
  result.score = scores_[best];
  if (params_.alignment) {
    const double begin = cpu_seconds();
    const Trace trace = trace_back(best);
    result.chain = trace.chain;
    result.traced_cells = trace.cells;
    if (tuning_.trace_seconds != nullptr) *tuning_.trace_seconds = cpu_seconds() - begin;
  }
  return true;
}

std::int64_t score_bytes(const Case& problem, const AlignParams& params) {
  return Range<std::int16_t>(problem, params).fits ? sizeof(std::int16_t) : sizeof(std::int32_t);
}

template class Solver<std::int16_t>;
template class Solver<std::int32_t>;

}  // namespace yupana::splice::cpu
