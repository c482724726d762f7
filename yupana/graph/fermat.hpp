#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/graph/shortest_paths.hpp"

namespace yupana::graph {

enum class Precision {
  automatic,  ///< integer where the weights are exact 30-bit integers; float64 where they are
              ///< larger integers or span more than 2^100; else float32
  integer,
  float32,
  float64,
};

enum class LandmarkEstimate { upper, lower, mean };

struct FermatParams {
  double alpha = 2.0;  ///< power on every distance; at least 1
  bool root = false;   ///< take the 1/alpha root of the result
  Precision precision = Precision::automatic;
  bool prune = true;  ///< use the certificate of its own shortest path where it pays (exact)
  std::int64_t neighbors = 0;  ///< --knn: keep the k nearest neighbours only; 0 keeps all
  std::int64_t landmarks = 0;  ///< estimate through this many landmarks; 0, or as many as there
                               ///< are vertices: exact
  LandmarkEstimate estimate = LandmarkEstimate::upper;
  std::uint64_t seed = 0;  ///< of the landmarks
};

using AnyMatrix =
    std::variant<SquareMatrix<std::int32_t>, SquareMatrix<float>, SquareMatrix<double>>;

/// Facts about the lengths of a call.
struct FermatFacts {
  double alpha = 2;
  bool rooted = false;
  double scale = 1;         ///< 1: lengths are in units of distance^alpha. Else these would
                            ///< leave the floating-point range: distances were divided by
                            ///< `scale` and lengths are in units of scale^alpha
  double weight_scale = 1;  ///< the same of the weights, also where lengths are rooted
  Precision precision = Precision::automatic;  ///< of weights and closure; never automatic
  /// Shares of the pairs i < j, by F and the direct edge W of all given distances, also where the
  /// search left some of them out. The four add up to 1; through landmarks F is the estimate.
  double kept_edges = 0;      ///< F = W: the edge is its own shortest path
  double replaced_edges = 0;  ///< F < W: a path is shorter than the edge, or joins a pair without
  double longer_edges = 0;    ///< F > W: --knn left out the edge, and found a longer path
  double unreachable_pairs = 0;  ///< F is infinite: no path joins the two
  /// Share of pairs whose length is proven without a search (0 if not tried); with --knn share of
  /// pairs whose length is proven to be that of all edges, within rounding
  double certified = 0;
  std::string method;                  ///< what ran, in words
  std::int64_t max_neighbor_rank = 0;  ///< --knn: largest neighbour rank of any edge used
  std::int64_t components = 1;         ///< into which the edges that were used join the vertices
};

struct FermatResult : FermatFacts {
  AnyMatrix lengths;  ///< F(i, j); unreachable<T> where no path joins i and j
};

/// Sample Fermat distances.
///   F(p, q) = min over paths p = x1 .. xT = q of  sum d(x_i, x_i+1)^alpha
/// `distances` holds d or d^2, as `entries` says; symmetric, zero diagonal, no NaN. The matrix is
/// consumed: weights and closure are made in its memory where the types are the same. Infinite
/// distances (unreachable<T>) are no edges. With pairwise-complete distances the triangle
/// inequality can fail, so that alpha = 1 need not be the identity.
///   neighbors: shortest paths on the graph of the k nearest neighbours (ties: the smaller index;
///   an edge that either end chose counts for both; zero distances are edges). max_neighbor_rank is
///   the largest rank of an edge in use: where it is well below k, a larger k would change nothing
///   much landmarks: farthest-first by weight from a seeded first; F(l, .) is exact. upper = min(W,
///   min_l F(i,l) + F(l,j)) >= F, lower = max_l |F(i,l) - F(l,j)| <= F (less what rounding can add
///   to the difference), mean = half their sum (integers round down), which is no bound; shares of
///   edges are then of the estimate: with upper, replaced_edges is a lower bound of the exact one
///   Collective: the distances are those of rank 0, the others pass none and get an empty result.
///   They share the dense closure on CPUs, and change no bit.
///   work: n^3 / 2 add+min, or n^2 where every edge is certified; deterministic
///   errors (bad_input): alpha < 1, not square, NaN or negative distance, not symmetric
///   `on_device`: the same distances on a GPU, if they are there. Where the power of them is 1 or 2
///   (alpha 2 or 4 of squared distances) weights and closure are made there, and nothing goes up.
FermatResult fermat(Context& context,
                    AnyMatrix distances,
                    Entries entries,
                    const FermatParams& params = {},
                    const DeviceMatrix& on_device = {});

#ifdef YUPANA_CUDA
namespace cuda {
struct DeviceFermat {
  FermatFacts facts;
  DeviceMatrix lengths;
};
/// fermat() of distances in the memory of a GPU, rows one after the other; so are the lengths. By
/// all edges. Whole powers of whole distances are exact below 2^53, others, and roots, within
/// rounding of the device's pow.
///   errors besides: usage for neighbors and landmarks
template <class T>
DeviceFermat fermat(Context& context,
                    int device,
                    MatrixView<const T> distances,
                    Entries entries,
                    const FermatParams& params = {});
}  // namespace cuda
#endif

/// Takes the edges out of `weights` that --knn k does not use: an edge stays if either end is among
/// the k nearest neighbours of the other (ties: the smaller index). errors (usage): k below 0
template <class T>
void keep_neighbors(Context& context, SquareMatrix<T>& weights, std::int64_t k);

/// The smallest alpha at which at least half of the edges are replaced by longer paths, by
/// bisection in [1, 64] to 1 %, rounded up to two decimals, on at most `sample` individuals
/// (--alpha auto). The share of replaced edges grows with the number of individuals, so a sample
/// gives an upper estimate. Not collective: by this process alone.
double automatic_alpha(Context& context,
                       const AnyMatrix& distances,
                       Entries entries,
                       std::int64_t sample = 2048,
                       std::uint64_t seed = 0);

/// Share of pairs whose edge is its own shortest path, at each alpha, on at most `sample`
/// individuals: the report's curve. Not collective.
std::vector<double> kept_edges(Context& context,
                               const AnyMatrix& distances,
                               Entries entries,
                               const std::vector<double>& alphas,
                               std::int64_t sample = 512,
                               std::uint64_t seed = 0);

}  // namespace yupana::graph
