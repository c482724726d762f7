#include <algorithm>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/genotype/bit_products.hpp"
#include "yupana/genotype/bit_products_kernels.hpp"

namespace yupana::genotype::cuda {
namespace {

using namespace yupana::cuda;

// Squares of a band of 8 x 256 rows are worked together, so that their rows stay in the
// second-level cache while the columns pass by.
constexpr std::int64_t rows_together = 8;
// Adding a square to its sums takes about as long as this many steps.
constexpr double steps_to_add = 8;

/// Steps of the longest worker if `items` of these lengths are dealt one after the other. Each run
/// of items gives one more to a circular range of workers, so that one of those where a run starts
/// has the most.
double longest(const std::vector<std::pair<std::int64_t, double>>& runs, std::int64_t workers) {
  double most = 0;
  std::int64_t start = 0;
  for (const auto& run : runs) {
    double load = 0;
    std::int64_t next = 0;
    for (const auto& [items, steps] : runs) {
      const std::int64_t place = ((start - next) % workers + workers) % workers;
      const std::int64_t mine = items / workers + (place < items % workers ? 1 : 0);
      load += static_cast<double>(mine) * (steps + steps_to_add);
      next += items;
    }
    most = std::max(most, load);
    start += run.first;
  }
  return most;
}

/// Cuts each product along the sites so that all workers end at about the same time.
void cut(ProductList& list, std::int64_t workers) {
  double best = 0;
  std::int64_t best_length = 0;
  std::int64_t most_steps = 1;
  for (int p = 0; p < list.count; ++p) {
    most_steps = std::max<std::int64_t>(most_steps, list.entries[p].steps);
  }
  for (std::int64_t pieces = 1; pieces <= 4 * workers; ++pieces) {
    const std::int64_t length = divide_up(most_steps, pieces);
    std::vector<std::pair<std::int64_t, double>> runs;
    for (int p = 0; p < list.count; ++p) {
      const std::int64_t parts = divide_up(list.entries[p].steps, length);
      runs.emplace_back(parts * list.square_count,
                        static_cast<double>(list.entries[p].steps) / static_cast<double>(parts));
    }
    const double time = longest(runs, workers);
    if (best_length == 0 || time < 0.995 * best) {
      best = time;
      best_length = length;
    }
    if (length <= 16) break;
  }
  list.items = 0;
  for (int p = 0; p < list.count; ++p) {
    ProductList::Entry& entry = list.entries[p];
    entry.parts = static_cast<int>(divide_up(entry.steps, best_length));
    entry.first_item = list.items;
    list.items += entry.parts * list.square_count;
  }
}

}  // namespace

std::vector<BitMethod> compiled_methods(Elements elements) {
  std::vector<BitMethod> methods{BitMethod::mma};
  if (has_mma_rows(elements)) methods.push_back(BitMethod::mma_rows);
  if (has_wgmma(elements)) methods.push_back(BitMethod::wgmma);
  return methods;
}

BitProducts::BitProducts(Band band, BitMethod method, Elements elements)
    : band_(band), method_(method), elements_(elements) {
  multiprocessors_ = device_facts().multiprocessors;
  if (method_ == BitMethod::automatic) {
    method_ = compiled_methods(elements).back();
  }
  std::vector<int2> squares;
  const std::int64_t side = band.end / product_edge;
  for (std::int64_t index = 0; index < side * (side + 1) / 2; ++index) {
    const Tile tile = triangle_tile(index, side, rows_together);
    if (tile.row < band.begin / product_edge) continue;
    squares.push_back({static_cast<int>(tile.row), static_cast<int>(tile.column)});
  }
  squares_ = uploaded("copy the order of work", squares);
}

void BitProducts::add(const DevicePlanes& planes,
                      std::span<const Product> products,
                      cudaStream_t stream) {
  if (squares_.empty() || planes.steps == 0) return;
  ProductList list{};
  for (const Product& product : products) {
    const int steps = planes.steps;
    list.entries[list.count++] = {product.row_plane * steps,
                                  product.column_plane * steps,
                                  product.count * steps,
                                  1,
                                  0,
                                  product.sums};
  }
  list.squares = squares_.data();
  list.square_count = static_cast<int>(squares_.size());
  list.band_row = static_cast<int>(band_.begin);
  list.sums_columns = band_.columns();
  // Two blocks of a multiprocessor each share a square.
  const int pairs = std::max(multiprocessors_ / 2, 1);
  cut(list, pairs);
  const auto launch_products = method_ == BitMethod::wgmma      ? launch_wgmma
                               : method_ == BitMethod::mma_rows ? launch_mma_rows
                                                                : launch_mma;
  launch_products(planes, list, elements_, std::min(pairs, list.items), stream);
}

}  // namespace yupana::genotype::cuda
