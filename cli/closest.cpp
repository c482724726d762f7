#include "yupana/job/closest.hpp"

#include <fmt/format.h>

#include <map>

#include "cli/command.hpp"

namespace yupana::cli {
namespace {

Answer closest(Context& context, const job::ClosestFileParams& params) {
  const job::ClosestFileResult result = job::closest_file(context, params);
  Answer answer;
  answer.text = fmt::format("{} {} {}\n", result.pair.i, result.pair.j, result.pair.distance);
  answer.json = {{"command", "closest"},
                 {"points", result.points},
                 {"dimensions", result.dimensions},
                 {"i", result.pair.i},
                 {"j", result.pair.j},
                 {"distance", result.pair.distance},
                 {"coordinates", {result.first, result.second}}};
  if (!params.out.empty()) {
    answer.text += fmt::format("in {}\n", params.out);
    answer.json["out"] = params.out;
  }
  return answer;
}

}  // namespace

void add_closest(CLI::App& program) {
  using geometry::ClosestMethod;
  auto params = std::make_shared<job::ClosestFileParams>();
  CLI::App& app = add_command(
      program,
      "closest",
      "The two nearest points of a file (.npy n x d, TSPLIB, or a table of columns): prints both "
      "row numbers, counted from 0, and the distance. Of equal distances the first pair. -o "
      "writes them to a file too, NAME.tsv or NAME.json.",
      "yupana closest points.csv --json",
      [params](Context& context, const CommonOptions& common) {
        params->out = common.out;
        return closest(context, *params);
      });
  app.add_option("in", params->in.path, "points: .npy, TSPLIB .tsp or text, also gzip")->required();
  app.add_option("--columns",
                 params->in.columns,
                 "the columns of a text that are coordinates: names, numbers from 1 or ranges of "
                 "them (1-3); default: all")
      ->delimiter(',');
  const std::map<std::string, ClosestMethod> methods{{"grid", ClosestMethod::grid},
                                                     {"divide", ClosestMethod::divide}};
  app.add_option_function<std::string>(
         "--method",
         [params, methods](const std::string& name) { params->method = methods.at(name); },
         "grid, or divide and conquer; the answer is the same; default: grid")
      ->check(CLI::IsMember({"grid", "divide"}));
}

}  // namespace yupana::cli
