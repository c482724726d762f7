#include "yupana/job/path.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"

namespace yupana::cli {
namespace {

Answer path(Context& context, const job::PathParams& params) {
  const job::PathResult result = job::find_path(context, params);
  Answer answer;
  for (std::size_t i = 0; i < result.individuals.size(); ++i) {
    answer.text += result.individuals[i];
    if (i < result.distances.size()) answer.text += fmt::format("\t{:.8g}", result.distances[i]);
    answer.text += "\n";
  }
  answer.text +=
      fmt::format("length {:.10g} in {} steps, alpha {:g}; the direct edge has {:.10g}\n",
                  result.length,
                  result.distances.size(),
                  result.alpha,
                  result.direct);
  answer.json = {{"command", "path"},
                 {"alpha", result.alpha},
                 {"path", result.individuals},
                 {"distances", result.distances},
                 {"length", result.length},
                 {"direct", result.direct}};
  return answer;
}

}  // namespace

void add_path(CLI::App& program) {
  auto params = std::make_shared<job::PathParams>();
  CLI::App& app = add_command(
      program,
      "path",
      "The chain of individuals along the shortest path between two, from a finished Fermat run.",
      "yupana path out/run NA06985 NA18970",
      [params](Context& context, const CommonOptions&) { return path(context, *params); },
      Runs::anywhere,
      Ranks::one,
      {.out = true});
  app.add_option("run", params->run, "prefix of the run's files")->required();
  app.add_option("from", params->from, "sample identifier")->required();
  app.add_option("to", params->to, "sample identifier")->required();
  app.add_option("--alpha", params->alpha, "which one, where the run has several");
}

}  // namespace yupana::cli
