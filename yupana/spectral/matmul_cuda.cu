// The conversion of a view to one of constants exists for views of constants too, where it is never
// called; nvcc says so at every instance.
#pragma nv_diag_suppress 554
#include <algorithm>

#include "yupana/core/cuda/place.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/spectral/device_matmul.hpp"
#include "yupana/spectral/matmul_backends.hpp"
#include "yupana/spectral/strassen.hpp"

namespace yupana::spectral::cuda {

using namespace yupana::cuda;

namespace {

/// Measured crossover on an H200: see README.
constexpr std::int64_t crossover = 6144;

constexpr int threads = 256;

template <class T>
__global__ void combine_kernel(MatrixView<const T> a,
                               MatrixView<const T> b,
                               T sign,
                               MatrixView<T> to) {
  for (std::int64_t i = blockIdx.y; i < to.rows; i += gridDim.y) {
    const T* const x = a.data + i * a.stride;
    const T* const y = b.data + i * b.stride;
    T* const z = to.data + i * to.stride;
    for (std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x; j < to.cols;
         j += std::int64_t{gridDim.x} * threads) {
      z[j] = sign > 0 ? x[j] + y[j] : x[j] - y[j];
    }
  }
}

/// Values that the halves of a product of these sides need besides its own matrices.
std::int64_t scratch_values(std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t above) {
  std::int64_t values = 0;
  while (is_halved(m, k, n, above)) {
    m /= 2, k /= 2, n /= 2;
    values += m * k + k * n + m * n;
  }
  return values;
}

/// Matrices in device memory.
template <class T>
class OnDevice {
 public:
  OnDevice(Context& context, std::int64_t scratch, cudaStream_t stream)
      : context_(context), memory_(scratch), stream_(stream) {}

  bool whole(MatrixView<const T>, MatrixView<const T>, MatrixView<T>) { return false; }

  void classical(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, bool add) {
    context_.check_cancelled();
    cuda::classical(a, b, c, add, stream_);
    // The host stays one product ahead, so that it can stop between any two.
    before_last_.wait();
    std::swap(before_last_, last_);
    last_.record(stream_);
  }

  void combine(MatrixView<const T> a, MatrixView<const T> b, T sign, MatrixView<T> to) {
    const dim3 blocks(
        static_cast<unsigned>(std::min<std::int64_t>(divide_up(to.cols, threads), 64)),
        static_cast<unsigned>(std::min<std::int64_t>(to.rows, 16'384)));
    combine_kernel<<<blocks, threads, 0, stream_>>>(a, b, sign, to);
    yupana::cuda::check_launch("add quarters of matrices");
  }

  /// The end of what is in use; given back in reverse order.
  class Piece {
   public:
    Piece(OnDevice& on, std::int64_t rows, std::int64_t cols)
        : on_(on), view_(on.memory_.data() + on.used_, rows, cols) {
      on_.used_ += rows * cols;
    }
    ~Piece() { on_.used_ -= view_.rows * view_.cols; }
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;
    MatrixView<T> view() const { return view_; }

   private:
    OnDevice& on_;
    MatrixView<T> view_;
  };
  Piece scratch(std::int64_t rows, std::int64_t cols) { return Piece(*this, rows, cols); }

 private:
  Context& context_;
  DeviceArray<T> memory_;
  std::int64_t used_ = 0;
  cudaStream_t stream_;
  Event last_, before_last_;
};

template <class T>
void copy(MatrixView<T> to, MatrixView<const T> from, cudaStream_t stream) {
  if (to.rows == 0 || to.cols == 0) return;
  const yupana::cuda::RowsTo rows_to{to.data, static_cast<std::size_t>(to.stride) * sizeof(T)};
  const yupana::cuda::RowsFrom rows_from{from.data,
                                         static_cast<std::size_t>(from.stride) * sizeof(T)};
  yupana::cuda::copy_rows("copy a matrix",
                          rows_to,
                          rows_from,
                          static_cast<std::size_t>(to.cols) * sizeof(T),
                          to.rows,
                          stream);
}

/// Rows of a matrix on the device begin at multiples of 16 bytes.
template <class T>
struct DeviceMatrix {
  DeviceMatrix(std::int64_t rows, std::int64_t cols)
      : stride(
            round_up(std::max<std::int64_t>(cols, 1), 16 / static_cast<std::int64_t>(sizeof(T)))),
        memory(rows * stride),
        rows(rows),
        cols(cols) {}
  MatrixView<T> view() { return {memory.data(), rows, cols, stride}; }

  std::int64_t stride;
  DeviceArray<T> memory;
  std::int64_t rows, cols;
};

/// Matrices in host memory that are too large for the device as they are: halved here, with the
/// sums made by threads, until a product fits.
template <class T>
class ThroughDevice {
 public:
  ThroughDevice(Context& context, std::int64_t above) : context_(context), above_(above) {}

  bool whole(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) {
    if (!fits(c.rows, a.cols, c.cols, above_)) return false;
    on_device(a, b, c, false, above_);
    return true;
  }

  /// In bands of c, down to single tiles: cells do not depend on the shape around them.
  void classical(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, bool add) {
    constexpr std::int64_t tile = 128;
    if (fits(c.rows, a.cols, c.cols, never)) return on_device(a, b, c, add, never);
    if (c.rows <= tile && c.cols <= tile) {
      throw Error(ErrorCode::out_of_resources,
                  fmt::format("matmul: {} rows and {} columns of length {} take {} bytes of the "
                              "device's memory; there are {}. Use --device cpu",
                              c.rows,
                              c.cols,
                              a.cols,
                              bytes(c.rows, a.cols, c.cols, never),
                              context_.gpu_memory()));
    }
    if (c.rows >= c.cols) {
      const std::int64_t half = round_up(c.rows / 2, tile);
      classical(part(a, 0, 0, half, a.cols), b, part(c, 0, 0, half, c.cols), add);
      classical(
          part(a, half, 0, a.rows - half, a.cols), b, part(c, half, 0, c.rows - half, c.cols), add);
    } else {
      const std::int64_t half = round_up(c.cols / 2, tile);
      classical(a, part(b, 0, 0, b.rows, half), part(c, 0, 0, c.rows, half), add);
      classical(
          a, part(b, 0, half, b.rows, b.cols - half), part(c, 0, half, c.rows, c.cols - half), add);
    }
  }

  void combine(MatrixView<const T> a, MatrixView<const T> b, T sign, MatrixView<T> to) {
    cpu::combine(context_, a, b, sign, to);
  }
  Matrix<T> scratch(std::int64_t rows, std::int64_t cols) { return Matrix<T>(rows, cols); }

 private:
  static constexpr std::int64_t never = INT64_MAX;
  Context& context_;
  std::int64_t above_;
  Stream stream_;

  static std::uint64_t bytes(std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t above) {
    constexpr std::int64_t pad = 4;
    return static_cast<std::uint64_t>(m * (k + pad) + k * (n + pad) + m * (n + pad) +
                                      scratch_values(m, k, n, above)) *
           sizeof(T);
  }
  bool fits(std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t above) const {
    return bytes(m, k, n, above) <= context_.gpu_memory();
  }

  void on_device(
      MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, bool add, std::int64_t above) {
    context_.check_cancelled();
    DeviceMatrix<T> left(a.rows, a.cols), right(b.rows, b.cols), product(c.rows, c.cols);
    copy<T>(left.view(), a, stream_);
    copy<T>(right.view(), b, stream_);
    if (add) copy<T>(product.view(), c, stream_);
    context_.count_moved(static_cast<std::uint64_t>(a.rows * a.cols + b.rows * b.cols +
                                                    (add ? 2 : 1) * c.rows * c.cols) *
                         sizeof(T));
    if (add) {
      cuda::classical(left.view(), right.view(), product.view(), true, stream_);
    } else {
      matmul<T>(context_, left.view(), right.view(), product.view(), above, stream_);
    }
    copy<T>(c, product.view(), stream_);
    stream_.wait();
  }
};

}  // namespace

template <class T>
void matmul(Context& context,
            MatrixView<const T> a,
            MatrixView<const T> b,
            MatrixView<T> c,
            std::int64_t strassen_above,
            cudaStream_t stream) {
  const std::int64_t above = strassen_above > 0 ? strassen_above : crossover;
  OnDevice<T> device(context, scratch_values(c.rows, a.cols, c.cols, above), stream);
  strassen<T>(device, a, b, c, above);
}

template <class T>
void matmul_host(Context& context,
                 MatrixView<const T> a,
                 MatrixView<const T> b,
                 MatrixView<T> c,
                 std::int64_t strassen_above) {
  if (const int device = yupana::cuda::device_of(context, c.data); device >= 0) {
    const DeviceScope scope(device);
    const Stream stream;
    if (a.cols > 0) {
      matmul<T>(context, a, b, c, strassen_above, stream);
    } else {
      check(cudaMemset2DAsync(c.data,
                              static_cast<std::size_t>(c.stride) * sizeof(T),
                              0,
                              static_cast<std::size_t>(c.cols) * sizeof(T),
                              static_cast<std::size_t>(c.rows),
                              stream),
            "clear a product");
    }
    return stream.wait();
  }
  const DeviceScope scope(context.devices().front());
  const std::int64_t above = strassen_above > 0 ? strassen_above : crossover;
  ThroughDevice<T> device(context, above);
  strassen<T>(device, a, b, c, above);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, matmul, matmul_host)

}  // namespace yupana::spectral::cuda
