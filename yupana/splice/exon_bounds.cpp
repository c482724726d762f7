#include "yupana/splice/exon_bounds.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "yupana/core/text.hpp"
#include "yupana/splice/bound_pass.hpp"
#include "yupana/splice/solver_cpu.hpp"

namespace yupana::splice {
namespace {

using cpu::BoundPass;
using cpu::Direction;
using cpu::Junction;

/// The places of one kind among so many bases, each once.
class Places {
 public:
  explicit Places(std::int64_t bases) : index_(static_cast<std::size_t>(bases), -1) {}

  void add(const Junction& junction) {
    std::int32_t& index = index_[junction.place];
    if (index < 0) {
      index = static_cast<std::int32_t>(junctions_.size());
      junctions_.push_back(junction);
      return;
    }
    Junction& same = junctions_[index];
    same.outermost = std::max(same.outermost, junction.outermost);
    same.inner = std::max(same.inner, junction.inner);
  }
  std::vector<Junction> in_order() && {
    std::ranges::sort(junctions_, {}, &Junction::place);
    return std::move(junctions_);
  }

 private:
  std::vector<std::int32_t> index_;  ///< by place; -1: none
  std::vector<Junction> junctions_;
};

Direction forward_of(const Case& problem) {
  Places starts(std::ssize(problem.bases)), ends(std::ssize(problem.bases));
  for (const Exon& exon : problem.exons) {
    starts.add({exon.first - 1, exon.begin, exon.entry});
    ends.add({exon.last - 1, exon.end, exon.exit});
  }
  return {std::string(problem.bases),
          std::string(problem.target),
          std::move(starts).in_order(),
          std::move(ends).in_order()};
}

Direction mirrored_direction(Direction direction) {
  const std::int64_t last = std::ssize(direction.bases) - 1;
  std::reverse(direction.bases.begin(), direction.bases.end());
  std::reverse(direction.target.begin(), direction.target.end());
  std::swap(direction.starts, direction.ends);
  for (std::vector<Junction>* junctions : {&direction.starts, &direction.ends}) {
    std::reverse(junctions->begin(), junctions->end());
    for (Junction& junction : *junctions) junction.place = last - junction.place;
  }
  return direction;
}

/// The forward pass; false if T does not hold the scores.
template <class T>
bool bound_all(const Context& context,
               const Case& problem,
               const AlignParams& params,
               std::int64_t& best,
               std::vector<std::int64_t>& chains) {
  if (!BoundPass<T>::fits(problem, params)) return false;
  const Direction forward = forward_of(problem);
  BoundPass<T> pass(context, forward, params);
  if (!pass.run([](const Junction&) {})) return false;
  best = pass.best();
  chains = pass.continued();
  return true;
}

/// The backward pass: bounds of the starts, in the order of `starts`; none if T does not hold the
/// scores. The ends of that direction are the starts of this.
template <class T>
std::vector<std::int64_t> bound_starts(const Context& context,
                                       const Direction& backward,
                                       const AlignParams& params,
                                       const std::vector<std::int64_t>& chains) {
  BoundPass<T> pass(context, backward, params);
  const Array<T> complement = pass.complement(chains);
  std::vector<std::int64_t> bounds;
  const bool held = pass.run([&](const Junction& start) {
    bounds.push_back(std::max(pass.best_with_gap() + start.outermost,
                              pass.best_joined(complement, chains.back()) + start.inner));
  });
  if (!held) return {};
  std::reverse(bounds.begin(), bounds.end());
  return bounds;
}

std::vector<Exon> exons_from(const Case& problem,
                             const std::vector<std::int64_t>& bounds,
                             std::int64_t least) {
  std::vector<Exon> exons;
  for (std::size_t e = 0; e < problem.exons.size(); ++e) {
    if (bounds[e] >= least) exons.push_back(problem.exons[e]);
  }
  return exons;
}

/// Rows to compute, of exons in the order of their starts.
std::int64_t rows_of(std::span<const Exon> exons) {
  std::int64_t rows = 0, longest = 0;
  for (std::size_t e = 0; e < exons.size(); ++e) {
    longest = std::max(longest, exons[e].length());
    if (e + 1 < exons.size() && exons[e + 1].first == exons[e].first) continue;
    rows += std::exchange(longest, 0);
  }
  return rows;
}

}  // namespace

ExonBounds::ExonBounds(const Context& context, const Case& problem, const AlignParams& params)
    : context_(context), problem_(problem), params_(params) {
  narrow_ = bound_all<std::int16_t>(context, problem, params, best_, chains_);
  if (!narrow_) bound_all<std::int32_t>(context, problem, params, best_, chains_);
}

std::vector<std::int64_t> ExonBounds::of_exons() const {
  const Direction forward = forward_of(problem_);
  const Direction backward = mirrored_direction(forward);
  std::vector<std::int64_t> of_start;
  if (narrow_) of_start = bound_starts<std::int16_t>(context_, backward, params_, chains_);
  if (of_start.empty()) {
    of_start = bound_starts<std::int32_t>(context_, backward, params_, chains_);
  }
  std::vector<std::int64_t> bounds;
  bounds.reserve(problem_.exons.size());
  auto start = forward.starts.begin();
  for (const Exon& exon : problem_.exons) {
    if (start->place != exon.first - 1) {
      start = std::ranges::lower_bound(forward.starts, exon.first - 1, {}, &Junction::place);
    }
    bounds.push_back(of_start[start - forward.starts.begin()]);
  }
  return bounds;
}

CompetitiveExons competitive_exons(Context& context,
                                   const Case& problem,
                                   const AlignParams& params,
                                   const ExonBounds& bounds,
                                   double share) {
  const std::vector<std::int64_t> of_exons = bounds.of_exons();
  const std::int64_t affordable = rows_of(problem.exons) / 8;
  // Most often the bound of all is the score of a chain. Where it is not, the exons tried double
  // their distance from it until their score explains the distance, or they are too many to try.
  std::int64_t score = std::numeric_limits<std::int64_t>::min();
  std::int64_t least = bounds.best();
  for (std::int64_t step = std::max(1, 8 * params.substitution.highest()); score < least;
       step *= 2) {
    const std::vector<Exon> exons = exons_from(problem, of_exons, least);
    if (rows_of(exons) > affordable && least < bounds.best()) break;
    const Case some{problem.bases, exons, problem.target};
    score = std::max(score, cpu::score_alone(context, some, params));
    least = std::max(score, bounds.best() - step);
  }
  if (share < 1 && score > 0) {
    // One less, for a product is rounded.
    least = static_cast<std::int64_t>(share * static_cast<double>(score)) - 1;
    return {exons_from(problem, of_exons, least), score};
  }
  return {exons_from(problem, of_exons, score), score};
}

}  // namespace yupana::splice
