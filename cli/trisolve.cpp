#include "yupana/job/trisolve.hpp"

#include <fmt/format.h>

#include <map>

#include "cli/command.hpp"

namespace yupana::cli {
namespace {

Answer told(const job::TrisolveParams& params, const job::TrisolveResult& result) {
  static const char* const entries[] = {"1", "2", "3-4", "5-8", "9-16", "17 or more", "0"};
  Answer answer;
  answer.text = fmt::format("{} rows, {} entries: {} levels, {:.1f} rows each; {} warps\n",
                            result.rows,
                            result.entries,
                            result.levels,
                            static_cast<double>(result.rows) /
                                static_cast<double>(std::max<std::int64_t>(1, result.levels)),
                            result.warps);
  nlohmann::ordered_json classes = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < 7; ++c) {
    classes.push_back(result.rows_of_class[c]);
    if (result.rows_of_class[c] == 0) continue;
    answer.text += fmt::format("class {}: {} rows of {} entries off the diagonal\n",
                               c,
                               result.rows_of_class[c],
                               entries[c]);
  }
  answer.text +=
      fmt::format("analysed in {:.3g} ms; {}: {} right-hand side{} solved in {:.3g} ms\n",
                  result.analysis_seconds * 1e3,
                  job::name_of(result.method),
                  result.sides,
                  result.sides == 1 ? "" : "s",
                  result.solve_seconds * 1e3);
  answer.text += fmt::format("componentwise backward error {:.3g}", result.backward_error);
  if (result.not_finite > 0) {
    answer.text += fmt::format(": {} of {} numbers of x are infinite or NaN, the first in row {}",
                               result.not_finite,
                               result.rows * result.sides,
                               result.first_not_finite_row);
  }
  answer.text += '\n';
  if (!params.out.empty()) answer.text += fmt::format("x in {}\n", params.out);
  answer.json = {{"command", "trisolve"},
                 {"rows", result.rows},
                 {"entries", result.entries},
                 {"levels", result.levels},
                 {"keys", result.keys},
                 {"warps", result.warps},
                 {"rows_of_class", classes},
                 {"method", job::name_of(result.method)},
                 {"sides", result.sides},
                 {"backward_error", result.backward_error},  // null where it is infinite
                 {"not_finite", result.not_finite},
                 {"analysis_seconds", result.analysis_seconds},
                 {"solve_seconds", result.solve_seconds}};
  if (result.not_finite > 0) answer.json["first_not_finite_row"] = result.first_not_finite_row;
  if (!params.out.empty()) answer.json["out"] = params.out;
  return answer;
}

}  // namespace

void add_trisolve(CLI::App& program) {
  auto params = std::make_shared<job::TrisolveParams>();
  CLI::App& app = add_command(
      program,
      "trisolve",
      "Solve a sparse triangular system (Matrix Market): levels, classes, warps, and x. An x that "
      "leaves the range of double is written as it is, counted and reported with the error inf "
      "(null in JSON); the exit status is 0.",
      "yupana trisolve L.mtx b.npy -o x.npy",
      [params](Context& context, const CommonOptions& common) {
        params->out = common.out;
        return told(*params, job::trisolve(context, *params));
      });
  app.add_option(
         "matrix", params->matrix, "Matrix Market file, also .gz; symmetric: lower triangle")
      ->required();
  auto* const side = app.add_option(
      "b",
      params->side,
      "right-hand sides: .npy of n or n x k numbers, or text; random ones without it");
  auto* upper = app.add_flag_callback(
      "--upper",
      [params] { params->system.triangle = sparse::Triangle::upper; },
      "the matrix is an upper triangle");
  app.add_flag_callback(
         "--lower",
         [params] { params->system.triangle = sparse::Triangle::lower; },
         "the matrix is a lower triangle (default)")
      ->excludes(upper);
  const std::map<std::string, sparse::SolveMethod> methods{
      {"auto", sparse::SolveMethod::automatic},
      {"serial", sparse::SolveMethod::serial},
      {"level-set", sparse::SolveMethod::level_set},
      {"sync-free", sparse::SolveMethod::sync_free}};
  app.add_option_function<std::string>(
         "--method",
         [params, methods](const std::string& name) { params->system.method = methods.at(name); },
         "auto, serial, level-set or sync-free: x has the same bits; default: auto")
      ->check(CLI::IsMember({"auto", "serial", "level-set", "sync-free"}));
  app.add_option("--rhs", params->sides, "random right-hand sides, where b is not given")
      ->capture_default_str();
  add_seed(app, params->seed, "of random right-hand sides")->excludes(side);
  app.add_flag("--unit-diagonal",
               params->system.unit_diagonal,
               "the diagonal is 1, whatever the file holds there");
  app.add_flag("--ignore-other",
               params->system.ignore_other,
               "leave out entries of the other triangle, which are an error otherwise");
  app.add_flag("--add-duplicates",
               params->system.sort_columns,
               "add entries of one place, which are an error otherwise");
}

}  // namespace yupana::cli
