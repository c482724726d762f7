#pragma once

#include <cstdint>

/// Arrays that are in the memory of the current GPU already. Only for CUDA builds; each call has
/// ended on the device when it returns. T: the plain types.
namespace yupana::python::device {

template <class T>
void inclusive_scan(const T* in, std::int64_t n, T* out);

template <class T>
T reduce(const T* in, std::int64_t n);

template <class T>
void sort(T* keys, std::int64_t n);

/// Of two sorted arrays; out overlaps neither.
template <class T>
void merge(const T* a, std::int64_t a_size, const T* b, std::int64_t b_size, T* out);

}  // namespace yupana::python::device
