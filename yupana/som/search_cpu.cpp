// The search for the nearest neurons, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/som/search_cpu.cpp"
#include "yupana/som/search_cpu.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace yupana::som::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, 16>;
using Indices = hn::RebindToSigned<Floats>;
using Vector = hn::Vec<Floats>;
using cpu::group_neurons;
using cpu::PackedCodebook;
using cpu::SearchKernels;
using cpu::tile_samples;
using cpu::TileFound;

constexpr std::int64_t lanes = hn::MaxLanes(Floats());
constexpr std::int64_t vectors = 2;  // of samples, next to each other
// Neurons whose sums fit the registers: 16 of 32, 8 of 16.
constexpr std::int64_t at_once = lanes >= 16 ? 8 : 4;
constexpr std::int64_t step = vectors * lanes;

/// Smallest, second smallest and the smallest one's neuron of a vector of samples.
struct Running {
  Vector best, second;
  hn::Vec<Indices> neuron;

  HWY_INLINE void take(Vector score, std::int32_t other) {
    const Indices n;
    const auto lower = hn::Lt(score, best);
    second = hn::Min(second, hn::Max(best, score));
    best = hn::Min(best, score);
    neuron = hn::IfThenElse(hn::RebindMask(n, lower), hn::Set(n, other), neuron);
  }
};

/// `step` samples, turned: features x tile_samples.
HWY_INLINE void search_step(const PackedCodebook& codebook, const float* turned, Running* running) {
  const Floats f;
  for (std::int64_t first = 0; first < codebook.neurons; first += at_once) {
    const float* weights = codebook.group(first / group_neurons) + first % group_neurons;
    Vector sums[at_once][vectors];
    for (std::int64_t i = 0; i < at_once; ++i) {
      for (std::int64_t v = 0; v < vectors; ++v) sums[i][v] = hn::Set(f, weights[i]);
    }
    const float* x = turned;
    for (std::int64_t j = 0; j < codebook.features; ++j, x += tile_samples) {
      weights += group_neurons;
      Vector sample[vectors];
      for (std::int64_t v = 0; v < vectors; ++v) sample[v] = hn::Load(f, x + v * lanes);
      for (std::int64_t i = 0; i < at_once; ++i) {
        const Vector w = hn::Set(f, weights[i]);
        for (std::int64_t v = 0; v < vectors; ++v) {
          sums[i][v] = hn::MulAdd(w, sample[v], sums[i][v]);
        }
      }
    }
    for (std::int64_t i = 0; i < at_once; ++i) {
      for (std::int64_t v = 0; v < vectors; ++v) {
        running[v].take(sums[i][v], static_cast<std::int32_t>(first + i));
      }
    }
  }
}

void search(const PackedCodebook& codebook,
            const float* samples,
            std::int64_t stride,
            std::int64_t rows,
            float* turned,
            TileFound& found) {
  const Floats f;
  const Indices n;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t j = 0; j < codebook.features; ++j) {
      turned[j * tile_samples + r] = samples[r * stride + j];
    }
  }
  for (std::int64_t r = rows; r < tile_samples; ++r) {
    for (std::int64_t j = 0; j < codebook.features; ++j) turned[j * tile_samples + r] = 0;
  }
  const Vector infinity = hn::Set(f, std::numeric_limits<float>::infinity());
  for (std::int64_t first = 0; first < tile_samples; first += step) {
    Running running[vectors];
    for (Running& part : running) part = {infinity, infinity, hn::Zero(n)};
    search_step(codebook, turned + first, running);
    for (std::int64_t v = 0; v < vectors; ++v) {
      hn::Store(running[v].best, f, found.best + first + v * lanes);
      hn::Store(running[v].second, f, found.second + first + v * lanes);
      hn::Store(running[v].neuron, n, found.neuron + first + v * lanes);
    }
  }
}

void scores(const PackedCodebook& codebook, const float* sample, float* out) {
  const hn::CappedTag<float, group_neurons> f;
  const auto width = static_cast<std::int64_t>(hn::Lanes(f));
  for (std::int64_t g = 0; g < codebook.count(); ++g) {
    for (std::int64_t first = 0; first < group_neurons; first += width) {
      const float* weights = codebook.group(g) + first;
      auto sum = hn::LoadU(f, weights);
      for (std::int64_t j = 0; j < codebook.features; ++j) {
        weights += group_neurons;
        sum = hn::MulAdd(hn::Set(f, sample[j]), hn::LoadU(f, weights), sum);
      }
      hn::StoreU(sum, f, out + g * group_neurons + first);
    }
  }
}

HWY_INLINE void add_fixed(const float* sample,
                          const double* scale,
                          std::int64_t features,
                          std::int64_t* sums) {
  const hn::CappedTag<double, 8> d;
  const hn::RebindToSigned<decltype(d)> i;
  const hn::Rebind<float, decltype(d)> f;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t j = 0;
  for (; j + width <= features; j += width) {
    const auto x = hn::PromoteTo(d, hn::LoadU(f, sample + j));
    const auto fixed = hn::ConvertTo(i, hn::Round(hn::Mul(x, hn::LoadU(d, scale + j))));
    hn::StoreU(hn::Add(hn::LoadU(i, sums + j), fixed), i, sums + j);
  }
  for (; j < features; ++j) {
    sums[j] += static_cast<std::int64_t>(std::nearbyint(double{sample[j]} * scale[j]));
  }
}

void add_samples(const float* samples,
                 std::int64_t stride,
                 std::int64_t rows,
                 const std::int32_t* neurons,
                 const double* scale,
                 std::int64_t features,
                 std::int64_t* counts,
                 std::int64_t* sums) {
  for (std::int64_t r = 0; r < rows; ++r) {
    ++counts[neurons[r]];
    add_fixed(samples + r * stride, scale, features, sums + neurons[r] * features);
  }
}

void add_scaled(double factor, const double* from, std::int64_t features, double* to) {
  const hn::CappedTag<double, 8> d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  const auto h = hn::Set(d, factor);
  std::int64_t j = 0;
  for (; j + width <= features; j += width) {
    const auto product = hn::Mul(h, hn::LoadU(d, from + j));
    hn::StoreU(hn::Add(hn::LoadU(d, to + j), product), d, to + j);
  }
  for (; j < features; ++j) to[j] += factor * from[j];
}

const SearchKernels* table() {
  static constexpr SearchKernels all = {&search, &scores, &add_samples, &add_scaled};
  return &all;
}

}  // namespace yupana::som::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::som::cpu {
HWY_EXPORT(table);

const SearchKernels& search_kernels() { return *HWY_DYNAMIC_DISPATCH(table)(); }

PackedCodebook packed(MatrixView<const float> codebook) {
  PackedCodebook result;
  result.neurons = codebook.rows;
  result.features = codebook.cols;
  const std::int64_t size = group_neurons * (result.features + 1);
  const std::int64_t places = result.count() * group_neurons;
  result.groups = Array<float>::zeros(result.count() * size);
  for (std::int64_t place = 0; place < places; ++place) {
    float* const at = result.groups.data() + place / group_neurons * size + place % group_neurons;
    if (place >= result.neurons) {
      at[0] = std::numeric_limits<float>::infinity();
      continue;
    }
    double square = 0;
    for (std::int64_t j = 0; j < result.features; ++j) {
      const float w = codebook(place, j);
      square += double{w} * double{w};
      at[(j + 1) * group_neurons] = -2 * w;
    }
    at[0] = static_cast<float>(square);
    result.norm = std::max(result.norm, std::sqrt(square));
  }
  return result;
}

}  // namespace yupana::som::cpu
#endif  // HWY_ONCE
