#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/tree_steps.hpp"

namespace yupana::job {

using forest::Model;

template <class T>
void prune_with_table(Context& context, const TreeTable& table, Model& model) {
  if (table.columns.label.empty()) {
    throw usage_error("--label: name the validation table's column of true labels");
  }
  auto rows = read_for_model<T>(context, model, table);
  use_classes(rows, table.path, model.classes);
  for (forest::Tree& tree : model.trees) {
    tree = forest::prune_reduced_error(context, tree, rows.table.view(), target_of(rows));
  }
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, prune_with_table)

std::pair<std::int64_t, std::int64_t> prune_trees(Context& context, const PruneParams& params) {
  if (params.alpha.has_value() == !params.validation.path.empty()) {
    throw usage_error("expected --ccp-alpha or --validation; give one of them");
  }
  Model model = io::read_model(params.model, context.memory());
  const auto leaves = [&] {
    std::int64_t count = 0;
    for (const forest::Tree& tree : model.trees) count += tree.leaves();
    return count;
  };
  const std::int64_t before = leaves();
  if (params.alpha) {
    for (forest::Tree& tree : model.trees) tree = prune_cost_complexity(tree, *params.alpha);
  } else {
    params.validation.single ? prune_with_table<float>(context, params.validation, model)
                             : prune_with_table<double>(context, params.validation, model);
  }
  OutputFiles files;
  std::vector<std::string> names;
  io::write_model_json(context, files.add(params.out + ".json"), model);
  commit_files(context, files, names);
  return {before, leaves()};
}

}  // namespace yupana::job
