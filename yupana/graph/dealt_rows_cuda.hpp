#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "yupana/core/cuda/rank_memory.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/graph/min_plus_cuda.hpp"
#include "yupana/graph/strip_cuda.hpp"
#include "yupana/graph/strips.hpp"

/// Private to the family: a square matrix on one or several GPUs, of one process or of several
/// ranks with a GPU each. Only files of the CUDA build include this.
namespace yupana::graph::cuda {

/// How a square matrix lies on devices.
struct SquareShape {
  std::int64_t size = 0;
  std::int64_t stride = 0;
  std::int64_t strip = 256;  ///< rows of a strip: pivots of a step; a multiple of 256
  bool padded = false;       ///< memory holds whole strips of rows of at least padded_width() cells

  std::int64_t strips() const { return divide_up(size, strip); }
  /// Width of panels: whole strips, and so whole tiles.
  std::int64_t padded_width() const { return round_up(size, strip); }
};

/// What a device holds: its strips, one behind the other as StripDeal places them.
template <class Stored>
struct DevicePart {
  int device = 0;
  Stored* rows = nullptr;
};

/// The tiles, of tile_rows x tile_columns cells, of a part's strips, in bands of 16 tile rows of
/// its own: their operands stay in the second-level cache while the columns pass by.
std::vector<TilePlace> tiles_of_part(const SquareShape& shape,
                                     const StripDeal& deal,
                                     std::size_t part,
                                     std::int64_t tile_rows,
                                     std::int64_t tile_columns,
                                     bool symmetric);

/// A matrix whose strips are dealt to devices. Does not own the matrix.
template <class Stored>
class DealtRows {
 public:
  /// With `comm` each rank has one part, and its device is the one that works on all of them here.
  DealtRows(const std::vector<DevicePart<Stored>>& parts,
            const SquareShape& shape,
            Comm* comm = nullptr);

  std::size_t parts() const { return members_.size(); }
  int device(std::size_t part) const { return members_[part].device; }
  Comm* comm() const { return comm_; }
  /// The parts whose devices this process runs.
  std::vector<std::size_t> own_parts() const;
  const SquareShape& shape() const { return shape_; }
  const StripDeal& deal() const { return deal_; }
  /// The rows that a device holds, and all rows as it sees them over the link.
  StripRows<Stored> own(std::size_t part) const { return rows_of(members_[part].own); }
  StripRows<Stored> all(std::size_t part) const { return rows_of(members_[part].all); }

 private:
  struct Member {
    int device = 0;
    yupana::cuda::DeviceArray<Stored*> own, all;
  };
  StripRows<Stored> rows_of(const yupana::cuda::DeviceArray<Stored*>& strips) const;

  SquareShape shape_;
  StripDeal deal_;
  Comm* comm_;
  Stored* only_ = nullptr;  ///< where one device holds all: its rows, and no tables
  std::vector<Member> members_;
};

/// Such a matrix and its memory, for whole strips.
template <class Stored>
class StripMemory {
 public:
  /// With `comm` of one device a rank, and collective; so are the others' rows mapped.
  StripMemory(const std::vector<int>& devices, const SquareShape& shape, Comm* comm = nullptr);
  const DealtRows<Stored>& rows() const { return *rows_; }
  /// Rows of part `part` of this process.
  Stored* data(std::size_t part) { return memory_[part].data(); }
  /// Ends what ranks share, or nothing. Collective.
  void close();

 private:
  std::vector<yupana::cuda::DeviceArray<Stored>> memory_;
  std::optional<yupana::cuda::RankMemory> shared_;
  std::optional<DealtRows<Stored>> rows_;
};

/// Copies the lower triangle onto the upper one; returns the cells that it did not change.
template <class Stored>
std::int64_t mirror(const DealtRows<Stored>& rows);

}  // namespace yupana::graph::cuda
