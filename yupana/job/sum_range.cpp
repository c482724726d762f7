#include "yupana/job/sum_range.hpp"

#include <atomic>
#include <bit>
#include <limits>

namespace yupana::job {
namespace {

/// Sum modulo 2^64, and bits of which every magnitude is made: |value| <= 2^bit_width(bits).
struct Measure {
  std::uint64_t sum = 0;
  std::uint64_t bits = 0;
};

template <class T>
Measure measure(const T* values, std::int64_t n) {
  Measure measure;
  for (std::int64_t i = 0; i < n; ++i) {
    measure.sum += static_cast<std::uint64_t>(values[i]);
    // Of a negative value -x - 1, one less than its magnitude.
    measure.bits |=
        static_cast<std::uint64_t>(std::is_signed_v<T> ? values[i] ^ (values[i] >> 63) : values[i]);
  }
  return measure;
}

template <class T>
Measure measure(Context& context, const T* values, std::int64_t n) {
  constexpr std::int64_t grain = std::int64_t{1} << 16;
  if (n <= grain) return measure(values, n);
  std::atomic<std::uint64_t> sum{0}, bits{0};
  context.parallel_for(n, grain, [&](std::int64_t begin, std::int64_t end) {
    const Measure part = measure(values + begin, end - begin);
    sum.fetch_add(part.sum, std::memory_order_relaxed);
    bits.fetch_or(part.bits, std::memory_order_relaxed);
  });
  return {sum.load(), bits.load()};
}

}  // namespace

template <class T>
bool SumRange<T>::holds(Wide sum) {
  return sum >= Wide{std::numeric_limits<T>::min()} && sum <= Wide{std::numeric_limits<T>::max()};
}

template <class T>
void SumRange<T>::add(Context& context, const T* values, std::int64_t n) {
  const Measure chunk = measure(context, values, n);
  // No running sum of the chunk is further from the total than this.
  const Wide reach = static_cast<Wide>(n) << std::bit_width(chunk.bits);
  const bool inside = holds(total_) && holds(total_ + reach) &&
                      (std::is_unsigned_v<T> || holds(total_ - reach)) && holds(reach);
  if (inside) {
    total_ += static_cast<T>(chunk.sum);  // which is below the reach and therefore exact
    count_ += n;
  } else {
    add_one_by_one(values, n);
  }
}

template <class T>
void SumRange<T>::add_one_by_one(const T* values, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    total_ += values[i];
    if (first_outside_ || holds(total_)) continue;
    first_outside_ = count_ + i;
    outside_ = total_;
  }
  count_ += n;
}

template class SumRange<std::int64_t>;
template class SumRange<std::uint64_t>;

}  // namespace yupana::job
