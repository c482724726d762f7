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
using cpu::Found;
using cpu::PackedCodebook;

constexpr std::int64_t lanes = hn::MaxLanes(Floats());
constexpr std::int64_t vectors = 2;  // of a panel
// Rows whose sums fit the registers beside a panel's vectors: 32 registers, 16, or few lanes.
constexpr std::int64_t block = lanes >= 16 ? 12 : lanes >= 8 ? 6 : 4;

std::int64_t width() { return vectors * lanes; }

/// By lane: the smallest and second smallest so far, and the smallest one's neuron.
struct Running {
  alignas(64) float best[lanes];
  alignas(64) float second[lanes];
  alignas(64) std::int32_t index[lanes];
};

template <std::int64_t rows>
HWY_INLINE void panel_scores(const float* panel,
                             std::int64_t features,
                             const float* samples,
                             std::int64_t stride,
                             Vector (&sums)[rows][vectors]) {
  const Floats f;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t v = 0; v < vectors; ++v) sums[r][v] = hn::Load(f, panel + v * lanes);
  }
  const float* weights = panel + vectors * lanes;
  for (std::int64_t j = 0; j < features; ++j, weights += vectors * lanes) {
    Vector w[vectors];
    for (std::int64_t v = 0; v < vectors; ++v) w[v] = hn::Load(f, weights + v * lanes);
    for (std::int64_t r = 0; r < rows; ++r) {
      const Vector x = hn::Set(f, samples[r * stride + j]);
      for (std::int64_t v = 0; v < vectors; ++v) sums[r][v] = hn::MulAdd(x, w[v], sums[r][v]);
    }
  }
}

HWY_INLINE void take(const Vector score, std::int32_t first, Running& running) {
  const Floats f;
  const Indices n;
  const Vector best = hn::Load(f, running.best);
  const auto lower = hn::Lt(score, best);
  const Vector second = hn::Load(f, running.second);
  hn::Store(hn::Min(second, hn::Max(best, score)), f, running.second);
  hn::Store(hn::Min(best, score), f, running.best);
  const auto index =
      hn::IfThenElse(hn::RebindMask(n, lower), hn::Iota(n, first), hn::Load(n, running.index));
  hn::Store(index, n, running.index);
}

HWY_INLINE float smallest_lane(Vector values) {
  return hn::GetLane(hn::MinOfLanes(Floats(), values));
}

/// One result of all lanes. Equal smallest scores make second = best.
HWY_INLINE Found reduced(const Running& running) {
  const Floats f;
  const Vector all = hn::Load(f, running.best);
  Found found;
  found.best = smallest_lane(all);
  const auto smallest = hn::Eq(all, hn::Set(f, found.best));
  found.second = smallest_lane(hn::Load(f, running.second));
  if (hn::CountTrue(f, smallest) != 1) {
    found.second = found.best;
    return found;
  }
  const Vector infinity = hn::Set(f, std::numeric_limits<float>::infinity());
  found.second = std::min(found.second, smallest_lane(hn::IfThenElse(smallest, infinity, all)));
  found.index = running.index[hn::FindKnownFirstTrue(f, smallest)];
  return found;
}

template <std::int64_t rows>
void search_rows(const PackedCodebook& codebook,
                 const float* samples,
                 std::int64_t stride,
                 Found* found) {
  const Floats f;
  Running running[rows];
  const Vector infinity = hn::Set(f, std::numeric_limits<float>::infinity());
  for (Running& row : running) {
    hn::Store(infinity, f, row.best);
    hn::Store(infinity, f, row.second);
    std::fill_n(row.index, lanes, 0);
  }
  for (std::int64_t p = 0; p < codebook.count(); ++p) {
    Vector sums[rows][vectors];
    panel_scores<rows>(codebook.panel(p), codebook.features, samples, stride, sums);
    for (std::int64_t v = 0; v < vectors; ++v) {
      const auto first = static_cast<std::int32_t>((p * vectors + v) * lanes);
      for (std::int64_t r = 0; r < rows; ++r) take(sums[r][v], first, running[r]);
    }
  }
  for (std::int64_t r = 0; r < rows; ++r) found[r] = reduced(running[r]);
}

void search(const PackedCodebook& codebook,
            const float* samples,
            std::int64_t stride,
            std::int64_t rows,
            Found* found) {
  while (rows >= block) {
    search_rows<block>(codebook, samples, stride, found);
    samples += block * stride, found += block, rows -= block;
  }
  for (; rows > 0; --rows, samples += stride, ++found) {
    search_rows<1>(codebook, samples, stride, found);
  }
}

void scores(const PackedCodebook& codebook, const float* sample, float* out) {
  for (std::int64_t p = 0; p < codebook.count(); ++p) {
    Vector sums[1][vectors];
    panel_scores<1>(codebook.panel(p), codebook.features, sample, 0, sums);
    for (std::int64_t v = 0; v < vectors; ++v) {
      hn::StoreU(sums[0][v], Floats(), out + (p * vectors + v) * lanes);
    }
  }
}

void add_fixed(const float* sample,
               const double* scale,
               std::int64_t features,
               std::int64_t* sums) {
  const hn::CappedTag<double, 8> d;
  const hn::RebindToSigned<decltype(d)> i;
  const hn::Rebind<float, decltype(d)> f;
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t j = 0;
  for (; j + step <= features; j += step) {
    const auto x = hn::PromoteTo(d, hn::LoadU(f, sample + j));
    const auto fixed = hn::ConvertTo(i, hn::Round(hn::Mul(x, hn::LoadU(d, scale + j))));
    hn::StoreU(hn::Add(hn::LoadU(i, sums + j), fixed), i, sums + j);
  }
  for (; j < features; ++j) {
    sums[j] += static_cast<std::int64_t>(std::nearbyint(double{sample[j]} * scale[j]));
  }
}

void add_scaled(double factor, const double* from, std::int64_t features, double* to) {
  const hn::CappedTag<double, 8> d;
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  const auto h = hn::Set(d, factor);
  std::int64_t j = 0;
  for (; j + step <= features; j += step) {
    const auto product = hn::Mul(h, hn::LoadU(d, from + j));
    hn::StoreU(hn::Add(hn::LoadU(d, to + j), product), d, to + j);
  }
  for (; j < features; ++j) to[j] += factor * from[j];
}

}  // namespace yupana::som::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::som::cpu {
HWY_EXPORT(width);
HWY_EXPORT(search);
HWY_EXPORT(scores);
HWY_EXPORT(add_fixed);
HWY_EXPORT(add_scaled);

std::int64_t panel_width() { return HWY_DYNAMIC_DISPATCH(width)(); }

PackedCodebook packed(MatrixView<const float> codebook) {
  PackedCodebook result;
  result.neurons = codebook.rows;
  result.features = codebook.cols;
  result.width = panel_width();
  const std::int64_t places = result.count() * result.width;
  result.panels = Array<float>::zeros(places * (result.features + 1));
  for (std::int64_t place = 0; place < places; ++place) {
    float* const panel = result.panels.data() +
                         place / result.width * result.width * (result.features + 1) +
                         place % result.width;
    if (place >= result.neurons) {
      panel[0] = std::numeric_limits<float>::infinity();
      continue;
    }
    double square = 0;
    for (std::int64_t j = 0; j < result.features; ++j) {
      const float w = codebook(place, j);
      square += double{w} * double{w};
      panel[(j + 1) * result.width] = -2 * w;
    }
    panel[0] = static_cast<float>(square);
    result.norm = std::max(result.norm, std::sqrt(square));
  }
  return result;
}

void search(const PackedCodebook& codebook,
            const float* samples,
            std::int64_t stride,
            std::int64_t rows,
            Found* found) {
  HWY_DYNAMIC_DISPATCH(search)(codebook, samples, stride, rows, found);
}
void scores(const PackedCodebook& codebook, const float* sample, float* out) {
  HWY_DYNAMIC_DISPATCH(scores)(codebook, sample, out);
}
void add_fixed(const float* sample,
               const double* scale,
               std::int64_t features,
               std::int64_t* sums) {
  HWY_DYNAMIC_DISPATCH(add_fixed)(sample, scale, features, sums);
}
void add_scaled(double factor, const double* from, std::int64_t features, double* to) {
  HWY_DYNAMIC_DISPATCH(add_scaled)(factor, from, features, to);
}

}  // namespace yupana::som::cpu
#endif  // HWY_ONCE
