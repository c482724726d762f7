#pragma once

#include <atomic>
#include <complex>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "yupana/core/context.hpp"
#include "yupana/spectral/fft.hpp"
#include "yupana/spectral/fft_transform.hpp"
#include "yupana/spectral/half_spectrum.hpp"

namespace yupana::spectral::cpu {

/// Signals of at least this many values are split over the threads one by one.
inline constexpr std::int64_t long_signal = std::int64_t{1} << 17;

/// Whether signals go L at a time: where their rows fill half the second-level cache at most.
/// Longer columns of a matrix do too: anything else would read whole lines for single values. One
/// signal never does, so that its bits are those of run_one().
template <class T>
bool goes_in_lanes(std::int64_t length, std::int64_t batch, bool columns) {
  return batch > 1 && 2 * batch >= row_functions<T>().lanes && length <= (columns ? 16384 : 1024) &&
         is_smooth(length);
}

/// Made on first use, by any thread. Threads that race each make one and the first one stays: a
/// lock held while making, which uses the threads of a context, could deadlock. What fails or is
/// cancelled leaves nothing.
template <class T>
class Lazy {
 public:
  template <class... Arguments>
  T& get(const Arguments&... arguments) {
    if (T* made = made_.load(std::memory_order_acquire); made != nullptr) return *made;
    auto fresh = std::make_unique<T>(arguments...);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (owned_ == nullptr) {
      owned_ = std::move(fresh);
      made_.store(owned_.get(), std::memory_order_release);
    }
    return *owned_;
  }
  std::uint64_t bytes() const {
    const T* made = made_.load(std::memory_order_acquire);
    return made == nullptr ? 0 : made->bytes();
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<T> owned_;
  std::atomic<T*> made_{nullptr};
};

/// Tables and scratch memory for complex signals of one length. Several threads may run it at once.
template <class T>
class SignalPlan {
 public:
  explicit SignalPlan(std::int64_t length) : length_(length) {}
  /// One signal, contiguous.
  void run_one(Context& context,
               const std::complex<T>* in,
               std::complex<T>* out,
               Direction direction) {
    alone_.get(&context, length_)
        .run(&context, reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), direction);
  }
  /// Checked views.
  void run(Context& context,
           Signals<const std::complex<T>> in,
           Signals<std::complex<T>> out,
           Direction direction);
  std::uint64_t bytes() const { return sizeof(*this) + alone_.bytes() + in_lanes_.bytes(); }

 private:
  void run_in_lanes(Context& context,
                    Signals<const std::complex<T>> in,
                    Signals<std::complex<T>> out,
                    Direction direction);
  void run_one_by_one(Context& context,
                      Signals<const std::complex<T>> in,
                      Signals<std::complex<T>> out,
                      Direction direction);
  std::int64_t length_;
  Lazy<Transform<T>> alone_;
  Lazy<LaneTransform<T>> in_lanes_;
};

/// The same for real signals of one length, both ways.
template <class T>
class RealSignalPlan {
 public:
  explicit RealSignalPlan(std::int64_t length);
  void forward(Context& context, Signals<const T> in, Signals<std::complex<T>> out);
  void inverse(Context& context, Signals<const std::complex<T>> in, Signals<T> out);
  bool is_even() const { return even_; }
  /// One signal of even length, contiguous: views passed on would take as long as its last step.
  void forward_even(Context* threads, const T* in, std::complex<T>* out);
  /// One signal; `threads` null: on the calling thread.
  void forward_one(Context* threads, Signals<const T> in, Signals<std::complex<T>> out);
  void inverse_one(Context* threads, Signals<const std::complex<T>> in, Signals<T> out);
  std::uint64_t bytes() const {
    return sizeof(*this) + transform_.bytes() + half_.bytes() + scratch_.bytes();
  }

 private:
  bool even_;
  std::int64_t count_;  ///< complex values transformed: n/2 of an even n
  Lazy<Transform<T>> transform_;
  HalfSpectrum<T> half_;
  Scratch<std::complex<T>> scratch_;
};

}  // namespace yupana::spectral::cpu
