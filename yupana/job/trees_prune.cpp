#include <algorithm>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/table.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/trees_memory.hpp"

namespace yupana::job {

using forest::Model;

namespace {

/// Rows of a table, at least: the lines of a text that are neither comments nor a header.
std::int64_t least_rows(const std::string& path) {
  const io::InputFile file(path);
  if (io::is_npy(file)) {
    const io::NpyLayout layout = io::npy_layout(file);
    return layout.shape.empty() ? 0 : layout.shape[0];
  }
  io::LineReader lines(path);
  std::int64_t rows = io::is_libsvm(path) ? 0 : -1;
  for (std::string_view line; lines.next(line);) rows += !line.empty() && line[0] != '#';
  return std::max<std::int64_t>(rows, 0);
}

/// Bytes of a row's label.
double label_bytes(bool is_class) { return is_class ? sizeof(std::int32_t) : sizeof(double); }

/// Bytes of a table's text while it is read: all of a packed one, else a piece a thread.
double text_bytes(const Context& context, const std::string& path) {
  const io::InputFile file(path);
  if (io::is_npy(file)) return 0;
  if (io::is_packed(file)) return io::packed_text_bytes(path);
  const std::int64_t pieces = std::int64_t{context.threads()} << 20;
  return static_cast<double>(std::min(file.size(), pieces));
}

/// Bytes of the table that prunes, at most, its rows counted, and of its text while it is read; 0
/// where that is not known.
double bytes_to_prune(const Context& context, const TreeTable& table) {
  if (table.path.empty() || io::is_libsvm(table.path)) return 0;
  const auto columns = io::first_columns(table.path, table.columns).names.size();
  const double rows = static_cast<double>(least_rows(table.path)) * static_cast<double>(columns) *
                      (table.single ? sizeof(float) : sizeof(double));
  return rows + text_bytes(context, table.path);
}

/// The rows that prune; a refusal for their packed text counts them, too.
template <class T>
io::TableFile<T> read_to_prune(Context& context, const Model& model, const TreeTable& table) {
  try {
    return read_for_model<T>(context, model, table);
  } catch (const Error& error) {
    const bool is_short = error.code() == ErrorCode::out_of_resources;
    if (!is_short || !io::is_packed(io::InputFile(table.path))) throw;
    check_memory(context,
                 table.path + ": the table",
                 static_cast<std::uint64_t>(bytes_to_prune(context, table)));
    throw;
  }
}

}  // namespace

template <class T>
TreeTable validation_of(const FitTreesParams& params, std::int64_t held) {
  TreeTable table = params.table;
  table.path = params.validation;
  table.columns.label_is_number = params.regression;
  table.columns.held_bytes = static_cast<double>(held) * sizeof(T);
  table.columns.columns.clear();
  table.columns.categorical.clear();
  table.columns.ids.clear();
  return table;
}

template <class T>
double pruning_bytes(const Context& context, const FitShape& shape, const FitTreesParams& params) {
  const double row = static_cast<double>(sizeof(T)) * static_cast<double>(shape.columns()) +
                     label_bytes(!params.regression);
  // A fold's trees are pruned next to its parts, too.
  const double tables = params.folds > 0 || !params.fold_column.empty() ? 2 : 1;
  return static_cast<double>(least_rows(params.validation)) * row +
         text_bytes(context, params.validation) +
         tables * static_cast<double>(shape.rows * shape.columns()) * sizeof(T);
}

template <class T>
void prune_with_table(Context& context, TreeTable table, Model& model) {
  if (table.columns.label.empty()) {
    throw usage_error("--label: name the validation table's column of true labels");
  }
  table.columns.row_bytes = label_bytes(model.is_class());
  auto rows = read_to_prune<T>(context, model, table);
  use_classes(rows, table.path, model.classes);
  for (forest::Tree& tree : model.trees) {
    tree = forest::prune_reduced_error(context, tree, rows.table.view(), target_of(rows));
  }
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, validation_of, pruning_bytes, prune_with_table)

std::pair<std::int64_t, std::int64_t> prune_trees(Context& context, const PruneParams& params) {
  if (params.alpha.has_value() == !params.validation.path.empty()) {
    throw usage_error("expected --ccp-alpha or --validation; give one of them");
  }
  const auto total = [&](double) { return bytes_to_prune(context, params.validation); };
  Model model = io::read_model(params.model, context.memory(), {{}, total});
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
