#pragma once

#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace yupana::arrays::cpu {

/// Writes 64 bytes around the cache, both ends aligned to 64: a whole line goes to memory without
/// being read first.
inline void stream_line(void* to, const void* from) {
#if defined(__SSE2__)
  auto* out = static_cast<__m128i*>(to);
  const auto* in = static_cast<const __m128i*>(from);
  for (int i = 0; i < 4; ++i) _mm_stream_si128(out + i, _mm_load_si128(in + i));
#else
  std::memcpy(to, from, 64);
#endif
}

/// Makes streamed lines visible to other threads.
inline void finish_streams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace yupana::arrays::cpu
