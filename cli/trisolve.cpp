#include "yupana/job/trisolve.hpp"

#include "cli/command.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::cli {
namespace {

Answer make_answer(const job::TrisolveParams& params, const job::TrisolveResult& result) {
  static const char* const entries[] = {"1 entry",
                                        "2 entries",
                                        "3-4 entries",
                                        "5-8 entries",
                                        "9-16 entries",
                                        "17 or more entries",
                                        "0 entries"};
  Answer answer;
  answer.text = fmt::format("{}, {}: {}, {:.1f} rows each; {}\n",
                            counted(result.rows, "row"),
                            counted(result.entries, "entry", "entries"),
                            counted(result.levels, "level"),
                            static_cast<double>(result.rows) /
                                static_cast<double>(std::max<std::int64_t>(1, result.levels)),
                            counted(result.warps, "warp"));
  nlohmann::ordered_json classes = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < 7; ++c) {
    classes.push_back(result.rows_of_class[c]);
    if (result.rows_of_class[c] == 0) continue;
    answer.text += fmt::format("class {}: {} of {} off the diagonal\n",
                               c,
                               counted(result.rows_of_class[c], "row"),
                               entries[c]);
  }
  answer.text += fmt::format("analysed in {:.3g} ms; {}: {} solved in {:.3g} ms\n",
                             result.analysis_seconds * 1e3,
                             job::name_of(result.method),
                             counted(result.sides, "right-hand side"),
                             result.solve_seconds * 1e3);
  answer.text += fmt::format("componentwise backward error {:.3g}", result.backward_error);
  if (result.not_finite > 0) {
    answer.text +=
        fmt::format(": {} of {} numbers of x {} infinite or NaN, the first in row {} (from 1)",
                    result.not_finite,
                    result.rows * result.sides,
                    result.not_finite == 1 ? "is" : "are",
                    result.first_not_finite_row);
  }
  answer.text += '\n';
  if (!params.out.empty()) answer.text += fmt::format("x in {}\n", params.out);
  answer.json = {{"command", "trisolve"},
                 {"complex", result.complex},
                 {"rows", result.rows},
                 {"entries", result.entries},
                 {"levels", result.levels},
                 {"keys", result.keys},
                 {"warps", result.warps},
                 {"rows_of_class", classes},
                 {"method", job::name_of(result.method)},
                 {"sides", result.sides},
                 {"backward_error", result.backward_error},
                 {"not_finite", result.not_finite},
                 {"analysis_seconds", result.analysis_seconds},
                 {"solve_seconds", result.solve_seconds}};
  if (result.not_finite > 0) answer.json["first_not_finite_row"] = result.first_not_finite_row;
  if (!params.out.empty()) answer.json["out"] = params.out;
  return answer;
}

}  // namespace

void add_trisolve(Command& program) {
  auto params = std::make_shared<job::TrisolveParams>();
  Command command = add_command(
      program,
      {.name = "trisolve",
       .purpose =
           "Solve a sparse triangular system (Matrix Market): levels, classes, warps and, with -o, "
           "x. An x "
           "that leaves the range of double is written as it is, counted and reported with the "
           "error inf; the exit status is 0.",
       .example = "yupana trisolve L.mtx b.npy -o x.npy"},
      [params](Context& context, const Call& call) {
        params->out = call.out;
        const bool free = call.context.device == "auto" && context.backend() == Backend::cuda;
        if (free && job::is_complex(context, params->matrix)) throw OnProcessor();
        return make_answer(*params, job::trisolve(context, *params));
      });
  sparse::TriangularParams& system = params->system;
  command.input("matrix", params->matrix, "Matrix Market file, also .gz, real or complex")
      .required();
  command.input("b",
                params->side,
                "right-hand sides: .npy of n or n x k numbers, or text (complex: two numbers a "
                "line); random ones "
                "without it");
  command.flag(
      "--upper",
      [&system] { system.triangle = sparse::Triangle::upper; },
      "the upper triangle, of a general or a symmetric matrix");
  command.flag(
      "--lower",
      [&system] { system.triangle = sparse::Triangle::lower; },
      "the lower triangle (default)");
  command.flag(
      "--transpose",
      [&system] { system.operation = sparse::Operation::transpose; },
      "solve with the transpose of the triangle");
  command.flag(
      "--conjugate-transpose",
      [&system] { system.operation = sparse::Operation::conjugate_transpose; },
      "solve with its conjugate transpose: of real numbers the transpose");
  command.choice("--method",
                 system.method,
                 {{"auto", sparse::SolveMethod::automatic},
                  {"serial", sparse::SolveMethod::serial},
                  {"level-set", sparse::SolveMethod::level_set},
                  {"sync-free", sparse::SolveMethod::sync_free}},
                 "x has the same bits");
  command.number("--rhs", params->sides, "random right-hand sides, where b is not given", 1);
  command.seed(params->seed, "of random right-hand sides");
  command.flag(
      "--unit-diagonal", system.unit_diagonal, "the diagonal is 1, whatever the file holds");
  command.flag("--ignore-other",
               system.ignore_other,
               "leave out entries of the other triangle, which are an error otherwise");
  command.flag("--add-duplicates",
               system.sort_columns,
               "add entries of one place, which are an error otherwise");
  command.only_one({"--upper", "--lower"});
  command.only_one({"--transpose", "--conjugate-transpose"});
  command.excludes({"--seed", "--rhs"}, "b");
}

}  // namespace yupana::cli
