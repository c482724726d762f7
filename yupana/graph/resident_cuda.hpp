#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/graph/dealt_rows_cuda.hpp"

/// Private to the family: host matrices on their way to the devices. Only files of the CUDA build
/// include this.
namespace yupana::graph::cuda {

/// Lets the devices read each other's memory; false if they cannot.
bool link_devices(const std::vector<int>& devices);

/// Host memory that is page-locked as long as this lives, so that copies run at the full rate of
/// the bus and beside kernels. Where the system refuses, copies are just slower.
class PageLock {
 public:
  PageLock(void* memory, std::uint64_t bytes);
  ~PageLock();
  PageLock(const PageLock&) = delete;
  PageLock& operator=(const PageLock&) = delete;

 private:
  void* memory_ = nullptr;
};

/// A matrix on devices, as long as this lives.
template <class T>
class Resident {
 public:
  Resident(Context& context,
           const std::vector<int>& devices,
           MatrixView<T> weights,
           const SquareShape& shape);
  const DealtRows<T>& rows() const { return *rows_; }
  /// Of the first device.
  T* data() { return memory_.front().data(); }
  void copy_back() { copy(cudaMemcpyDeviceToHost); }

 private:
  void copy(cudaMemcpyKind way);

  Context& context_;
  MatrixView<T> weights_;
  PageLock lock_;
  std::vector<yupana::cuda::DeviceArray<T>> memory_;
  std::optional<DealtRows<T>> rows_;
};

}  // namespace yupana::graph::cuda
