#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <type_traits>

#include "yupana/arrays/columns.hpp"
#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/sort.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/cuda/place.hpp"

namespace yupana::arrays {

/// In which direction a sort goes, and what of the sorted keys is kept.
struct Selected {
  bool descending = false;       ///< from the greatest down; NaN are last all the same
  bool unique = false;           ///< of equal keys the first alone
  std::int64_t top = INT64_MAX;  ///< as many from the beginning
};

/// What of a sorted sequence is kept, as it passes by: of equal keys the first, and so many in all.
template <class K, class V>
class Selection {
 public:
  Selection(bool unique, std::int64_t top) : unique_(unique), left_(top) {}

  /// Moves what is kept of data[0, n) to its beginning; returns how many that are.
  std::int64_t take(Columns<K, V> data, std::int64_t n) {
    if (unique_) n = without_repeats(data, n);
    n = std::min(n, left_);
    left_ -= n;
    return n;
  }
  bool wants_more() const { return left_ > 0; }

 private:
  std::int64_t without_repeats(Columns<K, V> data, std::int64_t n) {
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      if (last_ && Equal{}(*last_, data.keys[i])) continue;
      last_ = data.keys[i];
      data.keys[kept] = data.keys[i];
      if constexpr (Columns<K, V>::has_values) data.values[kept] = data.values[i];
      ++kept;
    }
    return kept;
  }

  bool unique_;
  std::int64_t left_;
  std::optional<K> last_;
};

/// Turns the order of Less around, but leaves NaN last; its own inverse.
template <class K>
K turned(K key) {
  if constexpr (std::is_floating_point_v<K>) {
    return key != key ? key : -key;
  } else {
    return static_cast<K>(~key);
  }
}
template <class K>
void turn(Context& context, K* keys, std::int64_t n) {
  context.parallel_for(n, std::int64_t{1} << 16, [&](std::int64_t begin, std::int64_t end) {
    std::transform(keys + begin, keys + end, keys + begin, turned<K>);
  });
}

/// Throws usage unless all keys are kept, in ascending order.
inline void check_all(const Selected& selected) {
  if (!selected.descending && !selected.unique && selected.top == INT64_MAX) return;
  throw usage_error("descending, unique, top: expected keys in host memory, got some on a GPU");
}

/// sort_by_key() by Less, or the same keys turned, so that a GPU takes them too. Moves what is kept
/// to the beginning and returns how many keys that are.
template <class K, class V>
std::int64_t sort_selected(Context& context,
                           Columns<K, V> data,
                           std::int64_t n,
                           const Selected& selected) {
  const bool on_gpu = yupana::cuda::device_of(context, data.keys) >= 0;
  if (on_gpu) check_all(selected);
  if (selected.descending) turn(context, data.keys, n);
  sort_by_key(context, data.keys, data.values, n);
  if (on_gpu) return n;
  n = Selection<K, V>(selected.unique, selected.top).take(data, n);
  if (selected.descending) turn(context, data.keys, n);
  return n;
}

/// places[i] = which key is the i-th in that order; of equal keys the first comes first. Returns
/// how many are kept.
///   keys, places: in host memory, or on one GPU; places holds n
///   memory: on the host a copy of the keys, sorted with the places
template <class K>
std::int64_t argsort(Context& context,
                     const K* keys,
                     std::int64_t n,
                     std::int64_t* places,
                     const Selected& selected = {}) {
  if constexpr (cuda::has_order<K, NoValue, Less>) {
    if (yupana::cuda::device_of(context, keys) >= 0) {
      check_all(selected);
      cuda::argsort_on_gpu(context, keys, n, places);
      return n;
    }
  }
  cuda::check_on_host(context, keys);
  Array<K> copied(n);
  std::copy_n(keys, n, copied.data());
  std::iota(places, places + n, std::int64_t{0});
  auto* const moved = reinterpret_cast<std::uint64_t*>(places);
  return sort_selected(context, Columns<K, std::uint64_t>{copied.data(), moved}, n, selected);
}

}  // namespace yupana::arrays
