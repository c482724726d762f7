#include <algorithm>
#include <cstring>

#include "yupana/core/tiles.hpp"
#include "yupana/splice/pack_cuda.hpp"

namespace yupana::splice::cuda {
namespace {

/// Selectors of no base, for packed scores.
constexpr std::uint8_t no_base = 0x08;

/// to[i] = codes[bases[i]] of bases that are A, C, G or T: choices between bytes, many at a time.
void put_plain(const char* bases,
               std::int64_t count,
               const std::array<std::uint8_t, 256>& codes,
               std::uint8_t* __restrict__ to) {
  const std::uint8_t a = codes['A'], c = codes['C'], g = codes['G'], t = codes['T'];
  const auto mask = [](bool holds) { return static_cast<std::uint8_t>(-std::uint8_t{holds}); };
  for (std::int64_t i = 0; i < count; ++i) {
    const auto lower = static_cast<std::uint8_t>(bases[i] | 0x20);
    to[i] = static_cast<std::uint8_t>((mask(lower == 'a') & a) | (mask(lower == 'c') & c) |
                                      (mask(lower == 'g') & g) | (mask(lower == 't') & t));
  }
}

}  // namespace

PackedBatch::PackedBatch(std::span<const BatchCase> cases, const AlignParams& params)
    : cases_(cases), params_(params), affine_(params.gap_open != 0) {
  lay_out();
}

void PackedBatch::fill(Context& context, std::uint8_t* memory) {
  memory_ = memory;
  auto* scores = at<std::int32_t>(layout_.substitution);
  for (const int score : params_.substitution.scores) *scores++ = score - 2 * params_.gap_extend;
  context.parallel_for(
      std::ssize(cases_), 2, [&](std::int64_t i) { fill_case(static_cast<std::size_t>(i)); });
}

void PackedBatch::lay_out() {
  std::int64_t starts = 0, readings = 0, ended = 0, targets = 0;
  for (const BatchCase& batch_case : cases_) {
    const PreparedCase& p = *batch_case.prepared;
    const BlockWords words = block_words(p, params_);
    const std::int64_t planes = p.width == Width::wide && affine_ ? 2 : 1;
    DeviceCase c;
    c.program = layout_.program, c.length = p.length;
    c.boundaries = layout_.boundaries;
    c.state = layout_.state, c.block_words = words.total();
    c.stage = words.rows, c.mark_words = words.stage, c.table = words.rows + words.stage;
    c.starts = starts, c.readings = readings, c.ended = ended;
    c.target = targets;
    c.scores = std::ssize(device_cases_) * params_.substitution.letters;
    c.start_count = static_cast<std::int32_t>(p.plan.starts.size());
    c.letters = p.letters;
    c.blocks = p.shape.blocks, c.lanes = p.shape.lanes, c.columns = p.shape.columns;
    c.slots = static_cast<std::int32_t>(p.plan.slots);
    c.gain = p.limits.gain;
    first_item_.push_back(layout_.item_count);
    device_cases_.push_back(c);
    layout_.program += c.length;
    layout_.boundaries += (c.blocks - 1) * planes * c.length;
    layout_.state += c.blocks * c.block_words;
    layout_.item_count += c.blocks;
    layout_.words += path_words(p);
    layout_.path_words = std::max(layout_.path_words, path_words(p));
    starts += c.start_count;
    readings += std::ssize(p.plan.readings);
    ended += std::ssize(p.plan.ended);
    targets += c.letters;
  }
  const auto take = [&](std::int64_t count, std::size_t size) {
    const std::int64_t here = layout_.bytes;
    layout_.bytes = round_up(here + count * static_cast<std::int64_t>(size), 16);
    return here;
  };
  const std::int64_t letters = params_.substitution.letters;
  layout_.cases = take(std::ssize(cases_), sizeof(DeviceCase));
  layout_.starts = take(starts, sizeof(DeviceStart));
  layout_.readings = take(readings, sizeof(DeviceReading));
  layout_.ended = take(ended, sizeof(std::int32_t));
  layout_.items = take(layout_.item_count, sizeof(WorkItem));
  layout_.column_scores = take(std::ssize(cases_) * letters, sizeof(std::uint64_t));
  layout_.substitution = take(letters * letters, sizeof(std::int32_t));
  layout_.targets = take(targets, 1);
  layout_.bases = take(layout_.program, 1);
}

void PackedBatch::fill_case(std::size_t index) {
  const DeviceCase& c = device_cases_[index];
  const PreparedCase& prepared = *cases_[index].prepared;
  const Case& problem = *cases_[index].problem;
  at<DeviceCase>(layout_.cases)[index] = c;
  auto* items = at<WorkItem>(layout_.items) + first_item_[index];
  for (std::int32_t b = 0; b < c.blocks; ++b) items[b] = {static_cast<std::int32_t>(index), b};
  fill_starts(c, prepared, problem);
  fill_readings(c, prepared);
  fill_letters(c, prepared, problem);
}

void PackedBatch::fill_starts(const DeviceCase& c,
                              const PreparedCase& prepared,
                              const Case& problem) {
  const bool wide = prepared.width == Width::wide;
  std::array<std::uint8_t, 256> base{};
  for (int character = 0; character < 256; ++character) {
    const std::uint8_t code = params_.substitution.code[character];
    if (code == Substitution::no_letter) continue;
    const std::uint8_t letter = prepared.letter_of[code];
    base[character] = wide ? code : static_cast<std::uint8_t>((letter & 7) * 0x11);
  }
  const auto nothing = wide ? static_cast<std::uint8_t>(params_.substitution.letters) : no_base;
  auto* start = at<DeviceStart>(layout_.starts) + c.starts;
  auto* program = at<std::uint8_t>(layout_.bases) + c.program;
  std::int64_t position = program_gap;
  std::memset(program, nothing, program_gap);
  for (std::size_t s = 0; s < prepared.plan.starts.size(); ++s, ++start) {
    const Start& from = prepared.plan.starts[s];
    *start = DeviceStart{};
    start->position = position;
    start->rows = static_cast<std::int32_t>(from.rows);
    start->entry = from.entry;
    start->none = prepared.limits.zero + from.begin;
    start->version = static_cast<std::int32_t>(from.version);
    start->readings_from = static_cast<std::int32_t>(from.readings_from);
    start->readings_to = static_cast<std::int32_t>(from.readings_to);
    start->ended_from = static_cast<std::int32_t>(from.ended_from);
    start->ended_to = static_cast<std::int32_t>(from.ended_to);
    if (from.ended_from < from.ended_to) {
      start->first_ended =
          static_cast<std::int32_t>(prepared.plan.ended[static_cast<std::size_t>(from.ended_from)]);
    }
    start->marks = prepared.marks_from[s + 1] - prepared.marks_from[s];
    const char* bases = problem.bases.data() + from.first - 1;
    std::uint8_t* to = program + position;
    if (prepared.plain) {
      put_plain(bases, from.rows, base, to);
    } else {
      for (std::int64_t i = 0; i < from.rows; ++i) {
        to[i] = base[static_cast<unsigned char>(bases[i])];
      }
    }
    for (std::int32_t m = prepared.marks_from[s]; m < prepared.marks_from[s + 1]; ++m) {
      to[prepared.marks[static_cast<std::size_t>(m)] - 1] |= base_is_read;
    }
    std::memset(to + from.rows, nothing, program_gap);
    position += from.rows + program_gap;
  }
  auto* ended = at<std::int32_t>(layout_.ended) + c.ended;
  for (const std::int64_t slot : prepared.plan.ended) *ended++ = static_cast<std::int32_t>(slot);
}

void PackedBatch::fill_readings(const DeviceCase& c, const PreparedCase& prepared) {
  const std::int64_t lowest = prepared.width == Width::wide ? -(1 << 29) : INT16_MIN;
  const std::int64_t extend = params_.gap_extend;
  auto* to = at<DeviceReading>(layout_.readings) + c.readings;
  for (std::size_t s = 0; s < prepared.plan.starts.size(); ++s) {
    const Start& start = prepared.plan.starts[s];
    const std::int32_t* marks = prepared.marks.data() + prepared.marks_from[s];
    const std::int32_t* end = prepared.marks.data() + prepared.marks_from[s + 1];
    const std::int32_t* mark = marks;
    for (std::int64_t r = start.readings_from; r < start.readings_to; ++r, ++to) {
      const Reading& from = prepared.plan.readings[static_cast<std::size_t>(r)];
      while (mark < end && *mark < from.rows) ++mark;
      *to = DeviceReading{};
      to->score_of_zero = extend * (from.rows + prepared.letters) + from.end - prepared.limits.zero;
      to->rows = static_cast<std::int32_t>(from.rows);
      to->rank = static_cast<std::int32_t>(from.rank);
      to->start = static_cast<std::int32_t>(s);
      to->slot = static_cast<std::int32_t>(from.slot);
      to->added = static_cast<std::int32_t>(std::max(lowest, extend * from.rows + from.exit));
      to->fresh = from.fresh ? 1 : 0;
      to->mark = from.rows < start.rows ? static_cast<std::int32_t>(mark - marks) : -1;
    }
  }
}

void PackedBatch::fill_letters(const DeviceCase& c,
                               const PreparedCase& prepared,
                               const Case& problem) {
  const Substitution& s = params_.substitution;
  auto* target = at<std::uint8_t>(layout_.targets) + c.target;
  for (const char letter : problem.target) *target++ = s.code[static_cast<unsigned char>(letter)];
  auto* scores = at<std::uint64_t>(layout_.column_scores) + c.scores;
  for (int code = 0; code < s.letters; ++code) {
    std::uint64_t bytes = 0;
    for (int a = 0; a < std::min(8, prepared.base_letters); ++a) {
      const int stored =
          s.scores[prepared.code_of[static_cast<std::size_t>(a)] * s.letters + code] -
          2 * params_.gap_extend;
      bytes |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(stored)) << 8 * a;
    }
    scores[code] = bytes;
  }
}

void PackedBatch::point_into(const std::uint8_t* upload, DeviceBatch& batch) const {
  const auto set = [&]<class T>(const T*& to, std::int64_t offset) {
    to = reinterpret_cast<const T*>(upload + offset);
  };
  set(batch.cases, layout_.cases);
  set(batch.starts, layout_.starts);
  set(batch.readings, layout_.readings);
  set(batch.ended, layout_.ended);
  set(batch.items, layout_.items);
  set(batch.bases, layout_.bases);
  set(batch.targets, layout_.targets);
  set(batch.column_scores, layout_.column_scores);
  set(batch.substitution, layout_.substitution);
  batch.program_length = layout_.program;
  batch.path_words = layout_.path_words;
  batch.item_count = static_cast<std::int32_t>(layout_.item_count);
  batch.case_count = static_cast<std::int32_t>(cases_.size());
  batch.letters = params_.substitution.letters;
  batch.open = params_.gap_open;
  batch.alignment = params_.alignment;
}

std::vector<ExonAlignment> read_path(const Case& problem,
                                     const PreparedCase& prepared,
                                     const Substitution& substitution,
                                     std::span<const std::uint32_t> words) {
  std::vector<ExonAlignment> chain;
  auto letter = static_cast<std::int64_t>(problem.target.size());
  std::int64_t base = 0;
  for (std::size_t w = 0; w < words.size(); ++w) {
    const std::uint32_t operation = words[w] >> word_shift;
    const std::int64_t length = words[w] & ((1u << word_shift) - 1);
    if (operation == word_exon) {
      if (!chain.empty()) chain.back().target_begin = letter;
      const std::int64_t exon = prepared.plan.readings[words[++w]].exon;
      base = problem.exons[static_cast<std::size_t>(exon)].last;
      chain.push_back({exon, 0, letter, {}});
      chain.back().runs.reserve(32);  // of exons; more are found as they come
    } else if (operation == word_pair) {
      const char* a = problem.bases.data() + base - 1;
      const char* b = problem.target.data() + letter - 1;
      for (std::int64_t i = 0, run; i < length; i += run) {
        const char column = column_of(substitution, a[-i], b[-i]);
        run = 1;
        while (i + run < length && column_of(substitution, a[-i - run], b[-i - run]) == column) {
          ++run;
        }
        append(chain.back().runs, column, run);
      }
      base -= length, letter -= length;
    } else if (operation == word_bases) {
      append(chain.back().runs, 'D', length);
      base -= length;
    } else {
      append(chain.back().runs, 'I', length);
      letter -= length;
    }
  }
  std::reverse(chain.begin(), chain.end());
  for (ExonAlignment& part : chain) std::reverse(part.runs.begin(), part.runs.end());
  return chain;
}

}  // namespace yupana::splice::cuda
