#pragma once

#include <cub/device/device_radix_sort.cuh>

#include "yupana/arrays/radix_sort_cuda.hpp"
#include "yupana/core/tiles.hpp"

/// One instantiation of CUB a file: each takes long to compile.
namespace yupana::arrays::cuda {

template <class U, class V>
void radix_sort_unsigned(Workspace& space,
                         cudaStream_t stream,
                         Columns<U, V> data,
                         std::int64_t n) {
  using yupana::cuda::check;
  constexpr bool pairs = Columns<U, V>::has_values;
  const auto part = [](std::int64_t bytes) {
    return static_cast<std::uint64_t>(round_up(bytes, 256));
  };
  const std::uint64_t keys_bytes = part(n * static_cast<std::int64_t>(sizeof(U)));
  const std::uint64_t values_bytes = pairs ? part(n * static_cast<std::int64_t>(sizeof(V))) : 0;
  std::size_t needed = 0;
  const auto run = [&](void* memory, unsigned char* other) {
    cub::DoubleBuffer<U> keys(data.keys, reinterpret_cast<U*>(other));
    if constexpr (pairs) {
      cub::DoubleBuffer<V> values(data.values, reinterpret_cast<V*>(other + keys_bytes));
      check(cub::DeviceRadixSort::SortPairs(
                memory, needed, keys, values, n, 0, 8 * static_cast<int>(sizeof(U)), stream),
            "radix sort");
      if (memory != nullptr && values.Current() != data.values) {
        check(cudaMemcpyAsync(data.values,
                              values.Current(),
                              static_cast<std::size_t>(n) * sizeof(V),
                              cudaMemcpyDeviceToDevice,
                              stream),
              "copy sorted values");
      }
    } else {
      check(cub::DeviceRadixSort::SortKeys(
                memory, needed, keys, n, 0, 8 * static_cast<int>(sizeof(U)), stream),
            "radix sort");
    }
    if (memory != nullptr && keys.Current() != data.keys) {
      check(cudaMemcpyAsync(data.keys,
                            keys.Current(),
                            static_cast<std::size_t>(n) * sizeof(U),
                            cudaMemcpyDeviceToDevice,
                            stream),
            "copy sorted keys");
    }
  };
  run(nullptr, nullptr);
  auto* memory =
      static_cast<unsigned char*>(space.scratch(keys_bytes + values_bytes + needed + 256));
  run(memory + keys_bytes + values_bytes, memory);
}

}  // namespace yupana::arrays::cuda
