#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/cuda/page_lock.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/forest/reserve_cuda.hpp"

/// Copies between ordinary host memory and a device, by way of page-locked pieces. Only files of
/// the CUDA build include this.
namespace yupana::forest::cuda {

/// The rows a device holds of a table; null: all.
using RowList = const std::uint32_t*;

/// Page-locked memory, kept for the next call: to make it takes as long as to copy 100 MB through
/// it.
struct LockedMemory {
  Array<unsigned char> memory;
  yupana::cuda::PageLock lock;  ///< ends before the memory
};

/// Page-locked memory that pieces go through, a range for each of several devices: the driver
/// locks memory for one caller at a time.
class Staging {
 public:
  // Threads fill pieces of their own and hand them to the bus: a few in flight hide what a
  // thread takes for one, and large ones call the driver seldom, which serves one thread at a time.
  static constexpr unsigned slots = 32;
  static constexpr std::size_t piece_bytes = std::size_t{1} << 20;

  /// Begins to make it; devices are prepared meanwhile. bytes: all that is to be copied to each
  /// device. Page-locked memory is worth its making for much of it alone. first: a device.
  Staging(Context& context, int first, std::vector<std::uint64_t> bytes);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// `slots` pieces for what goes to device d of the list, then `slots` for what comes from it,
  /// once they are made; null: none.
  unsigned char* of(std::size_t d) const;

 private:
  void make(int threads, const std::vector<std::uint64_t>& bytes);

  LockedMemory locked_;
  std::vector<unsigned char*> pieces_;
  std::shared_future<void> made_;
};

/// Of the device that is current where it is made.
class Upload {
 public:
  /// pieces: of a Staging, which lives longer; null: values go as they are, which is slower.
  Upload(Context& context, unsigned char* pieces);
  ~Upload();
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  Context& context() { return context_; }

  /// Columns one after the other: to[c * count + i] = column_of(c)[rows[i]], column_of(c)[i]
  /// without rows, in the stream's order. ready(c), in order of the columns and one at a time, once
  /// all copies of column c are in the stream: by any thread, with this device current. One call at
  /// a time. As the thread may be another device's, ready() makes no ReservedArray.
  template <class T, class ColumnOf, class Ready>
  void columns(T* to,
               const ColumnOf& column_of,
               std::int64_t columns,
               RowList rows,
               std::int64_t count,
               cudaStream_t stream,
               const Ready& ready) {
    const auto fill = [&](std::int64_t c, std::int64_t begin, std::int64_t end, void* piece) {
      T* values = static_cast<T*>(piece);
      const T* const from = column_of(c);
      if (rows == nullptr) return write_through(values, from + begin, end - begin);
      T block[512];
      for (std::int64_t i = begin; i < end;) {
        const std::int64_t some = std::min<std::int64_t>(end - i, std::ssize(block));
        for (std::int64_t k = 0; k < some; ++k) block[k] = from[rows[i + k]];
        write_through(values, block, some);
        values += some;
        i += some;
      }
    };
    const auto whole = [&](std::int64_t c) -> const void* {
      return rows == nullptr ? column_of(c) : nullptr;
    };
    send({to, columns, count, sizeof(T)},
         FunctionView<Whole>(whole),
         FunctionView<Fill>(fill),
         FunctionView<void(std::int64_t)>(ready),
         stream);
  }

  /// to[i] = from[rows[i]], from[i] without rows, in the stream's order; `from` may change once
  /// this returns. One call at a time.
  template <class T>
  void copy(T* to, const T* from, RowList rows, std::int64_t count, cudaStream_t stream) {
    columns(
        to, [&](std::int64_t) { return from; }, 1, rows, count, stream, [](std::int64_t) {});
  }

  template <class T>
  ReservedArray<T> array(const T* from, RowList rows, std::int64_t count, cudaStream_t stream) {
    ReservedArray<T> to(count);
    copy(to.data(), from, rows, count, stream);
    return to;
  }

 private:
  /// Where columns go: one after the other, each of `count` values of `size` bytes.
  struct Target {
    void* to;
    std::int64_t columns;
    std::int64_t count;
    std::size_t size;

    void* at(std::int64_t column, std::int64_t row) const {
      return static_cast<unsigned char*>(to) +
             static_cast<std::size_t>(column * count + row) * size;
    }
  };
  /// A column's values where they are stored as they go; null: only Fill has them.
  using Whole = const void*(std::int64_t column);
  /// Puts values [begin, end) of a column into a piece.
  using Fill = void(std::int64_t column, std::int64_t begin, std::int64_t end, void* piece);
  struct Slot {
    std::mutex filling;
    yupana::cuda::Event copied;
  };
  static constexpr unsigned slots = Staging::slots;

  template <class T>
  static void write_through(T* to, const T* from, std::int64_t count) {
    write_through(static_cast<void*>(to), from, static_cast<std::size_t>(count) * sizeof(T));
  }
  /// Past the caches, from which a device reads at less than half the bus's rate. `to` is aligned
  /// to 16 bytes.
  static void write_through(void* to, const void* from, std::size_t bytes);
  void send(const Target& target,
            FunctionView<Whole> whole,
            FunctionView<Fill> fill,
            FunctionView<void(std::int64_t)> ready,
            cudaStream_t stream);
  void send_unstaged(const Target& target,
                     std::int64_t column,
                     FunctionView<Whole> whole,
                     FunctionView<Fill> fill,
                     cudaStream_t stream);
  void send_piece(const Target& target,
                  std::int64_t column,
                  std::int64_t begin,
                  unsigned slot,
                  FunctionView<Fill> fill,
                  cudaStream_t stream);

  Context& context_;
  int device_ = 0;
  unsigned char* pieces_;
  std::array<Slot, slots> slots_;
  unsigned next_ = 0;  ///< slot
};

/// Copies results from the device that is current where it is made to pageable memory: worker
/// threads empty the page-locked pieces. To lock the results' memory instead would hold up every
/// other call of the driver.
class Download {
 public:
  /// pieces: of a Staging, which lives longer; null: results go as they are, which is slower.
  Download(int threads, unsigned char* pieces);
  ~Download();
  Download(const Download&) = delete;
  Download& operator=(const Download&) = delete;

  /// to[i] = from[i], after what is in the stream; `from` may change after this in its order. One
  /// call at a time.
  void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream);
  /// Until all that was copied has arrived.
  void wait(cudaStream_t stream);

 private:
  struct Piece {
    yupana::cuda::Event arrived;
    unsigned char* to = nullptr;
    std::size_t bytes = 0;
    bool is_full = false;
  };
  static constexpr unsigned slots = Staging::slots;

  void empty_pieces();

  int device_ = 0;
  unsigned char* memory_;
  std::array<Piece, slots> pieces_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t sent_ = 0, taken_ = 0, emptied_ = 0;  ///< pieces
  bool has_ended_ = false;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;
};

}  // namespace yupana::forest::cuda
