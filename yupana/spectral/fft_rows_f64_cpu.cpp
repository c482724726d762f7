#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>

#include "yupana/spectral/fft_rows.hpp"

// AVX2, AVX-512 and plain C++: what else there is gains little over these and doubles the code.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/spectral/fft_rows_f64_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/highway.h>

#include "yupana/spectral/fft_butterflies-inl.h"
#include "yupana/spectral/fft_passes-inl.h"
#include "yupana/spectral/fft_turns-inl.h"
// After the turns:
#include "yupana/spectral/fft_short-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yupana::spectral::cpu::HWY_NAMESPACE {

void transform_f64(const RowJob<double>& job) { transform(job); }
void tiles_f64(const double* tiles, std::int64_t count, double* rows) {
  tiles_to_rows(tiles, count, rows);
}
void from_signals_f64(const double* in,
                      std::int64_t distance,
                      std::int64_t length,
                      std::int64_t lanes,
                      double sign,
                      double* rows) {
  signals_to_rows(in, distance, length, lanes, sign, rows);
}
void to_signals_f64(const double* rows,
                    std::int64_t length,
                    std::int64_t lanes,
                    double scale,
                    double scale_imaginary,
                    double* out,
                    std::int64_t distance) {
  rows_to_signals(rows, length, lanes, scale, scale_imaginary, out, distance);
}
void pairs_f64(const HalfSpectrumJob<double>& job, std::int64_t begin, std::int64_t end) {
  pair_values(job, begin, end);
}
void multiply_f64(const ProductJob<double>& job, std::int64_t count) {
  multiply_values(job, count);
}
ShortShape shape_f64(std::int64_t length) { return shape_of<double>(length); }
void short_f64(const ShortJob<double>& job) { short_first(job); }
std::int64_t lanes_f64() { return Rows<double>::lanes; }

}  // namespace yupana::spectral::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::spectral::cpu {

HWY_EXPORT(transform_f64);
HWY_EXPORT(tiles_f64);
HWY_EXPORT(from_signals_f64);
HWY_EXPORT(to_signals_f64);
HWY_EXPORT(pairs_f64);
HWY_EXPORT(multiply_f64);
HWY_EXPORT(shape_f64);
HWY_EXPORT(short_f64);
HWY_EXPORT(lanes_f64);

template <>
void transform_rows(const RowJob<double>& job) {
  HWY_DYNAMIC_DISPATCH(transform_f64)(job);
}
template <>
void turn_tiles(const double* tiles, std::int64_t count, double* rows) {
  HWY_DYNAMIC_DISPATCH(tiles_f64)(tiles, count, rows);
}
template <>
void rows_of_signals(const double* in,
                     std::int64_t distance,
                     std::int64_t length,
                     std::int64_t lanes,
                     double sign,
                     double* rows) {
  HWY_DYNAMIC_DISPATCH(from_signals_f64)(in, distance, length, lanes, sign, rows);
}
template <>
void signals_of_rows(const double* rows,
                     std::int64_t length,
                     std::int64_t lanes,
                     double scale,
                     double scale_imaginary,
                     double* out,
                     std::int64_t distance) {
  HWY_DYNAMIC_DISPATCH(to_signals_f64)
  (rows, length, lanes, scale, scale_imaginary, out, distance);
}
template <>
void pair_half_spectrum(const HalfSpectrumJob<double>& job, std::int64_t begin, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(pairs_f64)(job, begin, end);
}
template <>
void multiply_complexes(const ProductJob<double>& job, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(multiply_f64)(job, count);
}
template <>
ShortShape short_shape<double>(std::int64_t length) {
  return HWY_DYNAMIC_DISPATCH(shape_f64)(length);
}
template <>
void short_pass(const ShortJob<double>& job) {
  HWY_DYNAMIC_DISPATCH(short_f64)(job);
}
template <>
std::int64_t row_lanes<double>() {
  return HWY_DYNAMIC_DISPATCH(lanes_f64)();
}

}  // namespace yupana::spectral::cpu
#endif  // HWY_ONCE
