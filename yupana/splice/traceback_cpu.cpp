#include <algorithm>

#include "yupana/core/tiles.hpp"
#include "yupana/splice/align_memory.hpp"
#include "yupana/splice/solver_cpu.hpp"

namespace yupana::splice::cpu {

/// Computes the tables of the chosen exons again, from the running rows their starts saw, and walks
/// back through them by comparing values: no directions are stored. An exon too long for the memory
/// set aside is cut into slabs of rows: a first pass keeps the row above each slab, then the slabs
/// are computed again from the last to the first.
template <class T>
class Tracer {
 public:
  explicit Tracer(const Solver<T>& solver) : s_(solver) {}

  Trace run(std::int64_t reading) {
    j_ = s_.letters_;
    while (reading >= 0) {
      begin_exon(reading);
      for (slab_ = slabs_ - 1; slab_ >= 0; --slab_) {
        save_slab();
        while (i_ > slab_ * slab_rows_) step();
      }
      trace_.chain.back().target_begin = j_;
      reading = predecessor();
    }
    trace_.chain.back().target_begin = 0;
    append(trace_.chain.back().runs, 'I', j_);
    std::reverse(trace_.chain.begin(), trace_.chain.end());
    for (ExonAlignment& part : trace_.chain) std::reverse(part.runs.begin(), part.runs.end());
    return std::move(trace_);
  }

 private:
  std::int64_t block_of(std::int64_t j) const {
    return j == 0 ? 0 : (j - 1) / s_.blocks_.front().width;
  }
  std::int64_t place_of(std::int64_t block, std::int64_t j) const {
    return j == 0 ? s_.stride(0) : s_.place(block, j);
  }
  Row<T> version_row(std::int64_t block) const {
    const T* row =
        s_.versions_.data() + s_.versions_of_[block] + start_->version * s_.row_size(block);
    return s_.row_at(const_cast<T*>(row), block);
  }
  std::int64_t row_of_slab() const { return slab_ * slab_rows_; }
  std::int64_t rows_of_slab() const { return std::min(slab_rows_, rows_ - row_of_slab()); }

  /// At least `size` values; what an exon before needed is kept.
  static void reserve(Array<T>& values, std::int64_t size) {
    if (values.size() < size) values = Array<T>(size);
  }

  void begin_exon(std::int64_t index) {
    const Reading& reading = s_.plan_.readings[index];
    start_ = &*std::find_if(s_.plan_.starts.begin(), s_.plan_.starts.end(), [&](const Start& x) {
      return index >= x.readings_from && index < x.readings_to;
    });
    i_ = rows_ = reading.rows;
    trace_.chain.push_back({reading.exon, 0, j_, {}});
    blocks_ = block_of(j_) + 1;
    columns_.assign(1, 0);
    std::int64_t held = 0;
    for (std::int64_t b = 0; b < blocks_; ++b) {
      held += s_.stride(b);
      columns_.push_back(columns_.back() + s_.count(b));
    }
    const std::int64_t row_bytes = (s_.affine_ ? 2 : 1) * std::max<std::int64_t>(held, 1) *
                                   static_cast<std::int64_t>(sizeof(T));
    slab_rows_ = slab_rows(s_.tuning_.saved_bytes, row_bytes, rows_);
    slabs_ = divide_up(rows_, slab_rows_);
    // The rows above the slabs.
    reserve(above_, slabs_ * columns_.back());
    reserve(above_gap_, s_.affine_ ? slabs_ * columns_.back() : 0);
    for (std::int64_t b = 0; b < blocks_; ++b) {
      s_.enter(b, *start_, version_row(b), best_above(0, b), gap_above(0, b));
    }
    left_best_ = above_[s_.stride(0)];
    left_below_ = s_.affine_ ? above_gap_[s_.stride(0)] : left_best_;
    reserve(left_, slab_rows_ + 1);
    reserve(left_gap_, slab_rows_ + 1);
    for (slab_ = 0; slab_ + 1 < slabs_; ++slab_) {
      std::copy_n(best_above(slab_, 0), columns_.back(), best_above(slab_ + 1, 0));
      if (s_.affine_) std::copy_n(gap_above(slab_, 0), columns_.back(), gap_above(slab_ + 1, 0));
      run_slab([&](std::int64_t b, RowsTask<T>& task) {
        task.best = best_above(slab_ + 1, b);
        task.gap = gap_above(slab_ + 1, b);
      });
    }
    reserve(saved_, (slab_rows_ + 1) * held);
    reserve(saved_gap_, s_.affine_ ? (slab_rows_ + 1) * held : 0);
  }

  T* best_above(std::int64_t slab, std::int64_t block) {
    return above_.data() + slab * columns_.back() + columns_[block];
  }
  T* gap_above(std::int64_t slab, std::int64_t block) {
    return s_.affine_ ? above_gap_.data() + slab * columns_.back() + columns_[block] : nullptr;
  }

  template <class Place>
  void run_slab(const Place& place) {
    s_.context_.check_cancelled();
    const std::int64_t rows = rows_of_slab();
    left_[0] = slab_ == 0 ? left_best_ : left_below_;
    std::fill_n(left_.data() + 1, rows, left_below_);
    std::fill_n(left_gap_.data(), rows + 1, static_cast<T>(left_below_ + s_.params_.gap_open));
    for (std::int64_t b = 0; b < blocks_; ++b) {
      RowsTask<T> task;
      task.rows = rows;
      task.bases = s_.problem_.bases.data() + start_->first - 1 + row_of_slab();
      task.left = left_.data();
      task.left_gap = left_gap_.data();
      task.right = b + 1 < blocks_ ? left_.data() : nullptr;
      task.right_gap = b + 1 < blocks_ ? left_gap_.data() : nullptr;
      place(b, task);
      s_.run_rows(task, b);
      trace_.cells += rows * s_.blocks_[b].width;
    }
  }

  // Rows 0 (above the slab) and on, of one block after the other.
  T* saved(Array<T>& rows, std::int64_t block) {
    const std::int64_t before = columns_[block] - (block > 0 ? s_.count(0) - s_.stride(0) : 0);
    return rows.data() + before * (slab_rows_ + 1);
  }

  void save_slab() {
    for (std::int64_t b = 0; b < blocks_; ++b) {
      std::copy_n(best_above(slab_, b), s_.stride(b), saved(saved_, b));
      if (s_.affine_) std::copy_n(gap_above(slab_, b), s_.stride(b), saved(saved_gap_, b));
    }
    // The row above is not needed again: the slab is computed in its place.
    run_slab([&](std::int64_t b, RowsTask<T>& task) {
      task.best = best_above(slab_, b);
      task.gap = gap_above(slab_, b);
      task.save_best = saved(saved_, b) + s_.stride(b);
      task.save_gap = s_.affine_ ? saved(saved_gap_, b) + s_.stride(b) : nullptr;
    });
  }

  std::int64_t cell(Array<T>& rows, std::int64_t i, std::int64_t j) {
    const std::int64_t b = block_of(j);
    return saved(rows, b)[(i - row_of_slab()) * s_.stride(b) + s_.place(b, j)];
  }
  std::int64_t best(std::int64_t i, std::int64_t j) {
    if (j == 0) return i == 0 ? left_best_ : left_below_;
    return cell(saved_, i, j);
  }
  /// Best gap of bases that ends at row i.
  std::int64_t gap(std::int64_t i, std::int64_t j) {
    if (j == 0) return left_below_;
    return s_.affine_ ? cell(saved_gap_, i - 1, j) : best(i - 1, j);
  }

  void step() {
    std::vector<Run>& runs = trace_.chain.back().runs;
    const std::int64_t open = s_.params_.gap_open;
    if (state_ == 'H') {
      const std::int64_t value = best(i_, j_);
      const Substitution& scores = s_.params_.substitution;
      if (j_ > 0) {
        const char base = s_.problem_.bases[start_->first + i_ - 2];
        const char target = s_.problem_.target[j_ - 1];
        const std::int64_t pair =
            scores.score(base, target) - std::int64_t{2} * s_.params_.gap_extend;
        if (value == best(i_ - 1, j_ - 1) + pair) {
          append(runs, column_of(scores, base, target));
          --i_, --j_;
          return;
        }
      }
      state_ = value == gap(i_, j_) ? 'D' : 'I';
      letters_gap_ = value;
    } else if (state_ == 'D') {
      append(runs, 'D');
      if (gap(i_, j_) == best(i_ - 1, j_) + open) state_ = 'H';
      --i_;
    } else {
      append(runs, 'I');
      if (letters_gap_ == best(i_, j_ - 1) + open) state_ = 'H';
      --j_;
    }
  }

  /// The reading before the start reached, or -1.
  std::int64_t predecessor() {
    const std::int64_t none = s_.range_.zero + start_->begin + (j_ > 0 ? s_.params_.gap_open : 0);
    slab_ = 0;
    if (state_ == 'H' && best(0, j_) == none) return -1;
    const std::int64_t b = block_of(j_);
    const Row<T> row = version_row(b);
    const std::int64_t at = place_of(b, j_);
    const std::int64_t low = state_ == 'D' ? row.gap_low[at] : row.best_low[at];
    const std::int64_t high = state_ == 'D' ? row.gap_high[at] : row.best_high[at];
    return high << 15 | low;
  }

  const Solver<T>& s_;
  const Start* start_ = nullptr;
  std::int64_t rows_ = 0;
  std::int64_t i_ = 0, j_ = 0;
  char state_ = 'H';              ///< H any, D in a gap of bases, I in a gap of letters
  std::int64_t letters_gap_ = 0;  ///< value of the gap of letters being followed
  std::int64_t blocks_ = 0;       ///< that can matter: columns up to j
  std::int64_t slabs_ = 0, slab_ = 0, slab_rows_ = 0;
  std::vector<std::int64_t> columns_;  ///< values of a row before each block
  Array<T> above_, above_gap_, left_, left_gap_, saved_, saved_gap_;
  T left_best_ = 0, left_below_ = 0;  ///< column 0 in row 0 and below
  Trace trace_;
};

template <class T>
Trace Solver<T>::trace_back(std::int64_t reading) {
  return Tracer<T>(*this).run(reading);
}

template Trace Solver<std::int16_t>::trace_back(std::int64_t);
template Trace Solver<std::int32_t>::trace_back(std::int64_t);

}  // namespace yupana::splice::cpu
