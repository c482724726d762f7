#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/cuda/runtime.hpp"

/// Copies of ordinary host memory to a device, by way of page-locked pieces that all threads fill.
/// Only files of the CUDA build include this.
namespace yupana::forest::cuda {

/// The rows a device holds of a table; null: all.
using RowList = const std::uint32_t*;

/// Of the device that is current where it is made.
class Upload {
 public:
  /// bytes: all that is to be copied. Page-locked memory is worth its making for much of it.
  Upload(Context& context, std::uint64_t bytes);
  ~Upload();
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  Context& context() { return context_; }
  /// to[i] = from[rows[i]], from[i] without rows, in the stream's order; `from` may change once
  /// this returns. One call at a time.
  template <class T>
  void copy(T* to, const T* from, RowList rows, std::int64_t count, cudaStream_t stream) {
    send(to,
         rows == nullptr ? from : nullptr,
         count,
         sizeof(T),
         FunctionView<Fill>([&](std::int64_t begin, std::int64_t end, void* piece) {
           T* values = static_cast<T*>(piece);
           if (rows == nullptr) return write_through(values, from + begin, end - begin);
           T block[512];
           for (std::int64_t i = begin; i < end;) {
             const std::int64_t count = std::min<std::int64_t>(end - i, std::ssize(block));
             for (std::int64_t k = 0; k < count; ++k) block[k] = from[rows[i + k]];
             write_through(values, block, count);
             values += count;
             i += count;
           }
         }),
         stream);
  }

  template <class T>
  yupana::cuda::DeviceArray<T> array(const T* from,
                                     RowList rows,
                                     std::int64_t count,
                                     cudaStream_t stream) {
    yupana::cuda::DeviceArray<T> to(count);
    copy(to.data(), from, rows, count, stream);
    return to;
  }

 private:
  /// Puts values [begin, end) into a piece.
  using Fill = void(std::int64_t begin, std::int64_t end, void* piece);
  struct Slot {
    std::mutex filling;
    yupana::cuda::Event copied;
  };
  static constexpr unsigned slots = 16;

  template <class T>
  static void write_through(T* to, const T* from, std::int64_t count) {
    write_through(static_cast<void*>(to), from, static_cast<std::size_t>(count) * sizeof(T));
  }
  /// Past the caches, from which a device reads at less than half the bus's rate. `to` is aligned
  /// to 16 bytes.
  static void write_through(void* to, const void* from, std::size_t bytes);
  /// whole: the values where they stand as they go; null: only `fill` has them.
  void send(void* to,
            const void* whole,
            std::int64_t count,
            std::size_t size,
            FunctionView<Fill> fill,
            cudaStream_t stream);

  Context& context_;
  int device_ = 0;
  Array<unsigned char> memory_;  ///< page-locked, a piece a slot; empty for little
  std::array<Slot, slots> slots_;
  unsigned next_ = 0;  ///< slot
};

}  // namespace yupana::forest::cuda
