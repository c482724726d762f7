#include "cli/arrays_options.hpp"

#include <fmt/format.h>

#include "yupana/core/error.hpp"

namespace yupana::cli {

void add_operator(CLI::App& app, job::ArrayOperator& op) {
  const std::map<std::string, job::ArrayOperator> names{{"sum", job::ArrayOperator::sum},
                                                        {"min", job::ArrayOperator::min},
                                                        {"max", job::ArrayOperator::max}};
  app.add_option_function<std::string>(
         "--op",
         [&op, names](const std::string& name) { op = names.at(name); },
         "sum, min or max; NaN counts as the greatest number; default: sum")
      ->check(CLI::IsMember({"sum", "min", "max"}));
}

void add_text_type(CLI::App& app, std::string& type) {
  app.add_option("--type", type, "what the numbers of a text are: f8, i8 or u8")
      ->capture_default_str()
      ->check(CLI::IsMember({"f8", "i8", "u8"}));
}

std::string output_of(const CommonOptions& common) {
  if (common.out.empty()) {
    throw Error(ErrorCode::usage, "-o: the file to write is missing; name it, out.npy or out.txt");
  }
  return common.out;
}

Answer told(const std::string& command,
            const std::string& out,
            const job::ArrayFileResult& result) {
  Answer answer;
  answer.text = fmt::format("{} numbers ({}) in {}\n", result.count, result.type, out);
  answer.json = {
      {"command", command}, {"out", out}, {"count", result.count}, {"type", result.type}};
  if (result.runs > 0) {
    answer.text += fmt::format("merged from {} sorted runs on disk\n", result.runs);
    answer.json["runs"] = result.runs;
  }
  return answer;
}

}  // namespace yupana::cli
