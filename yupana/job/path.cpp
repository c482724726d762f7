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

nlohmann::json record_of(const std::string& run) {
  const std::string path = run + ".json";
  std::ifstream file(path);
  if (!file) throw bad_file(path, "not found; give the prefix of a finished 'yupana fermat' run");
  nlohmann::json record = nlohmann::json::parse(file, nullptr, false);
  if (record.is_discarded() || !record.contains("runs") || !record["runs"].is_array() ||
      record["runs"].empty()) {
    throw bad_file(path, "not the record of a Fermat run; run 'yupana fermat' again");
  }
  if (record.value("landmarks", 0) > 0) {
    throw bad_file(path, "the run estimated lengths through landmarks, so it knows no paths");
  }
  return record;
}

nlohmann::json chosen_run(const nlohmann::json& record, const PathParams& params) {
  if (params.alpha == 0) return record["runs"].front();
  std::string have;
  for (const nlohmann::json& run : record["runs"]) {
    if (std::abs(run.value("alpha", 0.0) - params.alpha) < 1e-9) return run;
    have += fmt::format(" {:g}", run.value("alpha", 0.0));
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

/// d^alpha in the type the run worked in, as the run computed it: an integer power of d^2 rounds
/// back to the integer it was.
template <class T>
SquareMatrix<T> weights_of(Context& context, const SquareMatrix<double>& d, double alpha) {
  const std::int64_t n = d.size();
  SquareMatrix<T> weights(n);
  context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t cell = begin * n; cell < end * n; ++cell) {
      const double value = d.data()[cell];
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

SquareMatrix<double> as_double(Context& context, io::AnyMatrix matrix) {
  if (auto* already = std::get_if<SquareMatrix<double>>(&matrix)) return std::move(*already);
  return std::visit(
      [&](const auto& source) {
        SquareMatrix<double> result(source.size());
        context.parallel_for(source.size(), 16, [&](std::int64_t begin, std::int64_t end) {
          std::copy(source.row(begin),
                    source.row(begin) + (end - begin) * source.size(),
                    result.row(begin));
        });
        return result;
      },
      matrix);
}

}  // namespace

PathResult find_path(Context& context, const PathParams& params) {
  const nlohmann::json record = record_of(params.run);
  const nlohmann::json run = chosen_run(record, params);
  const double alpha = run.value("alpha", 2.0);
  const io::DistanceMatrix read = io::read_distances(context, params.run + ".dist.npy");
  io::DistanceMatrix closed =
      io::read_distances(context, params.run + run.value("fermat", ".fermat.npy"));
  const std::int64_t from = index_of(read.names, params.from, params.run);
  const std::int64_t to = index_of(read.names, params.to, params.run);

  const bool rooted = record.value("rooted", false);
  PathResult result;
  result.alpha = alpha;
  std::vector<std::int64_t> chain;
  std::visit(
      [&](auto& lengths) {
        using T = std::remove_cvref_t<decltype(lengths(0, 0))>;
        if (lengths.size() != static_cast<std::int64_t>(read.names.size())) {
          throw bad_file(params.run + ".fermat.npy", "not the size of " + params.run + ".ids");
        }
        result.length = static_cast<double>(lengths(from, to));
        const SquareMatrix<double> d =
            as_double(context, std::move(const_cast<io::AnyMatrix&>(read.values)));
        const SquareMatrix<T> weights = weights_of<T>(context, d, alpha);
        if (rooted) {
          for (std::int64_t cell = 0; cell < lengths.size() * lengths.size(); ++cell) {
            lengths.data()[cell] =
                static_cast<T>(std::pow(static_cast<double>(lengths.data()[cell]), alpha));
          }
        }
        chain = graph::path<T>(weights.view(), lengths.view(), from, to);
        for (std::size_t i = 1; i < chain.size(); ++i)
          result.distances.push_back(d(chain[i - 1], chain[i]));
        result.direct = std::pow(d(from, to), alpha);
      },
      closed.values);
  for (const std::int64_t vertex : chain)
    result.individuals.push_back(read.names[static_cast<std::size_t>(vertex)]);
  return result;
}

}  // namespace yupana::job
