#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace yupana {

/// An n x n row-major matrix in the memory of one GPU, kept as long as anyone holds it. One
/// family leaves it on a device and another continues with it. Default: empty.
struct DeviceMatrix {
  enum class Type { int32, float32, float64 };
  /// Of std::int32_t, float or double.
  template <class T>
  static constexpr Type type_of = std::is_integral_v<T>      ? Type::int32
                                  : std::is_same_v<T, float> ? Type::float32
                                                             : Type::float64;

  int device = 0;
  std::int64_t n = 0;
  Type type = Type::int32;
  std::shared_ptr<void> memory;

  bool empty() const { return memory == nullptr; }
  std::uint64_t bytes() const {
    return empty() ? 0 : static_cast<std::uint64_t>(n * n) * (type == Type::float64 ? 8 : 4);
  }
};

}  // namespace yupana
