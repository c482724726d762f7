#include "yupana/splice/align.hpp"

#include <algorithm>
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

std::vector<std::int64_t> ordered_exons(std::span<const Exon> exons) {
  // The keys lie side by side: with a million exons a sort through indices takes five times as
  // long.
  struct Key {
    Exon exon;
    std::int64_t place;
    auto tied() const {
      return std::tie(exon.last, exon.first, exon.begin, exon.entry, exon.exit, exon.end, place);
    }
    bool operator<(const Key& other) const { return tied() < other.tied(); }
  };
  std::vector<Key> keys;
  keys.reserve(exons.size());
  for (const Exon& exon : exons) keys.push_back({exon, std::ssize(keys)});
  std::sort(keys.begin(), keys.end());
  std::vector<std::int64_t> order;
  order.reserve(exons.size());
  for (const Key& key : keys) order.push_back(key.place);
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
