#include "yupana/graph/fermat.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/graph/fermat_backends.hpp"
#include "yupana/graph/fermat_weights.hpp"
#include "yupana/graph/shared_closure.hpp"

namespace yupana::graph {
namespace {

// That of one process, whose choices and bits do not change where ranks share the work.
template <class T>
DenseClosure<T> dense_closure(const Context& context, std::int64_t n, SharedClosure& shared) {
  DenseClosure<T> dense = cpu::dense_closure<T>(context, n);
  dense.compute = [&shared](Context& all, MatrixView<T> weights) {
    return shared.compute(all, weights);
  };
  return dense;
}

template <class T>
ClosureResult dispatch(Context& context,
                       SquareMatrix<T>& weights,
                       const FermatParams& params,
                       [[maybe_unused]] const DeviceSource& source,
                       SharedClosure& shared) {
  const std::int64_t n = weights.size();
  if (context.backend() == Backend::reference) return reference::compute_closure(context, weights);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) {
    return cpu::compute_closure(
        context, weights, params.prune, cuda::dense_closure<T>(context, n, source));
  }
#endif
  return cpu::compute_closure(context, weights, params.prune, dense_closure<T>(context, n, shared));
}

/// Adds up `counts_of(i, counts)` over the rows.
template <class CountsOf>
EdgeCounts count_rows(Context& context, std::int64_t n, const CountsOf& counts_of) {
  std::atomic<std::int64_t> kept{0}, longer{0}, unreached{0};
  context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
    EdgeCounts mine;
    for (std::int64_t i = begin; i < end; ++i) counts_of(i, mine);
    kept.fetch_add(mine.kept, std::memory_order_relaxed);
    longer.fetch_add(mine.longer, std::memory_order_relaxed);
    unreached.fetch_add(mine.unreachable, std::memory_order_relaxed);
  });
  return {kept.load(), longer.load(), unreached.load()};
}

template <class T>
EdgeCounts compare(Context& context,
                   const SquareMatrix<T>& weights,
                   const SquareMatrix<T>& lengths) {
  return count_rows(context, weights.size(), [&](std::int64_t i, EdgeCounts& counts) {
    for (std::int64_t j = i + 1; j < weights.size(); ++j) {
      const bool far = lengths(i, j) == unreachable<T>;
      counts.unreachable += far;
      counts.kept += !far && lengths(i, j) == weights(i, j);
      counts.longer += !far && lengths(i, j) > weights(i, j);
    }
  });
}

/// From the pairs whose length is their weight; infinite lengths have infinite weights.
template <class T>
EdgeCounts without_unreachable(Context& context, const SquareMatrix<T>& lengths, EdgeCounts equal) {
  equal.unreachable = count_rows(context, lengths.size(), [&](std::int64_t i, EdgeCounts& counts) {
                        for (std::int64_t j = i + 1; j < lengths.size(); ++j) {
                          counts.unreachable += lengths(i, j) == unreachable<T>;
                        }
                      }).unreachable;
  equal.kept -= equal.unreachable;
  return equal;
}

/// Sets of vertices that edges join. O(n^2).
template <class T>
std::int64_t count_components(const SquareMatrix<T>& weights) {
  auto unseen = first_integers<std::int64_t>(weights.size());
  std::int64_t components = 0;
  std::vector<std::int64_t> open;
  for (; !unseen.empty(); ++components) {
    open.push_back(unseen.back());
    unseen.pop_back();
    while (!open.empty()) {
      const T* const row = weights.row(open.back());
      open.pop_back();
      const auto joined = std::stable_partition(
          unseen.begin(), unseen.end(), [&](std::int64_t j) { return row[j] == unreachable<T>; });
      open.insert(open.end(), joined, unseen.end());
      unseen.erase(joined, unseen.end());
    }
  }
  return components;
}

std::string landmark_method(const FermatParams& params) {
  static constexpr const char* kinds[] = {"upper bound", "lower bound", "mean of two bounds"};
  return fmt::format("estimate ({}) through {}",
                     kinds[static_cast<int>(params.estimate)],
                     counted(params.landmarks, "landmark"));
}

/// Weights become lengths. `far`: some pair has no edge.
template <class T>
EdgeCounts solve(Context& context,
                 SquareMatrix<T>& weights,
                 bool far,
                 const FermatParams& params,
                 const DeviceSource& source,
                 SharedClosure& shared,
                 FermatFacts& facts) {
  if (params.neighbors > 0) {
    SquareMatrix<T> lengths = close_neighbors(context, weights, params.neighbors, facts);
    const EdgeCounts counts = compare(context, weights, lengths);
    weights = std::move(lengths);
    if (counts.unreachable > 0) facts.components = count_components(weights);
    const std::int64_t nearest = std::min(params.neighbors, weights.size() - 1);
    facts.method = "Dijkstra on " + counted(nearest, "nearest neighbour");
    return counts;
  }
  if (far) facts.components = count_components(weights);
  EdgeCounts equal;
  if (params.landmarks > 0 && params.landmarks < weights.size()) {
    facts.method = landmark_method(params);
    equal.kept = estimate_by_landmarks(context, weights, params);
  } else {
    const ClosureResult closure = dispatch(context, weights, params, source, shared);
    facts.certified = closure.certified;
    facts.method = closure.method;
    equal.kept = closure.kept;
  }
  return far ? without_unreachable(context, weights, equal) : equal;
}

template <class T>
AnyMatrix rooted(Context& context, SquareMatrix<T> lengths, double alpha, double scale) {
  using To = RootOf<T>;
  const std::int64_t n = lengths.size();
  SquareMatrix<To> roots(n);
  context.parallel_for(n, 16, [&](std::int64_t i) {
    context.check_cancelled();
    for (std::int64_t j = 0; j < n; ++j) roots(i, j) = root_of<To>(lengths(i, j), alpha, scale);
  });
  return roots;
}

void check_params(const FermatParams& params) {
  if (params.neighbors < 0 || params.landmarks < 0) {
    throw input_error("fermat: expected 0 or more neighbors and landmarks, got {} and {}",
                      params.neighbors,
                      params.landmarks);
  }
  if (params.neighbors > 0 && params.landmarks > 0) {
    throw input_error("fermat: nearest neighbours and landmarks are two ways out; choose one");
  }
}

FermatResult solve_matrix(Context& context,
                          AnyMatrix distances,
                          Entries entries,
                          const FermatParams& params,
                          const DeviceMatrix& on_device,
                          SharedClosure& shared) {
  FermatWeights weights = fermat_weights(context, std::move(distances), entries, params);
  FermatResult result;
  DeviceSource source;
  source.power = entries == Entries::squares ? params.alpha / 2 : params.alpha;
  // Other powers, and scaled distances, are worked out on the host: its pow has other bits.
  if (weights.scale == 1 && (source.power == 1 || source.power == 2)) source.distances = on_device;
  std::visit(
      [&](auto& matrix) {
        using T = std::remove_cvref_t<decltype(matrix(0, 0))>;
        const std::int64_t n = matrix.size();
        FermatFacts& facts = result;
        facts = make_facts(params, weights.scale, precision_of<T>, n);
        const EdgeCounts counts =
            solve(context, matrix, weights.unreachable, params, source, shared, facts);
        set_shares(counts, n, weights.vanishing, facts);
        if (params.root) {
          result.lengths = rooted(context, std::move(matrix), params.alpha, weights.scale);
        } else {
          result.lengths = std::move(matrix);
        }
      },
      weights.values);
  return result;
}

// At most `sample` individuals: those whose random words are smallest, in their own order.
std::vector<std::int64_t> choose_sample(std::int64_t n, std::int64_t sample, std::uint64_t seed) {
  auto chosen = first_integers<std::int64_t>(n);
  if (sample >= n) return chosen;
  const Random random(seed);
  const auto word = [&random](std::int64_t i) {
    return random.word(static_cast<std::uint64_t>(i));
  };
  const auto end = chosen.begin() + std::max<std::int64_t>(sample, 0);
  std::partial_sort(chosen.begin(), end, chosen.end(), [&](std::int64_t a, std::int64_t b) {
    return std::pair(word(a), a) < std::pair(word(b), b);
  });
  chosen.erase(end, chosen.end());
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

SquareMatrix<double> submatrix(const AnyMatrix& distances,
                               std::int64_t sample,
                               std::uint64_t seed) {
  return std::visit(
      [&](const auto& d) {
        using T = std::decay_t<decltype(d(0, 0))>;
        const auto chosen = choose_sample(d.size(), sample, seed);
        const auto n = static_cast<std::int64_t>(chosen.size());
        SquareMatrix<double> part(n);
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t j = 0; j < n; ++j) {
            const T value =
                d(chosen[static_cast<std::size_t>(i)], chosen[static_cast<std::size_t>(j)]);
            part(i, j) = value == unreachable<T> ? unreachable<double> : static_cast<double>(value);
          }
        }
        return part;
      },
      distances);
}

double kept_at(Context& context, const SquareMatrix<double>& part, Entries entries, double alpha) {
  SquareMatrix<double> copy(part.size());
  std::copy(part.data(), part.data() + part.size() * part.size(), copy.data());
  const FermatParams params = {.alpha = alpha, .precision = Precision::float64};
  SharedClosure alone;  // by this process, whatever ranks the context has
  return solve_matrix(context, std::move(copy), entries, params, {}, alone).kept_edges;
}

}  // namespace

FermatFacts make_facts(const FermatParams& params,
                       double unit,
                       Precision precision,
                       std::int64_t n) {
  FermatFacts facts;
  facts.alpha = params.alpha;
  facts.rooted = params.root;
  facts.scale = params.root ? 1 : unit;
  facts.weight_scale = unit;
  facts.precision = precision;
  facts.components = n > 0 ? 1 : 0;
  return facts;
}

void set_shares(const EdgeCounts& counts, std::int64_t n, bool vanishing, FermatFacts& facts) {
  facts.kept_edges = 1;
  if (n < 2) return;
  const std::int64_t pairs = n * (n - 1) / 2;
  const auto share = [&](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(pairs);
  };
  facts.kept_edges = share(counts.kept);
  facts.longer_edges = share(counts.longer);
  facts.unreachable_pairs = share(counts.unreachable);
  facts.replaced_edges = share(pairs - counts.kept - counts.longer - counts.unreachable);
  if (!vanishing) return;
  facts.kept_edges = facts.longer_edges = facts.replaced_edges =
      std::numeric_limits<double>::quiet_NaN();
}

template <class T>
std::int64_t equal_pairs(Context& context, const SquareMatrix<T>& a, const SquareMatrix<T>& b) {
  std::atomic<std::int64_t> equal{0};
  context.parallel_for(a.size(), 16, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t mine = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = i + 1; j < a.size(); ++j) mine += a(i, j) == b(i, j);
    }
    equal.fetch_add(mine, std::memory_order_relaxed);
  });
  return equal.load();
}

FermatResult fermat(Context& context,
                    AnyMatrix distances,
                    Entries entries,
                    const FermatParams& params,
                    const DeviceMatrix& on_device) {
  check_params(params);
  if (context.rank() > 0) {
    join_closure(context);
    return {};
  }
  SharedClosure shared(context);
  FermatResult result =
      solve_matrix(context, std::move(distances), entries, params, on_device, shared);
  if (std::isnan(result.kept_edges)) note_vanishing(context, params.alpha);
  return result;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, equal_pairs)

std::vector<double> kept_edges(Context& context,
                               const AnyMatrix& distances,
                               Entries entries,
                               const std::vector<double>& alphas,
                               std::int64_t sample,
                               std::uint64_t seed) {
  const SquareMatrix<double> part = submatrix(distances, sample, seed);
  std::vector<double> kept;
  for (const double alpha : alphas) kept.push_back(kept_at(context, part, entries, alpha));
  return kept;
}

/// Share of pairs i < j with a direct edge.
double edges_of(const SquareMatrix<double>& part) {
  std::int64_t edges = 0;
  for (std::int64_t i = 0; i < part.size(); ++i) {
    edges += std::count_if(
        part.row(i), part.row(i) + i, [](double d) { return d != unreachable<double>; });
  }
  const auto n = static_cast<double>(part.size());
  return n > 1 ? static_cast<double>(edges) / (n * (n - 1) / 2) : 1;
}

// A replaced edge stays replaced as alpha grows: the edges of the shorter path are all shorter than
// it, so each term of sum (d_edge / d)^alpha < 1 falls. So the share kept falls, and bisection
// finds where it passes one half.
double automatic_alpha(Context& context,
                       const AnyMatrix& distances,
                       Entries entries,
                       std::int64_t sample,
                       std::uint64_t seed) {
  const SquareMatrix<double> part = submatrix(distances, sample, seed);
  double low = 1;
  double high = 64;
  const double half = edges_of(part) / 2;
  if (kept_at(context, part, entries, low) <= half) return low;
  if (kept_at(context, part, entries, high) > half) return high;
  while (high > 1.01 * low) {
    const double middle = (low + high) / 2;
    (kept_at(context, part, entries, middle) <= half ? high : low) = middle;
  }
  return std::ceil(high * 100) / 100;
}

}  // namespace yupana::graph
