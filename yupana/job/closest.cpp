#include "yupana/job/closest.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/geometry/neighbors.hpp"

namespace yupana::job {
namespace {

/// Bytes of the points and of what the search holds.
std::uint64_t bytes_of(const Context& context,
                       std::uint64_t rows,
                       std::uint64_t cols,
                       std::uint64_t number,
                       geometry::ClosestMethod method) {
  const bool searches_here = context.backend() == Backend::cpu;
  return rows * cols * number +
         (searches_here ? geometry::search_bytes(rows, cols, number, method) : 0);
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

/// Lines of pairs, some kilobytes at a time.
class PairLines {
 public:
  explicit PairLines(AtomicFile& file) : file_(file) { text_ += "i\tj\tdistance\n"; }
  void add(std::int64_t i, std::int64_t j, double distance) {
    append_formatted(text_, "{}\t{}\t{}\n", i, j, distance);
    ++count_;
    if (text_.size() >= (1 << 16)) flush();
  }
  std::int64_t finish() {
    flush();
    return count_;
  }

 private:
  void flush() {
    file_.write(text_.data(), text_.size());
    text_.clear();
  }
  AtomicFile& file_;
  std::string text_;
  std::int64_t count_ = 0;
};

void put(PairLines& lines, const geometry::Neighbors& found) {
  for (std::int64_t i = 0; i < found.indices.rows(); ++i) {
    for (std::int64_t k = 0; k < found.indices.cols(); ++k) {
      lines.add(i, found.indices(i, k), found.distances(i, k));
    }
  }
}

/// Queries are i of a line; the library has them second.
void put(PairLines& lines, std::vector<geometry::ClosestPair> pairs, bool queries) {
  if (queries) {
    for (geometry::ClosestPair& pair : pairs) std::swap(pair.i, pair.j);
    std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
      return a.i != b.i ? a.i < b.i : a.j < b.j;
    });
  }
  for (const geometry::ClosestPair& pair : pairs) lines.add(pair.i, pair.j, pair.distance);
}

template <class T>
void write_lines(Context& context,
                 const NeighborsFileParams& params,
                 const Matrix<T>& points,
                 const Matrix<T>* queries,
                 PairLines& lines) {
  const MatrixView<const T> a = points.view();
  if (params.neighbors) {
    const std::int64_t k = *params.neighbors;
    put(lines,
        queries ? geometry::nearest_neighbors<T>(context, a, queries->view(), k)
                : geometry::nearest_neighbors<T>(context, a, k));
  } else if (params.radius) {
    put(lines,
        queries ? geometry::pairs_within<T>(context, a, queries->view(), *params.radius)
                : geometry::pairs_within<T>(context, a, *params.radius),
        queries != nullptr);
  } else {
    put(lines, {geometry::closest_between<T>(context, a, queries->view())}, true);
  }
}

/// Copies in doubles, with a number each and two bytes of nodes, in the tree of both sets; and the
/// k nearest of each query, or where each point's pairs begin and end, and a mebibyte of pairs.
std::uint64_t bytes_of(const NeighborsFileParams& params,
                       std::int64_t rows,
                       std::int64_t cols,
                       std::size_t number,
                       bool are_searched) {
  const std::int64_t in_tree = cols <= 2 ? 2 : cols <= 4 ? cols : 8;
  const std::int64_t nearest = are_searched ? params.neighbors.value_or(0) : 0;
  const std::int64_t found = 16 * (params.radius ? 1 : nearest);
  const auto bytes = static_cast<std::uint64_t>(rows) *
                     static_cast<std::uint64_t>(cols * static_cast<std::int64_t>(number) +
                                                8 * in_tree + 10 + found);
  return bytes + (params.radius ? 1 << 20 : 0);
}

/// The same of the queries, which are counted and not kept, next to `held` bytes of the points.
std::uint64_t bytes_of_queries(Context& context,
                               const NeighborsFileParams& params,
                               std::uint64_t held) {
  std::uint64_t bytes = 0;
  io::PointsParams in{params.queries, params.in.columns};
  in.work = [&](std::int64_t rows, std::int64_t cols, std::size_t number) {
    const std::uint64_t reading = 24 * static_cast<std::uint64_t>(rows * cols);  // of a text
    bytes = std::max(bytes_of(params, rows, cols, number, true), reading - std::min(reading, held));
    return ~std::uint64_t{0};  // which none may hold
  };
  try {
    io::read_points(context, in);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_resources) throw;
  }
  return bytes;
}

Matrix<double> in_doubles(const Matrix<float>& points) {
  Matrix<double> all(points.rows(), points.cols());
  for (std::int64_t i = 0; i < points.rows(); ++i) {
    std::copy_n(points.row(i), points.cols(), all.row(i));
  }
  return all;
}

void check(const NeighborsFileParams& params) {
  if (!params.out.empty() && !params.out.ends_with(".tsv")) {
    throw usage_error("-o {}: expected a name that ends in .tsv", params.out);
  }
  if (params.neighbors && params.radius) {
    throw usage_error("--neighbors and --radius: expected one of them");
  }
  if (params.queries.empty() && !params.neighbors && !params.radius) {
    throw usage_error("closest: expected neighbors, a radius or queries, got none");
  }
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
    return bytes_of(context, rows, cols, number, method);
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

nlohmann::ordered_json neighbors_json(const NeighborsFileParams& params,
                                      const NeighborsFileResult& result) {
  nlohmann::ordered_json json = {{"points", result.points}};
  if (result.queries) json["queries"] = *result.queries;
  json["dimensions"] = result.dimensions;
  if (params.neighbors) json["neighbors"] = *params.neighbors;
  if (params.radius) json["radius"] = *params.radius;
  json["pairs"] = result.pairs;
  return json;
}

NeighborsFileResult neighbors_file(Context& context, const NeighborsFileParams& params) {
  check(params);
  AtomicFile out(params.out.empty() ? "/dev/stdout" : params.out);
  io::PointsParams in = params.in;
  std::uint64_t held = 0, own = 0;  // held: of the points, while queries are read
  bool is_last = params.queries.empty();
  in.work = [&](std::int64_t rows, std::int64_t cols, std::size_t number) {
    own = bytes_of(params, rows, cols, number, is_last);
    return held + own;
  };
  if (params.radius) in.left_out = " and more for many pairs within the radius";
  if (!params.queries.empty()) {
    in.other = params.queries;
    in.work_on_other = [&] { return bytes_of_queries(context, params, own); };
  }
  io::Points points = io::read_points(context, in);
  in.work_on_other = nullptr;
  std::optional<io::Points> queries;
  if (!params.queries.empty()) {
    held = own;
    is_last = true;
    in.path = params.queries;
    queries = io::read_points(context, in);
    if (queries->index() != points.index()) {
      for (io::Points* set : {&points, &*queries}) {
        if (const auto* floats = std::get_if<Matrix<float>>(set)) *set = in_doubles(*floats);
      }
    }
  }
  PairLines lines(out);
  NeighborsFileResult result;
  const Stage stage(context, "neighbors");
  std::visit(
      [&](const auto& matrix) {
        using Points = std::decay_t<decltype(matrix)>;
        const Points* const second = queries ? &std::get<Points>(*queries) : nullptr;
        result.points = matrix.rows();
        if (second != nullptr) result.queries = second->rows();
        result.dimensions = matrix.cols();
        try {
          write_lines(context, params, matrix, second, lines);
        } catch (const Error& error) {
          if (error.code() != ErrorCode::bad_input) throw;
          // The library's messages say of which set they are, not of which file.
          const bool second_set =
              std::string_view(error.what()).find("queries") != std::string::npos;
          throw bad_file(second_set ? params.queries : params.in.path, error.what(), error.place());
        }
      },
      points);
  result.pairs = lines.finish();
  out.commit();
  return result;
}

}  // namespace yupana::job
