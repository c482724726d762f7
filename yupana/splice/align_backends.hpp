#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yupana/splice/align.hpp"

/// Private to the family. Inputs are checked; in every problem the exons are what they were given
/// as. Backends leave rescoring to the caller, but cuda does it beside its kernels.
namespace yupana::splice {

/// Places of the exons in the order in which ties are broken (see align); equal ones but the first
/// are left out.
std::vector<std::int64_t> ordered_exons(std::span<const Exon> exons);

/// Appends one column to runs.
inline void append(std::vector<Run>& runs, char operation, std::int64_t length = 1) {
  if (length == 0) return;
  if (!runs.empty() && runs.back().operation == operation) {
    runs.back().length += length;
  } else {
    runs.push_back({operation, length});
  }
}

/// '=' or 'X'.
inline char column_of(const Substitution& substitution, char base, char target) {
  const auto code = [&](char letter) {
    return substitution.code[static_cast<unsigned char>(letter)];
  };
  return code(base) == code(target) ? '=' : 'X';
}

namespace reference {
SplicedAlignment align(const Case& problem, const AlignParams& params);
}

namespace cpu {

/// What tests vary; results do not depend on it.
struct Tuning {
  std::int64_t block_columns = 0;                     ///< of a block at most; 0: chosen
  std::int64_t saved_bytes = std::int64_t{64} << 20;  ///< rows held at once to trace an exon
  bool wide = false;                                  ///< 32-bit scores from the start
  double* trace_seconds =
      nullptr;  ///< where wanted, with one problem: cpu_seconds of its traceback
};

std::vector<SplicedAlignment> align(Context& context,
                                    std::span<const Case> problems,
                                    const AlignParams& params,
                                    const Tuning& tuning = {});

/// Bytes of rows that a traceback keeps at once where `left` are allowed.
inline std::int64_t saved_bytes(std::uint64_t left) {
  const auto most = static_cast<std::uint64_t>(Tuning{}.saved_bytes);
  return static_cast<std::int64_t>(left / 4 < most ? left / 4 : most);
}
/// Bytes of the scores that a problem begins with: 2, or 4 where its scores are too large for that.
std::int64_t score_bytes(const Case& problem, const AlignParams& params);
}  // namespace cpu

namespace cuda {

/// Where the time of a call went on the devices, summed over its batches.
struct DeviceSeconds {
  double upload = 0;
  double forward = 0;  ///< scores
  double trace = 0;    ///< alignments
};

/// What tests vary; results do not depend on it.
struct Tuning {
  int columns = 0;                   ///< of a lane's strip: 2 (16 bits alone), 4 or 8; 0: chosen
  int lanes = 32;                    ///< of a warp that hold strips, where `columns` is given
  bool wide = false;                 ///< 32-bit scores from the start
  bool eight_letters = false;        ///< the code for up to eight base letters where four would do
  std::int64_t slab_rows = 0;        ///< of an exon that the traceback keeps at once; 0: chosen
  std::uint64_t memory = 0;          ///< bytes for the cases on their way; 0: chosen
  std::int64_t upload = 0;           ///< bytes of a batch's upload, about; 0: chosen
  std::size_t flights = 0;           ///< batches on their way at once; 0: chosen
  DeviceSeconds* seconds = nullptr;  ///< where wanted, with one device: the time taken
};

std::vector<SplicedAlignment> align(Context& context,
                                    std::span<const Case> problems,
                                    const AlignParams& params,
                                    const Tuning& tuning = {});
}  // namespace cuda

}  // namespace yupana::splice
