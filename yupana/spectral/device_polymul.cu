#include <optional>
#include <vector>

#include "yupana/spectral/device_polymul.hpp"
#include "yupana/spectral/pass_cuda.cuh"
#include "yupana/spectral/product_cuda.hpp"
#include "yupana/spectral/twiddles_cuda.hpp"

namespace yupana::spectral::cuda {

using namespace yupana::cuda;

namespace {

/// A transform of 2^log values as up to two passes over columns, then rows.
struct Shape {
  int log = short_row;
  std::vector<int> columns;
  int rows = short_row;
};

// Rows of 2^12, two blocks on a multiprocessor, take a quarter less time than half as many of 2^13.
Shape shape_of(std::int64_t size) {
  Shape shape;
  while (std::int64_t{1} << shape.log < size) ++shape.log;
  if (shape.log <= longest_product_row()) {
    for (const int rows : {long_row, row, short_row}) {
      if (shape.log <= rows) shape.rows = rows;
    }
    shape.log = shape.rows;
    return shape;
  }
  shape.rows = shape.log < row + shortest_pass ? short_row : row;
  const int left = shape.log - shape.rows;
  if (left <= longest_pass_of<GoldilocksField>) {
    shape.columns = {left};
  } else {
    shape.columns = {(left + 1) / 2, left / 2};
  }
  return shape;
}

GoldilocksField::Scale scale_of(GoldilocksField, int log) {
  return goldilocks_power(std::uint64_t{1} << log, GoldilocksField::prime - 2);
}
// Over n, times R for the product of two values and R for the product with the scale itself.
template <class R>
std::uint32_t residue_scale(std::uint32_t prime, int log) {
  return R::product(R::power(std::uint32_t{1} << log, prime - 2), R::radix_squared);
}
ResiduePairField::Scale scale_of(ResiduePairField, int log) {
  using F = ResiduePairField;
  return {residue_scale<F::First>(F::p, log), residue_scale<F::Second>(F::q, log)};
}

/// A product by transforms in one field.
template <class F>
class Transforms {
 public:
  using Element = typename F::Element;

  Transforms(std::int64_t a_size, std::int64_t b_size)
      : a_size_(a_size), b_size_(b_size), shape_(shape_of(a_size + b_size - 1)) {
    int log = shape_.log;
    scale_ = scale_of(F{}, log);
    for (const int columns : shape_.columns) {
      roots_.push_back(Twiddles<F>::all(std::int64_t{1} << columns));
      between_.push_back(Twiddles<F>::pair(std::int64_t{1} << log));
      log -= columns;
    }
    roots_.push_back(Twiddles<F>::all(std::int64_t{1} << shape_.rows));
    if (shape_.columns.empty()) return;
    for (auto& array : work_) array = DeviceArray<Element>(std::int64_t{1} << shape_.log);
  }

  void run(const Element* a, const Element* b, Element* out, cudaStream_t stream) const {
    if (shape_.columns.empty()) return rows(a, b, out, stream);
    forward(a, a_size_, work_[0].data(), stream);
    forward(b, b_size_, work_[1].data(), stream);
    rows(work_[0].data(), work_[1].data(), work_[0].data(), stream);
    backward(work_[0].data(), out, stream);
  }

 private:
  std::int64_t a_size_, b_size_;
  Shape shape_;
  typename F::Scale scale_;
  std::vector<Twiddles<F>> roots_;    ///< of the columns' lengths, then of the rows'
  std::vector<Twiddles<F>> between_;  ///< after each pass over columns
  mutable DeviceArray<Element> work_[2];

  std::int64_t product_size() const { return a_size_ + b_size_ - 1; }

  // Pass over columns `index`, either way: values lie at (k1, j2, j3), (k1, k2, j3).
  Pass<F> columns_pass(std::size_t index) const {
    Pass<F> pass;
    const std::int64_t length = std::int64_t{1} << shape_.columns[index];
    std::int64_t rest = std::int64_t{1} << shape_.log;
    for (std::size_t i = 0; i <= index; ++i) rest >>= shape_.columns[i];
    pass.columns = (std::int64_t{1} << shape_.log) / length;
    pass.from = Layout::rows(rest, length, pass.columns / rest);
    pass.to = pass.from;
    pass.roots = roots_[index].data();
    pass.inter_pass_twiddles = between_[index].view();
    return pass;
  }

  // To the columns' frequencies, `size` coefficients and zeros after them.
  void forward(const Element* from, std::int64_t size, Element* to, cudaStream_t stream) const {
    for (std::size_t i = 0; i < shape_.columns.size(); ++i) {
      Pass<F> pass = columns_pass(i);
      pass.in = i == 0 ? from : to;
      pass.out = to;
      pass.twiddle = Twiddle::after;
      pass.encode = i == 0;
      if (i == 0) pass.limit = size;
      run_pass(pass, shape_.columns[i], stream);
    }
  }

  void rows(const Element* a, const Element* b, Element* out, cudaStream_t stream) const {
    const bool all = shape_.columns.empty();
    Pass<F> pass;
    pass.in = a;
    pass.out = out;
    pass.columns = std::int64_t{1} << (shape_.log - shape_.rows);
    pass.from = Layout::signals(pass.columns, std::int64_t{1} << shape_.rows);
    pass.to = pass.from;
    pass.roots = roots_.back().data();
    pass.encode = all;
    pass.decode = all;
    pass.reverse = true;
    pass.scale = scale_;
    Pass<F> second = pass;
    second.in = b;
    if (all) {
      pass.limit = a_size_;
      pass.out_limit = product_size();
      second.limit = b_size_;
    }
    multiply_rows(pass, second, shape_.rows, stream);
  }

  void backward(Element* values, Element* out, cudaStream_t stream) const {
    for (std::size_t i = shape_.columns.size(); i-- > 0;) {
      Pass<F> pass = columns_pass(i);
      pass.in = values;
      pass.out = i == 0 ? out : values;
      pass.twiddle = Twiddle::before;
      pass.reverse = true;
      pass.decode = i == 0;
      if (i == 0) pass.out_limit = product_size();
      pass.scale = scale_;
      run_pass(pass, shape_.columns[i], stream);
    }
  }
};

// Of two fields the one with half the instructions, where it identifies the results.
bool residues_do(std::int64_t size, std::uint64_t bound) {
  return bound <= ResiduePairField::modulus / 2 && shape_of(size).log <= ResiduePairField::longest;
}

}  // namespace

struct DeviceProduct::Plan {
  std::optional<Transforms<ResiduePairField>> residues;
  std::optional<Transforms<GoldilocksField>> wide;
};

DeviceProduct::DeviceProduct(std::int64_t a_size, std::int64_t b_size, std::uint64_t bound)
    : plan_(std::make_unique<Plan>()) {
  if (residues_do(a_size + b_size - 1, bound)) {
    plan_->residues.emplace(a_size, b_size);
  } else {
    plan_->wide.emplace(a_size, b_size);
  }
}
DeviceProduct::~DeviceProduct() = default;
DeviceProduct::DeviceProduct(DeviceProduct&&) noexcept = default;
DeviceProduct& DeviceProduct::operator=(DeviceProduct&&) noexcept = default;

void DeviceProduct::run(const std::int64_t* a,
                        const std::int64_t* b,
                        std::int64_t* out,
                        cudaStream_t stream) {
  const auto with = [&](const auto& transforms) {
    using Element = typename std::remove_reference_t<decltype(transforms)>::Element;
    transforms.run(reinterpret_cast<const Element*>(a),
                   reinterpret_cast<const Element*>(b),
                   reinterpret_cast<Element*>(out),
                   stream);
  };
  if (plan_->residues) {
    with(*plan_->residues);
  } else {
    with(*plan_->wide);
  }
}

int longest_product_row() {
  using Kernel = PassKernel<Tile<GoldilocksField, long_row, 0>>;
  return Kernel::exchange_bytes + Kernel::fetch_bytes <=
                 yupana::cuda::device_facts().max_shared_bytes
             ? long_row
             : row;
}

}  // namespace yupana::spectral::cuda
