#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/genotype/bit_products.hpp"

/// Private to the CUDA build: how the kernels of bit_products are called.
namespace yupana::genotype::cuda {

inline constexpr int most_products = 6;

/// A launch: every product, cut into `parts` along the sites, over all squares.
struct ProductList {
  struct Entry {
    int row_step;     ///< first step of the row operand, counted from the start of a row
    int column_step;  ///< of the column operand
    int steps;
    int parts;
    int first_item;  ///< items of earlier products
    std::uint32_t* sums;
  };
  Entry entries[most_products];
  int count;
  int items;            ///< squares x parts of all products
  const int2* squares;  ///< in work order
  int square_count;
  int band_row;               ///< first row of the sums
  std::int64_t sums_columns;  ///< row length of the sums
};

/// One square of one product over a range of steps.
struct ProductItem {
  int2 square;
  int row_step;
  int column_step;
  int steps;
  std::uint32_t* sums;
};

#ifdef __CUDACC__
__device__ inline ProductItem product_item(const ProductList& list, int index) {
  int p = 0;
  while (p + 1 < list.count && index >= list.entries[p + 1].first_item) ++p;
  const ProductList::Entry& entry = list.entries[p];
  const int within = index - entry.first_item;
  const std::int64_t part = within / list.square_count;
  const int first = static_cast<int>(part * entry.steps / entry.parts);
  const int last = static_cast<int>((part + 1) * entry.steps / entry.parts);
  return {list.squares[within % list.square_count],
          entry.row_step + first,
          entry.column_step + first,
          last - first,
          entry.sums};
}
#endif

/// Whether the current device runs the kernel; every device runs the others.
bool has_wgmma(Elements elements);
bool has_mma_rows(Elements elements);
/// Each queues one launch over list.items, worked by pairs of blocks.
using LaunchProducts =
    void(const DevicePlanes&, const ProductList&, Elements, int pairs, cudaStream_t);
LaunchProducts launch_wgmma, launch_mma_rows, launch_mma;

}  // namespace yupana::genotype::cuda
