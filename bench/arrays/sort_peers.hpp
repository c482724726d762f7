#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/support/bench.hpp"

/// Sorts of other libraries, each from its own headers or loaded when the bench runs.
namespace yupana::bench {

/// Highway's vectorised quicksort, one thread, out of Debian's libhwy1: loaded, never linked.
class VqSort {
 public:
  VqSort();
  VqSort(const VqSort&) = delete;
  VqSort& operator=(const VqSort&) = delete;
  explicit operator bool() const { return library_ != nullptr; }
  static std::string version();

  void sort(std::uint32_t* keys, std::size_t n) const { sort_u32_(sorter_, keys, n); }
  void sort(std::uint64_t* keys, std::size_t n) const { sort_u64_(sorter_, keys, n); }
  void sort(float* keys, std::size_t n) const { sort_f32_(sorter_, keys, n); }
  void sort(double* keys, std::size_t n) const { sort_f64_(sorter_, keys, n); }

 private:
  /// hwy::Sorter::operator()(keys, n, SortAscending): the last argument is empty and not passed.
  template <class K>
  using Function = void (*)(const void*, K*, std::size_t);
  void* library_ = nullptr;
  alignas(16) unsigned char sorter_[16] = {};  ///< hwy::Sorter: one pointer, freed with the process
  Function<std::uint32_t> sort_u32_ = nullptr;
  Function<std::uint64_t> sort_u64_ = nullptr;
  Function<float> sort_f32_ = nullptr;
  Function<double> sort_f64_ = nullptr;
};

std::string standard_library();  ///< "libstdc++ 12"
std::string tbb_library();       ///< "oneTBB 2021.8"
std::string boost_library();     ///< "Boost 1.74.0"

/// Boost.Sort's hybrid radix sort, one thread.
template <class K>
void boost_spreadsort(K* keys, std::int64_t n);
/// Boost.Sort's parallel sort in blocks.
template <class K>
void boost_block_indirect_sort(K* keys, std::int64_t n, int threads);
/// std::sort(std::execution::par_unseq), on the context's threads.
template <class K>
void standard_parallel_sort(Context& context, K* keys, std::int64_t n);
/// std::stable_sort(std::execution::par_unseq), on the context's threads.
template <class K>
void standard_parallel_stable_sort(Context& context, K* keys, std::int64_t n);

}  // namespace yupana::bench
