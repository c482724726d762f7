#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "yupana/core/error.hpp"
#include "yupana/spectral/bluestein_cuda.hpp"
#include "yupana/spectral/columns_cuda.hpp"
#include "yupana/spectral/cufft_cuda.hpp"
#include "yupana/spectral/device_fft.hpp"
#include "yupana/spectral/mixed_cuda.hpp"
#include "yupana/spectral/pass_cuda.hpp"
#include "yupana/spectral/roots_cuda.hpp"
#include "yupana/spectral/rows_cuda.hpp"
#include "yupana/spectral/tall_cuda.hpp"
#include "yupana/spectral/tallest_cuda.hpp"
#include "yupana/spectral/wide_cuda.hpp"

namespace yupana::spectral::cuda {

using yupana::cuda::check;
using yupana::cuda::DeviceArray;

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

// The divisor of n up to `most` that is nearest to `wanted` from above, or else from below; 0 where
// the other factor would pass `rest`.
std::int64_t divisor_near(std::int64_t n,
                          std::int64_t wanted,
                          std::int64_t most,
                          std::int64_t rest) {
  std::int64_t best = 0;
  for (std::int64_t d = 1; d <= most; ++d) {
    if (n % d != 0 || n / d > rest) continue;
    if (best < wanted || (d >= wanted && d < best)) best = d;
  }
  return best;
}

// Lengths of the passes; empty where only Bluestein's convolution does.
std::vector<int> pass_lengths(std::int64_t n, bool tall) {
  if (is_power_of_two(n) && n >= 1 << shortest_pass) {
    const int log = log_of(n);
    // Two passes of more than 2^10 values leave tiles rows of 32 bytes, at which the second-level
    // cache answers half as fast: but for tall_cuda, three passes with rows of 128 bytes measure
    // faster.
    const int count = log <= longest_pass ? 1 : log <= 20 || tall ? 2 : 3;
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

// Whether tall_cuda makes both passes.
template <class T>
bool is_tall(std::int64_t n) {
  return std::is_same_v<T, float> && is_power_of_two(n) && tall_serves(log_of(n));
}

// Whether rows_cuda makes the one pass.
template <class T>
bool is_rows(std::int64_t n) {
  return is_power_of_two(n) && n >= 1 << shortest_rows && n <= 1 << longest_rows<T>;
}

// Whether columns_cuda makes the pass of this length, one of several of a transform.
bool column_pass(std::int64_t n, int length) {
  return is_power_of_two(length) && length >= 1 << shortest_columns &&
         length <= 1 << longest_columns && n / length % 16 == 0;
}

}  // namespace

template <class T>
struct DeviceFft<T>::Plan {
  using F = ComplexField<T>;
  using Element = typename F::Element;

  std::int64_t n;
  std::int64_t batch;
  bool always_cufft = false;  ///< asked for
  bool prepared = false;
  bool tall;     ///< two passes that tall_cuda makes
  bool rows;     ///< one pass that rows_cuda makes
  bool tallest;  ///< two passes that tallest_cuda makes
  bool wide;     ///< three passes that wide_cuda makes
  std::vector<int> lengths;
  std::vector<Roots<F>> roots;    ///< of each length
  std::vector<Roots<F>> between;  ///< after each pass but the last
  DeviceArray<Element> work;
  std::unique_ptr<Bluestein<T>> bluestein;
  std::unique_ptr<CuFftPlan<T>> cufft;

  Plan(std::int64_t n_, std::int64_t batch_, const FftParams& params)
      : n(n_),
        batch(batch_),
        tall(is_tall<T>(n)),
        rows(is_rows<T>(n)),
        tallest(std::is_same_v<T, float> && is_power_of_two(n) && tallest_serves(log_of(n))),
        wide(std::is_same_v<T, float> && is_power_of_two(n) && wide_serves(log_of(n))),
        lengths(pass_lengths(n, tall)) {
    if (params.library == FftLibrary::cufft ||
        (params.library == FftLibrary::automatic && cufft_leads<T>(n, batch))) {
      cufft = CuFftPlan<T>::make(n, batch);
      always_cufft = params.library == FftLibrary::cufft;
      if (cufft == nullptr && always_cufft) {
        throw Error(ErrorCode::device,
                    fmt::format("fft: cuFFT was asked for {} signals of length {}, and {}; install "
                                "it or leave the choice to yupana",
                                batch,
                                n,
                                cufft_version() == 0 ? "is not found" : "refuses them"));
      }
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
    if (rows) {
      roots.push_back(Roots<F>::all(n));
      if (lengths.size() > 1) return;
    }
    std::int64_t order = n;
    for (std::size_t i = roots.size(); i < lengths.size(); ++i) {
      roots.push_back(Roots<F>::all(lengths[i]));
      if (i + 1 < lengths.size()) between.push_back(Roots<F>::pair(order));
      order /= lengths[i];
    }
    if (lengths.size() > 1) work = DeviceArray<Element>(n * batch);
  }

  // Pass `index` of a transform of `count` signals; the long way of numbering columns:
  //   j = (j1 n2 + j2) n3 + j3, k = k1 + n1 (k2 + n2 k3); between passes values stand at (k1, j2,
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
      pass.between = between[index].view();
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
    pass.enter = inverse && index == 0;
    pass.leave = inverse && index + 1 == lengths.size();
    pass.scale = static_cast<T>(1.0L / static_cast<long double>(n));
    const int length = lengths[index];
    if (lengths.size() > 1 && column_pass(n, length)) {
      run_column_pass(pass, log_of(length), static_cast<int>(lengths.size()), stream);
    } else if (is_power_of_two(length) && length >= 1 << shortest_pass) {
      run_pass(pass, log_of(length), stream);
    } else {
      run_mixed_pass(pass, radices_of(length), stream);
    }
  }

  TallPass tall_pass(std::size_t index,
                     const float2* in,
                     float2* out,
                     std::int64_t count,
                     Direction direction) const requires(std::is_same_v<T, float>) {
    TallPass pass;
    pass.in = in;
    pass.out = out;
    pass.roots = roots[index].data();
    pass.between = between[0].view();
    pass.tiles = n / lengths[index] * count / 4;
    pass.log_others = log_of(lengths[1 - index]);
    pass.inverse = direction == Direction::inverse;
    pass.scale = static_cast<float>(1.0L / static_cast<long double>(n));
    return pass;
  }

  TallestTransform tallest_transform() requires(std::is_same_v<T, float>) {
    return {roots[0].data(), between[0].view(), work.data()};
  }

  WideTransform wide_transform() requires(std::is_same_v<T, float>) {
    WideTransform transform;
    for (std::size_t i = 0; i < 3; ++i) {
      transform.logs[i] = log_of(lengths[i]);
      transform.roots[i] = roots[i].data();
    }
    transform.between = {between[0].view(), between[1].view()};
    transform.work = work.data();
    return transform;
  }

  void run(const Element* in,
           Element* out,
           std::int64_t count,
           Direction direction,
           cudaStream_t stream) {
    if (rows) {
      RowsPass<T> pass;
      pass.in = in;
      pass.out = out;
      pass.count = count;
      pass.roots = roots[0].data();
      pass.inverse = direction == Direction::inverse;
      pass.scale = static_cast<T>(1.0L / static_cast<long double>(n));
      run_rows(pass, log_of(n), stream);
      return;
    }
    if constexpr (std::is_same_v<T, float>) {
      const bool aligned = reinterpret_cast<std::uintptr_t>(in) % 16 == 0;
      const bool inverse = direction == Direction::inverse;
      if (tallest && aligned) {
        run_tallest(tallest_transform(), in, out, count, inverse, stream);
        return;
      }
      if (wide && aligned) {
        run_wide(wide_transform(), in, out, count, inverse, stream);
        return;
      }
      if (tall && aligned) {
        run_tall(tall_pass(0, in, work.data(), count, direction),
                 tall_pass(1, work.data(), out, count, direction),
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
  const std::vector<int> lengths = pass_lengths(n, is_tall<T>(n));
  if (lengths.empty()) return Bluestein<T>::bytes(n, batch);
  if (lengths.size() == 1 || is_rows<T>(n)) return 0;
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
  return pass_lengths(n, is_tall<T>(n)).size() == 1;
}
template <class T>
std::int64_t DeviceFft<T>::passes() const {
  return plan_->rows ? 1 : static_cast<std::int64_t>(plan_->lengths.size());
}
template <class T>
bool DeviceFft<T>::by_cufft() const {
  return plan_->cufft != nullptr;
}

template class DeviceFft<float>;
template class DeviceFft<double>;

}  // namespace yupana::spectral::cuda
