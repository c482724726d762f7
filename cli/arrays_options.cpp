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
         "sum, min or max; a NaN makes sums NaN, and is the greatest number to the others; "
         "default: sum")
      ->check(CLI::IsMember({"sum", "min", "max"}));
}

void add_wrap(CLI::App& app, bool& wrap) {
  app.add_flag("--wrap", wrap, "sums of integers modulo 2^64; beyond 64 bits they are an error");
}

void add_text_type(CLI::App& app, job::TextType& type) {
  app.add_option_function<std::string>(
         "--type",
         [&type](const std::string& name) { type = name; },
         "what the numbers of a text are: f8, i8 or u8; default: f8")
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
