#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "yupana/core/cuda/place.hpp"
#include "yupana/core/eigensystem.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/som/train.hpp"
#include "yupana/som/train_cuda.hpp"

namespace yupana::som {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Matrix<float> uniform(std::int64_t neurons, std::int64_t features, std::uint64_t seed) {
  const Random random(seed);
  Matrix<float> codebook(neurons, features);
  for (std::int64_t i = 0; i < neurons * features; ++i) {
    // 24 bits: what a float below 1 holds exactly.
    codebook.data()[i] =
        static_cast<float>(random.word(static_cast<std::uint64_t>(i)) >> 40) * 0x1p-24f;
  }
  return codebook;
}

Matrix<float> drawn([[maybe_unused]] Context& context,
                    MatrixView<const float> samples,
                    std::int64_t neurons,
                    std::uint64_t seed) {
  const std::vector<std::int64_t> rows = drawn_rows(samples.rows, neurons, seed);
#ifdef YUPANA_CUDA
  const int device = yupana::cuda::device_of(context, samples.data);
  if (device >= 0) return cuda::fetched_rows(device, samples, rows);
#endif
  Matrix<float> codebook(neurons, samples.cols);
  for (std::int64_t i = 0; i < neurons; ++i) {
    std::copy_n(samples.row(rows[static_cast<std::size_t>(i)]), samples.cols, codebook.row(i));
  }
  return codebook;
}

VectorXd mean_of(MatrixView<const float> samples) {
  VectorXd mean = VectorXd::Zero(samples.cols);
  for (std::int64_t s = 0; s < samples.rows; ++s) {
    for (std::int64_t j = 0; j < samples.cols; ++j) mean[j] += double{samples(s, j)};
  }
  return mean / static_cast<double>(samples.rows);
}

/// Rows of at most this many samples, evenly spread, show the plane.
constexpr std::int64_t pca_samples = 20'000;

/// The two largest principal axes, each two standard deviations long.
MatrixXd principal_axes(MatrixView<const float> samples, const VectorXd& mean) {
  const std::int64_t n = std::min(samples.rows, pca_samples);
  const std::int64_t d = samples.cols;
  MatrixXd centered(d, n);
  for (std::int64_t s = 0; s < n; ++s) {
    const float* const row = samples.row(s * samples.rows / n);
    for (std::int64_t j = 0; j < d; ++j) centered(j, s) = double{row[j]} - mean[j];
  }
  // The smaller of the two products has the same largest eigenvalues.
  const bool wide = d > n;
  const MatrixXd product =
      wide ? MatrixXd(centered.transpose() * centered) : MatrixXd(centered * centered.transpose());
  const Eigensystem all = eigensystem("som", product);
  MatrixXd axes = MatrixXd::Zero(d, 2);
  for (std::int64_t k = 0; k < std::min<std::int64_t>(2, product.rows()); ++k) {
    const std::int64_t at = product.rows() - 1 - k;
    VectorXd axis = all.vectors.col(at);
    if (wide) axis = centered * axis;
    const double length = axis.norm();
    if (length == 0) continue;
    Eigen::Index largest = 0;
    axis.cwiseAbs().maxCoeff(&largest);
    const double deviation = std::sqrt(std::max(0.0, all.values[at]) / static_cast<double>(n));
    axes.col(k) = axis * ((axis[largest] < 0 ? -2 : 2) * deviation / length);
  }
  return axes;
}

Matrix<float> plane(MatrixView<const float> samples, const Grid& grid) {
  const VectorXd mean = mean_of(samples);
  const MatrixXd axes = principal_axes(samples, mean);
  const auto place = [](std::int64_t at, std::int64_t count) {
    return count > 1 ? 2.0 * static_cast<double>(at) / static_cast<double>(count - 1) - 1 : 0.0;
  };
  // The longer side of the map takes the first axis.
  const int along = grid.cols >= grid.rows ? 0 : 1;
  Matrix<float> codebook(grid.size(), samples.cols);
  for (std::int64_t i = 0; i < grid.size(); ++i) {
    const double x = place(i % grid.cols, grid.cols), y = place(i / grid.cols, grid.rows);
    for (std::int64_t j = 0; j < samples.cols; ++j) {
      codebook(i, j) = static_cast<float>(mean[j] + x * axes(j, along) + y * axes(j, 1 - along));
    }
  }
  return codebook;
}

}  // namespace

std::vector<std::int64_t> drawn_rows(std::int64_t samples,
                                     std::int64_t neurons,
                                     std::uint64_t seed) {
  RandomSequence random(seed, 1);
  std::vector<std::int64_t> rows;
  std::unordered_set<std::int64_t> taken;
  while (std::ssize(rows) < neurons) {
    std::int64_t row = 0;
    do {
      row = static_cast<std::int64_t>(random.uniform() * static_cast<double>(samples));
      if (std::ssize(taken) >= samples) taken.clear();
    } while (!taken.insert(row).second);
    rows.push_back(row);
  }
  return rows;
}

Matrix<float> initial_codebook(Context& context,
                               MatrixView<const float> samples,
                               const SomParams& params) {
  switch (params.initial) {
    case Initial::uniform:
      return uniform(params.grid.size(), samples.cols, params.seed);
    case Initial::samples:
      return drawn(context, samples, params.grid.size(), params.seed);
    default:
      if (yupana::cuda::device_of(context, samples.data) >= 0) {
        throw usage_error(
            "initial: expected samples or uniform for samples on a GPU, got pca; or copy them to "
            "host memory");
      }
      return plane(samples, params.grid);
  }
}

}  // namespace yupana::som
