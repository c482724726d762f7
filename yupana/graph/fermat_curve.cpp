#include <algorithm>
#include <cmath>
#include <vector>

#include "yupana/core/random.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/graph/fermat_backends.hpp"

namespace yupana::graph {
namespace {

// At most `sample` individuals: those whose random words are smallest, in their own order.
std::vector<std::int64_t> choose_sample(std::int64_t n, std::int64_t sample, std::uint64_t seed) {
  auto chosen = first_integers<std::int64_t>(n);
  if (sample >= n) return chosen;
  const Random random(seed);
  const auto word = [&random](std::int64_t i) {
    return random.word(static_cast<std::uint64_t>(i));
  };
  const auto end = chosen.begin() + std::max<std::int64_t>(sample, 0);
  std::partial_sort(chosen.begin(), end, chosen.end(), [&](std::int64_t a, std::int64_t b) {
    return std::pair(word(a), a) < std::pair(word(b), b);
  });
  chosen.erase(end, chosen.end());
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

SquareMatrix<double> submatrix(const AnyMatrix& distances,
                               std::int64_t sample,
                               std::uint64_t seed) {
  return std::visit(
      [&](const auto& d) {
        using T = std::decay_t<decltype(d(0, 0))>;
        const auto chosen = choose_sample(d.size(), sample, seed);
        const auto n = static_cast<std::int64_t>(chosen.size());
        SquareMatrix<double> part(n);
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t j = 0; j < n; ++j) {
            const T value =
                d(chosen[static_cast<std::size_t>(i)], chosen[static_cast<std::size_t>(j)]);
            part(i, j) = value == unreachable<T> ? unreachable<double> : static_cast<double>(value);
          }
        }
        return part;
      },
      distances);
}

double kept_at(Context& context, const SquareMatrix<double>& part, bool squared, double alpha) {
  SquareMatrix<double> copy(part.size());
  std::copy(part.data(), part.data() + part.size() * part.size(), copy.data());
  const FermatParams params = {.alpha = alpha, .precision = Precision::float64};
  return fermat_alone(context, std::move(copy), squared, params).kept_edges;
}

}  // namespace

std::vector<double> kept_edges(Context& context,
                               const AnyMatrix& distances,
                               bool squared,
                               const std::vector<double>& alphas,
                               std::int64_t sample,
                               std::uint64_t seed) {
  const SquareMatrix<double> part = submatrix(distances, sample, seed);
  std::vector<double> kept;
  for (const double alpha : alphas) kept.push_back(kept_at(context, part, squared, alpha));
  return kept;
}

/// Share of pairs i < j with a direct edge.
double edges_of(const SquareMatrix<double>& part) {
  std::int64_t edges = 0;
  for (std::int64_t i = 0; i < part.size(); ++i) {
    edges += std::count_if(
        part.row(i), part.row(i) + i, [](double d) { return d != unreachable<double>; });
  }
  const auto n = static_cast<double>(part.size());
  return n > 1 ? static_cast<double>(edges) / (n * (n - 1) / 2) : 1;
}

// A replaced edge stays replaced as alpha grows: the edges of the shorter path are all shorter than
// it, so each term of sum (d_edge / d)^alpha < 1 falls. So the share kept falls, and bisection
// finds where it passes one half.
double automatic_alpha(Context& context,
                       const AnyMatrix& distances,
                       bool squared,
                       std::int64_t sample,
                       std::uint64_t seed) {
  const SquareMatrix<double> part = submatrix(distances, sample, seed);
  double low = 1;
  double high = 64;
  const double half = edges_of(part) / 2;
  if (kept_at(context, part, squared, low) <= half) return low;
  if (kept_at(context, part, squared, high) > half) return high;
  while (high > 1.01 * low) {
    const double middle = (low + high) / 2;
    (kept_at(context, part, squared, middle) <= half ? high : low) = middle;
  }
  return std::ceil(high * 100) / 100;
}

}  // namespace yupana::graph
