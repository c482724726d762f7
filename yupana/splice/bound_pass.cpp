#include "yupana/splice/bound_pass.hpp"

#include "yupana/core/text.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::splice::cpu {
namespace {

// Ends that are kept apart from the running row, whatever the shortest intron.
constexpr std::size_t most_pending = 64;

}  // namespace

template <class T>
BoundPass<T>::BoundPass(const Context& context,
                        const Direction& direction,
                        const AlignParams& params)
    : context_(context),
      direction_(direction),
      params_(params),
      kernels_(row_kernels<T>()),
      letters_(std::ssize(direction.target)),
      vectors_(std::max<std::int64_t>(1, divide_up(letters_, kernels_.lanes))),
      count_(vectors_ * kernels_.lanes),
      lowest_(sizeof(T) == 2 ? std::numeric_limits<T>::min() : -(1 << 29)),
      zero_(sizeof(T) == 2 ? lowest_ + margin : 0) {}

template <class T>
bool BoundPass<T>::fits(const Case& problem, const AlignParams& params) {
  if constexpr (sizeof(T) == 4) return true;
  std::int64_t size = -params.gap_extend * rebase_rows;
  for (const Exon& exon : problem.exons) {
    for (const std::int32_t x : {exon.begin, exon.entry, exon.exit, exon.end}) {
      size = std::max(size, std::abs(std::int64_t{x}));
    }
  }
  for (const int score : params.substitution.scores) {
    size = std::max(size, std::abs(score - std::int64_t{2} * params.gap_extend));
  }
  const std::int64_t gain = params.substitution.highest() - std::int64_t{params.gap_extend};
  return size <= margin / 2 && gain * std::ssize(problem.target) <= 30'000;
}

template <class T>
void BoundPass<T>::make_profiles() {
  const Substitution& s = params_.substitution;
  profiles_ = Array<T>::zeros(count_ * s.letters);
  for (int letter = 0; letter < s.letters; ++letter) {
    T* profile = profiles_.data() + letter * count_;
    for (std::int64_t j = 1; j <= letters_; ++j) {
      const auto target = static_cast<unsigned char>(direction_.target[j - 1]);
      profile[place(j)] =
          static_cast<T>(s.scores[letter * s.letters + s.code[target]] - 2 * params_.gap_extend);
    }
    for (int c = 0; c < 256; ++c) {
      if (s.code[c] == letter) profile_of_[c] = profile;
    }
  }
}

template <class T>
void BoundPass<T>::begin() {
  make_profiles();
  row_ = row_of(lowest_);
  running_ = row_of(lowest_);
  begun_ = row_of(zero_);
  zeros_ = Array<T>::zeros(count_);
  left_ = Array<T>(rebase_rows + 1);
  row_none_ = running_none_ = lowest_;
}

template <class T>
void BoundPass<T>::absorb_first() {
  Pending& first = pending_.front();
  merge(running_, first.row, 0);
  running_none_ = std::max(running_none_, first.none);
  spare_.push_back(std::move(first.row));
  pending_.pop_front();
}

template <class T>
void BoundPass<T>::enter(const Junction& start) {
  while (!pending_.empty() && (pending_.front().place + params_.min_intron < start.place ||
                               pending_.size() > most_pending)) {
    absorb_first();
  }
  merge(row_, begun_, start.outermost - shift());
  merge(row_, running_, start.inner - shift());
  row_none_ = std::max({row_none_,
                        zero_ + start.outermost - shift(),
                        running_none_ + start.inner - shift(),
                        lowest_});
}

template <class T>
void BoundPass<T>::leave(const Junction& end) {
  const std::int64_t whole = letters_ == 0 ? row_none_ : row_[place(letters_)];
  best_ = std::max(best_, score(whole + shift(), letters_) + end.outermost);
  if (spare_.empty()) spare_.push_back(Array<T>(count_));
  Pending ended{
      end.place, std::max(lowest_, row_none_ + shift() + end.inner), std::move(spare_.back())};
  spare_.pop_back();
  std::fill(ended.row.begin(), ended.row.end(), static_cast<T>(lowest_));
  merge(ended.row, row_, shift() + end.inner);
  pending_.push_back(std::move(ended));
}

template <class T>
void BoundPass<T>::run_rows(std::int64_t from, std::int64_t to) {
  std::fill_n(left_.begin(), to - from + 1, static_cast<T>(row_none_));
  RowsTask<T> task;
  task.rows = to - from;
  task.vectors = vectors_;
  task.bases = direction_.bases.data() + from;
  task.profiles = profile_of_;
  task.best = row_.data();
  task.left = task.left_gap = left_.data();
  kernels_.linear(task);
  rows_ += to - from;
}

template <class T>
bool BoundPass<T>::rebase() {
  context_.check_cancelled();
  // A sum that reached the upper end of T stays there until it is looked at here.
  const auto added = static_cast<T>(shift()), least = static_cast<T>(lowest_);
  const bool over = kernels_.enter(count_, row_.data(), row_.data(), added, least, zeros_.data());
  row_none_ = std::max(lowest_, row_none_ + shift());
  rows_ = 0;
  return !over;
}

template <class T>
std::vector<std::int64_t> BoundPass<T>::continued() const {
  std::vector<std::int64_t> scores(static_cast<std::size_t>(letters_ + 1));
  for (std::int64_t j = 0; j <= letters_; ++j) {
    scores[j] = score(j == 0 ? running_none_ : running_[place(j)], j);
  }
  return scores;
}

template <class T>
Array<T> BoundPass<T>::complement(const std::vector<std::int64_t>& others) const {
  Array<T> row = row_of(lowest_);
  for (std::int64_t j = 1; j <= letters_; ++j) {
    // Relative to a gap of the letters that are left.
    const std::int64_t value = others[letters_ - j] - params_.gap_extend * (letters_ - j);
    row[place(j)] = static_cast<T>(std::max(value, lowest_));
  }
  return row;
}

template <class T>
std::int64_t BoundPass<T>::best_joined(const Array<T>& complement, std::int64_t none) const {
  const T sum = kernels_.largest_sum(count_, row_.data(), complement.data());
  return std::max(score(sum + shift(), letters_), score(row_none_ + shift(), 0) + none);
}

template <class T>
std::int64_t BoundPass<T>::best_with_gap() const {
  const T value = kernels_.largest_sum(count_, row_.data(), zeros_.data());
  return score(std::max<std::int64_t>(value, row_none_) + shift(), letters_);
}

template class BoundPass<std::int16_t>;
template class BoundPass<std::int32_t>;

}  // namespace yupana::splice::cpu
