#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/spectral/fields_cuda.cuh"
#include "yupana/spectral/pass_cuda.hpp"
#include "yupana/spectral/residues_cuda.cuh"

/// Only files of the CUDA build include this.
/// Private to the family: tables of roots of unity in device memory.
namespace yupana::spectral::cuda {

/// The first `count` powers of root^step, root of the given order; complex ones within 1 ulp.
template <class F>
std::vector<typename F::Element> powers_of_root(std::int64_t order,
                                                std::int64_t step,
                                                std::int64_t count);

/// All roots of an order, or a pair of tables whose products are all of them.
template <class F>
class Twiddles {
 public:
  using Element = typename F::Element;
  static Twiddles all(std::int64_t order);
  static Twiddles pair(std::int64_t order);
  const Element* data() const { return low_.data(); }
  RootPair<Element> view() const { return {high_.data(), low_.data(), order_, shift_}; }

 private:
  yupana::cuda::DeviceArray<Element> high_, low_;
  std::int64_t order_ = 1;
  int shift_ = 0;
};

/// Modulo 2^64 - 2^32 + 1, on the host.
std::uint64_t goldilocks_product(std::uint64_t a, std::uint64_t b);
std::uint64_t goldilocks_power(std::uint64_t a, std::uint64_t exponent);

}  // namespace yupana::spectral::cuda
