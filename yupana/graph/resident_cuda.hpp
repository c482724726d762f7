#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/cuda/page_lock.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/graph/dealt_rows_cuda.hpp"

/// Private to the family: host matrices on their way to the devices. Only files of the CUDA build
/// include this.
namespace yupana::graph::cuda {

/// Lets the devices read each other's memory; false if they cannot.
bool link_devices(const std::vector<int>& devices);

/// Bytes of a matrix below which locking its pages costs more than it saves.
inline constexpr std::uint64_t worth_locking = std::uint64_t{64} << 20;

/// A matrix on devices, as long as this lives.
template <class T>
class Resident {
 public:
  Resident(Context& context,
           const std::vector<int>& devices,
           MatrixView<T> weights,
           const SquareShape& shape);
  const DealtRows<T>& rows() const { return memory_.rows(); }
  /// Of the first device.
  T* data() { return memory_.data(0); }
  void copy_back() { copy(cudaMemcpyDeviceToHost); }

 private:
  void copy(cudaMemcpyKind way);

  Context& context_;
  MatrixView<T> weights_;
  yupana::cuda::PageLock lock_;
  StripMemory<T> memory_;
};

}  // namespace yupana::graph::cuda
