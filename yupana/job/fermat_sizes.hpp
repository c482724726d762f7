#pragma once

#include <cstdint>
#include <string>

#include "yupana/core/context.hpp"
#include "yupana/job/fermat.hpp"

/// Bytes that a Fermat run holds and writes, known before it from its samples.
namespace yupana::job {

/// Bytes of a number of the distances a run starts from: d^2 in int32 where no call is missing, in
/// float64 otherwise.
inline constexpr int whole_cell = 4, fractional_cell = 8;

/// The most that a run holds at once after its distances, of `cell` bytes a pair of samples, are
/// there; distances included. Fitted to the peaks of runs of 1000 to 4000 samples on the CPU:
///   matrices alone  2 cell + the weight's bytes times n^2: d, its copy, the weights; where these
///                   have the type of d, cell + 1.375 times theirs; with --root d, F and its root
///   with pictures   cell + 8.2 bytes times n^2, what clustering takes where the run may hold so
///                   much `memory`, and 5 MB; 4 n^2 more with --knn (8 where cell is 4), 4 more
///                   for float64, 3 more for each further alpha; of few samples the pages: cell +
///                   2 bytes times n^2, 23 MB and 14 bytes a pixel of heat maps of 512 pixels
///                   squared, two and one for each further alpha
std::uint64_t fermat_bytes(const FermatJobParams& params,
                           std::int64_t samples,
                           int cell,
                           std::uint64_t memory);

/// Bytes of all its files.
std::uint64_t fermat_output_bytes(const FermatJobParams& params, std::int64_t samples, int cell);

/// Samples of the distance matrix of --from-distances from its first bytes (.npy); -1 of other
/// formats. `cell` is set to the bytes of a number as the run holds it.
std::int64_t samples_of_distances(const std::string& path, int& cell);

/// Throws out_of_resources if --memory cannot hold a run from this many distances, or its disk not
/// what it writes.
void check_fermat_fits(const Context& context,
                       const FermatJobParams& params,
                       std::int64_t samples,
                       int cell);

/// The plan of a run from distances. Text has to be read to know its samples.
Plan plan_of_distances(Context& context, const FermatJobParams& params);

}  // namespace yupana::job
