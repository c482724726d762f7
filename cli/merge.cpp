#include "cli/arrays_options.hpp"

namespace yupana::cli {

void add_merge(CLI::App& program) {
  auto params = std::make_shared<job::MergeFilesParams>();
  CLI::App& app =
      add_command(program,
                  "merge",
                  "Merge sorted columns of numbers (.npy or text) of any length into one; NaN come "
                  "last.",
                  "yupana merge a.npy b.npy -o all.npy",
                  [params](Context& context, const CommonOptions& common) {
                    params->out = output_of(common);
                    return told("merge", params->out, job::merge_files(context, *params));
                  });
  app.add_option("in", params->in, "sorted numbers, .npy of one column or text")->required();
  add_text_type(app, params->text_type);
}

}  // namespace yupana::cli
