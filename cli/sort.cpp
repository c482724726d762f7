#include "cli/arrays_options.hpp"

namespace yupana::cli {

void add_sort(CLI::App& program) {
  auto params = std::make_shared<job::SortFileParams>();
  CLI::App& app = add_command(
      program,
      "sort",
      "Sort a column of numbers (.npy or text); NaN come last. What exceeds --memory is sorted in "
      "runs that wait on disk, in the output's folder.",
      "yupana sort numbers.npy -o sorted.npy",
      [params](Context& context, const CommonOptions& common) {
        params->out = output_of(common);
        return told("sort", params->out, job::sort_file(context, *params));
      });
  app.add_option("in", params->in, "numbers: .npy of one column, or text, one a line")->required();
  add_text_type(app, params->text_type);
}

}  // namespace yupana::cli
