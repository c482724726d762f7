#pragma once

#include <cstdint>
#include <type_traits>

#include "yupana/arrays/columns.hpp"
#include "yupana/arrays/operators.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/place.hpp"
#include "yupana/core/messages.hpp"

/// What a CUDA context runs on the GPU where arrays lie, or on its first for those in host memory:
/// plain types with the operators of operators.hpp, compiled once (*_host_cuda.cu). A host function
/// object cannot go to a device: other types, operators and orders run on the context's threads. In
/// device code the templates of *_cuda.cuh take any of them, on device memory.
namespace yupana::arrays::cuda {

template <class T>
inline constexpr bool is_plain =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t> ||
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t> ||
    std::is_same_v<T, float> || std::is_same_v<T, double>;

/// Scans, reductions and segments run on the device for these.
template <class T, class Op>
inline constexpr bool has_fold = yupana::cuda::built&& is_plain<T> &&
                                 (std::is_same_v<Op, Plus> || std::is_same_v<Op, Min> ||
                                  std::is_same_v<Op, Max>);

/// Runs of integer keys, sums of plain values.
template <class K, class V, class Op, class Same>
inline constexpr bool has_runs = has_fold<V, Op>&& std::is_same_v<Op, Plus>&& is_plain<K>&&
    std::is_integral_v<K>&& std::is_same_v<Same, Equal>;

/// Values that only move: none, or of 4 or 8 bytes.
template <class V>
inline constexpr bool moves = std::is_same_v<V, NoValue> || sizeof(V) == 4 || sizeof(V) == 8;

/// Sorts and merges in the order of Less.
template <class K, class V, class Order>
inline constexpr bool has_order =
    yupana::cuda::built&& is_plain<K>&& moves<V>&& std::is_same_v<Order, Less>;

/// The type that carries the bits of a value that only moves.
template <class V>
using Moved = std::conditional_t<std::is_same_v<V, NoValue>,
                                 NoValue,
                                 std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>>;

/// The same for keys of which only equality counts.
template <class K>
using KeyBits = std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>;

/// Throws usage where what threads take lies on a GPU.
inline void check_on_host(const Context& context, const void* array) {
  if (yupana::cuda::device_of(context, array) < 0) return;
  throw usage_error(
      "arrays on a GPU: expected numbers of 4 or 8 bytes with Plus, Min or Max, or in the order of "
      "Less; copy others to the host, or call the templates of yupana/arrays/*_cuda.cuh");
}

/// first: precedes the first value, or null.
template <class T, class Op>
void scan_anywhere(
    Context& context, const T* in, std::int64_t n, const T* first, bool exclusive, T* out, Op op);

template <class T, class Op>
T reduce_anywhere(Context& context, const T* in, std::int64_t n, T init, Op op);

template <class T, class Op>
void segmented_scan_anywhere(Context& context,
                             const T* in,
                             const std::int64_t* offsets,
                             std::int64_t segments,
                             const T* init,
                             T* out,
                             Op op);

template <class T, class Op>
void segmented_reduce_anywhere(Context& context,
                               const T* in,
                               const std::int64_t* offsets,
                               std::int64_t segments,
                               T init,
                               T* totals,
                               Op op);

template <class U, class V>
std::int64_t reduce_by_key_anywhere(
    Context& context, const U* keys, const V* values, std::int64_t n, U* out_keys, V* out_values);

/// Ways to sort on a device. All keep the order of equal keys that can be told apart, so that the
/// bytes are the same whichever is taken.
enum class SortWay { quickest, merges, quicksort, radix };

/// Which way is quickest on an H200. Up to `merges` keys mergesort, which has the fewest launches.
/// Beyond, integers of 4 bytes by CUB's radix sort; all others by quicksort, which passes over 8
/// bytes as often as over 4, where radix takes twice as many passes, and floats besides have to be
/// numbered for it.
template <class K, class V>
struct SortLimits {
  static constexpr bool short_integers = std::is_integral_v<K> && sizeof(K) == 4;
  static constexpr bool pairs = Columns<K, V>::has_values;
  static constexpr std::int64_t merges = std::int64_t{1}
                                         << (!pairs                             ? 20
                                             : short_integers && sizeof(V) == 8 ? 18
                                             : short_integers || sizeof(V) == 4 ? 19
                                                                                : 20);
  static constexpr SortWay beyond =
      short_integers || (sizeof(K) == 4 && !pairs) ? SortWay::radix : SortWay::quicksort;
};

template <class K, class V>
void sort_anywhere(Context& context, Columns<K, V> data, std::int64_t n, SortWay way);

/// Of keys on a GPU.
template <class K>
void argsort_on_gpu(Context& context, const K* keys, std::int64_t n, std::int64_t* places);

template <class K, class V>
void merge_anywhere(Context& context,
                    Columns<const K, const V> a,
                    std::int64_t a_size,
                    Columns<const K, const V> b,
                    std::int64_t b_size,
                    Columns<K, V> out);

/// The same columns with values as bits.
template <class K, class V>
Columns<K, Moved<V>> as_moved(Columns<K, V> data) {
  return {data.keys, reinterpret_cast<Moved<V>*>(data.values)};
}
template <class K, class V>
Columns<const K, const Moved<V>> as_moved(Columns<const K, const V> data) {
  return {data.keys, reinterpret_cast<const Moved<V>*>(data.values)};
}

}  // namespace yupana::arrays::cuda
