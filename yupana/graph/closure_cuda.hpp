#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/graph/dealt_rows_cuda.hpp"
#include "yupana/graph/min_plus_cuda.hpp"
#include "yupana/graph/shortest_paths.hpp"

/// Private to the family: blocked Floyd-Warshall on one or several GPUs. Only files of the CUDA
/// build include this.
namespace yupana::graph::cuda {

/// How a matrix is closed.
struct ClosurePlan {
  bool symmetric = false;                  ///< only the lower triangle is read and written
  TileSize tiles = TileSize::large;        ///< of the bulk of the matrix
  TileSize strip_tiles = TileSize::large;  ///< of strips and panels, for which the bulk waits
};

/// "No edge" in the values of a kind.
template <class Kind>
constexpr typename Kind::Value no_edge() {
  if constexpr (std::is_same_v<Kind, Packed16>) return packed_unreachable;
  return unreachable<typename Kind::Value>;
}

/// Bytes that a Closure takes on each device besides the matrix.
template <class Kind>
std::uint64_t closure_bytes(const SquareShape& shape, bool symmetric);

/// And with what it holds of a matrix dealt to so many.
template <class Kind>
std::uint64_t resident_bytes(const SquareShape& shape, std::int64_t devices, bool symmetric) {
  const std::int64_t rows = divide_up(shape.strips(), devices) * shape.strip;
  return static_cast<std::uint64_t>(rows * shape.stride) * sizeof(typename Kind::Stored) +
         closure_bytes<Kind>(shape, symmetric);
}

/// In-place closure, one strip of pivots after the other. For strip K of the matrix W:
///   D <- closure of W_KK;  P <- D W_K;  W_ij <- min(W_ij, P_i' P_j) for all other tiles
/// n^3 add+min, or n^3 / 2 where the matrix is symmetric. The strip of step k + 1 is brought up to
/// date first and its D and P are made on a stream of their own while the rest of step k runs. Each
/// of several devices updates its own strips, makes a slice of P from rows it reads over the link
/// and sends it to the others; the values, and so the bits, are those of one device. Devices of
/// several ranks do so from their own processes, which wait for each other twice a step to queue
/// its work.
template <class Kind>
class Closure {
 public:
  using Stored = typename Kind::Stored;
  using Value = typename Kind::Value;

  /// Collective where `rows` belong to ranks; so is run().
  Closure(const DealtRows<Stored>& rows, ClosurePlan plan);
  ~Closure();
  Closure(const Closure&) = delete;
  Closure& operator=(const Closure&) = delete;

  /// Returns a vertex on a negative cycle, or -1. Advances `stage` by the add+mins done.
  std::int64_t run(Stage& stage);

 private:
  using Operand = typename Kind::Word;
  static constexpr int ring = 4;  ///< steps of which events are kept
  struct Member;

  std::int64_t side_count() const { return plan_.symmetric ? 1 : 2; }
  Side side_of(std::int64_t side) const;
  Range slice(std::size_t index) const;
  void map_ranks();
  void meet();
  void wait_for_others(Member& member, yupana::cuda::Event Member::*event);
  MinPlusTask<Kind> update(Member& member, std::int64_t step);
  void update_next_strip(Member& member, std::int64_t step);
  void close_square(Member& member, std::int64_t step);
  void make_panel(Member& member, std::int64_t step);
  void share_panel(Member& member, std::int64_t step);
  void finish_panel(Member& member, std::int64_t step);
  void update_rest(Member& member, std::int64_t step);
  template <class Body>
  void each(const Body& body);

  const DealtRows<Stored>& rows_;
  SquareShape shape_;
  ClosurePlan plan_;
  std::vector<Member> members_;
  std::optional<yupana::cuda::RankMemory> shared_;  ///< panels of ranks
};

/// The closure of `weights` (a symmetric one of its lower triangle only), larger than the device,
/// through the first one, with strips of `strip` pivots. The bits are those of Closure with such
/// strips. Returns a vertex on a negative cycle, or -1. Throws out_of_resources if not even one
/// strip fits.
template <class Kind>
std::int64_t close_streamed(Context& context,
                            Stage& stage,
                            MatrixView<typename Kind::Stored> weights,
                            bool symmetric,
                            std::int64_t strip);

}  // namespace yupana::graph::cuda
