#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/geometry/closest_pair.hpp"
#include "yupana/io/points.hpp"

namespace yupana::job {

struct ClosestFileParams {
  io::PointsParams in;
  /// Of the answer's way, not of the answer; a usage error for the reference, which tries all
  /// pairs.
  std::optional<geometry::ClosestMethod> method = {};
  std::string out = {};  ///< the pair: NAME.tsv or NAME.json; empty: not written
};

struct ClosestFileResult {
  std::int64_t points = 0;
  std::int64_t dimensions = 0;
  geometry::ClosestPair pair;
  std::vector<double> first;  ///< coordinates of pair.i
  std::vector<double> second;
};

/// What a .json holds.
nlohmann::ordered_json closest_json(const ClosestFileResult& result);

/// The two nearest points of a file. A .tsv has a line of names and one of i, j and the distance; a
/// .json one object with those, the numbers of points and dimensions and the coordinates of both.
///   errors: what io::read_points and geometry::closest_pair refuse, naming the file; usage: `out`
///   with another ending
ClosestFileResult closest_file(Context& context, const ClosestFileParams& params);

struct NeighborsFileParams {
  io::PointsParams in;
  std::string queries = {};  ///< a second file of points, of the same columns; empty: none
  std::optional<std::int64_t> neighbors = {};
  std::optional<double> radius = {};
  std::string out = {};  ///< NAME.tsv; empty: standard output
};

struct NeighborsFileResult {
  std::int64_t points = 0;
  std::optional<std::int64_t> queries = {};  ///< of the second file
  std::int64_t dimensions = 0;
  std::int64_t pairs = 0;  ///< lines written
};

nlohmann::ordered_json neighbors_json(const NeighborsFileParams& params,
                                      const NeighborsFileResult& result);

/// Writes lines of i, j and their distance, rows counted from 0. Of one file: the `neighbors`
/// nearest points j of each point i, nearest first, or all pairs i < j within `radius`. With
/// queries: the same of points j to queries i; without either, the closest pair between the files.
///   errors: what io::read_points and geometry/neighbors.hpp refuse, naming the file; usage: both
///   of neighbors and radius, `out` with another ending
NeighborsFileResult neighbors_file(Context& context, const NeighborsFileParams& params);

}  // namespace yupana::job
