#include <algorithm>
#include <cstdint>
#include <tuple>

#include "yupana/core/instantiate.hpp"
#include "yupana/forest/packed.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/forest/pack_rows_cpu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace yupana::forest::HWY_NAMESPACE {

/// Values of `rows` rows from the first on. A known count: vectors, no call.
template <class T>
HWY_INLINE void load_lanes(const T* first, std::int64_t row_stride, std::int64_t rows, T* x) {
  if (rows >= packed_lanes && row_stride == 1) {
    std::copy_n(first, packed_lanes, x);
  } else if (rows >= packed_lanes) {
    for (std::int64_t k = 0; k < packed_lanes; ++k) x[k] = first[k * row_stride];
  } else {
    for (std::int64_t k = 0; k < rows; ++k) x[k] = first[k * row_stride];
  }
}

template <class T>
bool pack_some(TableView<T> table, bool with_missing, Key<T>* keys) {
  using K = Key<T>;
  bool missing = false;
  const std::int64_t columns = table.columns;
  const std::int64_t group = columns * packed_lanes * (with_missing ? 2 : 1);
  for (std::int64_t f = 0; f < columns; ++f) {
    K* to = keys + f * packed_lanes;
    for (std::int64_t i = 0; i < table.rows; i += packed_lanes, to += group) {
      T x[packed_lanes] = {};
      load_lanes(&table.data[f * table.stride + i * table.row_stride],
                 table.row_stride,
                 table.rows - i,
                 x);
      bool none = false;
      for (std::int64_t k = 0; k < packed_lanes; ++k) {
        none |= x[k] != x[k];
        to[k] = key_of(x[k]);
      }
      missing |= none;
      if (!with_missing) continue;
      K* low = to + columns * packed_lanes;
      for (std::int64_t k = 0; k < packed_lanes; ++k) {
        low[k] = x[k] != x[k] ? K{0} : to[k];
        to[k] = x[k] != x[k] ? ~K{0} : to[k];
      }
    }
  }
  return with_missing || !missing;
}

/// Of other tables than those of columns few rows at a time, which the first cache holds.
template <class T>
bool pack_groups(TableView<T> table, bool with_missing, Key<T>* keys) {
  const std::int64_t step = table.row_stride == 1 ? table.rows : 2 * packed_lanes;
  const std::int64_t row_keys = table.columns * (with_missing ? 2 : 1);
  bool known = true;
  for (std::int64_t i = 0; i < table.rows && known; i += step) {
    const TableView<T> some = table.part(i, std::min(step, table.rows - i));
    known = pack_some(some, with_missing, keys + i * row_keys);
  }
  return known;
}

/// Highway's tables hold plain functions: this one has those of every type.
auto packings() { return std::make_tuple(pack_groups<float>, pack_groups<double>); }

}  // namespace yupana::forest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::forest::cpu {

HWY_EXPORT(packings);

template <class T>
bool pack_rows(TableView<T> table, bool with_missing, Key<T>* keys) {
  const auto pack = std::get<decltype(&pack_rows<T>)>(HWY_DYNAMIC_DISPATCH(packings)());
  return pack(table, with_missing, keys);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, pack_rows)

}  // namespace yupana::forest::cpu
#endif
