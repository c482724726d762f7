#include "cli/arrays_options.hpp"

namespace yupana::cli {

void add_scan(CLI::App& program) {
  auto params = std::make_shared<job::ScanFileParams>();
  CLI::App& app = add_command(
      program,
      "scan",
      "Running sums, minima or maxima of a column of numbers (.npy or text), of any length.",
      "yupana scan numbers.npy -o sums.npy",
      [params](Context& context, const CommonOptions& common) {
        params->out = output_of(common);
        return told("scan", params->out, job::scan_file(context, *params));
      });
  app.add_option("in", params->in, "numbers: .npy of one column, or text, one a line")->required();
  app.add_flag("--exclusive", params->exclusive, "without the number itself: begins with 0");
  add_operator(app, params->op);
  add_wrap(app, params->wrap);
  add_text_type(app, params->text_type);
}

}  // namespace yupana::cli
