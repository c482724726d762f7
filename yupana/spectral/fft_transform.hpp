#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/spectral/fft.hpp"
#include "yupana/spectral/fft_plan.hpp"
#include "yupana/spectral/fft_rows.hpp"

namespace yupana::spectral::cpu {

/// Longest signal that is turned in registers: beyond, its twiddles and buffer cost more than the
/// tiles of four steps.
inline constexpr std::int64_t longest_short = std::int64_t{1} << 18;
/// Shortest signal worth more than one thread: about 20 us of work.
inline constexpr std::int64_t min_parallel = std::int64_t{1} << 14;

/// Scratch memory that threads take and give back: a fresh block for every piece of a loop would
/// be paid in page faults.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::int64_t size) : size_(size) {}
  /// Bytes of all blocks made so far.
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  class Block {
   public:
    explicit Block(Scratch& owner) : owner_(owner), memory_(owner.take()) {}
    ~Block() { owner_.give(std::move(memory_)); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    T* data() { return memory_.data(); }

   private:
    Scratch& owner_;
    Array<T> memory_;
  };

 private:
  Array<T> take() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!free_.empty()) {
        Array<T> memory = std::move(free_.back());
        free_.pop_back();
        return memory;
      }
    }
    Array<T> memory(size_);
    bytes_.fetch_add(memory.bytes(), std::memory_order_relaxed);
    return memory;
  }
  void give(Array<T> memory) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(std::move(memory));
  }

  std::int64_t size_;
  std::mutex mutex_;
  std::vector<Array<T>> free_;
  std::atomic<std::uint64_t> bytes_{0};
};

/// A loop on the context's threads, or here.
template <class Body>
void each(Context* context, std::int64_t count, std::int64_t grain, const Body& body) {
  if (context == nullptr) return body(0, count);
  context->parallel_for(count, grain, body);
}

/// How imaginary parts are read and results scaled: the only difference of the directions.
///   inverse(x) = conj(forward(conj(x))) / n
template <class T>
struct Ends {
  T sign = 1;
  T scale = 1;
  T scale_imaginary = 1;
};

/// Up to L signals at a time, one a lane, any smooth length.
template <class T>
class LaneTransform {
 public:
  explicit LaneTransform(std::int64_t length);
  /// `count` signals of complex numbers, value j of signal b at [b * distance + j * stride], of
  /// which one is 1.
  void run(const T* in,
           std::int64_t in_stride,
           std::int64_t in_distance,
           std::int64_t count,
           Ends<T> ends,
           T* out,
           std::int64_t out_stride,
           std::int64_t out_distance);
  std::uint64_t bytes() const { return plan_.bytes() + scratch_.bytes(); }

 private:
  void load(
      const T* in, std::int64_t stride, std::int64_t distance, std::int64_t count, T sign, T* rows);
  std::int64_t lanes_;
  RowPlan<T> plan_;
  Scratch<T> scratch_;
};

/// One signal that stays in the cache: a first pass, or a few, over vectors of neighbours,
/// transposed in registers, and rows of L from there on. A pass less than four steps, and no tiles.
template <class T>
class ShortTransform {
 public:
  /// Where shape.lanes is not 0.
  ShortTransform(std::int64_t length, ShortShape<T> shape);
  /// Contiguous; out may be in. `context` null: on the calling thread.
  /// `factors`: complex numbers that the result is multiplied by, or null.
  void run(Context* context, const T* in, T* out, Ends<T> ends, const T* factors);
  std::uint64_t bytes() const {
    return twiddles_.bytes() + first_.bytes() + rows_.bytes() + buffers_.bytes() + scratch_.bytes();
  }

 private:
  static constexpr std::int64_t max_on_stack = 2048;  // numbers
  std::int64_t scratch_numbers() const;
  void first_passes(ShortJob<T> job, std::int64_t begin, std::int64_t end, T* values, T* scratch);
  void last_passes(
      RowJob<T> job, std::int64_t begin, std::int64_t end, T* values, T* scratch) const;
  ShortShape<T> shape_;
  std::int64_t n_;
  RowPlan<T> first_;
  RowPlan<T> rows_;
  std::int64_t blocks_;           ///< of L results of the first passes, the last with what is left
  std::int64_t values_;           ///< numbers of all blocks
  std::int64_t scratch_numbers_;  ///< of each thread
  Array<T> twiddles_;
  Scratch<T> buffers_;
  Scratch<T> scratch_;
};

/// Whether signal and result together are in no cache when they are read again.
template <class T>
constexpr bool is_in_memory(std::int64_t n) {
  return 4 * n * std::int64_t{sizeof(T)} > std::int64_t{24} << 20;
}
/// Whether they are beyond a core's own caches.
template <class T>
constexpr bool is_long(std::int64_t n) {
  return 4 * n * std::int64_t{sizeof(T)} > std::int64_t{4} << 20;
}
/// Whether the tiles between the steps have the result's place if that is not the signal's. Of
/// short signals, whose rows would share sets of the first level, they lie one after the other.
template <class T>
constexpr bool tiles_fit(Split split, std::int64_t lanes) {
  return is_long<T>(split.rows * split.columns) && split.rows % lanes == 0 &&
         split.columns % lanes == 0;
}

/// One signal of n = n1 n2 values in two steps over memory (Bailey 1990): n2 transforms of length
/// n1 along columns, twiddles, n1 transforms of length n2. Of long signals the tiles
/// between the steps lie where the second step puts the transforms of its L rows: in `out` itself,
/// so that every value is read twice and written twice and nothing else is.
template <class T>
class FourStep {
 public:
  FourStep(std::int64_t length, Split split);
  /// Contiguous; out may be in. `context` null: on the calling thread.
  /// `factors`: complex numbers that the result is multiplied by, or null.
  void run(Context* context, const T* in, T* out, Ends<T> ends, const T* factors);
  std::uint64_t bytes() const;

 private:
  /// L x L values each: numbers from a tile to that of the next L columns and of the next L rows.
  struct Tiles {
    T* data;
    std::int64_t of_columns, of_rows, stride;
  };
  Tiles tiles_in(T* data, bool result) const;
  bool goes_past_cache(const T* to, std::int64_t stride) const;
  void make_twiddles();
  void columns(const T* in, T sign, std::int64_t group, Tiles tiles);
  void rows(Tiles tiles, std::int64_t group, Ends<T> ends, const T* factors, T* out);
  std::int64_t n_;
  std::int64_t lanes_;
  Split split_;
  RowPlan<T> first_;
  RowPlan<T> second_;
  RootTable roots_;
  Array<T> of_base_;
  Array<T> of_q_;
  std::int64_t groups_1_;  ///< of L among n1
  std::int64_t groups_2_;
  Scratch<T> buffers_;
  Scratch<T> tiles_;  ///< unless they lie in the result
};

template <class T>
class Bluestein;

/// One signal of any length, contiguous.
template <class T>
class Transform {
 public:
  /// `context` null: made on the calling thread. The tables are the same.
  Transform(Context* context, std::int64_t length);
  ~Transform();
  std::int64_t length() const { return n_; }
  /// out may be in; `context` null: on the calling thread. `factors`: complex numbers, as many,
  /// that the result is multiplied by, or null.
  void run(Context* context, const T* in, T* out, Direction direction, const T* factors = nullptr);
  std::uint64_t bytes() const;

 private:
  std::int64_t n_;
  std::unique_ptr<ShortTransform<T>> short_;
  std::unique_ptr<LaneTransform<T>> lanes_;
  std::unique_ptr<FourStep<T>> four_step_;
  std::unique_ptr<Bluestein<T>> bluestein_;
};

}  // namespace yupana::spectral::cpu
