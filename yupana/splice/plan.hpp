#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yupana/splice/align.hpp"

/// Private to the family: in which order exons are computed, and where their last rows go.
namespace yupana::splice {

/// The last row of one exon: read off its start's rows.
struct Reading {
  std::int64_t exon = 0;  ///< index into Case::exons
  std::int64_t rank = 0;  ///< among all exons, in the order of ties
  std::int64_t rows = 0;  ///< length of the exon
  std::int64_t slot = 0;  ///< where the best last row of exons with this end is kept; -1: no use
  bool fresh = false;     ///< first to write its slot
  std::int32_t exit = 0;
  std::int32_t end = 0;
};

/// Exons that begin at one base with the same scores: they share their rows.
struct Start {
  std::int64_t first = 0;
  std::int32_t begin = 0;
  std::int32_t entry = 0;
  std::int64_t rows = 0;           ///< of the longest
  std::int64_t readings_from = 0;  ///< its readings, shortest first
  std::int64_t readings_to = 0;
  std::int64_t ended_from = 0;  ///< slots whose exons all ended before it, in order of their ends
  std::int64_t ended_to = 0;
  std::int64_t version = 0;      ///< of the best row over all exons that ended before it
  std::int64_t rows_before = 0;  ///< of the starts before it, one more for each
};

/// Starts in order of their first bases. Before a start is computed the slots of the exons that
/// ended before it are taken into one running row, the maximum over all of them, which costs O(n)
/// for each end and never O(n) for each pair of exons. All maxima are taken in the order of ties
/// and only what is strictly better replaces, so the first of the best stays.
struct Plan {
  std::vector<Start> starts;
  std::vector<Reading> readings;
  std::vector<std::int64_t> ended;
  std::int64_t slots = 0;     ///< held at one time
  std::int64_t versions = 0;  ///< of the running row that some start sees
  std::int64_t rows = 0;      ///< of all starts, one more for each
  std::int64_t longest = 0;   ///< rows of one start

  /// Cells to compute for n target letters.
  std::int64_t cells(std::int64_t letters) const {
    return (rows - static_cast<std::int64_t>(starts.size())) * letters;
  }
};

Plan make_plan(std::span<const Exon> exons, std::int64_t min_intron);

}  // namespace yupana::splice
