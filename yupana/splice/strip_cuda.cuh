#pragma once

#include <cstdint>
#include <type_traits>

#include "yupana/splice/block_view_cuda.cuh"
#include "yupana/splice/row_cuda.cuh"
#include "yupana/splice/words_cuda.cuh"

/// Private to the family: a warp at work on one block of one case. `Scores` is Packed4, Packed8 or
/// Wide with the columns of a strip.
///
/// Scores are X(i,j) = S(i,j) - extend (i + j) + zero, as on the CPU: a cell with linear gaps is
/// one addition and two maxima. `gap` is the best gap of bases into the next row.
namespace yupana::splice::cuda {

/// What a sweep over the rows of a start leaves behind on its way.
enum class Keep { nothing, marks, everything };

template <class Scores, bool affine, int columns>
struct Strip {
  static constexpr int halves = Scores::halves;
  static constexpr bool two_planes = halves == 1 && affine;
  /// Steps that a lane's last column has to reach the next lane, besides one: narrow strips have
  /// less to do in a step than the way takes.
  static constexpr int lag = columns == 2 ? 1 : 0;
  Scores scores;
  std::uint32_t best[columns];
  std::uint32_t gap[affine ? columns : 1];
  std::uint32_t room = 0;  ///< values beyond it may overflow on the way to the last column

  __device__ static std::int32_t virtual_lanes(const BlockView& view) {
    return halves * view.lanes;
  }
  /// Steps that a virtual lane is behind the first.
  __device__ static std::int32_t delay(std::int32_t v) { return v + v / halves * lag; }
  __device__ static std::int32_t first_column(const BlockView& view) {
    return view.block * virtual_lanes(view) * columns;
  }
  __device__ static std::int32_t column_of(const BlockView& view, int c, int half) {
    return first_column(view) + (halves * view.lane + half) * columns + c;
  }

  __device__ std::uint64_t scores_of(const DeviceBatch& batch, const DeviceCase& c, int j) const {
    if (j == 0 || j > c.letters) return 0xc0c0c0c0c0c0c0c0u;  // -64: never worth it
    return batch.column_scores[c.scores + batch.targets[c.target + j - 1]];
  }
  __device__ void fill_table(const DeviceBatch& batch, const BlockView& view) const {
    const DeviceCase& c = *view.problem;
    auto* table = reinterpret_cast<std::int32_t*>(view.state - view.lane + c.table);
    table += view.lane * columns;
    for (int base = 0; base <= batch.letters; ++base) {
      for (int i = 0; i < columns; ++i) {
        const int j = column_of(view, i, 0);
        const bool real = j > 0 && j <= c.letters;
        const int score =
            base == batch.letters ? 0
            : real ? batch.substitution[base * batch.letters + batch.targets[c.target + j - 1]]
                   : -(1 << 28);
        table[std::int64_t{base} * 32 * columns + i] = score;
      }
    }
  }
  /// `fill`: tables in memory are written, once for each block.
  __device__ void prepare(const DeviceBatch& batch, const BlockView& view, bool fill) {
    const DeviceCase& c = *view.problem;
    if constexpr (Scores::width == Width::wide) {
      if (fill) fill_table(batch, view);
      scores.table = reinterpret_cast<const std::int32_t*>(view.state - view.lane + c.table) +
                     view.lane * columns;
    } else {
#pragma unroll
      for (int i = 0; i < columns; ++i) {
        scores.set(i,
                   scores_of(batch, c, column_of(view, i, 0)),
                   scores_of(batch, c, column_of(view, i, 1)));
      }
    }
    const auto room_at = [&](int half) {
      const std::int64_t after = max(0, c.letters - column_of(view, 0, half));
      const std::int64_t left = Scores::highest - after * c.gain;
      return static_cast<std::int32_t>(max(left, std::int64_t{Scores::lowest}));
    };
    room = Scores::pair(room_at(0), room_at(1));
  }

  /// Rows of a block's state, in planes.
  __device__ static std::int64_t row_words(bool alignment) {
    return row_planes(halves, affine, alignment) * columns * 32;
  }
  __device__ static std::int64_t gap_plane(bool alignment) {
    return (alignment ? 1 + halves : 1) * columns * 32;
  }
  /// The state of a block: slots, the running row, and, for the traceback, its versions.
  __device__ static std::int64_t version_at(const BlockView& view, int version) {
    return (view.problem->slots + 1 + version) * row_words(true);
  }

  using Row = StripRow<Scores, affine, columns>;
  __device__ __forceinline__ Row own_row() const {
    Row row;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      row.best[c] = best[c];
      if constexpr (affine) row.gap[c] = gap[c];
    }
    return row;
  }
  __device__ static Row load_row(const std::uint32_t* row, bool alignment) {
    return Row::load(row, gap_plane(alignment));
  }

  /// The row above a start. False if the scores of the rows to come may not fit.
  __device__ bool enter(const DeviceBatch& batch,
                        const BlockView& view,
                        const DeviceStart& start,
                        const Row& ended) {
    const std::uint32_t open = Scores::change(batch.open);
    const std::uint32_t none = Scores::all(start.none + batch.open);
    std::uint32_t over = 0;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      std::uint32_t alone = none;
      if (c == 0 && column_of(view, 0, 0) == 0) {
        alone = Scores::pair(start.none, start.none + batch.open);
      }
      best[c] = Scores::larger(Scores::add_saturated(ended.best[c], start.entry), alone);
      over |= Scores::greater(Scores::larger(best[c], ended.best[c]), room);
      if constexpr (affine) {
        gap[c] = Scores::larger(Scores::add_saturated(ended.gap[c], start.entry),
                                Scores::add(best[c], open));
      }
    }
    return over == 0;
  }

  /// What a lane meets `at` this place of a program: what chooses scores and, of a start with
  /// marks, which rows are read.
  __device__ static void fetch_letter(
      const DeviceBatch& batch, const BlockView& view, std::int64_t at, bool marks, Arrivals& a) {
    a.selector = view.program[at];
    if (!marks) return;
    const std::uint8_t* bases = batch.bases + view.problem->program + at;
    a.low = bases[0];
    a.high = bases[-1];
  }
  __device__ static std::uint32_t joined(const Arrivals& a) {
    return a.selector | (a.low & std::uint32_t{base_is_read}) * (low_is_read / base_is_read) |
           (a.high & std::uint32_t{base_is_read}) * (high_is_read / base_is_read);
  }

  /// What a sweep begins with, on its way while other things are done.
  __device__ static Arrivals fetch(const DeviceBatch& batch,
                                   const BlockView& view,
                                   const DeviceStart& start,
                                   std::int32_t rows) {
    Arrivals a;
    a.corner = a.told = a.gap_told = written | Scores::all(Scores::floor);
    fetch_letter(batch, view, start.position + view.lane, start.marks > 0, a);
    if (view.left == nullptr) return a;
    const std::uint64_t* left = view.left + start.position;
    a.corner = load_word(left - 1);
    if (view.lane < rows) {
      a.told = load_word(left + view.lane);
      if (two_planes) a.gap_told = load_word(left + view.length + view.lane);
    }
    return a;
  }

  /// Rows [0, rows) behind the position; all lanes are done with them at the end. `ring` is shared
  /// memory of this warp: letters on their way along the lanes. `arrivals` are of this start and
  /// then, if there is one, of the next. kept: marks, or all rows from kept_from.
  template <Keep keep>
  __device__ void sweep(const DeviceBatch& batch,
                        const BlockView& view,
                        const DeviceStart& start,
                        std::int32_t rows,
                        Arrivals& arrivals,
                        const DeviceStart& next,
                        bool has_next,
                        std::uint32_t* ring,
                        std::uint32_t* kept,
                        std::int64_t kept_from);

 private:
  __device__ static void exchange(std::uint32_t& a, std::uint32_t& b) {
    const std::uint32_t kept = a;
    a = b;
    b = kept;
  }
  __device__ __forceinline__ void step(std::uint32_t selector,
                                       std::uint32_t idle,
                                       std::uint32_t left,
                                       std::uint32_t& diagonal,
                                       std::uint32_t& letters_gap,
                                       std::uint32_t open) {
    scores.choose(selector);
    std::uint32_t above = diagonal;
    diagonal = left;
    std::uint32_t own = 0;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      const std::uint32_t old = best[c];
      if constexpr (affine) {
        // A gap of letters behind another only pays for opening again: the next one begins at
        // the cell without, and the way along the strip is one instruction a column, not two.
        const std::uint32_t paired = Scores::pair_larger(above, scores.score(c, selector), gap[c]);
        std::uint32_t now = Scores::larger(paired, letters_gap);
        letters_gap = Scores::add_larger(paired, open, letters_gap);
        now = (old & idle) | (now & ~idle);
        gap[c] = Scores::add_larger(now, open, gap[c]);
        best[c] = now;
      } else {
        const std::uint32_t now = Scores::pair_larger(above, scores.score(c, selector), old);
        if constexpr (columns <= 4) {
          // What comes from the left meets the maximum of the strip's own cells at the end: one
          // maximum more a cell, but the last cell waits for the neighbour by one only.
          own = c == 0 ? now : Scores::larger(now, own);
          best[c] = Scores::larger(own, left);
        } else {
          own = Scores::larger(now, c == 0 ? left : own);
          best[c] = own;
        }
      }
      above = old;
    }
  }

  __device__ __forceinline__ void put(std::uint32_t* to) const {
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      to[c * 32] = best[c];
      if constexpr (affine) to[(columns + c) * 32] = gap[c];
    }
  }
};

template <class Scores, bool affine, int columns>
template <Keep keep>
__device__ void Strip<Scores, affine, columns>::sweep(const DeviceBatch& batch,
                                                      const BlockView& view,
                                                      const DeviceStart& start,
                                                      std::int32_t rows,
                                                      Arrivals& arrivals,
                                                      const DeviceStart& next,
                                                      bool has_next,
                                                      std::uint32_t* ring,
                                                      std::uint32_t* kept,
                                                      std::int64_t kept_from) {
  const std::int64_t plane = view.length;
  const std::uint32_t open = Scores::change(batch.open);
  const int letters = batch.letters;
  const bool first_lane = view.lane == 0;
  const std::uint32_t chooser = Scores::chooser(first_lane);
  const std::int32_t ramp = delay(virtual_lanes(view) - 1);
  const std::int32_t steps = rows + ramp;
  // Lanes without columns read the letters of the last that has some: all are letters.
  const std::int32_t behind = delay(halves * min(view.lane, view.lanes - 1));
  // Few sweeps need to know which rows are read: letters of 16 bits meet in no bank.
  using Letter = std::conditional_t<keep == Keep::marks, std::uint32_t, std::uint16_t>;
  auto* const letters_here = reinterpret_cast<Letter*>(ring);
  const std::int64_t position = start.position + view.lane;
  const std::uint64_t* left =
      view.left != nullptr ? view.left + start.position + view.lane : nullptr;
  std::uint64_t* right = view.right != nullptr && view.lane == view.lanes - 1
                             ? view.right + start.position - ramp
                             : nullptr;

  __syncwarp();
#pragma unroll
  for (int i = 64; i < ring_size; i += 32) {
    letters_here[i + view.lane] = letters_here[i + view.lane + ring_size] =
        Scores::no_base(letters);
  }
  // The cell above and to the left of the block's first.
  const std::uint32_t corner =
      Scores::best_told(settle(batch, arrivals.corner, left - view.lane - 1));
  const std::uint32_t beside = __shfl_up_sync(all_lanes, best[columns - 1], 1);
  std::uint32_t diagonal = Scores::join(first_lane ? corner : beside, best[columns - 1]);
  std::uint32_t letters_gap = Scores::all(Scores::floor);
  std::uint32_t on_its_way = beside, gap_on_its_way = letters_gap;
  constexpr bool marks = keep == Keep::marks;
  Arrivals arriving = arrivals;
  std::uint64_t told_next = arrivals.told, gap_next = arrivals.gap_told;
  std::int32_t marked = 0;  // words
  Row low;                  // of a mark, whose high half is right a step later
  if (keep == Keep::everything && kept_from == 0) put(kept);
  for (std::int32_t begin = 0; begin < steps; begin += 32) {
    if (begin % 65536 == 32768 && __any_sync(all_lanes, stopped(batch))) break;
    // What arrived, and the next on its way.
    const int place = (begin + view.lane) % ring_size;
    letters_here[place] = letters_here[place + ring_size] =
        marks ? static_cast<Letter>(joined(arriving)) : arriving.selector;
    fetch_letter(batch, view, position + begin + 32, marks, arriving);
    const std::uint32_t told = settle(batch, told_next, left + begin);
    std::uint32_t gap_told = told;
    if constexpr (two_planes) gap_told = settle(batch, gap_next, left + plane + begin);
    told_next = gap_next = written | Scores::all(Scores::floor);
    if (left != nullptr && begin + 32 + view.lane < rows) {
      told_next = load_word(left + begin + 32);
      if constexpr (two_planes) gap_next = load_word(left + plane + begin + 32);
    }
    // The last letters are on their way along the lanes: time to send for the next start's.
    if (has_next && begin + 32 >= steps) arrivals = fetch(batch, view, next, next.rows);
    __syncwarp();
    const Letter* letters_of_lane = letters_here + (begin - behind + 2 * ring_size) % ring_size;
    std::uint64_t* out = right != nullptr ? right + begin : nullptr;
    const auto do_step = [&](std::int32_t u, std::uint32_t letter) {
      const std::int32_t t = begin + u;
      const std::uint32_t selector = keep == Keep::marks ? letter & 0xffff : letter;
      std::uint32_t before = __shfl_up_sync(all_lanes, best[columns - 1], 1);
      const std::uint32_t first = __shfl_sync(all_lanes, told, u);
      std::uint32_t neighbour;
      if constexpr (lag == 1) {
        exchange(before, on_its_way);
        neighbour = Scores::join(first_lane ? first : before, best[columns - 1]);
      } else {
        neighbour = Scores::join_best(before, best[columns - 1], first, chooser);
      }
      if constexpr (affine) {
        std::uint32_t gap_before = __shfl_up_sync(all_lanes, letters_gap, 1);
        const std::uint32_t first_gap = two_planes ? __shfl_sync(all_lanes, gap_told, u) : first;
        if constexpr (lag == 1) exchange(gap_before, gap_on_its_way);
        letters_gap = Scores::join_gap(gap_before, letters_gap, first_gap, chooser);
      }
      const std::uint32_t idle = affine ? Scores::idle(selector, letters) : 0;
      step(selector, idle, neighbour, diagonal, letters_gap, open);
      if (out != nullptr) {
        if constexpr (two_planes) {
          store_word(out + u, best[columns - 1]);
          store_word(out + plane + u, letters_gap);
        } else {
          store_word(out + u, Scores::told(best[columns - 1], letters_gap));
        }
      }
      if constexpr (keep == Keep::marks) {
        // Chosen, not branched to: each lane is at a row of its own.
        const Row now = own_row();
        if constexpr (halves == 2) {
          const bool is_low = (letter & low_is_read) != 0, is_high = (letter & high_is_read) != 0;
          if (is_high) Row::halves_of(low, now).put_mark(kept + marked);
          marked += is_high ? Row::mark_words : 0;
          low = Row::chosen(is_low, now, low);
        } else if ((letter & low_is_read) != 0) {
          now.put_mark(kept + marked);
          marked += Row::mark_words;
        }
      }
      if constexpr (keep == Keep::everything) {
        if (t + 1 >= kept_from) put(kept + (t + 1 - kept_from) * Row::mark_words);
      }
    };
    // Pieces without a branch between.
    constexpr std::int32_t piece = columns == 2 && keep == Keep::nothing ? 8 : 4;
    std::int32_t count = min(32, steps - begin);
    // Steps behind the last have no base: they change nothing, and cost less than odd ones.
    if constexpr (piece == 8) count = (count + piece - 1) / piece * piece;
    std::int32_t u = 0;
#pragma unroll 1
    for (; u + piece <= count; u += piece) {
      // Letters before the rows that are stored: for all the compiler knows they may lie there.
      std::uint32_t some[piece];
#pragma unroll
      for (std::int32_t v = 0; v < piece; ++v) {
        if (marks) some[v] = letters_of_lane[u + v];
      }
#pragma unroll
      for (std::int32_t v = 0; v < piece; ++v) {
        do_step(u + v, marks ? some[v] : letters_of_lane[u + v]);
      }
    }
#pragma unroll 1
    for (; u < count; ++u) do_step(u, letters_of_lane[u]);
  }
}

}  // namespace yupana::splice::cuda
