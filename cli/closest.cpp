#include "yupana/job/closest.hpp"

#include "cli/command.hpp"

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

}  // namespace

void add_closest(Command& program) {
  auto params = std::make_shared<job::ClosestFileParams>();
  Command command = add_command(
      program,
      {.name = "closest",
       .purpose = "The two nearest points of a file (.npy n x d, TSPLIB, or a table of columns): "
                  "prints both row numbers, counted from 0, and the distance. Of equal distances "
                  "the first pair. -o writes them to a file too, NAME.tsv or NAME.json.",
       .example = "yupana closest points.csv --json"},
      [params](Context& context, const Call& call) {
        params->out = call.out;
        return closest(context, *params);
      });
  command.input("input", params->in.path, "points: .npy, TSPLIB .tsp or text, also gzip")
      .required();
  command
      .list("--columns",
            params->in.columns,
            "the columns of a text that are coordinates: names, numbers from 1 or ranges of "
            "them (1-3); default: all")
      .separated_by_commas();
  command.choice(
      "--method",
      params->method,
      {{"grid", geometry::ClosestMethod::grid}, {"divide", geometry::ClosestMethod::divide}},
      "the answer is the same (default grid)");
}

}  // namespace yupana::cli
