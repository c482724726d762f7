// The commands on columns of numbers: scan, reduce, merge, sort, partition.
#include "yupana/job/arrays.hpp"

#include <cmath>

#include "cli/command.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/job/sort_rows.hpp"

namespace yupana::cli {
namespace {

constexpr const char* column_help = "numbers: .npy of one column, or text, one a line";

void add_operator(Command& command, job::FoldFileParams& params) {
  command.choice("--op",
                 params.op,
                 {{"sum", job::ArrayOperator::sum},
                  {"product", job::ArrayOperator::product},
                  {"min", job::ArrayOperator::min},
                  {"max", job::ArrayOperator::max}},
                 "a NaN makes sums and products NaN, and is the greatest number to the others");
  command.flag("--wrap",
               params.wrap,
               "sums and products of integers modulo 2^64; beyond 64 bits they are an error");
}

void add_keys(Command& command, job::FoldFileParams& params, const char* effect) {
  command.input("--by", params.by, fmt::format("a key for each number, .npy or text: {}", effect));
  command.choice("--key-type",
                 params.key_type,
                 {{"f8", {'f', 8}}, {"i8", {'i', 8}}, {"u8", {'u', 8}}},
                 "what the keys of a text are (default f8)");
  command.needs({"--key-type"}, {"--by"});
}

void add_text_type(Command& command, job::TextType& type) {
  command.choice("--type",
                 type,
                 {{"f8", {'f', 8}}, {"i8", {'i', 8}}, {"u8", {'u', 8}}},
                 "what the numbers of a text are (default f8)");
}

std::string counted_items(const job::ArrayFileResult& result) {
  if (result.type == "row") return counted(result.count, "row");
  return fmt::format("{} ({})", counted(result.count, "number"), result.type);
}

/// "12 numbers (f8) in out.npy", and the same for programs.
Answer make_answer(const Call& call, const job::ArrayFileResult& result) {
  Answer answer;
  answer.text = fmt::format("{} in {}\n", counted_items(result), call.out);
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
  if (call.command.given("--by")) {
    answer.text = fmt::format("{} in {}\n", counted(result.runs, "run"), call.out);
    answer.json["runs"] = result.runs;
    answer.json["out"] = call.out;
    return answer;
  }
  std::visit(
      [&](auto value) {
        // A NaN's sign means nothing.
        const bool is_nan = std::isnan(static_cast<double>(value));
        answer.text = is_nan ? "nan\n" : fmt::format("{}\n", value);
        answer.json["value"] = value;
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
  auto params = std::make_shared<job::FoldFileParams>();
  Command command = add_command_of(program,
                                   {.name = "scan",
                                    .purpose = "Running sums, products, minima or maxima of a "
                                               "column of numbers (.npy or text), of any length.",
                                    .example = "yupana scan numbers.npy -o sums.npy"},
                                   params,
                                   job::scan_file);
  command.input("input", params->in, column_help).required();
  command.flag("--exclusive",
               params->exclusive,
               "without the number itself: begins with 0, products with 1");
  add_operator(command, *params);
  add_keys(command, *params, "begin anew where the key changes");
  add_text_type(command, params->text_type);
}

void add_reduce(Command& program) {
  auto params = std::make_shared<job::FoldFileParams>();
  Command command = add_command(program,
                                {.name = "reduce",
                                 .purpose = "The sum, product, least or greatest of a column of "
                                            "numbers (.npy or text), of any length. "
                                            "Prints it; -o writes it to a file too, .npy or text.",
                                 .example = "yupana reduce numbers.npy --op max"},
                                [params](Context& context, const Call& call) {
                                  params->out = call.out;
                                  if (!params->by.empty()) {
                                    required_out(call, "FILE.tsv, for lines of key and total");
                                  }
                                  return make_answer(call, job::reduce_file(context, *params));
                                });
  command.input("input", params->in, column_help).required();
  add_operator(command, *params);
  add_keys(command, *params, "a line with key and total for each run of equal keys, in -o");
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

/// "tab", "comma", "blank" or the character itself.
char delimiter_of(const std::string& text) {
  for (const auto& [name, character] :
       {std::pair{"tab", '\t'}, {"comma", ','}, {"semicolon", ';'}, {"blank", ' '}}) {
    if (text == name) return character;
  }
  if (text.size() == 1 && text != "\"" && text != "\n" && text != "\r") return text[0];
  throw usage_error(
      "--delimiter: expected one character of ASCII, tab, comma, semicolon or blank, got '{}'",
      text);
}

void add_row_options(Command& command, job::SortRowsParams& rows) {
  command.list("--key",
               rows.keys,
               "sort the rows of a table of text by these columns, or the records of a .npy by "
               "these fields: numbers from 1 or names (of the first row); after a colon n (number) "
               "or t (text; fields have their own types), a (ascending) or d (descending): 2:nd");
  command.flag("--numeric",
               rows.numeric,
               "keys without n or t are numbers; empty ones are NaN, which come last");
  command.flag("--text", rows.text, "they are texts, compared byte by byte (default)");
  command.flag("--header", rows.header, "the first row is names and stays first");
  command.word(
      "--delimiter",
      [&rows](const std::string& text) { rows.delimiter = delimiter_of(text); },
      "between cells: a character, tab, comma, semicolon or blank (runs of them); default: the one "
      "of the first row");
  command.flag(
      "--no-quotes", [&rows] { rows.quotes = false; }, "quotes are characters as others");
  command.needs({"--numeric", "--text", "--header", "--delimiter", "--no-quotes"}, {"--key"});
  command.only_one({"--numeric", "--text"});
  command.excludes({"--type"}, "--key");
}

void add_sort(Command& program) {
  auto params = std::make_shared<job::SortRowsParams>();
  Command command = add_command(
      program,
      {.name = "sort",
       .purpose =
           "Sort a column of numbers (.npy or text); NaN come last. With --key: the rows of a "
           "table of text by some of its columns, quotes as of RFC 4180, or the records of a .npy "
           "by fields. What exceeds --memory is sorted in runs that wait on disk, in the output's "
           "folder.",
       .example = "yupana sort numbers.npy --descending --top 100 -o greatest.npy",
       .out = "FILE, out.npy or out.txt"},
      [params](Context& context, const Call& call) {
        params->out = call.out;
        return make_answer(call,
                           params->keys.empty() ? job::sort_file(context, *params)
                                                : job::sort_rows(context, *params));
      });
  command.input("input", params->in, column_help).required();
  command.flag("--descending", params->descending, "from the greatest down; NaN are last too");
  command.flag(
      "--unique", params->unique, "of equal numbers, or rows of equal keys, the first alone");
  command.number("--top", params->top, "write as many of the sorted numbers or rows", 1)
      .shows("");  // all, which is no number
  command.flag("--positions,--argsort",
               params->positions,
               "write where the numbers or rows stood, counted from 0, in place of them");
  add_text_type(command, params->text_type);
  add_row_options(command, *params);
}

void add_partition(Command& program) {
  auto params = std::make_shared<job::PartitionFileParams>();
  Command command = add_command(
      program,
      {.name = "partition",
       .purpose =
           "The numbers of a column (.npy or text) between two bounds first, in their order, "
           "then the others in theirs; NaN is among the others. Of any length.",
       .example = "yupana partition numbers.npy --below 0 -o negative_first.npy",
       .out = "FILE, out.npy or out.txt",
       .processor_only = true},
      [params](Context& context, const Call& call) {
        params->out = call.out;
        const job::PartitionFileResult result = job::partition_file(context, *params);
        Answer answer;
        answer.text = fmt::format("{} of {} ({}) {} in {}\n",
                                  result.satisfied,
                                  counted(result.count, "number"),
                                  result.type,
                                  params->only ? "are" : "come first",
                                  call.out);
        answer.json = {{"command", "partition"},
                       {"out", call.out},
                       {"count", result.count},
                       {"satisfied", result.satisfied},
                       {"type", result.type}};
        return answer;
      });
  command.input("input", params->in, column_help).required();
  command.text("--below", params->below, "numbers less than this one");
  command.text("--above", params->above, "numbers greater than this one; with --below, both");
  command.flag("--only", params->only, "leave the others out");
  add_text_type(command, params->text_type);
}

}  // namespace

void add_arrays(Command& program) {
  add_scan(program);
  add_reduce(program);
  add_merge(program);
  add_sort(program);
  add_partition(program);
}

}  // namespace yupana::cli
