#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/job/units.hpp"

namespace yupana::job {

/// What the names of a Fermat run's files end in.
inline const std::vector<std::string> fermat_endings = {".dist.npy",
                                                        ".fermat.npy",
                                                        ".ids",
                                                        ".nwk",
                                                        ".graphml",
                                                        ".gexf",
                                                        ".mds.tsv",
                                                        ".html",
                                                        ".svg",
                                                        ".pdf",
                                                        ".png",
                                                        ".json",
                                                        ".npy",
                                                        ".tsv"};

struct PathParams {
  std::string run;   ///< prefix of a Fermat run's files
  std::string from;  ///< sample identifiers
  std::string to;
  double alpha = 0;  ///< which one, as printed, where the run has several; 0: its first
};

struct PathResult {
  LengthUnit unit;                       ///< of length and direct
  std::int64_t neighbors = 0;            ///< --knn of the run; 0: all edges
  std::vector<std::string> individuals;  ///< the chain, both ends included; empty without a path
  std::vector<double> distances;         ///< d of each step
  std::optional<double> length;          ///< of the chain, summed in double; none without a path
  std::optional<double> direct;          ///< of the direct edge; none where d is infinite
  bool direct_used = true;               ///< whether the run's graph has the direct edge
};

/// The chain of individuals along a shortest path of a finished run, from its files, among the
/// edges the run used (--knn). Two individuals that no path joins have an empty chain.
///   memory: distances, weights and lengths, 20 to 32 n^2 bytes
///   errors (bad_input): files missing or not of one run (the chain is not as long as
///   F says), unknown samples, a run with landmarks
PathResult find_path(Context& context, const PathParams& params);

}  // namespace yupana::job
