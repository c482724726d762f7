#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "yupana/arrays/columns.hpp"
#include "yupana/arrays/stream.hpp"
#include "yupana/core/array.hpp"

namespace yupana::arrays::cpu {

/// Write-combining buffers: values bound for many places of a large array gather into whole cache
/// lines, one line a place, before they go to memory. Without them every value would cost a line
/// read and written, and a translation of its page.
template <class T>
class LineBuffers {
 public:
  /// Values of bucket b will go to to[starts[b]...]; starts must outlive the buffers.
  LineBuffers(T* to, const std::int64_t* starts, std::int64_t buckets)
      : to_(to),
        starts_(starts),
        aligned_(reinterpret_cast<std::uintptr_t>(to) % 64 == 0),
        lines_(gathers ? buckets * line : 0) {}

  /// Places of a bucket come one after the other.
  void put(std::int64_t bucket, std::int64_t place, const T& value) {
    if constexpr (gathers) {
      const std::int64_t slot = place & (line - 1);
      lines_[bucket * line + slot] = value;
      if (slot == line - 1) flush(bucket, place - slot);
    } else {
      to_[place] = value;
    }
  }
  /// Writes what is left of a bucket whose next place would have been `end`.
  void finish(std::int64_t bucket, std::int64_t end) {
    if constexpr (gathers) {
      const std::int64_t first = end & ~(line - 1);
      const std::int64_t begin = std::max(first, starts_[bucket]);
      copy(bucket, begin, end);
    }
  }

 private:
  static constexpr bool gathers = sizeof(T) < 64 && 64 % sizeof(T) == 0;
  static constexpr std::int64_t line = gathers ? static_cast<std::int64_t>(64 / sizeof(T)) : 1;

  void flush(std::int64_t bucket, std::int64_t first) {
    // A bucket's first line may begin with another's values.
    if (first < starts_[bucket]) {
      copy(bucket, starts_[bucket], first + line);
    } else if (aligned_) {
      stream_line(to_ + first, lines_.data() + bucket * line);
    } else {
      std::memcpy(static_cast<void*>(to_ + first), lines_.data() + bucket * line, 64);
    }
  }
  void copy(std::int64_t bucket, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      to_[i] = lines_[bucket * line + (i & (line - 1))];
    }
  }

  T* to_;
  const std::int64_t* starts_;
  bool aligned_;
  Array<T> lines_;
};

template <>
class LineBuffers<NoValue> {
 public:
  LineBuffers(NoValue*, const std::int64_t*, std::int64_t) {}
  void finish(std::int64_t, std::int64_t) {}
};

}  // namespace yupana::arrays::cpu
