#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "yupana/core/error.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/splice/checks.hpp"
#include "yupana/splice/launch_cuda.hpp"
#include "yupana/splice/prepare_cuda.hpp"

namespace yupana::splice::cuda {
namespace {

constexpr std::int64_t most_letters = 1 << 29;

struct Largest {
  std::int64_t begin = 0, entry = 0, size = 0;  ///< least begin; greatest entry; greatest size
};

Largest largest(const Case& problem, const AlignParams& params) {
  Largest l;
  for (const Exon& exon : problem.exons) {
    l.begin = std::min<std::int64_t>(l.begin, exon.begin);
    l.entry = std::max<std::int64_t>(l.entry, exon.entry);
    for (const std::int32_t x : {exon.begin, exon.entry, exon.exit}) {
      l.size = std::max(l.size, std::abs(std::int64_t{x}));
    }
  }
  l.size = std::max<std::int64_t>(l.size, -std::int64_t{params.gap_open});
  return l;
}

std::int64_t gain_of(const AlignParams& params) {
  const std::int64_t extend = params.gap_extend;
  return std::max<std::int64_t>(0, params.substitution.highest() - 2 * extend);
}

Limits packed_limits(const Case& problem, const AlignParams& params, bool halves) {
  Limits limits;
  const Largest l = largest(problem, params);
  const std::int64_t gain = gain_of(params), gains = gain * std::ssize(problem.target);
  // 512: a score of a column is at least -128, and the device's floor lies 256 above the lowest.
  const std::int64_t margin = 512 + l.entry - l.begin - std::int64_t{4} * params.gap_open;
  limits.fits = l.size <= 4000 && (halves ? margin <= 12000 && gains <= 31000 - margin
                                          : margin <= 24000 && gains <= 64000 - margin);
  const int most = halves ? 63 : INT8_MAX;
  for (const int score : params.substitution.scores) {
    const std::int64_t stored = score - std::int64_t{2} * params.gap_extend;
    limits.fits = limits.fits && stored >= -most - 1 && stored <= most;
  }
  if (limits.fits) {
    limits.zero = static_cast<std::int32_t>((halves ? 0 : INT16_MIN) + margin);
    limits.gain = static_cast<std::int32_t>(gain);
  }
  return limits;
}

Limits wide_limits(const Case& problem, const AlignParams& params) {
  Limits limits;
  const std::int64_t gain = gain_of(params);
  limits.fits = gain * std::ssize(problem.target) < (1 << 29);
  limits.gain = static_cast<std::int32_t>(gain);
  return limits;
}

void find_marks(PreparedCase& c) {
  for (const Start& start : c.plan.starts) {
    const auto from = std::ssize(c.marks);
    c.marks_from.push_back(static_cast<std::int32_t>(from));
    for (std::int64_t r = start.readings_from; r < start.readings_to; ++r) {
      const std::int64_t rows = c.plan.readings[r].rows;
      const bool known = std::ssize(c.marks) > from && c.marks.back() == rows;
      if (rows < start.rows && !known) c.marks.push_back(static_cast<std::int32_t>(rows));
    }
    c.most_marks = std::max<std::int64_t>(c.most_marks, std::ssize(c.marks) - from);
  }
  c.marks_from.push_back(static_cast<std::int32_t>(c.marks.size()));
}

// Which letters the bases of exons are; in the program they are numbered in order of their codes.
void find_letters(PreparedCase& c, const Case& problem, const AlignParams& params) {
  // A bit a code, the last for all beyond.
  const auto bit_of = [&](char base) {
    return std::uint64_t{1} << std::min<int>(
               63, params.substitution.code[static_cast<unsigned char>(base)]);
  };
  std::uint64_t seen = 0;
  constexpr std::string_view four = "ACGT";
  c.plain = std::all_of(four.begin(), four.end(), [&](char base) {
    return bit_of(base) == bit_of(static_cast<char>(base | 0x20));
  });
  for (const Start& start : c.plan.starts) {
    const std::string_view bases = problem.bases.substr(static_cast<std::size_t>(start.first - 1),
                                                        static_cast<std::size_t>(start.rows));
    const BaseSet set = base_set(bases);
    if (c.plain && set.other == 0) {
      seen |= (set.a ? bit_of('A') : 0) | (set.c ? bit_of('C') : 0) | (set.g ? bit_of('G') : 0) |
              (set.t ? bit_of('T') : 0);
    } else {
      c.plain = false;  // from here on, all of them by the table
      for (const char base : bases) seen |= bit_of(base);
    }
  }
  c.letter_of.fill(Substitution::no_letter);
  c.base_letters = seen >> 63 != 0 ? 9 : std::min(9, std::popcount(seen));
  int letter = 0;
  for (int code = 0; code < 63 && letter < 8; ++code) {
    if ((seen >> code & 1) == 0) continue;
    c.code_of[letter] = static_cast<std::uint8_t>(code);
    c.letter_of[code] = static_cast<std::uint8_t>(letter++);
  }
}

/// What its shape and its time depend on.
struct Extent {
  double starts = 0, rows = 0;
  std::int64_t letters = 0;
  Width width = Width::packed4;
};

Extent extent_of(const PreparedCase& c) {
  const auto starts = static_cast<double>(c.plan.starts.size());
  return {starts, static_cast<double>(c.plan.rows) - starts, c.letters, c.width};
}

/// Strips of 2 are 3 steps a lane behind the first, and no more than program_gap in all.
constexpr int lanes_of_narrow = 16;

StripShape shape_of(const Extent& c, int columns, int lanes) {
  const int halves = halves_of(c.width);
  const std::int64_t positions = c.letters + 1;
  if (columns == 2 && c.width == Width::wide) columns = 4;
  if (columns == 2) lanes = std::min(lanes, lanes_of_narrow);
  StripShape shape;
  shape.columns = columns;
  shape.blocks =
      static_cast<std::int32_t>(divide_up(positions, std::int64_t{halves} * lanes * columns));
  // Of two lanes at least: what a block tells the next begins with the row above its first.
  shape.lanes = static_cast<std::int32_t>(std::max<std::int64_t>(
      2, divide_up(positions, std::int64_t{shape.blocks} * halves * columns)));
  return shape;
}

/// Cycles, counted from the kernels' instructions: of the issue slots of a scheduler, and of one
/// step after the other where a warp is alone.
struct Cycles {
  double work = 0;
  double alone = 0;
};

Cycles cycles_of(const Extent& c, const StripShape& shape, const AlignParams& params) {
  const bool affine = params.gap_open != 0;
  const bool narrowest = shape.columns == 2;
  const int lanes = halves_of(c.width) * shape.lanes + (narrowest ? shape.lanes - 1 : 0);
  const double steps = c.rows + c.starts * (lanes - 1);
  const double wide = c.width == Width::packed4 ? 1 : 1.6;
  Cycles cycles;
  const double narrow = narrowest ? 1.5 : shape.columns == 4 ? 1.3 : 1;
  const double step_work =
      2 * (narrow * wide * (affine ? 6 : 3) * shape.columns + (affine ? 16 : 8));
  // Measured with one case of 1,878 exons alone on the device.
  const double step_alone = narrowest            ? (affine ? 75 : 56) * wide
                            : shape.columns == 4 ? (affine ? 106 : 80) * wide
                                                 : (affine ? 157 : 112) * wide;
  cycles.work = (steps * step_work + c.starts * 80 * shape.columns) * shape.blocks;
  // A block more is a column more to clear, to keep and for the traceback to cross: 5 us.
  cycles.alone = steps * step_alone + c.starts * 1500 +
                 shape.blocks * ((lanes + 80) * step_alone + (params.alignment ? 10'000 : 3'000));
  return cycles;
}

}  // namespace

PreparedCase prepare(const Case& problem,
                     const AlignParams& params,
                     const Tuning& tuning,
                     bool halves) {
  PreparedCase c;
  if (std::ssize(problem.target) > most_letters) {
    throw Error(ErrorCode::bad_input,
                fmt::format("splice: {} target letters; the GPU takes {} at most, use --device cpu",
                            problem.target.size(),
                            most_letters));
  }
  if (params.substitution.letters >= base_is_read) {
    throw Error(ErrorCode::bad_input,
                fmt::format("splice: a substitution matrix of {} letters; the GPU takes {} at "
                            "most, use --device cpu",
                            params.substitution.letters,
                            base_is_read - 1));
  }
  c.letters = static_cast<std::int32_t>(problem.target.size());
  c.plan = make_plan(problem.exons, params.min_intron);
  if (c.plan.longest > most_letters || c.plan.readings.size() > std::size_t{INT32_MAX} / 2) {
    throw Error(ErrorCode::bad_input,
                fmt::format("splice: {} exons of up to {} bases; the GPU takes {} and {} at most, "
                            "use --device cpu",
                            c.plan.readings.size(),
                            c.plan.longest,
                            INT32_MAX / 2,
                            most_letters));
  }
  find_marks(c);
  find_letters(c, problem, params);
  const auto starts = std::ssize(c.plan.starts);
  c.length = c.plan.rows - starts + program_gap * (starts + 1);
  c.limits = packed_limits(problem, params, halves);
  c.width = c.base_letters <= 4 && !tuning.eight_letters ? Width::packed4 : Width::packed8;
  if (tuning.wide || c.base_letters > 8 || !c.limits.fits) widen(c, problem, params);
  return c;
}

void widen(PreparedCase& c, const Case& problem, const AlignParams& params) {
  c.width = Width::wide;
  c.limits = wide_limits(problem, params);
  if (c.limits.fits) return;
  throw Error(ErrorCode::bad_input,
              fmt::format("splice: scores against {} target letters do not fit 32 bits; give "
                          "smaller scores",
                          problem.target.size()));
}

RoughCase rough_case(const Case& problem, const AlignParams& params) {
  // Exons of one start stand side by side if they are in order, and mostly they are.
  Extent extent;
  extent.letters = std::ssize(problem.target);
  const auto exons = std::ssize(problem.exons);
  for (std::int64_t k = 0; k < exons;) {
    const std::int64_t first = problem.exons[static_cast<std::size_t>(k)].first;
    std::int64_t rows = 0;
    for (; k < exons && problem.exons[static_cast<std::size_t>(k)].first == first; ++k) {
      rows = std::max(rows, problem.exons[static_cast<std::size_t>(k)].length());
    }
    extent.rows += static_cast<double>(rows);
    extent.starts += 1;
  }
  RoughCase rough;
  rough.work = cycles_of(extent, shape_of(extent, 8, 32), params).work;
  rough.cells = extent.rows * static_cast<double>(extent.letters);
  rough.upload = extent.rows + extent.starts * (program_gap + sizeof(DeviceStart)) +
                 static_cast<double>(exons) * sizeof(DeviceReading);
  return rough;
}

void choose_shapes(Context& context,
                   std::span<PreparedCase> cases,
                   const AlignParams& params,
                   const Tuning& tuning,
                   double work,
                   std::int64_t schedulers) {
  static constexpr int forms[][2] = {
      {8, 32}, {4, 32}, {4, 16}, {4, 8}, {2, 16}, {4, 4}, {2, 8}, {2, 4}};
  const double share = work / static_cast<double>(schedulers);
  const auto choose = [&](PreparedCase& c) {
    const Extent extent = extent_of(c);
    if (tuning.columns > 0) {
      c.shape = shape_of(extent, tuning.columns, tuning.lanes);
      return;
    }
    // Of the shapes that end in time the one with the least work, or else the fastest.
    double least = HUGE_VAL;
    for (const auto& [columns, lanes] : forms) {
      const StripShape shape = shape_of(extent, columns, lanes);
      const Cycles cycles = cycles_of(extent, shape, params);
      const double time = std::max(cycles.alone, cycles.work / static_cast<double>(schedulers));
      const double cost = time <= share ? cycles.work : 1e30 * time;
      if (cost >= least) continue;
      least = cost;
      c.shape = shape;
    }
  };
  context.parallel_for(
      std::ssize(cases), 64, [&](std::int64_t i) { choose(cases[static_cast<std::size_t>(i)]); });
}

BlockWords block_words(const PreparedCase& c, const AlignParams& params) {
  const bool affine = params.gap_open != 0;
  const std::int64_t plane = std::int64_t{32} * c.shape.columns;
  const int halves = halves_of(c.width);
  BlockWords words;
  const std::int64_t rows = c.plan.slots + 1 + (params.alignment ? c.plan.versions : 0);
  words.rows = rows * row_planes(halves, affine, params.alignment) * plane;
  words.stage = c.most_marks * (affine ? 2 : 1) * plane;
  if (c.width == Width::wide) words.table = (params.substitution.letters + 1) * plane;
  return words;
}

// Between two runs that take target letters stands at most one of bases, an exon's marker splits
// one.
std::int64_t path_words(const PreparedCase& c) {
  return 2 * std::int64_t{c.letters} + 4 * std::ssize(c.plan.starts) + 8;
}

std::int64_t upload_bytes(const PreparedCase& c) {
  return c.length + c.letters +
         static_cast<std::int64_t>(c.plan.starts.size() * sizeof(DeviceStart) +
                                   c.plan.readings.size() * sizeof(DeviceReading) +
                                   c.shape.blocks * sizeof(WorkItem)) +
         4 * std::ssize(c.plan.ended);
}

std::uint64_t device_bytes(const PreparedCase& c, const AlignParams& params) {
  const bool affine = params.gap_open != 0;
  const std::int64_t planes = c.width == Width::wide && affine ? 2 : 1;
  std::int64_t bytes = upload_bytes(c) + 2 * c.length + 1024;
  bytes += 8 * planes * (c.shape.blocks - 1) * c.length;
  bytes += 4 * block_words(c, params).total() * c.shape.blocks;
  if (params.alignment) bytes += 4 * path_words(c);
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace yupana::splice::cuda
