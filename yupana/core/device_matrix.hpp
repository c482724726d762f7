#pragma once

#include <cstdint>
#include <memory>

namespace yupana {

/// An n x n row-major matrix in the memory of one GPU, kept as long as anyone holds it. One
/// family leaves it on a device and another continues with it. Default: empty.
struct DeviceMatrix {
  enum class Type { int32, float64 };

  int device = 0;
  std::int64_t n = 0;
  Type type = Type::int32;
  std::shared_ptr<void> memory;

  bool empty() const { return memory == nullptr; }
  std::uint64_t bytes() const {
    return empty() ? 0 : static_cast<std::uint64_t>(n * n) * (type == Type::int32 ? 4 : 8);
  }
};

}  // namespace yupana
