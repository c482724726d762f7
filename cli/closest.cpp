#include "yupana/job/closest.hpp"

#include "cli/command.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::cli {
namespace {

Answer closest(Context& context, const job::ClosestFileParams& params) {
  const job::ClosestFileResult result = job::closest_file(context, params);
  Answer answer;
  answer.text = fmt::format("{} {} {}\n", result.pair.i, result.pair.j, result.pair.distance);
  answer.json = {{"command", "closest"}};
  answer.json.update(job::closest_json(result));
  if (!params.out.empty()) {
    answer.text += fmt::format("in {}\n", params.out);
    answer.json["out"] = params.out;
  }
  return answer;
}

struct ClosestOptions {
  job::ClosestFileParams closest;
  job::NeighborsFileParams neighbors;

  bool lists() const {
    return neighbors.neighbors || neighbors.radius || !neighbors.queries.empty();
  }
};

Answer list_pairs(Context& context, const Call& call, job::NeighborsFileParams params) {
  if (call.context.device.starts_with("cuda")) {
    throw usage_error(
        "--device {}: neighbors, radii and queries are searched on the processor; leave it out",
        call.context.device);
  }
  if (call.json && params.out.empty()) {
    throw usage_error("--json and the lines both write standard output; give -o NAME.tsv");
  }
  const job::NeighborsFileResult result = job::neighbors_file(context, params);
  Answer answer;
  answer.json = {{"command", "closest"}};
  answer.json.update(job::neighbors_json(params, result));
  if (!params.out.empty()) {
    answer.text = fmt::format("pairs    {}\n", result.pairs);
    answer.add_files({params.out});
  }
  return answer;
}

}  // namespace

void add_closest(Command& program) {
  auto options = std::make_shared<ClosestOptions>();
  job::ClosestFileParams& params = options->closest;
  Command command = add_command(
      program,
      {.name = "closest",
       .purpose = "The two nearest points of a file (.npy n x d, TSPLIB, or a table of columns): "
                  "prints both row numbers, counted from 0, and the distance. Of equal distances "
                  "the first pair. -o writes them to a file too, NAME.tsv or NAME.json. Or the "
                  "nearest neighbors of each point, or all pairs within a radius.",
       .example = "yupana closest points.csv --json"},
      [options](Context& context, const Call& call) {
        options->closest.out = call.out;
        if (!options->lists()) return closest(context, options->closest);
        if (options->closest.method) {
          call.command.refuse({"--method"}, "but for the closest pair of one file");
        }
        options->neighbors.in = options->closest.in;
        options->neighbors.out = call.out;
        return list_pairs(context, call, options->neighbors);
      });
  command.input("input", params.in.path, "points: .npy, or TSPLIB .tsp or text, both also gzip")
      .required();
  command.list("--columns",
               params.in.columns,
               "the columns of a text that are coordinates: names, numbers from 1 or ranges of "
               "them (1-3); default: all");
  command.choice(
      "--method",
      params.method,
      {{"grid", geometry::ClosestMethod::grid}, {"divide", geometry::ClosestMethod::divide}},
      "the answer is the same (default grid)");
  command.number("--neighbors",
                 options->neighbors.neighbors,
                 "lines of i, j, distance: the so many nearest points j of each point i, of equal "
                 "distances the smaller j first",
                 std::int64_t{1});
  command.number("--radius",
                 options->neighbors.radius,
                 "the same of all pairs i < j of at most this distance",
                 0.0);
  command.input("--queries",
                options->neighbors.queries,
                "a second file: i are its rows; alone, the closest pair between both");
  command.only_one({"--neighbors", "--radius"});
}

}  // namespace yupana::cli
