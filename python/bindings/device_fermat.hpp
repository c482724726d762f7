#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "python/bindings/device_summaries.hpp"

/// Fermat distances in the memory of the current GPU: the steps around the closure. Only for CUDA
/// builds; each call has ended on the device when it returns. T, From, To: std::int32_t, float or
/// double.
namespace yupana::python::device {

/// Cells are i * n + j, `nowhere` where there is none.
struct DistancesSummary {
  unsigned long long diagonal = nowhere;  ///< the first vertex with a distance to itself
  unsigned long long not_a_number = nowhere, negative = nowhere, asymmetric = nowhere;
  unsigned long long too_large = nowhere;  ///< an integer that is no number
  double largest = 0;                      ///< finite distance
  double least = 1.7976931348623157e308;   ///< positive distance
  unsigned fractional = 0;                 ///< whether a distance is no integer
  unsigned unreachable = 0;                ///< whether one is infinite
};
template <class T>
DistancesSummary summarize_distances(const T* distances, std::int64_t n);

/// As graph::weight(); whole powers of whole distances are exact below 2^53, others within rounding
/// of the device's pow. Zero is 0, never -0.
template <class To, class From>
void make_weights(
    const From* distances, std::int64_t cells, double power, double inverse_scale, To* weights);

/// Of a closure: pairs i < j that no path joins, and sets of vertices that paths join.
struct Reach {
  unsigned long long unreachable = 0, components = 0;
};
template <class T>
Reach summarize_reach(const T* lengths, std::int64_t n);

/// As graph::root_of(), within rounding of the device's pow.
template <class To, class T>
void make_roots(const T* lengths, std::int64_t cells, double alpha, double unit, To* roots);

}  // namespace yupana::python::device
