#include <algorithm>
#include <numeric>
#include <tuple>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/graph/families.hpp"
#include "yupana/graph/min_plus.hpp"
#include "yupana/graph/shortest_paths.hpp"

namespace yupana::graph::cpu {
namespace {

// Measured share of pairs settled at alpha = 2 with families of at most 1, 8, 32: HapMap trios
// 0.42, 1.00, 1.00; outbred mice 0.13, 0.63, 0.999.
constexpr std::int64_t max_members = 32;
constexpr int rounds = 6;

template <class T>
struct Exit {
  T weight = unreachable<T>;
  std::int64_t from = 0;
  std::int64_t to = -1;
  auto key() const { return std::tie(weight, from, to); }
};

// The shortest edge of each vertex that leaves its family.
template <class T>
std::vector<Exit<T>> exits(Context& context,
                           const SquareMatrix<T>& w,
                           const std::vector<std::int64_t>& family_of) {
  const std::int64_t n = w.size();
  std::vector<Exit<T>> all(static_cast<std::size_t>(n));
  context.parallel_for(n, 16, [&](std::int64_t i) {
    context.check_cancelled();
    Exit<T>& best = all[static_cast<std::size_t>(i)];
    best.from = i;
    const std::int64_t own = family_of[static_cast<std::size_t>(i)];
    const T* row = w.row(i);
    for (std::int64_t j = 0; j < n; ++j) {
      if (row[j] < best.weight && family_of[static_cast<std::size_t>(j)] != own) {
        best.weight = row[j];
        best.to = j;
      }
    }
  });
  return all;
}

// Joins families along `edges`, shortest first, while they stay small; true if any was joined.
template <class T>
bool join(std::vector<Exit<T>> edges, Families<T>& families) {
  std::ranges::sort(edges, {}, &Exit<T>::key);
  bool joined = false;
  for (const Exit<T>& edge : edges) {
    if (edge.to < 0) continue;
    std::int64_t a = families.family_of[static_cast<std::size_t>(edge.from)];
    std::int64_t b = families.family_of[static_cast<std::size_t>(edge.to)];
    auto& keep = families.members[static_cast<std::size_t>(std::min(a, b))];
    auto& leave = families.members[static_cast<std::size_t>(std::max(a, b))];
    if (a == b || static_cast<std::int64_t>(keep.size() + leave.size()) > max_members) continue;
    for (const std::int64_t vertex : leave) {
      families.family_of[static_cast<std::size_t>(vertex)] = std::min(a, b);
    }
    keep.insert(keep.end(), leave.begin(), leave.end());
    leave.clear();
    joined = true;
  }
  return joined;
}

// The closure inside one family, s x s.
template <class T>
std::vector<T> close_family(const SquareMatrix<T>& w, const std::vector<std::int64_t>& members) {
  const auto s = static_cast<std::int64_t>(members.size());
  std::vector<T> closed(static_cast<std::size_t>(s * s));
  for (std::int64_t a = 0; a < s; ++a) {
    for (std::int64_t b = 0; b < s; ++b) {
      closed[static_cast<std::size_t>(a * s + b)] =
          w(members[static_cast<std::size_t>(a)], members[static_cast<std::size_t>(b)]);
    }
  }
  simd_table<T>().kernels(Signs::nonnegative).leaf(s, closed.data(), s);
  return closed;
}

// to(i, :) = min over a in family(i) of C(i, a) + from(a, :), for one family, a register tile's
// columns at a time, so that `to` may be `from`.
template <class T>
void contract_family(const SquareMatrix<T>& from,
                     const std::vector<std::int64_t>& members,
                     const std::vector<T>& closed,
                     SquareMatrix<T>& to) {
  const MinPlusKernels<T>& kernels = simd_table<T>().kernels(Signs::nonnegative);
  const auto s = static_cast<std::int64_t>(members.size());
  const std::int64_t panels = divide_up(s, kernels.rows);
  Array<T> left(panels * kernels.rows * s);
  Array<T> right(s * kernels.columns);
  Array<T> tile(kernels.rows * kernels.columns);
  std::fill(left.begin(), left.end(), unreachable<T>);
  std::fill(right.begin(), right.end(), unreachable<T>);
  for (std::int64_t a = 0; a < s; ++a) {
    for (std::int64_t k = 0; k < s; ++k) {
      left[(a / kernels.rows * s + k) * kernels.rows + a % kernels.rows] =
          closed[static_cast<std::size_t>(a * s + k)];
    }
  }
  for (std::int64_t j = 0; j < from.size(); j += kernels.columns) {
    const std::int64_t width = std::min(kernels.columns, from.size() - j);
    for (std::int64_t k = 0; k < s; ++k) {
      const T* row = from.row(members[static_cast<std::size_t>(k)]) + j;
      std::copy(row, row + width, &right[k * kernels.columns]);
    }
    for (std::int64_t p = 0; p < panels; ++p) {
      std::fill(tile.begin(), tile.end(), unreachable<T>);
      kernels.tile(s, &left[p * kernels.rows * s], right.data(), tile.data(), kernels.columns);
      for (std::int64_t a = p * kernels.rows; a < std::min(s, (p + 1) * kernels.rows); ++a) {
        const T* row = &tile[a % kernels.rows * kernels.columns];
        std::copy(row, row + width, to.row(members[static_cast<std::size_t>(a)]) + j);
      }
    }
  }
}

template <class T>
void contract(Context& context,
              const SquareMatrix<T>& weights,
              const Families<T>& families,
              const SquareMatrix<T>& from,
              SquareMatrix<T>& to) {
  const auto count = static_cast<std::int64_t>(families.members.size());
  context.parallel_for(count, 1, [&](std::int64_t f) {
    context.check_cancelled();
    const auto& members = families.members[static_cast<std::size_t>(f)];
    contract_family(from, members, close_family(weights, members), to);
  });
}

template <class T>
void transpose(Context& context, SquareMatrix<T>& m) {
  constexpr std::int64_t edge = 32;
  const std::int64_t side = divide_up(m.size(), edge);
  context.parallel_for(triangle_tiles(m.size(), edge), 16, [&](std::int64_t index) {
    const Tile tile = triangle_tile(index, side, side);
    for (std::int64_t i = tile.row * edge; i < std::min(m.size(), (tile.row + 1) * edge); ++i) {
      const std::int64_t last = std::min(i, (tile.column + 1) * edge);
      for (std::int64_t j = tile.column * edge; j < last; ++j) std::swap(m(i, j), m(j, i));
    }
  });
}

}  // namespace

template <class T>
Families<T> find_families(Context& context, const SquareMatrix<T>& weights) {
  const auto n = static_cast<std::size_t>(weights.size());
  Families<T> families;
  families.members.resize(n);
  families.family_of.resize(n);
  std::iota(families.family_of.begin(), families.family_of.end(), 0);
  for (std::size_t i = 0; i < n; ++i) families.members[i] = {static_cast<std::int64_t>(i)};
  std::vector<Exit<T>> edges = exits(context, weights, families.family_of);
  for (int round = 0; round < rounds && join(edges, families); ++round) {
    edges = exits(context, weights, families.family_of);
  }
  std::erase_if(families.members, [](const auto& members) { return members.empty(); });
  families.out.resize(n);
  for (std::size_t f = 0; f < families.members.size(); ++f) {
    auto& members = families.members[f];
    std::sort(members.begin(), members.end());
    T out = unreachable<T>;
    for (const std::int64_t i : members) {
      out = std::min(out, edges[static_cast<std::size_t>(i)].weight);
    }
    for (const std::int64_t i : members) {
      families.out[static_cast<std::size_t>(i)] = out;
      families.family_of[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(f);
    }
  }
  return families;
}

template <class T>
double settled_share(const SquareMatrix<T>& weights, const Families<T>& families) {
  constexpr std::int64_t rows = 16;
  const std::int64_t n = weights.size();
  std::int64_t settled = 0;
  std::int64_t tried = 0;
  std::vector<std::vector<T>> closed;
  for (const auto& members : families.members) closed.push_back(close_family(weights, members));
  std::vector<T> row(static_cast<std::size_t>(n));
  for (std::int64_t r = 0; r < std::min(rows, n); ++r) {
    const auto i = static_cast<std::size_t>(r * n / std::min(rows, n));
    const auto own = static_cast<std::size_t>(families.family_of[i]);
    const auto& relatives = families.members[own];
    const auto place = static_cast<std::size_t>(
        std::find(relatives.begin(), relatives.end(), static_cast<std::int64_t>(i)) -
        relatives.begin());
    std::fill(row.begin(), row.end(), unreachable<T>);
    for (std::size_t a = 0; a < relatives.size(); ++a) {
      const T in_family = closed[own][place * relatives.size() + a];
      for (std::int64_t j = 0; j < n; ++j) {
        T& best = row[static_cast<std::size_t>(j)];
        best = std::min(best, static_cast<T>(in_family + weights(relatives[a], j)));
      }
    }
    for (std::size_t f = 0; f < families.members.size(); ++f) {
      const auto& members = families.members[f];
      for (std::size_t b = 0; b < members.size(); ++b) {
        T best = unreachable<T>;
        for (std::size_t a = 0; a < members.size(); ++a) {
          best = std::min(best,
                          static_cast<T>(row[static_cast<std::size_t>(members[a])] +
                                         closed[f][a * members.size() + b]));
        }
        settled += best <= families.out[i] + families.out[static_cast<std::size_t>(members[b])];
        ++tried;
      }
    }
  }
  return tried > 0 ? static_cast<double>(settled) / static_cast<double>(tried) : 1;
}

template <class T>
SquareMatrix<T> through_families(Context& context,
                                 const SquareMatrix<T>& weights,
                                 const Families<T>& families) {
  SquareMatrix<T> y(weights.size());
  contract(context, weights, families, weights, y);  // C W
  transpose(context, y);                             // W C, both being symmetric
  contract(context, weights, families, y, y);        // C W C
  mirror(context, y.view());  // floats may round differently the other way round
  return y;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, find_families, settled_share, through_families)

}  // namespace yupana::graph::cpu
