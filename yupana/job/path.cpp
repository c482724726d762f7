#include "yupana/job/path.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/graph/fermat.hpp"
#include "yupana/graph/shortest_paths.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/json_reader.hpp"
#include "yupana/io/matrix_reader.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

/// A value of a run's record; `otherwise` where it has none of that name.
template <class T>
T field(const nlohmann::json& object, const char* name, T otherwise, const std::string& run) {
  try {
    return object.value(name, otherwise);
  } catch (const nlohmann::json::exception&) {
    throw bad_file(
        run + ".json", "'{}' is no value that 'yupana fermat' writes; run it again", name);
  }
}

nlohmann::json record_of(const std::string& run) {
  const std::string path = run + ".json";
  std::error_code none;
  if (!std::filesystem::exists(path, none)) {
    throw bad_file(path, "not found; give the prefix of a finished 'yupana fermat' run");
  }
  const io::InputFile file(path);
  const std::string text = io::head_of(file, file.size());
  io::checked_json(path, text);
  nlohmann::json record = nlohmann::json::parse(text, nullptr, false);
  const auto is_object = [](const nlohmann::json& item) { return item.is_object(); };
  const bool known = is_object(record) && record.contains("runs") && record["runs"].is_array();
  if (!known || record["runs"].empty() ||
      !std::all_of(record["runs"].begin(), record["runs"].end(), is_object)) {
    throw bad_file(path, "not the record of a Fermat run; run 'yupana fermat' again");
  }
  if (field(record, "landmarks", std::int64_t{0}, run) > 0) {
    throw bad_file(
        path,
        "the run estimated lengths through landmarks, so it knows no paths; run 'yupana fermat' "
        "without --landmarks");
  }
  return record;
}

nlohmann::json chosen_run(const Context& context,
                          const nlohmann::json& record,
                          const PathParams& params) {
  nlohmann::json chosen;
  std::string have;
  constexpr int most_shown = 20;
  int alphas = 0;
  for (const nlohmann::json& run : record["runs"]) {
    const double alpha = field(run, "alpha", 0.0, params.run);
    if (++alphas <= most_shown) have += " " + number_text(alpha);
    if (alphas == most_shown + 1) have += " ...";
    if (chosen.is_null() && (params.alpha == 0 || alpha == params.alpha)) chosen = run;
  }
  if (chosen.is_null()) {
    throw input_error("{}.json: expected an alpha of the run, got {}; there are:{}",
                      params.run,
                      number_text(params.alpha),
                      have);
  }
  if (params.alpha == 0 && record["runs"].size() > 1) {
    context.note(fmt::format(
        "{}.json: several alphas,{}; the first is taken, --alpha chooses", params.run, have));
  }
  if (!chosen.contains("weights_precision") || !chosen.contains("weight_scale")) {
    throw bad_file(params.run + ".json",
                   "expected the unit of the lengths, got a record of an older version without it; "
                   "run 'yupana fermat' again");
  }
  return chosen;
}

template <class Square>
using Cell = std::remove_cvref_t<decltype(std::declval<Square>()(0, 0))>;

std::int64_t index_of(const std::vector<std::string>& names,
                      const std::string& name,
                      const std::string& run) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw input_error(
        "{}.ids: no sample '{}' among {}; names are as in that file", run, name, names.size());
  }
  return found - names.begin();
}

/// Sums of weights of a matrix as T, infinite ones as T has them; integers are rounded, so that an
/// integer power of d^2 is again the integer it was.
template <class T, class From, class Sum>
SquareMatrix<T> sums_of(Context& context, const SquareMatrix<From>& from, const Sum& sum) {
  SquareMatrix<T> sums(from.size());
  context.parallel_for(from.size(), 16, [&](std::int64_t i) {
    for (std::int64_t j = 0; j < from.size(); ++j) {
      const double value = sum(from(i, j));
      if (from(i, j) == graph::unreachable<From> ||
          !(value < std::numeric_limits<double>::infinity())) {
        sums(i, j) = graph::unreachable<T>;
      } else if constexpr (std::is_integral_v<T>) {
        sums(i, j) = static_cast<T>(std::llround(value));
      } else {
        sums(i, j) = static_cast<T>(value);
      }
    }
  });
  return sums;
}

/// Whether a chain whose weights have this sum is as long as F of its ends: files of two runs under
/// one prefix are not. Rounding moves each by half a unit in the last place an edge, a root by its
/// power.
template <class T, class L>
bool is_length(double sum, T length, std::size_t edges, double alpha) {
  if constexpr (std::is_integral_v<T>) return sum == static_cast<double>(length);
  const double unit =
      std::max<double>(std::numeric_limits<T>::epsilon(),
                       std::is_integral_v<L> ? 0 : std::numeric_limits<L>::epsilon());
  const double allowed = (128 + static_cast<double>(edges) + alpha) * unit;
  const auto known = static_cast<double>(length);
  return sum == known || std::abs(sum - known) <= allowed * sum + static_cast<double>(edges) *
                                                                      std::numeric_limits<T>::min();
}

/// The smallest entry of a row but its own: an edge to the nearest is a shortest path.
template <class T>
T nearest(const SquareMatrix<T>& matrix, std::int64_t i) {
  T least = graph::unreachable<T>;
  for (std::int64_t j = 0; j < matrix.size(); ++j) {
    if (j != i) least = std::min(least, matrix(i, j));
  }
  return least;
}

/// The path in a run's own number type, and its figures, which are summed in double.
template <class T, class L>
void follow(Context& context,
            const SquareMatrix<double>& d,
            const SquareMatrix<L>& lengths,
            const std::vector<std::string>& names,
            const PathParams& params,
            PathResult& result) {
  const std::int64_t from = index_of(names, params.from, params.run);
  const std::int64_t to = index_of(names, params.to, params.run);
  SquareMatrix<T> weights =
      sums_of<T>(context, d, [&](double edge) { return result.unit.weight(edge); });
  const auto edge = [&](std::int64_t i, std::int64_t j) {
    return std::is_integral_v<T> ? static_cast<double>(weights(i, j)) : result.unit.weight(d(i, j));
  };
  if (weights(from, to) != graph::unreachable<T>) {
    result.direct = result.unit.rooted ? d(from, to) : edge(from, to);
  }
  if (result.neighbors > 0) graph::keep_neighbors(context, weights, result.neighbors);
  result.direct_used = weights(from, to) != graph::unreachable<T>;
  const SquareMatrix<T> sums = sums_of<T>(context, lengths, [&](L length) {
    return result.unit.rooted ? result.unit.weight(static_cast<double>(length)) : length;
  });
  const std::vector<std::int64_t> chain = graph::path<T>(weights.view(), sums.view(), from, to);
  double sum = 0, own_sum = 0;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    result.individuals.push_back(names[static_cast<std::size_t>(chain[i])]);
    if (i == 0) continue;
    result.distances.push_back(d(chain[i - 1], chain[i]));
    sum += edge(chain[i - 1], chain[i]);
    own_sum += static_cast<double>(weights(chain[i - 1], chain[i]));
  }
  const T length = sums(from, to);
  const bool joined = length != graph::unreachable<T>;
  const double found = joined ? own_sum : static_cast<double>(nearest(weights, from));
  const T known = joined ? length : nearest(sums, from);
  if (chain.empty() == joined || !is_length<T, L>(found, known, chain.size(), result.unit.alpha)) {
    throw bad_file(params.run + ".dist.npy",
                   "expected the distances of this Fermat run, got others: no chain of them is as "
                   "long as the run's length; run 'yupana fermat' again, and give other commands "
                   "another -o");
  }
  if (chain.empty()) return;
  result.length = chain.size() == 2 ? *result.direct : result.unit.length(sum);
}

/// Throws out_of_resources where memory does not hold the distances, the lengths, and both as the
/// run's numbers.
void check_path_fits(const Context& context,
                     const PathParams& params,
                     const io::MatrixSize& distances,
                     const std::string& lengths_path,
                     const std::string& type) {
  const io::InputFile file(lengths_path);
  const io::NpyLayout lengths = io::npy_layout(lengths_path, io::head_of(file, 64 << 10));
  const int own = type == "int32" || type == "float32" ? 4 : 8;
  const std::int64_t cell = distances.cell + lengths.width + 2 * own;
  check_memory(
      context, "path " + params.run, static_cast<std::uint64_t>(distances.n * distances.n * cell));
}

}  // namespace

PathResult find_path(Context& context, const PathParams& params) {
  const nlohmann::json record = record_of(params.run);
  const nlohmann::json run = chosen_run(context, record, params);
  const std::string distances_path = params.run + ".dist.npy";
  const std::string ending = field(run, "fermat", std::string(".fermat.npy"), params.run);
  if (ending.find_first_of(std::string_view("/\0", 2)) != ending.npos) {
    throw bad_file(params.run + ".json",
                   "'fermat' is no ending of a file of the run; run it again");
  }
  const std::string lengths_path = params.run + ending;
  const std::string type = field(run, "weights_precision", std::string(), params.run);
  const io::DistanceMatrix read =
      io::read_distances(context, distances_path, [&](const io::MatrixSize& size) {
        check_path_fits(context, params, size, lengths_path, type);
      });
  const io::DistanceMatrix closed = io::read_distances(context, lengths_path);
  const auto* d = std::get_if<SquareMatrix<double>>(&read.values);
  if (d == nullptr) throw bad_file(distances_path, "not the float64 matrix a Fermat run writes");
  PathResult result;
  result.unit = {field(run, "alpha", 2.0, params.run),
                 field(run, "weight_scale", 1.0, params.run),
                 field(record, "rooted", false, params.run)};
  result.neighbors = field(record, "neighbors", std::int64_t{0}, params.run);
  std::visit(
      [&](const auto& lengths) {
        if (lengths.size() != d->size()) {
          throw bad_file(lengths_path, "not the size of " + distances_path);
        }
        const auto run_follow = type == "int32"     ? follow<std::int32_t, Cell<decltype(lengths)>>
                                : type == "float32" ? follow<float, Cell<decltype(lengths)>>
                                                    : follow<double, Cell<decltype(lengths)>>;
        run_follow(context, *d, lengths, read.names, params, result);
      },
      closed.values);
  return result;
}

}  // namespace yupana::job
