#include "yupana/som/train.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "yupana/core/comm.hpp"
#include "yupana/core/cuda/place.hpp"
#include "yupana/core/eigensystem.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/som/som_backends.hpp"
#include "yupana/som/train_cuda.hpp"

namespace yupana::som {
namespace {

/// The samples that this rank searches.
MatrixView<const float> share_of(MatrixView<const float> samples, const Context& context) {
  const std::int64_t begin = samples.rows * context.rank() / context.ranks();
  const std::int64_t end = samples.rows * (context.rank() + 1) / context.ranks();
  return {samples.row(begin), end - begin, samples.cols, samples.stride};
}

/// Sums of all ranks, which are exact: the same bits for any number of them.
void add_over_ranks(Comm* comm, NeuronSums& sums) {
  if (comm == nullptr) return;
  comm->sum(reinterpret_cast<std::uint64_t*>(sums.count.data()), sums.count.size());
  comm->sum(reinterpret_cast<std::uint64_t*>(sums.sum.data()), sums.sum.size());
}

void train_batch(Context& context,
                 MatrixView<const float> samples,
                 const SomParams& params,
                 Matrix<float>& codebook) {
  const Schedule& schedule = params.schedule;
  const MatrixView<const float> mine = share_of(samples, context);
  Stage stage(context,
              "som",
              static_cast<double>(schedule.iterations) * static_cast<double>(mine.rows),
              "samples");
  const FixedPoint fixed = FixedPoint::of(samples.rows, largest_values(context, samples));
  std::optional<cpu::Searcher> searcher;
  if (context.backend() == Backend::cpu) searcher.emplace(context, mine);
  for (std::int64_t t = 0; t < schedule.iterations; ++t) {
    NeuronSums sums = searcher ? searcher->sum_by_neuron(codebook.view(), fixed, stage)
                               : reference::sum_by_neuron(context, mine, codebook.view(), fixed);
    add_over_ranks(context.comm(), sums);
    const auto table = neighborhood_table(params.grid, params.neighborhood, schedule.sigma(t));
    smooth(context, sums, fixed, params.grid, table, codebook);
  }
}

/// Visits all samples in an order of its own in every iteration; sigma and the learning rate
/// continue between samples.
void train_online(Context& context,
                  MatrixView<const float> samples,
                  const SomParams& params,
                  Matrix<float>& codebook) {
  const Schedule& schedule = params.schedule;
  Stage stage(context,
              "som",
              static_cast<double>(schedule.iterations) * static_cast<double>(samples.rows),
              "samples");
  // Looks at Ctrl-C about every millisecond: one pass over many samples may take minutes.
  const std::int64_t piece = 1 + (std::int64_t{1} << 20) / (1 + codebook.rows() * codebook.cols());
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples.rows));
  for (std::int64_t t = 0; t < schedule.iterations; ++t) {
    std::iota(order.begin(), order.end(), std::int64_t{0});
    RandomSequence random(params.seed, static_cast<std::uint64_t>(2 + t));
    for (std::size_t last = order.size(); last > 1; --last) {
      std::swap(order[last - 1],
                order[static_cast<std::size_t>(random.uniform() * static_cast<double>(last))]);
    }
    const double sigma = schedule.sigma(t);
    const double rate = params.learning_rate * sigma / schedule.sigma(0);
    const auto table = neighborhood_table(params.grid, params.neighborhood, sigma);
    std::int64_t visited = 0;
    for (const std::int64_t s : order) {
      if (++visited % piece == 0) stage.advance(static_cast<double>(piece));
      const float* const sample = samples.row(s);
      std::int64_t best = 0;
      double nearest = squared_distance(sample, codebook.row(0), samples.cols);
      for (std::int64_t i = 1; i < codebook.rows(); ++i) {
        const double d = squared_distance(sample, codebook.row(i), samples.cols);
        if (d < nearest) best = i, nearest = d;
      }
      for (std::int64_t i = 0; i < codebook.rows(); ++i) {
        const double step = rate * neighborhood_at(table, params.grid, best, i);
        if (step == 0) continue;
        for (std::int64_t j = 0; j < samples.cols; ++j) {
          const double w = codebook(i, j);
          codebook(i, j) = static_cast<float>(w + step * (double{sample[j]} - w));
        }
      }
    }
    stage.advance(static_cast<double>(visited % piece));
  }
}

/// With all defaults resolved. Throws usage for what cannot be.
SomParams checked(const SomParams& params) {
  check_grid(params.grid);
  if (!(params.learning_rate > 0 && params.learning_rate <= 1)) {
    throw usage_error("--learning-rate: expected a number above 0, at most 1, got {}",
                      params.learning_rate);
  }
  SomParams whole = params;
  whole.schedule = resolved(params.schedule, params.grid);
  return whole;
}

void check_samples(Context& context, MatrixView<const float> samples) {
  if (samples.rows < 1 || samples.cols < 1) {
    throw input_error(
        "som: expected at least 1 sample of 1 feature, got {} of {}", samples.rows, samples.cols);
  }
  check_finite(context, samples, "samples");
}

void note_empty_neurons(Context& context,
                        std::int64_t samples,
                        std::int64_t neurons,
                        std::int64_t iterations) {
  constexpr double many_pairs = 1e8;  // below, an iteration takes less than about a second
  const double pairs = static_cast<double>(samples) * static_cast<double>(neurons);
  const std::string work =
      iterations == 0 || pairs < many_pairs
          ? ""
          : fmt::format(": each iteration weighs {:.3g} pairs of them; a smaller map is faster",
                        pairs);
  context.note(fmt::format(
      "som: {} for {}{}", counted(samples, "sample"), counted(neurons, "neuron"), work));
}

Matrix<float> run(Context& context,
                  MatrixView<const float> samples,
                  Matrix<float> codebook,
                  const SomParams& params) {
  if (samples.rows < codebook.rows()) {
    note_empty_neurons(context, samples.rows, codebook.rows(), params.schedule.iterations);
  }
  if (params.training == Training::online) {
    if (yupana::cuda::device_of(context, samples.data) >= 0) {
      throw usage_error(
          "training: expected batch for samples on a GPU, got online; or copy them to host memory");
    }
    train_online(context, samples, params, codebook);
#ifdef YUPANA_CUDA
  } else if (context.backend() == Backend::cuda) {
    cuda::train_batch(context, samples, params, codebook);
#endif
  } else {
    train_batch(context, samples, params, codebook);
  }
  return codebook;
}

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

Matrix<float> train_from(Context& context,
                         MatrixView<const float> samples,
                         Matrix<float> codebook,
                         const SomParams& params) {
  const SomParams whole = checked(params);
  check_samples(context, samples);
  if (codebook.rows() != params.grid.size() || codebook.cols() != samples.cols) {
    throw input_error("som: expected a codebook of {} x {}, got {} x {}",
                      params.grid.size(),
                      samples.cols,
                      codebook.rows(),
                      codebook.cols());
  }
  check_finite(context, codebook.view(), "codebook");
  return run(context, samples, std::move(codebook), whole);
}

Matrix<float> train(Context& context, MatrixView<const float> samples, const SomParams& params) {
  const SomParams whole = checked(params);
  check_samples(context, samples);
  return run(context, samples, initial_codebook(context, samples, whole), whole);
}

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
