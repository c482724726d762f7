#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/text.hpp"
#include "yupana/splice/align.hpp"
#include "yupana/splice/row_kernels.hpp"

/// Private to exon_bounds: one pass over all bases.
namespace yupana::splice::cpu {

/// A base where exons begin or end, with the best of their scores.
struct Junction {
  static constexpr std::int64_t impossible = std::numeric_limits<std::int64_t>::min() / 4;

  std::int64_t place = 0;               ///< from 0, in reading direction
  std::int64_t outermost = impossible;  ///< added where the chain begins or ends here
  std::int64_t inner = impossible;      ///< added where it continues beyond
};

/// The letters and junctions of a problem in one direction.
struct Direction {
  std::string bases, target;
  std::vector<Junction> starts, ends;  ///< by place, each place once
};

/// All exons in one row, in scores of T: X(j) = S(j) - extend (j + rows since the last rebase) +
/// zero. What stops at the lower end of T is above its true value, which a bound may be.
template <class T>
class BoundPass {
 public:
  BoundPass(const Context& context, const Direction& direction, const AlignParams& params);

  /// Whether T holds the scores, but for many introns that gain: run() tells.
  static bool fits(const Case& problem, const AlignParams& params);

  /// Calls at_end(junction) with the row of each end. False if T does not hold the scores.
  template <class AtEnd>
  bool run(const AtEnd& at_end);

  /// The best score of chains over the whole target.
  std::int64_t best() const { return best_; }
  /// By letters consumed: the best score of chains that continue beyond.
  std::vector<std::int64_t> continued() const;
  /// What continued() of the other direction adds to the row of an end, column by column.
  Array<T> complement(const std::vector<std::int64_t>& others) const;
  /// The best sum of the row and a complement; `none` is what it adds to no letter.
  std::int64_t best_joined(const Array<T>& complement, std::int64_t none) const;
  /// The best sum of the row and a gap of the letters that are left.
  std::int64_t best_with_gap() const;

 private:
  static constexpr std::int64_t margin = 8000;
  static constexpr std::int64_t rebase_rows = 256;

  /// An end that is still closer than an intron.
  struct Pending {
    std::int64_t place = 0;
    std::int64_t none = 0;  ///< the value of no letter
    Array<T> row;
  };

  void make_profiles();
  void begin();
  void enter(const Junction& start);
  void leave(const Junction& end);
  void absorb_first();
  void run_rows(std::int64_t from, std::int64_t to);
  bool rebase();
  void merge(Array<T>& to, const Array<T>& from, std::int64_t added) const {
    added = std::max(added, lowest_);
    kernels_.merge(count_, to.data(), nullptr, nullptr, from.data(), static_cast<T>(added), 0, 0);
  }
  Array<T> row_of(std::int64_t value) const {
    Array<T> row(count_);
    std::fill(row.begin(), row.end(), static_cast<T>(value));
    return row;
  }
  std::int64_t place(std::int64_t letters) const {
    return (letters - 1) % vectors_ * kernels_.lanes + (letters - 1) / vectors_;
  }
  /// What turns values of the row into those of other rows.
  std::int64_t shift() const { return params_.gap_extend * rows_; }
  /// The score of a value, shift included, of so many letters.
  std::int64_t score(std::int64_t value, std::int64_t letters) const {
    return value - zero_ + params_.gap_extend * letters;
  }

  const Context& context_;
  const Direction& direction_;
  const AlignParams& params_;
  const RowKernels<T>& kernels_;
  const std::int64_t letters_, vectors_, count_;
  const std::int64_t lowest_, zero_;

  Array<T> profiles_, left_;
  const T* profile_of_[256] = {};
  Array<T> row_;                                  ///< of all exons, at the base reached
  Array<T> running_;                              ///< the best of ends before it
  Array<T> begun_, zeros_;                        ///< constants
  std::int64_t row_none_ = 0, running_none_ = 0;  ///< the same of no letter
  std::int64_t rows_ = 0;                         ///< since the last rebase
  std::int64_t best_ = Junction::impossible;
  std::deque<Pending> pending_;
  std::vector<Array<T>> spare_;
};

template <class T>
template <class AtEnd>
bool BoundPass<T>::run(const AtEnd& at_end) {
  begin();
  auto start = direction_.starts.begin();
  std::int64_t done = start == direction_.starts.end() ? 0 : start->place;
  for (const Junction& end : direction_.ends) {
    while (done <= end.place) {
      if (rows_ == rebase_rows && !rebase()) return false;
      if (start != direction_.starts.end() && start->place == done) enter(*start++);
      std::int64_t to = std::min(end.place + 1, done + rebase_rows - rows_);
      if (start != direction_.starts.end()) to = std::min(to, start->place);
      run_rows(done, to);
      done = to;
    }
    leave(end);
    at_end(end);
  }
  while (!pending_.empty()) absorb_first();
  const T most = std::numeric_limits<T>::max();
  return rebase() && std::find(running_.begin(), running_.end(), most) == running_.end();
}

}  // namespace yupana::splice::cpu
