#include "yupana/job/path.hpp"

#include <filesystem>

#include "cli/command.hpp"
#include "cli/out_folder.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::cli {
namespace {

std::string figures(const job::PathParams& params, const job::PathResult& result) {
  const std::string alpha = "alpha " + job::number_text(result.unit.alpha);
  const std::string direct = !result.direct
                                 ? "there is no direct edge"
                                 : fmt::format("the direct edge{} has {:.10g}",
                                               result.direct_used ? "" : ", which --knn left out,",
                                               *result.direct);
  if (!result.length) {
    return fmt::format("no path joins {} and {}{}, {}; {}{}\n",
                       params.from,
                       params.to,
                       result.neighbors > 0
                           ? fmt::format(" among the {} nearest {}",
                                         result.neighbors,
                                         result.neighbors == 1 ? "neighbour" : "neighbours")
                           : "",
                       alpha,
                       direct,
                       result.direct ? fmt::format(" ({})", result.unit.length_name()) : "");
  }
  return fmt::format("length {:.10g} in {}, {}; {} (each a {})\n",
                     *result.length,
                     counted(std::ssize(result.distances), "step"),
                     alpha,
                     direct,
                     result.unit.length_name());
}

nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

bool has_record(const std::string& run) {
  std::error_code none;
  return std::filesystem::exists(run + ".json", none);
}

/// A file of the run means the run, PREFIX.alpha3.fermat.npy for its alpha 3.
void name_run(job::PathParams& params) {
  for (const std::string& ending : job::fermat_endings) {
    if (drop_ending(params.run, ending)) break;
  }
  constexpr std::string_view mark = ".alpha";
  const std::size_t at = params.run.rfind(mark);
  if (at == params.run.npos || has_record(params.run)) return;
  const std::string prefix = params.run.substr(0, at);
  const auto alpha = number_of<double>(params.run.substr(at + mark.size()));
  if (!alpha || !has_record(prefix)) return;
  if (params.alpha != 0 && params.alpha != *alpha) {
    throw usage_error(
        "--alpha {:g}: expected that of the file, {:g}; leave --alpha out, or give the prefix {}",
        params.alpha,
        *alpha,
        prefix);
  }
  params.run = prefix;
  params.alpha = *alpha;
}

Answer path(Context& context, const job::PathParams& params) {
  const job::PathResult result = job::find_path(context, params);
  Answer answer;
  for (std::size_t i = 0; i < result.individuals.size(); ++i) {
    answer.text += result.individuals[i];
    if (i < result.distances.size()) answer.text += fmt::format("\t{:.8g}", result.distances[i]);
    answer.text += "\n";
  }
  answer.text += figures(params, result);
  answer.json = {{"command", "path"},
                 {"alpha", result.unit.alpha},
                 {"path", result.individuals},
                 {"distances", result.distances},
                 {"length", number_or_null(result.length)},
                 {"direct", number_or_null(result.direct)},
                 {"unit", result.unit.length_name()},
                 {"weight_scale", result.unit.scale},
                 {"rooted", result.unit.rooted}};
  return answer;
}

}  // namespace

void add_path(Command& program) {
  auto params = std::make_shared<job::PathParams>();
  Command command = add_command(
      program,
      {.name = "path",
       .purpose = "The chain of individuals along the shortest path between two, from a finished "
                  "Fermat run.",
       .example = "yupana path out/run NA06985 NA18970",
       .processor_only = true,
       .ignored = {"-o", "--gpu-memory"}},
      [params](Context& context, const Call&) {
        name_run(*params);
        return path(context, *params);
      });
  command.text("run", params->run, "prefix of the run's files, or one of them, as PREFIX.json")
      .required();
  command.text("from", params->from, "sample identifier").required();
  command.text("to", params->to, "sample identifier").required();
  command.number(
      "--alpha", params->alpha, "which one, as the run printed it, where it has several", 1);
}

}  // namespace yupana::cli
