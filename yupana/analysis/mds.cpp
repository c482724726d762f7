#include "yupana/analysis/mds.hpp"

#include <algorithm>
#include <cmath>

#include "yupana/analysis/mds_backends.hpp"
#include "yupana/analysis/unreachable.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::analysis {
namespace {

// Up to this many individuals the dense solver takes no longer than the iteration (6 ms at 128).
constexpr std::int64_t dense_individuals = 128;

// A GPU pays off above this: with one H200 next to 16 cores, ten axes of 2000 individuals take 38
// ms (26 ms on the cores), of 4000 86 ms (91 ms), carrying the matrix there included.
[[maybe_unused]] constexpr std::int64_t gpu_individuals = 4000;

template <class T>
ShiftedProduct product_of(Context& context, MatrixView<const T> distances, bool squared) {
  if (context.backend() == Backend::reference) return reference::product(distances, squared);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda && distances.rows >= gpu_individuals) {
    auto there = cuda::product(context, distances.data, distances.rows, distances.stride, squared);
    if (there) return there;
    context.note("mds: the matrix does not fit the GPU; its products run on the CPU");
  }
#endif
  return cpu::product(context, distances, squared);
}

/// Lanczos pays off for few of all eigenvalues. The choice looks at sizes alone, never at the
/// backend, whose results would else differ in their last bits.
bool takes_dense(std::int64_t n, std::int64_t axes) {
  return n <= dense_individuals || 4 * axes > n;
}

/// Mean of all n^2 entries of D o D. trace(B) = n / 2 times it, because the diagonal is zero.
double mean_square(const ShiftedProduct& product, std::int64_t n) {
  Array<double> ones = Array<double>::zeros(round_up(n, strands));
  std::fill_n(ones.begin(), n, 1.0);
  Array<double> sums(n);
  product(0.0, ones.data(), sums.data());
  double total = 0;
  for (const double sum : sums) total += sum / static_cast<double>(n);
  if (!std::isfinite(total)) {
    throw input_error(
        "mds: expected distances whose squares fit a double; divide the matrix by its mean");
  }
  return total / static_cast<double>(n);
}

/// Points of the positive eigenpairs: columns scaled by sqrt(eigenvalue) and signed.
MdsResult scaled_points(const Eigenpairs& pairs, std::int64_t n, double trace) {
  MdsResult result;
  result.trace = trace;
  const double mean = n > 0 ? trace / static_cast<double>(n) : 0;
  const double zero = pairs.values.size() > 0 ? 1e-10 * std::max(pairs.values[0], mean) : 0;
  std::int64_t positive = 0;
  while (positive < pairs.values.size() && pairs.values[positive] > zero) ++positive;
  result.points = Matrix<double>(n, positive);
  for (std::int64_t k = 0; k < positive; ++k) {
    const double value = pairs.values[k];
    result.eigenvalues.push_back(value);
    // Both are sums of rounded squares: a share of 1 may come out a few units beyond.
    const double share = value / trace;
    result.share.push_back(share > 1 && share < 1 + 1e-12 ? 1 : share);
    Eigen::Index largest = 0;
    pairs.vectors.col(k).cwiseAbs().maxCoeff(&largest);
    const double sign = pairs.vectors(largest, k) < 0 ? -1 : 1;
    for (std::int64_t i = 0; i < n; ++i) {
      result.points(i, k) = sign * std::sqrt(value) * pairs.vectors(i, k);
    }
  }
  return result;
}

}  // namespace

std::uint64_t mds_bytes(std::int64_t n, std::int64_t dimensions) {
  const auto individuals = static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1));
  const auto axes = std::min(static_cast<std::uint64_t>(dimensions), individuals);
  const std::uint64_t points = individuals * axes;
  // B and its eigenvectors; or a basis of 3 axes, the vectors it restarts from, and what belongs to
  // its projection.
  if (takes_dense(n, dimensions)) return sizeof(double) * (2 * individuals * individuals + points);
  return sizeof(double) * (5 * points + 27 * axes * axes);
}

template <class T>
MdsResult mds(Context& context,
              MatrixView<const T> distances,
              bool squared,
              const MdsParams& params) {
  if (params.dimensions < 1) {
    throw usage_error("mds: dimensions: expected at least 1, got {}", params.dimensions);
  }
  check_distances(context, distances, "mds", Unreachable::refused);
  const std::int64_t n = distances.rows;
  if (n < 2) return scaled_points({}, n, 0);
  const ShiftedProduct product = product_of(context, distances, squared);
  const double mean = mean_square(product, n);
  const double trace = mean * static_cast<double>(n) / 2;
  if (trace == 0) return scaled_points({}, n, 0);
  const std::int64_t axes = std::min(params.dimensions, n - 1);
  if (takes_dense(n, axes)) return scaled_points(dense::mds(distances, squared, axes), n, trace);
  const Eigenpairs pairs = cpu::mds(context, product, n, mean, axes);
  if (pairs.values.size() < axes) {
    context.note(
        fmt::format("mds: {} of {} coordinates are given; the eigenvalues after them are "
                    "too close together to be separated",
                    pairs.values.size(),
                    axes));
  }
  return scaled_points(pairs, n, trace);
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, mds)

}  // namespace yupana::analysis
