#include <algorithm>
#include <vector>

#include "yupana/spectral/device_polymul.hpp"
#include "yupana/spectral/product_cuda.hpp"
#include "yupana/spectral/roots_cuda.hpp"

namespace yupana::spectral::cuda {

using yupana::cuda::check;
using yupana::cuda::DeviceArray;

namespace {

using F = GoldilocksField;
using Element = F::Element;

/// A transform of 2^log values as up to two passes over columns, then rows.
struct Shape {
  int log = short_row;
  std::vector<int> columns;
  int rows = short_row;
};

// Long rows are cheap, being read and written as they lie, but only rows of 2^12 leave room for two
// blocks on a multiprocessor.
Shape shape_of(std::int64_t size) {
  Shape shape;
  while (std::int64_t{1} << shape.log < size) ++shape.log;
  if (shape.log <= long_row) {
    for (const int rows : {long_row, row, short_row}) {
      if (shape.log <= rows) shape.rows = rows;
    }
    shape.log = shape.rows;
    return shape;
  }
  shape.rows = shape.log < row + shortest_pass        ? short_row
               : shape.log == longest_pass + long_row ? long_row
                                                      : row;
  const int left = shape.log - shape.rows;
  if (left <= longest_pass) {
    shape.columns = {left};
  } else {
    shape.columns = {(left + 1) / 2, left / 2};
  }
  return shape;
}

}  // namespace

struct DeviceProduct::Plan {
  std::int64_t a_size, b_size;
  Shape shape;
  std::vector<Roots<F>> roots;    ///< of the columns' lengths, then of the rows'
  std::vector<Roots<F>> between;  ///< behind each pass over columns
  DeviceArray<Element> work[2];

  Plan(std::int64_t a, std::int64_t b) : a_size(a), b_size(b), shape(shape_of(a + b - 1)) {
    int log = shape.log;
    for (const int columns : shape.columns) {
      roots.push_back(Roots<F>::all(std::int64_t{1} << columns));
      between.push_back(Roots<F>::pair(std::int64_t{1} << log));
      log -= columns;
    }
    roots.push_back(Roots<F>::all(std::int64_t{1} << shape.rows));
    for (auto& array : work) array = DeviceArray<Element>(std::int64_t{1} << shape.log);
  }

  std::uint64_t scale() const {
    return goldilocks_power(std::uint64_t{1} << shape.log, F::prime - 2);
  }

  // Pass over columns `index`, either way: values lie at (k1, j2, j3), (k1, k2, j3).
  Pass<F> columns_pass(std::size_t index) const {
    Pass<F> pass;
    const std::int64_t length = std::int64_t{1} << shape.columns[index];
    std::int64_t rest = std::int64_t{1} << shape.log;
    for (std::size_t i = 0; i <= index; ++i) rest >>= shape.columns[i];
    pass.columns = (std::int64_t{1} << shape.log) / length;
    pass.from = Layout::rows(rest, length, pass.columns / rest);
    pass.to = pass.from;
    pass.roots = roots[index].data();
    pass.between = between[index].view();
    return pass;
  }

  // To the columns' frequencies, `size` coefficients and zeros behind them.
  void forward(const std::int64_t* from, std::int64_t size, Element* to, cudaStream_t stream) {
    for (std::size_t i = 0; i < shape.columns.size(); ++i) {
      Pass<F> pass = columns_pass(i);
      pass.in = i == 0 ? reinterpret_cast<const Element*>(from) : to;
      pass.out = to;
      pass.twiddle = Twiddle::after;
      pass.enter = i == 0;
      if (i == 0) pass.limit = size;
      run_pass(pass, shape.columns[i], stream);
    }
  }

  void rows(const Element* a, const Element* b, Element* out, cudaStream_t stream) {
    const bool all = shape.columns.empty();
    Pass<F> pass;
    pass.in = a;
    pass.out = out;
    pass.columns = std::int64_t{1} << (shape.log - shape.rows);
    pass.from = Layout::signals(pass.columns, std::int64_t{1} << shape.rows);
    pass.to = pass.from;
    pass.roots = roots.back().data();
    pass.enter = all;
    pass.leave = all;
    pass.reverse = true;
    pass.scale = scale();
    Pass<F> second = pass;
    second.in = b;
    if (all) {
      pass.limit = a_size;
      second.limit = b_size;
    }
    multiply_rows(pass, second, shape.rows, stream);
  }

  void backward(Element* values, cudaStream_t stream) {
    for (std::size_t i = shape.columns.size(); i-- > 0;) {
      Pass<F> pass = columns_pass(i);
      pass.in = values;
      pass.out = values;
      pass.twiddle = Twiddle::before;
      pass.reverse = true;
      pass.leave = i == 0;
      pass.scale = scale();
      run_pass(pass, shape.columns[i], stream);
    }
  }
};

DeviceProduct::DeviceProduct(std::int64_t a_size, std::int64_t b_size)
    : plan_(std::make_unique<Plan>(a_size, b_size)) {}
DeviceProduct::~DeviceProduct() = default;
DeviceProduct::DeviceProduct(DeviceProduct&&) noexcept = default;
DeviceProduct& DeviceProduct::operator=(DeviceProduct&&) noexcept = default;

void DeviceProduct::run(const std::int64_t* a,
                        const std::int64_t* b,
                        std::int64_t* out,
                        cudaStream_t stream) {
  Plan& plan = *plan_;
  Element* const first = plan.work[0].data();
  Element* const second = plan.work[1].data();
  if (plan.shape.columns.empty()) {
    plan.rows(
        reinterpret_cast<const Element*>(a), reinterpret_cast<const Element*>(b), first, stream);
  } else {
    plan.forward(a, plan.a_size, first, stream);
    plan.forward(b, plan.b_size, second, stream);
    plan.rows(first, second, first, stream);
    plan.backward(first, stream);
  }
  check(cudaMemcpyAsync(out,
                        first,
                        static_cast<std::size_t>(plan.a_size + plan.b_size - 1) * sizeof(Element),
                        cudaMemcpyDeviceToDevice,
                        stream),
        "copy a product");
}

}  // namespace yupana::spectral::cuda
