#include "yupana/som/sums.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "yupana/som/schedule.hpp"
#include "yupana/som/search_cpu.hpp"

namespace yupana::som {

FixedPoint FixedPoint::of(std::int64_t samples, const std::vector<float>& largest) {
  int bits = 62;
  while (bits > 0 && (std::int64_t{1} << (62 - bits)) < samples) --bits;
  bits = std::min(bits, 39);
  FixedPoint fixed;
  for (const float value : largest) {
    int exponent = 0;
    std::frexp(value, &exponent);  // value < 2^exponent
    fixed.scale.push_back(value == 0 ? 1.0 : std::ldexp(1.0, bits - exponent));
  }
  return fixed;
}

std::vector<float> largest_values(Context& context, MatrixView<const float> samples) {
  std::vector<float> largest(static_cast<std::size_t>(samples.cols), 0.0f);
  std::mutex joining;
  context.parallel_for(samples.rows, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> mine(largest.size(), 0.0f);
    for (std::int64_t s = begin; s < end; ++s) {
      const float* const row = samples.row(s);
      for (std::size_t j = 0; j < mine.size(); ++j) mine[j] = std::max(mine[j], std::abs(row[j]));
    }
    const std::lock_guard lock(joining);
    for (std::size_t j = 0; j < mine.size(); ++j) largest[j] = std::max(largest[j], mine[j]);
  });
  return largest;
}

NeuronSums NeuronSums::zeros(std::int64_t neurons, std::int64_t features) {
  return {Array<std::int64_t>::zeros(neurons), Array<std::int64_t>::zeros(neurons * features)};
}

void NeuronSums::add(const NeuronSums& other) {
  for (std::int64_t i = 0; i < count.size(); ++i) count[i] += other.count[i];
  for (std::int64_t i = 0; i < sum.size(); ++i) sum[i] += other.sum[i];
}

void smooth(Context& context,
            const NeuronSums& sums,
            const FixedPoint& fixed,
            const Grid& grid,
            const std::vector<double>& table,
            Matrix<float>& codebook) {
  const std::int64_t neurons = codebook.rows(), features = codebook.cols();
  Array<double> values(neurons * features);
  for (std::int64_t i = 0; i < values.size(); ++i) {
    // Powers of two: exact but for the integer's own rounding.
    values[i] =
        static_cast<double>(sums.sum[i]) / fixed.scale[static_cast<std::size_t>(i % features)];
  }
  // A map of many more neurons than samples is nearly empty.
  std::vector<std::int64_t> occupied;
  for (std::int64_t b = 0; b < neurons; ++b) {
    if (sums.count[b] != 0) occupied.push_back(b);
  }
  const auto add_scaled = cpu::search_kernels().add_scaled;
  context.parallel_for(neurons, 4, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> numerator(static_cast<std::size_t>(features));
    for (std::int64_t i = begin; i < end; ++i) {
      std::fill(numerator.begin(), numerator.end(), 0.0);
      double denominator = 0;
      for (const std::int64_t b : occupied) {
        const double h = neighborhood_at(table, grid, b, i);
        if (h == 0) continue;
        const double weight = h * static_cast<double>(sums.count[b]);
        denominator += weight;
        add_scaled(h, values.data() + b * features, features, numerator.data());
      }
      if (denominator < negligible) continue;
      for (std::int64_t j = 0; j < features; ++j) {
        codebook(i, j) = static_cast<float>(numerator[static_cast<std::size_t>(j)] / denominator);
      }
    }
  });
}

}  // namespace yupana::som
