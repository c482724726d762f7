#pragma once

#include <cstdint>

// Explicit instantiations of templates whose definitions are in one source file, for a list of
// types:
//   YUPANA_FUNCTIONS(YUPANA_FLOATS, fft, fft_real)
//   YUPANA_CLASSES(YUPANA_DISTANCES, MinPlus)
// compile fft<float>, fft<double>, fft_real<float>, ... and MinPlus<std::int32_t>, ...
// A function must not be overloaded. Further template arguments must have defaults. A list of types
// is a macro of (make, name) that writes make(name, types...) for each instantiation.

#define YUPANA_FLOATS(make, name) make(name, float) make(name, double)
#define YUPANA_DISTANCES(make, name) make(name, std::int32_t) YUPANA_FLOATS(make, name)
/// Key is the first of two types.
#define YUPANA_NUMBERS_WITH(make, name, Key)                                                 \
  make(name, Key, std::int32_t) make(name, Key, std::uint32_t) make(name, Key, std::int64_t) \
      make(name, Key, std::uint64_t) make(name, Key, float) make(name, Key, double)
#define YUPANA_SPARSE(make, name)                                                                  \
  make(name, float, std::int32_t) make(name, float, std::int64_t) make(name, double, std::int32_t) \
      make(name, double, std::int64_t)

#define YUPANA_FUNCTIONS(list, ...) \
  YUPANA_REPEAT(YUPANA_EACH_NAME(list, YUPANA_FUNCTION, __VA_ARGS__))
#define YUPANA_CLASSES(list, ...) YUPANA_REPEAT(YUPANA_EACH_NAME(list, YUPANA_CLASS, __VA_ARGS__))

#define YUPANA_FUNCTION(name, ...) template decltype(name<__VA_ARGS__>) name<__VA_ARGS__>;
#define YUPANA_CLASS(name, ...) template class name<__VA_ARGS__>;

// A macro cannot call itself: each pass over the text expands one more name, up to 27.
#define YUPANA_EACH_NAME(list, make, name, ...) \
  list(make, name) __VA_OPT__(YUPANA_NEXT_NAME YUPANA_PARENTHESES(list, make, __VA_ARGS__))
#define YUPANA_NEXT_NAME() YUPANA_EACH_NAME
#define YUPANA_PARENTHESES ()
#define YUPANA_REPEAT(...) YUPANA_REPEAT_9(YUPANA_REPEAT_9(YUPANA_REPEAT_9(__VA_ARGS__)))
#define YUPANA_REPEAT_9(...) YUPANA_REPEAT_3(YUPANA_REPEAT_3(YUPANA_REPEAT_3(__VA_ARGS__)))
#define YUPANA_REPEAT_3(...) YUPANA_REPEAT_1(YUPANA_REPEAT_1(YUPANA_REPEAT_1(__VA_ARGS__)))
#define YUPANA_REPEAT_1(...) __VA_ARGS__
