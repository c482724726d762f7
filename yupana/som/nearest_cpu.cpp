#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "yupana/som/search_cpu.hpp"
#include "yupana/som/som_backends.hpp"

namespace yupana::som::cpu {
namespace {

/// |x| rounded up.
float norm_above(const float* sample, std::int64_t features) {
  double square = 0;
  for (std::int64_t j = 0; j < features; ++j) square += double{sample[j]} * double{sample[j]};
  return static_cast<float>(std::sqrt(square) * (1 + 1e-6));
}

/// A bound of |score - (D - |x|^2)| for every neuron, so that D can be smallest only for neurons
/// whose score is within twice it of the smallest.
///
/// A chain of d fused multiply-adds from a rounded |w|^2 errs by at most (d + 2) u (|w|^2 + 2 |w|
/// |x|) with u = 2^-24 (Higham 2002, 3.5); D itself, in double, by (d + 2) 2^-53 (|x| + |w|)^2. The
/// six spare u, and eight times the part of |x|^2, also cover how this bound is rounded and added.
class ErrorBound {
 public:
  explicit ErrorBound(const PackedCodebook& codebook)
      : norm_(codebook.norm),
        by_weights_((static_cast<double>(codebook.features) + 8) * 0x1p-24),
        by_sample_((static_cast<double>(codebook.features) + 2) * 0x1p-50),
        least_(static_cast<double>(codebook.features) * std::numeric_limits<float>::min()) {}

  float of(float sample_norm) const {
    const double x = sample_norm;
    const double scores = norm_ * (norm_ + 2 * x);
    // Scores that may not fit a float say nothing.
    if (!(scores < 0.25 * std::numeric_limits<float>::max())) {
      return std::numeric_limits<float>::infinity();
    }
    return static_cast<float>(by_weights_ * scores + by_sample_ * (x * x) + least_);
  }

 private:
  double norm_, by_weights_, by_sample_, least_;
};

struct TwoBest {
  std::int32_t neuron[2] = {0, -1};
  double square[2] = {std::numeric_limits<double>::infinity(),
                      std::numeric_limits<double>::infinity()};

  void take(std::int32_t other, double d) {
    if (d < square[0]) {
      neuron[1] = neuron[0], square[1] = square[0];
      neuron[0] = other, square[0] = d;
    } else if (d < square[1]) {
      neuron[1] = other, square[1] = d;
    }
  }
};

/// The nearest `count` (1 or 2) neurons of a sample, among those that the scores leave possible.
TwoBest decide(const PackedCodebook& packed,
               Samples codebook,
               const float* sample,
               float bound,
               int count,
               std::vector<float>& scratch) {
  scratch.resize(static_cast<std::size_t>(packed.count() * group_neurons));
  search_kernels().scores(packed, sample, scratch.data());
  float smallest = std::numeric_limits<float>::infinity(), next = smallest;
  for (std::int64_t i = 0; i < packed.neurons; ++i) {
    const float score = scratch[static_cast<std::size_t>(i)];
    next = std::min(next, std::max(smallest, score));
    smallest = std::min(smallest, score);
  }
  float limit = count == 2 ? next : smallest;
  limit += 2 * bound;
  TwoBest best;
  best.neuron[0] = -1;
  for (std::int64_t i = 0; i < packed.neurons; ++i) {
    // Written so that a NaN of overflowed scores leaves its neuron possible.
    if (scratch[static_cast<std::size_t>(i)] > limit) continue;
    best.take(static_cast<std::int32_t>(i),
              squared_distance(sample, codebook.row(i), packed.features));
  }
  if (best.neuron[0] < 0) best.neuron[0] = 0;  // all distances are infinite
  return best;
}

}  // namespace

NearestNeurons nearest_neurons(Context& context, Samples samples, Samples codebook) {
  const std::int64_t n = samples.rows;
  NearestNeurons result{
      Array<std::int32_t>(n), Array<std::int32_t>(n), Array<double>(n), Array<double>(n)};
  const PackedCodebook packed = cpu::packed(codebook);
  const ErrorBound errors(packed);
  Stage stage(context, "nearest neurons", static_cast<double>(n), "samples");
  context.parallel_for(n, 256, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> scratch;
    for (std::int64_t s = begin; s < end; ++s) {
      const float bound = errors.of(norm_above(samples.row(s), samples.cols));
      const TwoBest two = decide(packed, codebook, samples.row(s), bound, 2, scratch);
      result.best[s] = two.neuron[0];
      result.second[s] = two.neuron[1];
      result.best_distance[s] = std::sqrt(two.square[0]);
      result.second_distance[s] = std::sqrt(two.square[1]);
    }
    stage.advance(static_cast<double>(end - begin));
  });
  return result;
}

Searcher::Searcher(Context& context, Samples samples) : context_(context), samples_(samples) {
  if (static_cast<std::uint64_t>(samples.rows) * sizeof(float) > context.memory() / 2) return;
  norms_ = Array<float>(samples.rows);
  context.parallel_for(samples.rows, 1024, [&](std::int64_t s) {
    norms_[s] = norm_above(samples_.row(s), samples_.cols);
  });
}

NeuronSums Searcher::sum_by_neuron(Samples codebook, const FixedPoint& fixed, Stage& stage) {
  const std::int64_t n = samples_.rows, d = samples_.cols;
  const PackedCodebook packed = cpu::packed(codebook);
  const ErrorBound errors(packed);
  NeuronSums all = NeuronSums::zeros(codebook.rows, d);
  std::mutex adding;
  // Every piece has sums of its own, so pieces are few; integers add up the same in any order.
  const std::int64_t grain = std::max(tile_samples, n / (4 * context_.threads()));
  context_.parallel_for(n, grain, [&](std::int64_t begin, std::int64_t end) {
    NeuronSums sums = NeuronSums::zeros(codebook.rows, d);
    std::vector<float> scratch;
    Array<float> turned(d * tile_samples);
    TileFound found;
    std::int64_t reported = begin;
    for (std::int64_t first = begin; first < end; first += tile_samples) {
      const std::int64_t rows = std::min(tile_samples, end - first);
      const Samples tile(samples_.row(first), rows, d, samples_.stride);
      search_kernels().search(packed, tile.data, tile.stride, rows, turned.data(), found);
      float norm = 0;
      for (std::int64_t r = 0; r < rows; ++r) {
        norm = std::max(norm, norms_.empty() ? norm_above(tile.row(r), d) : norms_[first + r]);
      }
      const float bound = errors.of(norm);
      for (std::int64_t r = 0; r < rows; ++r) {
        if (found.second[r] > found.best[r] + 2 * bound) continue;
        found.neuron[r] = decide(packed, codebook, tile.row(r), bound, 1, scratch).neuron[0];
      }
      search_kernels().add_samples(tile.data,
                                   tile.stride,
                                   rows,
                                   found.neuron,
                                   fixed.scale.data(),
                                   d,
                                   sums.count.data(),
                                   sums.sum.data());
      if (first - reported > 1 << 14) {
        stage.advance(static_cast<double>(first - reported));
        reported = first;
      }
    }
    stage.advance(static_cast<double>(end - reported));
    const std::lock_guard lock(adding);
    all.add(sums);
  });
  return all;
}

}  // namespace yupana::som::cpu
