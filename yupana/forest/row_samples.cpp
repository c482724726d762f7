#include "yupana/forest/row_samples.hpp"

#include <algorithm>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::forest {
namespace {

// Counters of draws end at max_repeats, which so many draws a row do not reach.
constexpr std::int64_t most_draws_a_row = 64;

/// visit(row) for each row that a tree of a bootstrap draws.
template <class Visit>
void each_drawn(const ForestParams& params,
                std::int64_t rows,
                std::int64_t tree,
                const Visit& visit) {
  const Random random = rows_random(params.tree.seed, tree);
  const std::int64_t draws = rows_drawn(params, rows);
  for (std::int64_t i = 0; i < draws; ++i) {
    visit(below(random.word(static_cast<std::uint64_t>(i)), rows));
  }
}

}  // namespace

std::int64_t forest_trees(const ForestParams& params) {
  return params.all_trees > 0 ? params.all_trees : params.first_tree + params.trees;
}

void check_max_samples(const ForestParams& params, std::int64_t rows) {
  if (params.max_samples == 0) return;
  if (params.sampling != Sampling::bootstrap) {
    throw usage_error("--max-samples: only trees of a bootstrap draw rows");
  }
  if (params.max_samples < 0 || params.max_samples > most_draws_a_row * rows) {
    throw input_error("--max-samples: expected 1 to {} ({} for each row), got {}",
                      most_draws_a_row * rows,
                      most_draws_a_row,
                      params.max_samples);
  }
}

RowSamples::RowSamples(std::int64_t rows, const ForestParams& params, bool here)
    : rows_(rows), params_(params) {
  if (params.sampling != Sampling::partition || !here) return;
  parts_ = parts_of_rows(rows, forest_trees(params), params.tree.seed);
}

void RowSamples::of_tree(std::int64_t tree, std::uint8_t* repeats) const {
  if (params_.sampling == Sampling::bootstrap) {
    std::fill(repeats, repeats + rows_, std::uint8_t{0});
    each_drawn(params_, rows_, tree, [&](std::int64_t row) {
      repeats[row] = static_cast<std::uint8_t>(repeats[row] + (repeats[row] < max_repeats));
    });
    return;
  }
  for (std::int64_t i = 0; i < rows_; ++i) {
    repeats[i] = params_.sampling == Sampling::all || parts_[i] == tree;
  }
}

std::vector<std::uint32_t> rows_of_tree(const ForestParams& params,
                                        std::int64_t rows,
                                        std::int64_t tree) {
  check_max_samples(params, rows);
  std::vector<std::uint32_t> result;
  const auto add = [&](std::int64_t row) { result.push_back(static_cast<std::uint32_t>(row)); };
  if (params.sampling == Sampling::bootstrap) {
    each_drawn(params, rows, tree, add);
    return result;
  }
  std::vector<std::uint8_t> repeats(static_cast<std::size_t>(rows));
  RowSamples(rows, params, true).of_tree(tree, repeats.data());
  for (std::int64_t i = 0; i < rows; ++i) {
    if (repeats[static_cast<std::size_t>(i)] > 0) add(i);
  }
  return result;
}

Array<std::uint32_t> parts_of_rows(std::int64_t rows, std::int64_t trees, std::uint64_t seed) {
  auto order = first_integers<std::uint32_t>(rows);
  const Random random = parts_random(seed);
  const auto place = [&](std::int64_t i) {
    return order.data() + below(random.word(static_cast<std::uint64_t>(i)), i + 1);
  };
  // Words do not depend on each other: memory can be prefetched.
  constexpr std::int64_t ahead = 24;
  for (std::int64_t i = rows - 1; i > 0; --i) {
    if (i > ahead) __builtin_prefetch(place(i - ahead), 1);
    std::swap(order[i], *place(i));
  }
  Array<std::uint32_t> parts(rows);
  std::int64_t part = 0;  // i trees / rows
  for (std::int64_t i = 0; i < rows; ++i) {
    while ((part + 1) * rows <= i * trees) ++part;
    parts[order[i]] = static_cast<std::uint32_t>(part);
  }
  return parts;
}

}  // namespace yupana::forest
