#pragma once

#include <string>
#include <vector>

#include "yupana/core/context.hpp"

namespace yupana::job {

struct PathParams {
  std::string run;   ///< prefix of a Fermat run's files
  std::string from;  ///< sample identifiers
  std::string to;
  double alpha = 0;  ///< which one, where the run has several; 0: its first
};

struct PathResult {
  double alpha = 2;
  double scale = 1;                      ///< length and direct are in units of scale^alpha
  std::vector<std::string> individuals;  ///< the chain, both ends included
  std::vector<double> distances;         ///< d of each step
  double length = 0;                     ///< F(from, to) as the run wrote it
  double direct = 0;                     ///< d(from, to)^alpha
};

/// The chain of individuals along a shortest path of a finished run, from its files, among the
/// edges the run used (--knn).
///   memory: distances, weights and lengths, 16 to 24 n^2 bytes
///   errors (bad_input): files missing or not of one run, unknown samples, a run with landmarks
PathResult find_path(Context& context, const PathParams& params);

}  // namespace yupana::job
