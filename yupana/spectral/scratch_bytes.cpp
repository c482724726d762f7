#include "yupana/spectral/scratch_bytes.hpp"

#include <algorithm>
#include <complex>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/spectral/convolution.hpp"
#include "yupana/spectral/fft_bluestein.hpp"
#include "yupana/spectral/fft_plan.hpp"
#include "yupana/spectral/fft_rows.hpp"
#include "yupana/spectral/limbs.hpp"
#include "yupana/spectral/polymul_backends.hpp"
#include "yupana/spectral/signal_plan.hpp"

namespace yupana::spectral {
namespace {

/// The tables of a transform, and the scratch memory of each thread that runs it.
struct TransformBytes {
  std::int64_t tables = 0;
  std::int64_t block = 0;
};

/// As cpu::Transform chooses; `apart`: from one array to another, which then holds the tiles.
template <class T>
TransformBytes transform_bytes(std::int64_t length, bool apart = false) {
  constexpr std::int64_t value = sizeof(std::complex<T>);
  if (length < 1) return {};
  if (!cpu::is_smooth(length)) {
    const std::int64_t padded = cpu::Bluestein<T>::convolution_length(length);
    const TransformBytes inner = transform_bytes<T>(padded);
    return {inner.tables + value * (length + padded), inner.block + value * padded};
  }
  const std::int64_t lanes = cpu::row_functions<T>().lanes;
  const cpu::Split split = cpu::split_of(length, lanes, cpu::row_functions<T>().max_radix);
  if (length <= cpu::longest_short || split.rows == 0) return {value * length, value * length};
  if (apart && cpu::tiles_fit<T>(split, lanes)) return {};
  return {0, value * round_up(split.rows, lanes) * round_up(split.columns, lanes)};
}

/// Threads that transform side by side.
std::int64_t blocks_of(const Context& context, SignalShape signals) {
  if (signals.batch == 1 || signals.length >= cpu::long_signal) return 1;
  return std::min<std::int64_t>(context.threads(), signals.batch);
}

/// The sums of the reference: values, roots and results in long double.
std::uint64_t reference_bytes(std::int64_t length) {
  return 3 * sizeof(std::complex<long double>) * static_cast<std::uint64_t>(length);
}

/// Of a convolution of `count` values, by residues of one prime or of two.
std::uint64_t convolution_bytes(std::int64_t count, bool one) {
  const std::int64_t n = std::int64_t{1} << std::min(cpu::ntt_bits(count), cpu::max_ntt_bits);
  // Residues of each prime and of the other factor; roots and their inverses, n/16 in the blocks
  // and 3 n/64 in the tiles, each with its quotient.
  const std::int64_t residues = (one ? 2 : 3) * 8 * n;
  const std::int64_t roots = (one ? 1 : 2) * 2 * 2 * 8 * (n / 16 + 3 * n / 64);
  return static_cast<std::uint64_t>(residues + roots);
}

}  // namespace

template <class T>
std::uint64_t fft_scratch_bytes(const Context& context, SignalShape signals) {
  if (context.backend() == Backend::cuda) return 0;
  if (context.backend() == Backend::reference) return reference_bytes(signals.length);
  constexpr std::int64_t value = sizeof(std::complex<T>);
  const std::int64_t lanes = cpu::row_functions<T>().lanes;
  const std::int64_t blocks = blocks_of(context, signals);
  if (cpu::goes_in_lanes<T>(signals.length, signals.batch, signals.columns)) {
    return static_cast<std::uint64_t>(blocks * 2 * lanes * value * signals.length);
  }
  const TransformBytes bytes = transform_bytes<T>(signals.length);
  const std::int64_t gathered = signals.columns ? value * signals.length : 0;
  return static_cast<std::uint64_t>(bytes.tables + blocks * (bytes.block + gathered));
}

template <class T>
std::uint64_t real_fft_scratch_bytes(const Context& context, SignalShape signals, bool inverse) {
  if (context.backend() == Backend::cuda) return 0;
  if (context.backend() == Backend::reference) return reference_bytes(signals.length);
  const bool even = signals.length % 2 == 0;
  const std::int64_t values = even ? signals.length / 2 : signals.length;
  const TransformBytes bytes = transform_bytes<T>(values, even && !signals.columns);
  const bool copied = inverse || !even || signals.columns;
  const std::int64_t copy = copied ? std::int64_t{sizeof(std::complex<T>)} * (values + 1) : 0;
  return static_cast<std::uint64_t>(bytes.tables +
                                    blocks_of(context, signals) * (bytes.block + copy));
}

std::uint64_t polymul_scratch_bytes(const Context& context, std::int64_t count) {
  if (context.backend() != Backend::cpu || count == 0) return 0;
  const std::int64_t n = cpu::fast_length(count);
  // Two half spectra, the tables and the scratch memory of a transform.
  const TransformBytes bytes = transform_bytes<double>(n / 2);
  return static_cast<std::uint64_t>(2 * 8 * n + bytes.tables + bytes.block);
}

std::uint64_t polymul_exact_scratch_bytes(const Context& context,
                                          std::int64_t a,
                                          std::int64_t b,
                                          std::uint64_t bound) {
  if (context.backend() != Backend::cpu || cpu::is_summed(a, b)) return 0;
  return convolution_bytes(a + b - 1, bound <= static_cast<std::uint64_t>(cpu::single_prime_bound));
}

std::uint64_t integer_scratch_bytes(const Context& context, std::int64_t a, std::int64_t b) {
  const std::int64_t shorter = std::min(a, b), longer = std::max(a, b);
  if (context.backend() != Backend::cpu || static_cast<std::size_t>(shorter) < cpu::min_ntt)
    return 0;
  constexpr auto long_factor = static_cast<std::int64_t>(cpu::long_factor);
  constexpr auto piece_factor = static_cast<std::int64_t>(cpu::piece_factor);
  const bool by_pieces = longer >= long_factor * shorter;
  return convolution_bytes(by_pieces ? (piece_factor + 1) * shorter : a + b - 1, false);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, fft_scratch_bytes, real_fft_scratch_bytes)

}  // namespace yupana::spectral
