#pragma once

#include <type_traits>
#include <utility>

#include "yupana/spectral/fields_cuda.cuh"
#include "yupana/spectral/residues_cuda.cuh"

/// Private to the family: transforms of a power of two that one thread block makes in its
/// registers, of several columns at once.
namespace yupana::spectral::cuda {

/// What a thread moves at a time: 16 bytes, neighbours in a row of the tile.
template <class F>
struct alignas(16) Pack {
  using Element = typename F::Element;
  static constexpr int size = 16 / static_cast<int>(sizeof(Element));
  Element at[size];
};

// A pack as what one instruction moves, whole or one half. Types of its own members: the compiler
// keeps in registers only what it need not take apart.
template <int Half>
__device__ __forceinline__ float2& half_of(Pack<ComplexField<float>>& a) {
  return a.at[Half];
}
template <int Half>
__device__ __forceinline__ double& half_of(Pack<ComplexField<double>>& a) {
  if constexpr (Half == 0) {
    return a.at[0].x;
  } else {
    return a.at[0].y;
  }
}
template <int Half>
__device__ __forceinline__ std::uint64_t& half_of(Pack<GoldilocksField>& a) {
  return a.at[Half];
}
template <int Half>
__device__ __forceinline__ ResiduePair& half_of(Pack<ResiduePairField>& a) {
  return a.at[Half];
}
__device__ __forceinline__ void put(void* to, const Pack<ComplexField<float>>& a) {
  *static_cast<float4*>(to) = make_float4(a.at[0].x, a.at[0].y, a.at[1].x, a.at[1].y);
}
__device__ __forceinline__ void put(void* to, const Pack<ComplexField<double>>& a) {
  *static_cast<double2*>(to) = a.at[0];
}
__device__ __forceinline__ void put(void* to, const Pack<GoldilocksField>& a) {
  *static_cast<ulonglong2*>(to) = make_ulonglong2(a.at[0], a.at[1]);
}
__device__ __forceinline__ void put(void* to, const Pack<ResiduePairField>& a) {
  *static_cast<uint4*>(to) = make_uint4(a.at[0].x, a.at[0].y, a.at[1].x, a.at[1].y);
}
__device__ __forceinline__ void get(Pack<ComplexField<float>>& a, const void* from) {
  const float4 all = *static_cast<const float4*>(from);
  a.at[0] = {all.x, all.y};
  a.at[1] = {all.z, all.w};
}
__device__ __forceinline__ void get(Pack<ComplexField<double>>& a, const void* from) {
  a.at[0] = *static_cast<const double2*>(from);
}
__device__ __forceinline__ void get(Pack<GoldilocksField>& a, const void* from) {
  const ulonglong2 all = *static_cast<const ulonglong2*>(from);
  a.at[0] = all.x;
  a.at[1] = all.y;
}

__device__ __forceinline__ void get(Pack<ResiduePairField>& a, const void* from) {
  const uint4 all = *static_cast<const uint4*>(from);
  a.at[0] = {all.x, all.y};
  a.at[1] = {all.z, all.w};
}

/// body(0), body(1) ... as constants of the compiler: loops it must not leave as such, for they
/// index registers.
template <int Count, class Body, int... I>
__device__ __forceinline__ void for_constants(const Body& body, std::integer_sequence<int, I...>) {
  (body(std::integral_constant<int, I>{}), ...);
}
template <int Count, class Body>
__device__ __forceinline__ void for_constants(const Body& body) {
  for_constants<Count>(body, std::make_integer_sequence<int, Count>{});
}

__host__ __device__ constexpr int reversed(int value, int bits) {
  int result = 0;
  for (int bit = 0; bit < bits; ++bit) result |= (value >> bit & 1) << (bits - 1 - bit);
  return result;
}

/// Packs a thread holds, which bounds a radix. With 8, twice as many threads hide each other's
/// waiting; with 16, the long transforms take a stage less.
__host__ __device__ constexpr int packs_of(int log_length) {
  return log_length >= 5 && log_length <= 9 ? 8 : 16;
}

/// Radices of the stages of a length of 2^log_length, as exponents. First and last are equal: the
/// results of a transform then lie as the input of the next one has to.
struct Stages {
  int count = 1;
  int log[4] = {0, 0, 0, 0};
};
__host__ __device__ constexpr Stages stages_of(int log_length) {
  switch (log_length) {
    case 5:
      return {3, {2, 1, 2, 0}};
    case 6:
      return {2, {3, 3, 0, 0}};
    case 7:
      return {3, {2, 3, 2, 0}};
    case 8:
      return {3, {3, 2, 3, 0}};
    case 9:
      return {3, {3, 3, 3, 0}};
    case 10:
      return {3, {3, 4, 3, 0}};
    case 11:
      return {3, {4, 3, 4, 0}};
    case 12:
      return {3, {4, 4, 4, 0}};
    case 13:
      return {4, {3, 4, 3, 3}};
    default:
      return {1, {log_length, 0, 0, 0}};
  }
}

/// The tile of a block: `length` values of each of `width` packs of columns.
template <class F, int LogLength, int LogWidth>
struct Tile {
  using Field = F;
  using Element = typename F::Element;
  static constexpr int packs = packs_of(LogLength);  ///< a thread's
  static constexpr int log_length = LogLength;
  static constexpr int log_width = LogWidth;
  static constexpr int length = 1 << LogLength;
  static constexpr int width = 1 << LogWidth;
  static constexpr int columns = width * Pack<F>::size;
  static constexpr int threads = length * width / packs;
  static constexpr int blocks = 8192 / packs / threads;  ///< a multiprocessor: all its registers
  static constexpr Stages stages = stages_of(LogLength);
  static constexpr int first_radix = 1 << stages.log[0];
  static constexpr int last_log = stages.log[stages.count - 1];
  static constexpr int last_radix = 1 << last_log;
  static_assert(LogLength >= 4 && threads >= 32 && threads <= 512);

  // Spaces that keep a warp's accesses on different banks of shared memory, whether its lanes run
  // over the last digit but one of the position (as the last stage's input lies) or over the first
  // (as its results are numbered).
  static __device__ __forceinline__ int place(int at) {
    int padded = at + ((at >> (last_log + LogWidth)) << LogWidth);
    if constexpr (stages.count > 2) {
      padded += (at >> (LogLength - stages.log[0] + LogWidth)) << LogWidth;
    }
    return padded;
  }
  static constexpr int places = length * width + (length * width >> last_log) +
                                (stages.count > 2 ? width << stages.log[0] : 0);
};

/// Stage I of a tile: the position of a value is (a * radix + digit) * rest + b.
template <class Tile, int I>
struct StageOf {
  static constexpr int log_radix = Tile::stages.log[I];
  static constexpr int radix = 1 << log_radix;
  static constexpr int log_done = [] {
    int sum = 0;
    for (int i = 0; i < I; ++i) sum += Tile::stages.log[i];
    return sum;
  }();
  static constexpr int log_rest = Tile::log_length - log_done - log_radix;
  static constexpr int rest = 1 << log_rest;
  static constexpr int groups = Tile::packs / radix;  ///< transforms of this radix a thread makes
  static constexpr bool last = I == Tile::stages.count - 1;

  // Which transform of the stage: `other` numbers all but the digit. In the last stage the numbers
  // are those of the results: the digits in the opposite order.
  static __device__ __forceinline__ int position(int other, int digit) {
    if constexpr (last && I > 0) {
      constexpr int first = Tile::stages.log[0];
      constexpr int second = I > 1 ? Tile::stages.log[1] : 0;
      constexpr int third = I > 2 ? Tile::stages.log[2] : 0;
      const int a = ((other & ((1 << first) - 1)) << (second + third)) |
                    (((other >> first) & ((1 << second) - 1)) << third) |
                    (other >> (first + second));
      return a << log_radix | digit;
    } else {
      return (((other >> log_rest) << log_radix | digit) << log_rest) | (other & (rest - 1));
    }
  }
};

template <class F>
__device__ __forceinline__ Pack<F> scaled(Pack<F> a, typename F::Element w) {
  for_constants<Pack<F>::size>([&](auto v) { a.at[v] = F::multiply(a.at[v], w); });
  return a;
}

/// In place, decimation in frequency; the value of frequency k ends at x[Begin + reversed(k)].
template <class F, int Radix, int Begin, class P, int Count>
__device__ __forceinline__ void butterfly(P (&x)[Count]) {
  if constexpr (Radix > 1) {
    for_constants<Radix / 2 * P::size>([&](auto index) {
      constexpr int i = index / P::size, v = index % P::size;
      auto& first = x[Begin + i].at[v];
      auto& second = x[Begin + i + Radix / 2].at[v];
      const auto low = first, high = second;
      first = F::add(low, high);
      second = F::rotated_difference(low, high, Radix, i);
    });
    butterfly<F, Radix / 2, Begin>(x);
    butterfly<F, Radix / 2, Begin + Radix / 2>(x);
  }
}

/// multiply(k, base step^k) for k < count. A product of at most three powers each: errors do not
/// pile up along a chain.
template <class F, int Count, bool WithBase, class Multiply>
__device__ __forceinline__ void for_powers(typename F::Element base,
                                           typename F::Element step,
                                           const Multiply& multiply) {
  using Element = typename F::Element;
  const Element second = F::multiply(step, step);
  const Element third = Count > 3 ? F::multiply(second, step) : second;
  const Element fourth = Count > 4 ? F::multiply(second, second) : second;
  const Element eighth = Count > 8 ? F::multiply(fourth, fourth) : second;
  for_constants<(Count + 3) / 4>([&](auto index) {
    constexpr int row = 4 * index;
    const Element power = row == 4    ? fourth
                          : row == 8  ? eighth
                          : row == 12 ? F::multiply(eighth, fourth)
                                      : F::one();
    Element first = power;
    if (WithBase) first = row == 0 ? base : F::multiply(base, power);
    if (WithBase || row > 0) multiply(std::integral_constant<int, row>{}, first);
    for_constants<(Count - row < 4 ? Count - row : 4)>([&](auto i) {
      if constexpr (i > 0) {
        const Element small = i == 1 ? step : i == 2 ? second : third;
        multiply(std::integral_constant<int, row + i>{},
                 !WithBase && row == 0 ? small : F::multiply(first, small));
      }
    });
  });
}

/// Registers to registers through shared memory: from where stage I leaves its results to where
/// stage I + 1 reads its input. In two
/// halves: the buffer holds 8 bytes a place.
template <class Tile, int I>
__device__ __forceinline__ void exchange(Pack<typename Tile::Field> (&x)[Tile::packs],
                                         void* buffer) {
  using From = StageOf<Tile, I>;
  using To = StageOf<Tile, I + 1>;
  const int thread = static_cast<int>(threadIdx.x);
  const auto for_each_value = [&](auto stage, const auto& move) {
    using Stage = decltype(stage);
    for_constants<Tile::packs>([&](auto index) {
      constexpr int group = index / Stage::radix, digit = index % Stage::radix;
      const int unit = thread + Tile::threads * group;
      const int other = unit >> Tile::log_width, column = unit & (Tile::width - 1);
      const int at = Stage::position(other, digit) << Tile::log_width | column;
      move(index,
           std::integral_constant<int, group * Stage::radix + reversed(digit, Stage::log_radix)>{},
           Tile::place(at));
    });
  };
  const auto exchange_half = [&](auto which) {
    constexpr int half = decltype(which)::value;
    using Half = std::remove_reference_t<decltype(half_of<half>(x[0]))>;
    auto* const places = static_cast<Half*>(buffer);
    __syncthreads();
    for_each_value(From{}, [&](auto, auto reversed_index, int at) {
      places[at] = half_of<half>(x[reversed_index]);
    });
    __syncthreads();
    for_each_value(To{}, [&](auto index, auto, int at) { half_of<half>(x[index]) = places[at]; });
  };
  exchange_half(std::integral_constant<int, 0>{});
  exchange_half(std::integral_constant<int, 1>{});
}

template <class Tile, int I>
__device__ __forceinline__ void twiddle(Pack<typename Tile::Field> (&x)[Tile::packs],
                                        const typename Tile::Element* __restrict__ roots) {
  using F = typename Tile::Field;
  using Stage = StageOf<Tile, I>;
  // w of order radix * rest, whose powers lie 2^log_done apart in the table.
  for_constants<Stage::groups>([&](auto group) {
    const int unit = static_cast<int>(threadIdx.x) + Tile::threads * group;
    const int b = (unit >> Tile::log_width) & (Stage::rest - 1);
    constexpr int begin = group * Stage::radix;
    if constexpr (F::powers_from_table) {
      for_constants<Stage::radix>([&](auto k) {
        constexpr int at = reversed(k, Stage::log_radix);
        if constexpr (k > 0) {
          x[begin + at] = scaled<F>(x[begin + at], __ldg(roots + ((k * b) << Stage::log_done)));
        }
      });
    } else {
      const auto root = __ldg(roots + (b << Stage::log_done));
      for_powers<F, Stage::radix, false>(root, root, [&](auto k, typename F::Element power) {
        constexpr int at = reversed(k, Stage::log_radix);
        x[begin + at] = scaled<F>(x[begin + at], power);
      });
    }
  });
}

/// The transforms of a tile's columns. Thread t enters with the values of first_place(t) and leaves
/// with those of last_place(t).
template <class Tile, int I = 0>
__device__ __forceinline__ void transform(Pack<typename Tile::Field> (&x)[Tile::packs],
                                          void* buffer,
                                          const typename Tile::Element* __restrict__ roots) {
  using Stage = StageOf<Tile, I>;
  for_constants<Stage::groups>(
      [&](auto group) { butterfly<typename Tile::Field, Stage::radix, group * Stage::radix>(x); });
  if constexpr (!Stage::last) {
    twiddle<Tile, I>(x, roots);
    exchange<Tile, I>(x, buffer);
    transform<Tile, I + 1>(x, buffer, roots);
  }
}

/// Where a thread's pack belongs, before or after transform(): value row + step * digit of the
/// thread's columns.
struct Slot {
  int row;    ///< of digit 0
  int digit;  ///< a constant
};

/// body(index of the pack, its slot) for a thread's packs.
template <class Tile, bool After, class Body>
__device__ __forceinline__ void for_slots(const Body& body) {
  constexpr int radix = After ? Tile::last_radix : Tile::first_radix;
  constexpr int log_radix = After ? Tile::last_log : Tile::stages.log[0];
  for_constants<Tile::packs>([&](auto index) {
    constexpr int group = index / radix, digit = index % radix;
    const int unit = static_cast<int>(threadIdx.x) + Tile::threads * group;
    constexpr int at = group * radix + (After ? reversed(digit, log_radix) : digit);
    body(std::integral_constant<int, at>{}, Slot{unit >> Tile::log_width, digit});
  });
}

}  // namespace yupana::spectral::cuda
