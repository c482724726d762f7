// The product of the matrix of squared distances with a vector, compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/analysis/mds_product_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "yupana/analysis/mds_product.hpp"
#include "yupana/core/instantiate.hpp"

HWY_BEFORE_NAMESPACE();
namespace yupana::analysis::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Doubles>;

constexpr std::int64_t lanes = hn::MaxLanes(Doubles());
constexpr std::int64_t vectors = strands / lanes;

template <class T>
HWY_INLINE Vector load_double(const T* from) {
  if constexpr (std::is_same_v<T, double>) {
    return hn::LoadU(Doubles(), from);
  } else {
    return hn::PromoteTo(Doubles(), hn::LoadU(hn::Rebind<T, Doubles>(), from));
  }
}

/// Adds sixteen columns of one row to its running sums.
template <bool squared, class T>
HWY_INLINE void add_columns(const T* row, const double* x, Vector shift, Vector* sums) {
  for (std::int64_t v = 0; v < vectors; ++v) {
    const Vector d = load_double(row + v * lanes);
    const Vector entry = squared ? hn::Sub(d, shift) : hn::MulSub(d, d, shift);
    sums[v] = hn::MulAdd(entry, hn::Load(Doubles(), x + v * lanes), sums[v]);
  }
}

/// Sums of `rows` rows at once: they share the loads of x and hide each other's latency.
template <bool squared, std::int64_t rows, class T>
HWY_INLINE void sum_rows(
    const T* first, std::int64_t stride, std::int64_t n, double shift, const double* x, double* y) {
  const Vector c = hn::Set(Doubles(), shift);
  Vector sums[rows][vectors];
  for (auto& row : sums) std::fill_n(row, vectors, hn::Zero(Doubles()));
  const std::int64_t whole = n / strands * strands;
  for (std::int64_t j = 0; j < whole; j += strands) {
    for (std::int64_t r = 0; r < rows; ++r) {
      add_columns<squared>(first + r * stride + j, x + j, c, sums[r]);
    }
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    if (whole < n) {
      T tail[strands] = {};  // times the zeros after x
      std::copy_n(first + r * stride + whole, n - whole, tail);
      add_columns<squared>(tail, x + whole, c, sums[r]);
    }
    alignas(64) double parts[strands];
    for (std::int64_t v = 0; v < vectors; ++v) hn::Store(sums[r][v], Doubles(), parts + v * lanes);
    for (std::int64_t half = strands / 2; half > 0; half /= 2) {
      for (std::int64_t s = 0; s < half; ++s) parts[s] += parts[s + half];
    }
    y[r] = parts[0];
  }
}

template <bool squared, class T>
void product(MatrixView<const T> distances,
             double shift,
             const double* x,
             std::int64_t begin,
             std::int64_t end,
             double* sums) {
  constexpr std::int64_t block = lanes >= 8 ? 4 : lanes >= 4 ? 2 : 1;  // what fits the registers
  const std::int64_t n = distances.cols, stride = distances.stride;
  std::int64_t i = begin;
  for (; i + block <= end; i += block) {
    sum_rows<squared, block>(distances.row(i), stride, n, shift, x, sums + i);
  }
  for (; i < end; ++i) sum_rows<squared, 1>(distances.row(i), stride, n, shift, x, sums + i);
}

template <class T>
void dispatch(MatrixView<const T> distances,
              Entries entries,
              double shift,
              const double* x,
              std::int64_t begin,
              std::int64_t end,
              double* sums) {
  if (entries == Entries::squares) {
    product<true>(distances, shift, x, begin, end, sums);
  } else {
    product<false>(distances, shift, x, begin, end, sums);
  }
}

/// Highway's tables hold plain functions: this one has those of every type.
auto products() {
  return std::make_tuple(dispatch<std::int32_t>, dispatch<float>, dispatch<double>);
}

}  // namespace yupana::analysis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::analysis {
HWY_EXPORT(products);

namespace cpu {

template <class T>
void shifted_product(MatrixView<const T> distances,
                     Entries entries,
                     double shift,
                     const double* x,
                     std::int64_t begin,
                     std::int64_t end,
                     double* sums) {
  const auto sum = std::get<decltype(&shifted_product<T>)>(HWY_DYNAMIC_DISPATCH(products)());
  sum(distances, entries, shift, x, begin, end, sums);
}

template <class T>
ShiftedProduct product(Context& context, MatrixView<const T> distances, Entries entries) {
  return [&context, distances, entries](double shift, const double* x, double* sums) {
    // Thirty-two rows of 2000 take 5 us, far above the cost of handing them to a thread.
    context.parallel_for(distances.rows, 32, [&](std::int64_t begin, std::int64_t end) {
      shifted_product(distances, entries, shift, x, begin, end, sums);
    });
  };
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, product, shifted_product)

}  // namespace cpu
}  // namespace yupana::analysis
#endif  // HWY_ONCE
