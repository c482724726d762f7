#include "yupana/job/closest.hpp"

#include <variant>

#include "yupana/core/error.hpp"

namespace yupana::job {
namespace {

template <class T>
ClosestFileResult closest_of(Context& context,
                             const ClosestFileParams& params,
                             const Matrix<T>& points) {
  ClosestFileResult result{points.rows(), points.cols(), {}, {}, {}};
  try {
    result.pair = geometry::closest_pair<T>(context, points.view(), params.closest);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    throw bad_file(params.in.path, error.what(), error.place());
  }
  const auto row = [&](std::int64_t i) {
    return std::vector<double>(points.row(i), points.row(i) + points.cols());
  };
  result.first = row(result.pair.i);
  result.second = row(result.pair.j);
  return result;
}

}  // namespace

ClosestFileResult closest_file(Context& context, const ClosestFileParams& params) {
  const io::Points points = io::read_points(context, params.in);
  return std::visit([&](const auto& matrix) { return closest_of(context, params, matrix); },
                    points);
}

}  // namespace yupana::job
