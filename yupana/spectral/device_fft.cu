#include <cmath>
#include <type_traits>
#include <vector>

#include "yupana/core/error.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/spectral/bluestein_cuda.hpp"
#include "yupana/spectral/cufft_cuda.hpp"
#include "yupana/spectral/device_fft.hpp"
#include "yupana/spectral/fft_passes_cuda.hpp"
#include "yupana/spectral/pass_cuda.hpp"
#include "yupana/spectral/twiddles_cuda.hpp"

namespace yupana::spectral::cuda {

using namespace yupana::cuda;

namespace {

bool is_power_of_two(std::int64_t n) { return (n & (n - 1)) == 0; }

int log_of(std::int64_t n) {
  int log = 0;
  while (std::int64_t{1} << log < n) ++log;
  return log;
}

bool is_smooth(std::int64_t n) {
  for (const int prime : {2, 3, 5, 7}) {
    while (n % prime == 0) n /= prime;
  }
  return n == 1;
}

// The divisor of n up to `most` that is nearest to `target` from above, or else from below; 0 where
// the other factor would pass `rest`.
std::int64_t divisor_near(std::int64_t n,
                          std::int64_t target,
                          std::int64_t most,
                          std::int64_t rest) {
  std::int64_t best = 0;
  for (std::int64_t d = 1; d <= most; ++d) {
    if (n % d != 0 || n / d > rest) continue;
    if (best < target || (d >= target && d < best)) best = d;
  }
  return best;
}

// Lengths of the passes; empty where only Bluestein's convolution does.
std::vector<int> pass_lengths(std::int64_t n, bool two_pass) {
  if (is_power_of_two(n) && n >= 1 << shortest_pass) {
    const int log = log_of(n);
    // Two passes of more than 2^10 values leave tiles rows of 32 bytes, at which the second-level
    // cache answers half as fast: but for fft_two_pass_cuda, three passes with rows of 128 bytes
    // measure faster.
    const int count = log <= longest_pass ? 1 : log <= 20 || two_pass ? 2 : 3;
    if (log > 3 * longest_pass) return {};
    std::vector<int> lengths;
    for (int i = 0, left = log; i < count; ++i) {
      const int here = (left + count - i - 1) / (count - i);
      lengths.push_back(1 << here);
      left -= here;
    }
    return lengths;
  }
  if (!is_smooth(n)) return {};
  constexpr std::int64_t most = longest_mixed;
  if (n <= most) return {static_cast<int>(n)};
  const auto near_root = [](double value) { return static_cast<std::int64_t>(std::sqrt(value)); };
  if (const auto d = divisor_near(n, near_root(static_cast<double>(n)), most, most); d != 0) {
    return {static_cast<int>(d), static_cast<int>(n / d)};
  }
  const auto cube = static_cast<std::int64_t>(std::cbrt(static_cast<double>(n)));
  const std::int64_t first = divisor_near(n, cube, most, most * most);
  if (first == 0) return {};
  const std::int64_t rest = n / first;
  const std::int64_t second = divisor_near(rest, near_root(static_cast<double>(rest)), most, most);
  if (second == 0) return {};
  return {static_cast<int>(first), static_cast<int>(second), static_cast<int>(rest / second)};
}

// Whether fft_two_pass_cuda makes both passes.
template <class T>
bool is_two_pass(std::int64_t n) {
  return std::is_same_v<T, float> && is_power_of_two(n) && two_pass_supports(log_of(n));
}

[[noreturn]] void refuse_cufft(std::int64_t n, std::int64_t batch) {
  throw Error(
      ErrorCode::device,
      fmt::format("fft: cuFFT was requested for {} signals of length {}, and {}, or leave the "
                  "choice to yupana",
                  batch,
                  n,
                  cufft_version() == 0
                      ? "is not found; install it"
                      : "does not run them on this GPU; install a release that does"));
}

// Whether fft_single_pass_cuda makes the one pass.
template <class T>
bool has_single_pass(std::int64_t n) {
  return is_power_of_two(n) && single_pass_supports<T>(log_of(n));
}

// Whether fft_strided_pass_cuda makes the pass of this length, one of several of a transform.
bool is_strided_pass(std::int64_t n, int length) {
  return is_power_of_two(length) && length >= 1 << shortest_strided_pass &&
         length <= 1 << longest_strided_pass && n / length % 16 == 0;
}

}  // namespace

template <class T>
struct DeviceFft<T>::Plan {
  using F = ComplexField<T>;
  using Element = typename F::Element;

  std::int64_t n;
  std::int64_t batch;
  bool always_cufft = false;  ///< requested
  bool prepared = false;
  bool two_pass;            ///< two passes that fft_two_pass_cuda makes
  bool single_pass_kernel;  ///< one pass that fft_single_pass_cuda makes
  bool two_pass_radix64;    ///< two passes that fft_two_pass_radix64_cuda makes
  std::vector<int> lengths;
  std::vector<Twiddles<F>> roots;                ///< of each length
  std::vector<Twiddles<F>> inter_pass_twiddles;  ///< after each pass but the last
  DeviceArray<Element> work;
  std::unique_ptr<Bluestein<T>> bluestein;
  std::unique_ptr<CuFftPlan<T>> cufft;

  Plan(std::int64_t n_, std::int64_t batch_, const FftParams& params)
      : n(n_),
        batch(batch_),
        two_pass(is_two_pass<T>(n)),
        single_pass_kernel(has_single_pass<T>(n)),
        two_pass_radix64(std::is_same_v<T, float> && is_power_of_two(n) &&
                         two_pass_radix64_supports(log_of(n))),
        lengths(pass_lengths(n, two_pass)) {
    if (params.library == FftLibrary::cufft ||
        (params.library == FftLibrary::automatic && cufft_leads<T>(n, batch))) {
      cufft = CuFftPlan<T>::make(n, batch);
      always_cufft = params.library == FftLibrary::cufft;
      if (cufft == nullptr && always_cufft) refuse_cufft(n, batch);
    }
    if (cufft == nullptr) prepare();
  }

  // What this library's own kernels need; also where cuFFT fails later.
  void prepare() {
    if (prepared) return;
    prepared = true;
    if (lengths.empty()) {
      bluestein = std::make_unique<Bluestein<T>>(n, batch);
      return;
    }
    if (single_pass_kernel) {
      roots.push_back(Twiddles<F>::all(n));
      if (lengths.size() > 1) return;
    }
    std::int64_t order = n;
    for (std::size_t i = roots.size(); i < lengths.size(); ++i) {
      roots.push_back(Twiddles<F>::all(lengths[i]));
      if (i + 1 < lengths.size()) inter_pass_twiddles.push_back(Twiddles<F>::pair(order));
      order /= lengths[i];
    }
    if (lengths.size() > 1) work = DeviceArray<Element>(n * batch);
  }

  // Pass `index` of a transform of `count` signals; the long way of numbering columns:
  //   j = (j1 n2 + j2) n3 + j3, k = k1 + n1 (k2 + n2 k3); between passes values are at (k1, j2,
  //   j3) and (k1, k2, j3).
  Pass<F> pass_of(std::size_t index, std::int64_t count) const {
    Pass<F> pass;
    const std::int64_t length = lengths[index];
    pass.columns = n / length * count;
    pass.roots = roots[index].data();
    if (lengths.size() == 1) {
      pass.from = Layout::signals(count, n);
      pass.to = pass.from;
    } else if (index + 1 < lengths.size()) {
      const std::int64_t rest = index == 0 ? n / length : n / length / lengths[0];
      pass.from = Layout::rows(rest, length, pass.columns / rest);
      pass.to = pass.from;
      pass.twiddle = Twiddle::after;
      pass.inter_pass_twiddles = inter_pass_twiddles[index].view();
    } else {
      const std::int64_t others = n / length, n1 = lengths[0];
      pass.from.n0 = n1;
      pass.from.s0 = n / n1;
      pass.from.n1 = others / n1;
      pass.from.s1 = length;
      pass.from.s2 = n;
      pass.to = Layout::rows(others, length, count);
    }
    return pass;
  }

  void launch(Pass<F>& pass, std::size_t index, Direction direction, cudaStream_t stream) const {
    const bool inverse = direction == Direction::inverse;
    pass.encode = inverse && index == 0;
    pass.decode = inverse && index + 1 == lengths.size();
    pass.scale = static_cast<T>(1.0L / static_cast<long double>(n));
    const int length = lengths[index];
    if (lengths.size() > 1 && is_strided_pass(n, length)) {
      run_strided_pass(pass, log_of(length), static_cast<int>(lengths.size()), stream);
    } else if (is_power_of_two(length) && length >= 1 << shortest_pass) {
      run_pass(pass, log_of(length), stream);
    } else {
      run_mixed_pass(pass, radices_of(length), stream);
    }
  }

  TwoPass two_pass_of(std::size_t index,
                      const float2* in,
                      float2* out,
                      std::int64_t count,
                      Direction direction) const requires(std::is_same_v<T, float>) {
    TwoPass pass;
    pass.in = in;
    pass.out = out;
    pass.roots = roots[index].data();
    pass.inter_pass_twiddles = inter_pass_twiddles[0].view();
    pass.tiles = n / lengths[index] * count / 4;
    pass.log_others = log_of(lengths[1 - index]);
    pass.inverse = direction == Direction::inverse;
    pass.scale = static_cast<float>(1.0L / static_cast<long double>(n));
    return pass;
  }

  TwoPassRadix64Transform two_pass_radix64_transform() requires(std::is_same_v<T, float>) {
    return {roots[0].data(), inter_pass_twiddles[0].view(), work.data()};
  }

  void run(const Element* in,
           Element* out,
           std::int64_t count,
           Direction direction,
           cudaStream_t stream) {
    if (single_pass_kernel) {
      SinglePass<T> pass;
      pass.in = in;
      pass.out = out;
      pass.count = count;
      pass.roots = roots[0].data();
      pass.inverse = direction == Direction::inverse;
      pass.scale = static_cast<T>(1.0L / static_cast<long double>(n));
      run_single_pass(pass, log_of(n), stream);
      return;
    }
    if constexpr (std::is_same_v<T, float>) {
      const bool aligned = reinterpret_cast<std::uintptr_t>(in) % 16 == 0;
      const bool inverse = direction == Direction::inverse;
      if (two_pass_radix64 && aligned) {
        run_two_pass_radix64(two_pass_radix64_transform(), in, out, count, inverse, stream);
        return;
      }
      if (two_pass && aligned) {
        run_two_pass(two_pass_of(0, in, work.data(), count, direction),
                     two_pass_of(1, work.data(), out, count, direction),
                     log_of(lengths[0]),
                     log_of(lengths[1]),
                     stream);
        return;
      }
    }
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      Pass<F> pass = pass_of(i, count);
      pass.in = i == 0 ? in : work.data();
      pass.out = i + 1 == lengths.size() ? out : work.data();
      launch(pass, i, direction, stream);
    }
  }
};

template <class T>
DeviceFft<T>::DeviceFft(std::int64_t n, std::int64_t batch, const FftParams& params)
    : length_(n), plan_(std::make_unique<Plan>(n, batch, params)) {}
template <class T>
DeviceFft<T>::~DeviceFft() = default;
template <class T>
std::uint64_t DeviceFft<T>::bytes(std::int64_t n, std::int64_t batch) {
  const std::vector<int> lengths = pass_lengths(n, is_two_pass<T>(n));
  if (lengths.empty()) return Bluestein<T>::bytes(n, batch);
  if (lengths.size() == 1 || has_single_pass<T>(n)) return 0;
  return static_cast<std::uint64_t>(n * batch) * sizeof(std::complex<T>);
}
template <class T>
DeviceFft<T>::DeviceFft(DeviceFft&&) noexcept = default;
template <class T>
DeviceFft<T>& DeviceFft<T>::operator=(DeviceFft&&) noexcept = default;

template <class T>
void DeviceFft<T>::run(const std::complex<T>* in,
                       std::complex<T>* out,
                       Direction direction,
                       cudaStream_t stream) {
  run(in, out, plan_->batch, direction, stream);
}

template <class T>
void DeviceFft<T>::run(const std::complex<T>* in,
                       std::complex<T>* out,
                       std::int64_t batch,
                       Direction direction,
                       cudaStream_t stream) {
  if (batch == 0) return;
  if (plan_->cufft) {
    // The way back of cuFFT takes a pass more, to scale it.
    const bool fits = direction == Direction::forward || plan_->always_cufft;
    if (fits && plan_->cufft->run(in, out, batch, direction, stream)) return;
    if (plan_->always_cufft) refuse_cufft(length_, batch);
    plan_->prepare();
  }
  if (plan_->bluestein) {
    plan_->bluestein->run(in, out, batch, direction, stream);
    return;
  }
  using Element = typename Plan::Element;
  plan_->run(reinterpret_cast<const Element*>(in),
             reinterpret_cast<Element*>(out),
             batch,
             direction,
             stream);
}

template <class T>
void DeviceFft<T>::run_columns(const std::complex<T>* in,
                               std::complex<T>* out,
                               std::int64_t columns,
                               Direction direction,
                               cudaStream_t stream) {
  using Element = typename Plan::Element;
  plan_->prepare();
  auto pass = plan_->pass_of(0, columns);
  pass.from = Layout::rows(columns, plan_->n);
  pass.to = pass.from;
  pass.in = reinterpret_cast<const Element*>(in);
  pass.out = reinterpret_cast<Element*>(out);
  plan_->launch(pass, 0, direction, stream);
}

template <class T>
bool DeviceFft<T>::is_single_pass(std::int64_t n) {
  return pass_lengths(n, is_two_pass<T>(n)).size() == 1;
}
template <class T>
std::int64_t DeviceFft<T>::passes() const {
  return plan_->single_pass_kernel ? 1 : static_cast<std::int64_t>(plan_->lengths.size());
}
template <class T>
bool DeviceFft<T>::by_cufft() const {
  return plan_->cufft != nullptr;
}

YUPANA_CLASSES(YUPANA_FLOATS, DeviceFft)

}  // namespace yupana::spectral::cuda
