#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/device_batch_cuda.hpp"
#include "yupana/splice/plan.hpp"

/// Private to the family: what the host knows of a case before a device sees it.
namespace yupana::splice::cuda {

/// Where zero lies, and whether scores of a width can hold a case at all. Every score the device
/// compares is at least zero + begin + 3 open, and what stops at the lower end of the range and
/// then gains an entry is below all of them, so that it never wins where the true value would not.
/// The upper end is watched on the way, start by start.
struct Limits {
  std::int32_t zero = 0;
  std::int32_t gain = 0;  ///< of one target letter at most
  bool fits = false;
};

/// How target positions are dealt to lanes.
struct StripShape {
  std::int32_t columns = 8;  ///< of a strip
  std::int32_t lanes = 32;   ///< of a warp in use
  std::int32_t blocks = 1;   ///< warps
};

struct PreparedCase {
  Plan plan;
  std::vector<std::int32_t> marks;            ///< rows of each start but its last that are read
  std::vector<std::int32_t> marks_from;       ///< by start, one more at the end
  std::array<std::uint8_t, 256> letter_of{};  ///< of each base code, among those that occur
  std::array<std::uint8_t, 8> code_of{};
  std::int32_t base_letters = 0;  ///< that occur; 9: more than 8
  bool plain = false;             ///< A, C, G and T alone, either case
  Width width = Width::packed4;
  StripShape shape;
  Limits limits;
  std::int64_t length = 0;      ///< of the program
  std::int64_t most_marks = 0;  ///< of one start
  std::int32_t letters = 0;     ///< n
};

/// `halves`: 16-bit scores are PackedHalves, with half the range.
PreparedCase prepare(const Case& problem,
                     const AlignParams& params,
                     const Tuning& tuning,
                     bool halves);
/// Width `wide` for a case that did not fit 16 bits. Throws bad_input if it cannot fit 32 either.
void widen(PreparedCase& c, const Case& problem, const AlignParams& params);

/// What a case is about, found without preparing it: how it is dealt depends on no more.
struct RoughCase {
  double work = 0;    ///< cycles of one scheduler
  double cells = 0;   ///< executed
  double upload = 0;  ///< bytes
};
RoughCase rough_case(const Case& problem, const AlignParams& params);

/// Shapes for cases that run on `schedulers` warp schedulers, beside others of `work` in all: the
/// least work for each, but a case so long that it would run on alone is spread over many warps.
void choose_shapes(Context& context,
                   std::span<PreparedCase> cases,
                   const AlignParams& params,
                   const Tuning& tuning,
                   double work,
                   std::int64_t schedulers);

/// Words of a block, laid out as DeviceCase says.
struct BlockWords {
  std::int64_t rows = 0;  ///< slots, then versions
  std::int64_t stage = 0;
  std::int64_t table = 0;
  std::int64_t total() const { return rows + stage + table; }
};
BlockWords block_words(const PreparedCase& c, const AlignParams& params);
/// Words that its alignment takes at most.
std::int64_t path_words(const PreparedCase& c);
/// Bytes of a case in an upload, about.
std::int64_t upload_bytes(const PreparedCase& c);
/// All that a case takes on a device.
std::uint64_t device_bytes(const PreparedCase& c, const AlignParams& params);

}  // namespace yupana::splice::cuda
