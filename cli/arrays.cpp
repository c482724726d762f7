// The commands on columns of numbers: scan, reduce, merge, sort.
#include "yupana/job/arrays.hpp"

#include <cmath>

#include "cli/command.hpp"
#include "yupana/core/counted.hpp"

namespace yupana::cli {
namespace {

constexpr const char* column_help = "numbers: .npy of one column, or text, one a line";

void add_operator(Command& command, job::ArrayOperator& op, bool& wrap) {
  command.choice("--op",
                 op,
                 {{"sum", job::ArrayOperator::sum},
                  {"min", job::ArrayOperator::min},
                  {"max", job::ArrayOperator::max}},
                 "a NaN makes sums NaN, and is the greatest number to the others");
  command.flag("--wrap", wrap, "sums of integers modulo 2^64; beyond 64 bits they are an error");
}

void add_text_type(Command& command, job::TextType& type) {
  command.choice("--type",
                 type,
                 {{"f8", {'f', 8}}, {"i8", {'i', 8}}, {"u8", {'u', 8}}},
                 "what the numbers of a text are (default f8)");
}

/// "12 numbers (f8) in out.npy", and the same for programs.
Answer make_answer(const Call& call, const job::ArrayFileResult& result) {
  Answer answer;
  answer.text =
      fmt::format("{} ({}) in {}\n", counted(result.count, "number"), result.type, call.out);
  answer.json = {{"command", call.command.name()},
                 {"out", call.out},
                 {"count", result.count},
                 {"type", result.type}};
  if (result.runs > 0) {
    answer.text += fmt::format("merged from {} on disk\n", counted(result.runs, "sorted run"));
    answer.json["runs"] = result.runs;
  }
  return answer;
}

Answer make_answer(const Call& call, const job::ReduceFileResult& result) {
  Answer answer;
  answer.json = {{"command", "reduce"}, {"count", result.count}};
  std::visit(
      [&](auto value) {
        // A NaN's sign means nothing. JSON has no NaN and no infinities: there they are texts.
        const auto number = static_cast<double>(value);
        const std::string text = std::isnan(number) ? "nan" : fmt::format("{}", value);
        answer.text = text + '\n';
        answer.json["value"] = text;
        if (std::isfinite(number)) answer.json["value"] = value;
      },
      result.value);
  if (!call.out.empty()) {
    answer.text += fmt::format("in {}\n", call.out);
    answer.json["out"] = call.out;
  }
  return answer;
}

/// A command that runs `work` from a column into -o.
template <class Params>
Command add_command_of(Command& program,
                       CommandParams about,
                       const std::shared_ptr<Params>& params,
                       job::ArrayFileResult (*work)(Context&, const Params&)) {
  about.out = "FILE, out.npy or out.txt";
  return add_command(program, about, [params, work](Context& context, const Call& call) {
    params->out = call.out;
    return make_answer(call, work(context, *params));
  });
}

void add_scan(Command& program) {
  auto params = std::make_shared<job::ScanFileParams>();
  Command command = add_command_of(
      program,
      {.name = "scan",
       .purpose =
           "Running sums, minima or maxima of a column of numbers (.npy or text), of any length.",
       .example = "yupana scan numbers.npy -o sums.npy"},
      params,
      job::scan_file);
  command.input("input", params->in, column_help).required();
  command.flag("--exclusive", params->exclusive, "without the number itself: begins with 0");
  add_operator(command, params->op, params->wrap);
  add_text_type(command, params->text_type);
}

void add_reduce(Command& program) {
  auto params = std::make_shared<job::ReduceFileParams>();
  Command command = add_command(
      program,
      {.name = "reduce",
       .purpose =
           "The sum, least or greatest of a column of numbers (.npy or text), of any length. "
           "Prints it; -o writes it to a file too, .npy or text.",
       .example = "yupana reduce numbers.npy --op max"},
      [params](Context& context, const Call& call) {
        params->out = call.out;
        return make_answer(call, job::reduce_file(context, *params));
      });
  command.input("input", params->in, column_help).required();
  add_operator(command, params->op, params->wrap);
  add_text_type(command, params->text_type);
}

void add_merge(Command& program) {
  auto params = std::make_shared<job::MergeFilesParams>();
  Command command = add_command_of(
      program,
      {.name = "merge",
       .purpose =
           "Merge sorted columns of numbers (.npy or text) of any length into one; NaN come last.",
       .example = "yupana merge a.npy b.npy -o all.npy"},
      params,
      job::merge_files);
  command.inputs("input", params->in, "sorted numbers, .npy of one column or text").required();
  add_text_type(command, params->text_type);
}

void add_sort(Command& program) {
  auto params = std::make_shared<job::SortFileParams>();
  Command command = add_command_of(
      program,
      {.name = "sort",
       .purpose =
           "Sort a column of numbers (.npy or text); NaN come last. What exceeds --memory is "
           "sorted in runs that wait on disk, in the output's folder.",
       .example = "yupana sort numbers.npy --descending --top 100 -o greatest.npy"},
      params,
      job::sort_file);
  command.input("input", params->in, column_help).required();
  command.flag("--descending", params->descending, "from the greatest down; NaN are last too");
  command.flag("--unique", params->unique, "of equal numbers the first alone");
  command.number("--top", params->top, "write as many of the sorted numbers", 1).shows("all");
  command.flag("--positions",
               params->positions,
               "write where the numbers stood, counted from 0, in place of the numbers (argsort)");
  add_text_type(command, params->text_type);
}

}  // namespace

void add_arrays(Command& program) {
  add_scan(program);
  add_reduce(program);
  add_merge(program);
  add_sort(program);
}

}  // namespace yupana::cli
