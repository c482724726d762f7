#include "yupana/job/closest.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

/// Bytes of the points, each `point`, and of what the search holds besides.
std::uint64_t bytes_of(const Context& context,
                       std::uint64_t rows,
                       std::uint64_t point,
                       geometry::ClosestMethod method) {
  if (context.backend() != Backend::cpu) return rows * point;
  if (method != geometry::ClosestMethod::divide) {
    return rows * (2 * point + 16);  // a copy with two numbers a point
  }
  // Copies with their numbers, of 8 bytes as their places: while they are sorted two of each,
  // afterwards one and two orders.
  const std::uint64_t copy = (point + 7) / 8 * 8 + 8;
  return rows * (point + std::max(2 * copy, copy + 16));
}

template <class T>
ClosestFileResult closest_of(Context& context,
                             const ClosestFileParams& params,
                             const Matrix<T>& points) {
  ClosestFileResult result{points.rows(), points.cols(), {}, {}, {}};
  try {
    geometry::ClosestPairParams closest;
    closest.method = params.method.value_or(closest.method);
    result.pair = geometry::closest_pair<T>(context, points.view(), closest);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    throw bad_file(params.in.path, error.what(), error.place());
  }
  if (!std::isfinite(result.pair.distance)) {
    throw bad_file(params.in.path,
                   "expected a distance within the range of double, got one beyond it; divide the "
                   "coordinates by 8 first");
  }
  const auto row = [&](std::int64_t i) {
    return std::vector<double>(points.row(i), points.row(i) + points.cols());
  };
  result.first = row(result.pair.i);
  result.second = row(result.pair.j);
  return result;
}

std::string table_of(const ClosestFileResult& result) {
  const geometry::ClosestPair& pair = result.pair;
  return fmt::format("i\tj\tdistance\n{}\t{}\t{}\n", pair.i, pair.j, pair.distance);
}

}  // namespace

nlohmann::ordered_json closest_json(const ClosestFileResult& result) {
  return {{"points", result.points},
          {"dimensions", result.dimensions},
          {"i", result.pair.i},
          {"j", result.pair.j},
          {"distance", result.pair.distance},
          {"coordinates", {result.first, result.second}}};
}

ClosestFileResult closest_file(Context& context, const ClosestFileParams& params) {
  const bool as_json = params.out.ends_with(".json");
  if (!params.out.empty() && !as_json && !params.out.ends_with(".tsv")) {
    throw usage_error("-o {}: expected a name that ends in .tsv or .json", params.out);
  }
  if (params.method && context.backend() == Backend::reference) {
    throw usage_error(
        "closest: --device reference tries all pairs, whatever --method says; leave one of them "
        "out");
  }
  std::optional<AtomicFile> out;
  if (!params.out.empty()) out.emplace(params.out);
  io::PointsParams in = params.in;
  in.work = [&](std::int64_t rows, std::int64_t cols, std::size_t number) {
    const geometry::ClosestMethod method =
        params.method.value_or(geometry::ClosestPairParams{}.method);
    return bytes_of(context, rows, static_cast<std::uint64_t>(cols) * number, method);
  };
  const io::Points points = io::read_points(context, in);
  const ClosestFileResult result =
      std::visit([&](const auto& matrix) { return closest_of(context, params, matrix); }, points);
  if (out) {
    out->write(as_json ? closest_json(result).dump() + "\n" : table_of(result));
    out->commit();
  }
  return result;
}

}  // namespace yupana::job
