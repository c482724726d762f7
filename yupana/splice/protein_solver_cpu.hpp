#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/splice/plan.hpp"
#include "yupana/splice/protein_backends.hpp"
#include "yupana/splice/row_kernels.hpp"

/// Private to the family: one protein on the CPU.
namespace yupana::splice::cpu {

/// A row as the kernels hold it, relative to gaps (row_kernels.hpp), where wanted with the readings
/// that its values come from.
struct ProteinRow {
  Array<std::int32_t> best, best_from;
  Array<std::int32_t> gap, gap_from;  ///< best gap of codons into the next row (affine)
};

/// The tables of one case, start by start. A start has up to three streams of codons, by the bases
/// carried in; a stream's rows are those of a cDNA with amino acids for bases, run by the same
/// kernels. Its first row is the maximum of one row for each carry.
class ProteinSolver {
 public:
  ProteinSolver(Context& context, const Case& problem, const ProteinParams& params);

  void solve(Stage& stage, SplicedAlignment& result);

 private:
  friend class ProteinTracer;

  /// The rows with which exons of one end are left, by carry; those of no use are empty.
  using Leaving = std::array<ProteinRow, carries>;
  struct Slot {
    Leaving rows;
    std::array<bool, carries> used{};
  };
  /// A reading as the last exon of a chain.
  struct Best {
    std::int64_t reading = -1;
    std::int64_t score = 0;
    int carried = 0;
  };

  void make_profiles();
  void count_bytes(std::int64_t planes);
  ProteinRow make_row(bool with_sources);
  ProteinRow copy_of(const ProteinRow& row);
  void clear(ProteinRow& row) const;
  std::int64_t place(std::int64_t j) const {
    return j == 0 ? stride_ : (j - 1) % vectors_ * kernels_.lanes + (j - 1) / vectors_;
  }
  char amino_at(std::int64_t place) const {
    return params_.code.translate(
        problem_.bases[place], problem_.bases[place + 1], problem_.bases[place + 2]);
  }

  void absorb_ended(const Start& start);
  void save_versions(std::int64_t index);
  void enter(const Start& start, const ProteinRow& from, bool may_begin, ProteinRow& to) const;
  void run_rows(ProteinRow& row, const char* amino, std::int64_t rows);
  void run_piece(ProteinRow& row, const char* amino, std::int64_t rows);
  void run_start(std::int64_t index);
  void run_stream(const Start& start, int carried);
  void pass_through(const Start& start, int carried, Carry carry);
  void read(
      const Reading& reading, int carried, Carry out, std::int64_t rows, bool continues = true);
  void leave(const Reading& reading, Carry out, const ProteinRow& row, std::int64_t rows);
  OpenCodons open_codons(const Start& start, int carried) const {
    return {params_.code,
            any_stop_,
            problem_.bases.data() + start.first - 1,
            carried,
            codons(carried, start.rows)};
  }

  Context& context_;
  const Case& problem_;
  const ProteinParams& params_;
  Plan plan_;
  const RowKernels<std::int32_t>& kernels_;
  bool affine_, any_stop_;
  std::int64_t letters_, vectors_, stride_, count_;
  std::int64_t bytes_ = 0;  ///< of rows made
  Array<std::int32_t> profiles_, room_;
  std::array<const std::int32_t*, 256> profile_of_{};
  std::vector<Slot> slots_;
  Leaving running_;                          ///< best over all exons that ended
  std::array<bool, carries> reached_{};      ///< some exon was left with that carry
  std::array<std::int32_t, carries> saved_;  ///< version of a running row; -1: changed since
  std::vector<ProteinRow> versions_;
  std::vector<std::array<std::int32_t, carries>> seen_;  ///< versions, by start; -1: none
  ProteinRow row_, entered_;
  std::string amino_;
  std::vector<std::int32_t> left_, left_gap_;
  Best best_;
  std::int64_t cells_ = 0;
};

/// The chain of a solved case, with its columns; counts the cells computed again.
std::vector<ExonAlignment> trace_protein(const ProteinSolver& solver, std::int64_t& cells);

}  // namespace yupana::splice::cpu
