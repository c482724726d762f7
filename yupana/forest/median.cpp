#include "yupana/forest/median.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "yupana/core/messages.hpp"

namespace yupana::forest {
namespace {

constexpr int label_bits = 61;

LabelSum sum_of(const Problem& problem, std::uint32_t row) {
  const std::int64_t weight = problem.weight(row);
  return {weight, static_cast<__int128>(weight) * problem.units[problem.label_ranks[row]]};
}

/// at(i): sums as SortedLabels::sums_; units(place): the label at a place, from 0.
template <class At, class Units>
__int128 error_of(std::size_t places, const LabelSum& all, const At& at, const Units& units) {
  // The places before the median: all that less than half of the weight is in.
  std::size_t before = 0;
  LabelSum below;
  for (std::size_t step = std::bit_floor(places); step > 0; step /= 2) {
    if (before + step > places) continue;
    const LabelSum next = below + at(before + step);
    if (2 * next.weight >= all.weight) continue;
    before += step;
    below = next;
  }
  return all.sum - 2 * below.sum +
         static_cast<__int128>(units(before)) * (2 * below.weight - all.weight);
}

}  // namespace

SortedLabels::SortedLabels(const Problem& problem, const std::uint32_t* rows, std::int64_t count)
    : labels_(problem.labels.data()), units_(problem.units.data()) {
  ranks_.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) ranks_.push_back(problem.label_ranks[rows[i]]);
  std::sort(ranks_.begin(), ranks_.end());
  ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
  sums_.resize(ranks_.size() + 1);
  for (std::int64_t i = 0; i < count; ++i) {
    const LabelSum own = sum_of(problem, rows[i]);
    sums_[place_of(problem.label_ranks[rows[i]]) + 1] += own;
    all_ += own;
  }
  std::int64_t before = 0;
  std::size_t place = 0;
  while (2 * (before + sums_[place + 1].weight) < all_.weight) before += sums_[++place].weight;
  median_ = labels_[ranks_[place]];
  if (2 * (before + sums_[place + 1].weight) == all_.weight) {
    median_ = median_ / 2 + labels_[ranks_[place + 1]] / 2;
  }
  for (std::size_t i = 1; i < sums_.size(); ++i) {
    const __int128 distance = static_cast<__int128>(units_[ranks_[i - 1]]) - units_[ranks_[place]];
    error_ += sums_[i].weight * (distance < 0 ? -distance : distance);
  }
  for (std::size_t i = 1; i < sums_.size(); ++i) {
    const std::size_t above = i + (i & -i);
    if (above < sums_.size()) sums_[above] += sums_[i];
  }
}

std::size_t SortedLabels::place_of(std::uint32_t rank) const {
  return static_cast<std::size_t>(std::lower_bound(ranks_.begin(), ranks_.end(), rank) -
                                  ranks_.begin());
}

void PartedLabels::move(const Problem& problem, std::uint32_t row) {
  const LabelSum own = sum_of(problem, row);
  for (std::size_t i = labels_.place_of(problem.label_ranks[row]) + 1; i < left_.size();
       i += i & -i) {
    left_[i] += own;
  }
  left_all_ += own;
  right_all_ = right_all_ - own;
}

std::int64_t PartedLabels::lighter() const { return std::min(left_all_.weight, right_all_.weight); }

__int128 PartedLabels::error() const {
  const auto units = [&](std::size_t place) { return labels_.units_[labels_.ranks_[place]]; };
  const std::size_t places = labels_.ranks_.size();
  return error_of(
             places, left_all_, [&](std::size_t i) { return left_[i]; }, units) +
         error_of(
             places, right_all_, [&](std::size_t i) { return labels_.sums_[i] - left_[i]; }, units);
}

void sort_labels(Problem& problem) {
  const double* y = problem.values;
  problem.labels.assign(y, y + problem.rows);
  std::sort(problem.labels.begin(), problem.labels.end());
  problem.labels.erase(std::unique(problem.labels.begin(), problem.labels.end()),
                       problem.labels.end());
  const double most = std::max(std::fabs(problem.labels.front()), std::fabs(problem.labels.back()));
  const int e = most == 0 ? 0 : std::clamp(label_bits - (std::ilogb(most) + 1), -1000, 1000);
  problem.label_unit = std::ldexp(1.0, -e);
  for (const double label : problem.labels) {
    problem.units.push_back(std::llround(std::ldexp(label, e)));
  }
  problem.label_ranks = Array<std::uint32_t>(problem.rows);
  for (std::int64_t i = 0; i < problem.rows; ++i) {
    problem.label_ranks[i] = static_cast<std::uint32_t>(
        std::lower_bound(problem.labels.begin(), problem.labels.end(), y[i]) -
        problem.labels.begin());
  }
}

}  // namespace yupana::forest
