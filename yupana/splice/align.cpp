#include "yupana/splice/align.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "yupana/core/error.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/align_memory.hpp"
#include "yupana/splice/checks.hpp"

namespace yupana::splice {
namespace {

std::vector<SplicedAlignment> dispatch(Context& context,
                                       std::span<const Case> problems,
                                       const AlignParams& params) {
  const auto one = [&](const Case& problem) { return reference::align(problem, params); };
  if (context.backend() == Backend::reference) return each_alone(context, problems, one);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return cuda::align(context, problems, params);
#endif
  return cpu::align(context, problems, params);
}

}  // namespace

namespace {

/// Places in the order of their exons' last bases, those of one in their own order; empty where the
/// last bases lie far apart.
std::vector<std::int64_t> places_by_last(std::span<const Exon> exons) {
  const auto [least, most] = std::ranges::minmax_element(exons, {}, &Exon::last);
  if (exons.empty() || (most->last - least->last) / 4 > std::ssize(exons)) return {};
  std::vector<std::int64_t> next(static_cast<std::size_t>(most->last - least->last) + 2);
  const auto next_of = [&](const Exon& exon) { return next.data() + (exon.last - least->last); };
  for (const Exon& exon : exons) ++next_of(exon)[1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::int64_t> places(exons.size());
  for (const Exon& exon : exons) {
    places[static_cast<std::size_t>((*next_of(exon))++)] = &exon - exons.data();
  }
  return places;
}

}  // namespace

std::vector<std::int64_t> ordered_exons(std::span<const Exon> exons) {
  const auto tied = [](const Exon& x) {
    return std::tie(x.last, x.first, x.begin, x.entry, x.exit, x.end);
  };
  const auto is_less = [&](std::int64_t a, std::int64_t b) {
    return tied(exons[a]) < tied(exons[b]);
  };
  // Candidates come by their first bases: then this is their order.
  std::vector<std::int64_t> order = places_by_last(exons);
  if (order.empty() || !std::is_sorted(order.begin(), order.end(), is_less)) {
    // The keys lie side by side: with a million exons a sort through indices takes five times as
    // long.
    struct Key {
      Exon exon;
      std::int64_t place;
    };
    std::vector<Key> keys;
    keys.reserve(exons.size());
    for (const Exon& exon : exons) keys.push_back({exon, std::ssize(keys)});
    std::ranges::sort(keys, [&](const Key& a, const Key& b) {
      return std::tuple_cat(tied(a.exon), std::tie(a.place)) <
             std::tuple_cat(tied(b.exon), std::tie(b.place));
    });
    order.clear();
    for (const Key& key : keys) order.push_back(key.place);
  }
  const auto equal = [&](std::int64_t a, std::int64_t b) { return exons[a] == exons[b]; };
  order.erase(std::unique(order.begin(), order.end(), equal), order.end());
  return order;
}

void check_problems(Context& context,
                    std::span<const Case> problems,
                    const AlignParams& params,
                    int score_scale) {
  check_params(params);
  // The error is that of the first case at fault, whatever the threads.
  each_in_order(context, problems.size(), [&](std::size_t p) {
    check_letters(params.substitution, problems[p].target, 1, "target letter");
    check_exons(problems[p], params.substitution);
    check_sums(problems[p], params, score_scale);
  });
  check_memory(context, problems, params);
}

std::vector<SplicedAlignment> align(Context& context,
                                    std::span<const Case> problems,
                                    const AlignParams& params) {
  check_problems(context, problems, params);
  std::vector<SplicedAlignment> results = dispatch(context, problems, params);
  if (!params.alignment || context.backend() == Backend::cuda) return results;
  each_in_order(context, problems.size(), [&](std::size_t p) {
    check_score(rescore(problems[p], results[p].chain, params), results[p].score, p);
  });
  return results;
}

SplicedAlignment align(Context& context, const Case& problem, const AlignParams& params) {
  return std::move(align(context, std::span(&problem, 1), params).front());
}

}  // namespace yupana::splice
