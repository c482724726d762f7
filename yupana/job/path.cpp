#include "yupana/job/path.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "yupana/core/error.hpp"
#include "yupana/graph/fermat.hpp"
#include "yupana/graph/shortest_paths.hpp"
#include "yupana/io/matrix_reader.hpp"

namespace yupana::job {
namespace {

/// A value of a run's record; `otherwise` where it has none of that name.
template <class T>
T field(const nlohmann::json& object, const char* name, T otherwise, const std::string& run) {
  try {
    return object.value(name, otherwise);
  } catch (const nlohmann::json::exception&) {
    throw bad_file(run + ".json",
                   fmt::format("'{}' is no value that 'yupana fermat' writes; run it again", name));
  }
}

nlohmann::json record_of(const std::string& run) {
  const std::string path = run + ".json";
  std::ifstream file(path);
  if (!file) throw bad_file(path, "not found; give the prefix of a finished 'yupana fermat' run");
  nlohmann::json record = nlohmann::json::parse(file, nullptr, false);
  const auto is_object = [](const nlohmann::json& item) { return item.is_object(); };
  const bool known = is_object(record) && record.contains("runs") && record["runs"].is_array();
  if (!known || record["runs"].empty() ||
      !std::all_of(record["runs"].begin(), record["runs"].end(), is_object)) {
    throw bad_file(path, "not the record of a Fermat run; run 'yupana fermat' again");
  }
  if (field(record, "landmarks", std::int64_t{0}, run) > 0) {
    throw bad_file(path, "the run estimated lengths through landmarks, so it knows no paths");
  }
  return record;
}

nlohmann::json chosen_run(const nlohmann::json& record, const PathParams& params) {
  if (params.alpha == 0) return record["runs"].front();
  std::string have;
  for (const nlohmann::json& run : record["runs"]) {
    const double alpha = field(run, "alpha", 0.0, params.run);
    if (std::abs(alpha - params.alpha) < 1e-9) return run;
    have += fmt::format(" {:g}", alpha);
  }
  throw Error(
      ErrorCode::bad_input,
      fmt::format("{}.json: no run with alpha {:g}; there are:{}", params.run, params.alpha, have));
}

std::int64_t index_of(const std::vector<std::string>& names,
                      const std::string& name,
                      const std::string& run) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format(
            "{}.ids: no sample '{}' among {}; names are as in that file", run, name, names.size()));
  }
  return found - names.begin();
}

/// (d / scale)^alpha in the type the run worked in, as the run computed it: an integer power of d^2
/// rounds back to the integer it was.
template <class T>
SquareMatrix<T> weights_of(Context& context,
                           const SquareMatrix<double>& d,
                           double alpha,
                           double scale) {
  const std::int64_t n = d.size();
  SquareMatrix<T> weights(n);
  context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t cell = begin * n; cell < end * n; ++cell) {
      const double value = d.data()[cell] / scale;
      if (!(value < std::numeric_limits<double>::infinity())) {
        weights.data()[cell] = graph::unreachable<T>;
      } else if constexpr (std::is_integral_v<T>) {
        weights.data()[cell] = static_cast<T>(std::llround(std::pow(value, alpha)));
      } else {
        weights.data()[cell] = static_cast<T>(std::pow(value, alpha));
      }
    }
  });
  return weights;
}

/// Undoes --root: F^(1/alpha) back to F.
template <class T>
void raise(SquareMatrix<T>& lengths, double alpha) {
  for (std::int64_t cell = 0; cell < lengths.size() * lengths.size(); ++cell) {
    lengths.data()[cell] =
        static_cast<T>(std::pow(static_cast<double>(lengths.data()[cell]), alpha));
  }
}

/// The path in a run's own number type, and its figures.
template <class T>
void follow(Context& context,
            const nlohmann::json& record,
            const std::string& run,
            const SquareMatrix<double>& d,
            SquareMatrix<T>& lengths,
            std::int64_t from,
            std::int64_t to,
            const std::vector<std::string>& names,
            PathResult& result) {
  SquareMatrix<T> weights = weights_of<T>(context, d, result.alpha, result.scale);
  const std::int64_t neighbors = field(record, "neighbors", std::int64_t{0}, run);
  if (neighbors > 0) graph::keep_neighbors(context, weights, neighbors);
  result.length = static_cast<double>(lengths(from, to));
  result.direct = std::pow(d(from, to) / result.scale, result.alpha);
  if (field(record, "rooted", false, run)) raise(lengths, result.alpha);
  const std::vector<std::int64_t> chain = graph::path<T>(weights.view(), lengths.view(), from, to);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    result.individuals.push_back(names[static_cast<std::size_t>(chain[i])]);
    if (i > 0) result.distances.push_back(d(chain[i - 1], chain[i]));
  }
}

}  // namespace

PathResult find_path(Context& context, const PathParams& params) {
  const nlohmann::json record = record_of(params.run);
  const nlohmann::json run = chosen_run(record, params);
  const std::string distances_path = params.run + ".dist.npy";
  const std::string lengths_path =
      params.run + field(run, "fermat", std::string(".fermat.npy"), params.run);
  const io::DistanceMatrix read = io::read_distances(context, distances_path);
  io::DistanceMatrix closed = io::read_distances(context, lengths_path);
  const auto* d = std::get_if<SquareMatrix<double>>(&read.values);
  if (d == nullptr) throw bad_file(distances_path, "not the float64 matrix a Fermat run writes");
  PathResult result;
  result.alpha = field(run, "alpha", 2.0, params.run);
  result.scale = field(run, "scale", 1.0, params.run);
  const std::int64_t from = index_of(read.names, params.from, params.run);
  const std::int64_t to = index_of(read.names, params.to, params.run);
  std::visit(
      [&](auto& lengths) {
        if (lengths.size() != d->size()) {
          throw bad_file(lengths_path, "not the size of " + distances_path);
        }
        follow(context, record, params.run, *d, lengths, from, to, read.names, result);
      },
      closed.values);
  return result;
}

}  // namespace yupana::job
