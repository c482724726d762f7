#include "yupana/graph/known_edges.hpp"

#include <mutex>

#include "yupana/graph/fermat_weights.hpp"

namespace yupana::graph {
namespace {

/// Weights below it are left out.
template <class T>
T least_known(std::int64_t n) {
  if constexpr (std::is_integral_v<T>) return 0;
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(
      std::ldexp(static_cast<double>(n) * static_cast<double>(Limits::min()), Limits::digits));
}

/// Adds a pair of this weight.
template <class T>
void add_pair(T weight, bool positive, T least, const T* length, KnownEdges& counts) {
  if (positive && weight < least) {
    ++counts.left_out;
  } else if (length != nullptr) {
    const bool far = *length == unreachable<T>;
    counts.unreachable += far;
    counts.kept += !far && *length == weight;
    counts.longer += !far && *length > weight;
    counts.replaced += *length < weight;
  }
}

/// `lengths`: none where they cannot be compared with weights.
template <class T, class D>
KnownEdges count_pairs(Context& context,
                       const SquareMatrix<D>& distances,
                       bool squared,
                       const FermatFacts& facts,
                       const SquareMatrix<T>* lengths) {
  const double power = squared ? facts.alpha / 2 : facts.alpha;
  // The scale of the distances given is a power of two.
  const double scale = std::log2(facts.weight_scale) * (squared ? 2 : 1);
  const double inverse = std::exp2(-std::round(scale));
  const T least = least_known<T>(distances.size());
  KnownEdges all;
  std::mutex mutex;
  context.parallel_for(distances.size(), 16, [&](std::int64_t begin, std::int64_t end) {
    KnownEdges mine;
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = i + 1; j < distances.size(); ++j) {
        const D d = distances(i, j);
        const T* const length = lengths == nullptr ? nullptr : &(*lengths)(i, j);
        add_pair(weight<T>(d, power, inverse), d > 0, least, length, mine);
      }
    }
    const std::lock_guard hold(mutex);
    all.left_out += mine.left_out;
    all.kept += mine.kept;
    all.replaced += mine.replaced;
    all.longer += mine.longer;
    all.unreachable += mine.unreachable;
  });
  return all;
}

}  // namespace

KnownEdges known_edges(Context& context,
                       const AnyMatrix& distances,
                       bool squared,
                       const FermatResult& result,
                       bool estimated) {
  return std::visit(
      [&](const auto& d, const auto& lengths) {
        using T = std::remove_cvref_t<decltype(lengths(0, 0))>;
        const bool comparable = !result.rooted && !estimated;
        return count_pairs<T>(context, d, squared, result, comparable ? &lengths : nullptr);
      },
      distances,
      result.lengths);
}

}  // namespace yupana::graph
