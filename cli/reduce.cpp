#include <fmt/format.h>

#include <cmath>

#include "cli/arrays_options.hpp"

namespace yupana::cli {
namespace {

Answer reduce(Context& context, const job::ReduceFileParams& params) {
  const job::ReduceFileResult result = job::reduce_file(context, params);
  Answer answer;
  answer.json = {{"command", "reduce"}, {"count", result.count}};
  std::visit(
      [&](auto value) {
        answer.text = fmt::format("{}\n", value);
        // JSON has no word for NaN and infinities: there the value is a text.
        if (std::isfinite(static_cast<double>(value))) {
          answer.json["value"] = value;
        } else {
          answer.json["value"] = fmt::format("{}", value);
        }
      },
      result.value);
  if (!params.out.empty()) {
    answer.text += fmt::format("in {}\n", params.out);
    answer.json["out"] = params.out;
  }
  return answer;
}

}  // namespace

void add_reduce(CLI::App& program) {
  auto params = std::make_shared<job::ReduceFileParams>();
  CLI::App& app = add_command(
      program,
      "reduce",
      "The sum, least or greatest of a column of numbers (.npy or text), of any length. Prints it; "
      "-o writes it to a file too, .npy or text.",
      "yupana reduce numbers.npy --op max",
      [params](Context& context, const CommonOptions& common) {
        params->out = common.out;
        return reduce(context, *params);
      });
  app.add_option("in", params->in, "numbers: .npy of one column, or text, one a line")->required();
  add_operator(app, params->op);
  add_wrap(app, params->wrap);
  add_text_type(app, params->text_type);
}

}  // namespace yupana::cli
