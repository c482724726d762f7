#include <algorithm>

#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/align_memory.hpp"
#include "yupana/splice/protein_solver_cpu.hpp"

namespace yupana::splice::cpu {
namespace {

// Scores are within 2^28 of 0 (check_protein_range), and what is not reached loses less than that
// from here.
constexpr std::int32_t unreached = -(1 << 29);

/// What a stream sees at its beginning with one carry: scores, and the readings they come from (-1:
/// the chain begins here).
struct Above {
  std::vector<std::int64_t> best, gap;  ///< any end; a gap of codons into the first row
  std::vector<std::int32_t> best_from, gap_from;
};

// How a cell was reached, and how its two gaps were.
// Letters win over codons where both are marked.
enum : std::uint8_t { from_codons = 1, from_letters = 2, codons_open = 4, letters_open = 8 };

}  // namespace

/// Computes the streams that the chain runs through again, from what their starts saw, and keeps a
/// byte of directions for each cell of one exon at a time.
class ProteinTracer {
 private:
  auto best_source(std::int64_t j) const {
    return [this, j](Carry u) { return above_[u].best_from[j]; };
  }

 public:
  explicit ProteinTracer(const ProteinSolver& solver)
      : s_(solver), align_(solver.params_.align), codes_(1, 0) {
    for (const char letter : s_.problem_.target) {
      codes_.push_back(align_.substitution.code[static_cast<unsigned char>(letter)]);
    }
  }

  std::vector<ExonAlignment> run(std::int64_t& cells) {
    j_ = s_.letters_;
    open_exon(s_.best_.reading, s_.best_.carried);
    if (row_ == 0) {
      carry_ = best_carry([&](Carry u) { return above_[u].best[j_]; }, best_source(j_));
    }
    while (true) {
      while (row_ > 0) step();
      const Above& above = above_[carry_];
      const std::int32_t from = state_ == 'D' ? above.gap_from[j_] : above.best_from[j_];
      if (from < 0) break;
      chain_.back().target_begin = j_;
      const Carry out = carry_;
      const std::int64_t bases = s_.plan_.readings[from].rows;
      open_exon(from, static_cast<int>(((carry_size(out) - bases) % 3 + 3) % 3));
      if (row_ == 0) carry_ = carried_ == 0 ? 0 : shorter(out);
    }
    append(chain_.back().runs, 'I', j_);
    std::reverse(chain_.begin(), chain_.end());
    for (ExonAlignment& part : chain_) std::reverse(part.runs.begin(), part.runs.end());
    cells = cells_;
    return std::move(chain_);
  }

 private:
  std::int64_t open() const { return std::int64_t{align_.gap_open} + align_.gap_extend; }

  /// Of the carries reached: that with the largest value, of the first source where equal.
  template <class Value, class From>
  Carry best_carry(const Value& value, const From& from) const {
    const auto rank = [&](Carry u) {
      return from(u) < 0 ? std::int64_t{-1} : s_.plan_.readings[from(u)].rank;
    };
    Carry best = seen_.front();
    for (const Carry u : seen_) {
      if (value(u) > value(best) || (value(u) == value(best) && rank(u) < rank(best))) best = u;
    }
    return best;
  }
  Carry carry_of_pair(std::int64_t j) const {
    return best_carry([&](Carry u) { return above_[u].best[j - 1] + pair(amino_of(u, 1), j); },
                      best_source(j - 1));
  }

  char amino_of(Carry carry, std::int64_t row) const {
    const std::int64_t first = start_->first - 1;
    return row == 1 ? first_amino(s_.params_.code, carry, s_.problem_.bases.data() + first)
                    : s_.amino_at(first + 3 * (row - 1) - carried_);
  }
  std::int64_t pair(char amino, std::int64_t j) const {
    return align_.substitution.score(amino, s_.problem_.target[j - 1]);
  }

  void open_exon(std::int64_t index, int carried) {
    const Reading& reading = s_.plan_.readings[index];
    start_ = &*std::partition_point(s_.plan_.starts.begin(),
                                    s_.plan_.starts.end(),
                                    [&](const Start& x) { return x.readings_to <= index; });
    carried_ = carried;
    rows_ = row_ = codons(carried, reading.rows);
    chain_.push_back({reading.exon, 0, j_, {}});
    seen_.clear();
    const OpenCodons open = s_.open_codons(*start_, carried);
    for (Carry u = first_carry[carried]; u < first_carry[carried + 1]; ++u) {
      if (rows_ == 0 || open.reads(u)) look_above(u);
    }
    columns_ = j_ + 1;
    const std::uint64_t bytes = static_cast<std::uint64_t>(rows_) * columns_;
    const std::uint64_t left = memory_left(s_.context_, align_);
    if (bytes + s_.bytes_ > left) {
      refuse_memory(s_.problem_, align_, "amino acids", bytes + s_.bytes_, left);
    }
    ways_.assign(bytes, 0);
    cells_ += rows_ * j_;
    if (rows_ > 0) fill();
  }

  void look_above(Carry u) {
    const std::int32_t version = s_.seen_[start_ - s_.plan_.starts.data()][u];
    if (version < 0 && u != 0) return;
    seen_.push_back(u);
    Above& above = above_[u];
    above.best.assign(j_ + 1, unreached);
    above.gap = above.best;
    above.best_from.assign(j_ + 1, -1);
    above.gap_from = above.best_from;
    for (std::int64_t j = 0; j <= j_; ++j) {
      const std::int64_t gaps = std::int64_t{align_.gap_extend} * j;
      if (u == 0) above.best[j] = start_->begin + gaps + (j > 0 ? align_.gap_open : 0);
      if (version < 0) continue;
      const ProteinRow& row = s_.versions_[version];
      const std::int64_t at = s_.place(j);
      const std::int64_t best = std::int64_t{row.best[at]} + start_->entry + gaps;
      if (best > above.best[j]) above.best[j] = best, above.best_from[j] = row.best_from[at];
      if (!s_.affine_) continue;
      above.gap[j] = std::int64_t{row.gap[at]} + start_->entry + gaps + align_.gap_extend;
      above.gap_from[j] = row.gap_from[at];
    }
  }

  // The first row, from all carries; what continues a gap is worth more than what opens it, or it
  // opens.
  void fill_first() {
    std::fill(gap_.begin(), gap_.end(), unreached);
    std::fill(paired_.begin(), paired_.end(), unreached);
    for (const Carry u : seen_) {
      const char amino = amino_of(u, 1);
      for (std::int64_t j = 0; j < columns_; ++j) {
        gap_[j] = std::max(gap_[j], static_cast<std::int32_t>(above_[u].best[j] + open()));
        if (j == 0) continue;
        const std::int64_t value = above_[u].best[j - 1] + pair(amino, j);
        paired_[j] = std::max(paired_[j], static_cast<std::int32_t>(value));
      }
    }
    for (std::int64_t j = 0; j < columns_; ++j) {
      ways_[j] = codons_open;
      for (const Carry u : seen_) {
        if (above_[u].gap[j] <= gap_[j]) continue;
        gap_[j] = static_cast<std::int32_t>(above_[u].gap[j]);
        ways_[j] = 0;
      }
    }
  }

  // Pairs and gaps of codons of a later row: each column by itself.
  void fill_down(std::int64_t row, std::uint8_t* ways) {
    const std::int32_t first = align_.gap_open + align_.gap_extend, more = align_.gap_extend;
    const Substitution& s = align_.substitution;
    const int* scores =
        s.scores.data() + s.code[static_cast<unsigned char>(amino_of(0, row))] * s.letters;
    // Locals: bytes written might be anything that a member points to.
    const std::int64_t columns = columns_;
    const std::int32_t* best = best_.data();
    const int* codes = codes_.data();
    std::int32_t *gap = gap_.data(), *paired = paired_.data();
    for (std::int64_t j = 1; j < columns; ++j) paired[j] = best[j - 1] + scores[codes[j]];
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int32_t opened = best[j] + first, longer = gap[j] + more;
      ways[j] = opened >= longer ? codons_open : 0;
      gap[j] = std::max(opened, longer);
    }
  }

  // Gaps of letters, column after column.
  void fill_across(std::uint8_t* ways) {
    const std::int32_t first = align_.gap_open + align_.gap_extend, more = align_.gap_extend;
    const std::int64_t columns = columns_;
    const std::int32_t *gap = gap_.data(), *paired = paired_.data();
    std::int32_t* best = best_.data();
    for (std::int64_t j = 0; j < columns; ++j) {
      ways[j] |= paired[j] >= gap[j] ? 0 : from_codons;
      best[j] = std::max(paired[j], gap[j]);
    }
    std::int32_t letters = unreached, before = best[0];
    for (std::int64_t j = 1; j < columns; ++j) {
      const std::int32_t opened = before + first, longer = letters + more;
      letters = std::max(opened, longer);
      const bool crosses = letters > best[j];
      ways[j] |= (opened >= longer ? letters_open : 0) | (crosses ? from_letters : 0);
      best[j] = before = std::max(letters, best[j]);
    }
  }

  void fill() {
    best_.assign(columns_, unreached);
    gap_ = paired_ = best_;
    for (std::int64_t i = 1; i <= rows_; ++i) {
      std::uint8_t* ways = ways_.data() + (i - 1) * columns_;
      s_.context_.check_cancelled();
      if (i == 1) {
        fill_first();
      } else {
        fill_down(i, ways);
      }
      fill_across(ways);
    }
  }

  void step() {
    std::vector<Run>& runs = chain_.back().runs;
    const std::uint8_t way = ways_[(row_ - 1) * columns_ + j_];
    if (state_ == 'H' && (way & (from_codons | from_letters)) == 0) {
      carry_ = row_ == 1 ? carry_of_pair(j_) : 0;
      append(
          runs,
          column_of_amino(align_.substitution, amino_of(carry_, row_), s_.problem_.target[j_ - 1]));
      --row_, --j_;
      return;
    }
    if (state_ == 'H') state_ = (way & from_letters) != 0 ? 'I' : 'D';
    if (state_ == 'I') {
      append(runs, 'I');
      if ((way & letters_open) != 0) state_ = 'H';
      --j_;
      return;
    }
    append(runs, 'D');
    if ((way & codons_open) != 0) state_ = 'H';
    if (row_ == 1) {
      carry_ = state_ == 'H'
                   ? best_carry([&](Carry u) { return above_[u].best[j_]; }, best_source(j_))
                   : best_carry([&](Carry u) { return above_[u].gap[j_]; },
                                [&](Carry u) { return above_[u].gap_from[j_]; });
    }
    --row_;
  }

  const ProteinSolver& s_;
  const AlignParams& align_;
  std::vector<ExonAlignment> chain_;
  const Start* start_ = nullptr;
  int carried_ = 0;          ///< bases, into the exon at hand
  std::vector<Carry> seen_;  ///< carries of that size that its start saw
  std::array<Above, carries> above_;
  std::vector<int> codes_;                         ///< of target letters, from 1
  std::vector<std::int32_t> best_, gap_, paired_;  ///< of the row at hand
  std::vector<std::uint8_t> ways_;
  std::int64_t columns_ = 0, rows_ = 0, cells_ = 0;
  std::int64_t row_ = 0, j_ = 0;  ///< where the walk stands
  Carry carry_ = 0;               ///< in row 0
  char state_ = 'H';
};

std::vector<ExonAlignment> trace_protein(const ProteinSolver& solver, std::int64_t& cells) {
  return ProteinTracer(solver).run(cells);
}

}  // namespace yupana::splice::cpu
