#pragma once

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/io/matrix_reader.hpp"
#include "yupana/job/fermat.hpp"

/// Bytes that a Fermat run holds and writes, known before it from its samples.
namespace yupana::job {

/// What is known of the distances that a run starts from before they are there.
struct DistanceSizes {
  std::int64_t samples = -1;    ///< -1: not before they are read
  int cell = 8;                 ///< bytes of a number
  bool whole = false;           ///< integers
  double largest = 0x1p29;      ///< a bound on these
  std::int64_t text_bytes = 0;  ///< of text that they are read from, held next to them
};

/// d^2 in int32 where no call is missing, in float64 otherwise.
DistanceSizes sizes_of_cohort(const PlanParams& sizes, bool missing);
/// Those of a matrix that is about to be read.
DistanceSizes sizes_of_matrix(const io::MatrixSize& size);

/// The most that a run holds at once after its distances are there, these included: the largest of
///   the closure of an alpha, or its search among --knn or from --landmarks
///   the analysis of its last matrix: distances, lengths, what is shown of them, and clustering or
///   embedding
///   the pictures, and the page, of all matrices
/// each with what is kept of the matrices before. Fitted to the peaks of runs of 200 to 4000
/// samples on the CPU. Where the type of lengths depends on the distances, the wider is taken.
std::uint64_t fermat_bytes(const FermatJobParams& params, const DistanceSizes& given);

/// Bytes of all its files.
std::uint64_t fermat_output_bytes(const FermatJobParams& params, const DistanceSizes& given);

/// Throws out_of_resources if --memory cannot hold a run from this many distances, or its disk not
/// what it writes.
void check_fermat_fits(const Context& context,
                       const FermatJobParams& params,
                       const DistanceSizes& given);

/// The plan of a run from distances. Text has to be read to know its samples.
Plan plan_of_distances(Context& context, const FermatJobParams& params);

}  // namespace yupana::job
