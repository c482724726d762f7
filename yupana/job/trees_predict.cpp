#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/forest/importance.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/forest/tree_memory.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table.hpp"
#include "yupana/job/run_files.hpp"
#include "yupana/job/tree_measures.hpp"
#include "yupana/job/trees_memory.hpp"
#include "yupana/report/trees_page.hpp"

namespace yupana::job {
namespace {

using forest::Model;
using io::append_number;

// Parts of a table: more in flight gain nothing.
constexpr std::int64_t max_part_bytes = std::int64_t{256} << 20;
/// Of a table's text, which is read by the mebibyte.
constexpr double least_part_bytes = 1 << 20;

/// What a prediction holds of its table at least, and that is read together: a piece of its text,
/// here the first, and the features and names of its rows.
double bytes_of_piece(const PredictParams& params, const Model& model) {
  if (io::is_npy(io::InputFile(params.table.path))) return least_part_bytes;
  io::TextStream text(params.table.path);
  std::string piece(static_cast<std::size_t>(least_part_bytes), '\0');
  std::int64_t filled = 0, rows = 0;
  while (const std::int64_t got = text.read(piece.data(), std::ssize(piece) - filled)) {
    rows += std::count(piece.begin(), piece.begin() + got, '\n');
    filled += got;
    if (filled == std::ssize(piece)) break;
  }
  const std::size_t value = params.table.single ? sizeof(float) : sizeof(double);
  const auto row = static_cast<double>(columns_of(model).features.size() * value +
                                       io::bytes_of_id * params.table.columns.ids.size());
  return std::max(least_part_bytes, static_cast<double>(filled) + static_cast<double>(rows) * row);
}

/// One of so many trees as read, in the form that rows go through (forest::PackedTree, CodedTree):
/// complete levels, then a node, in a list that doubles when full, and what it votes for.
double bytes_of_tree(const Model& model, const forest::Tree& tree, std::size_t trees) {
  const int copies = one_hot_of(model).empty() ? 1 : 2;
  const auto nodes = static_cast<double>(tree.nodes.size());
  return forest::vote_bytes(model, tree, trees) + copies * forest::bytes_at_rest(tree) +
         20 * std::min(4 * nodes, 4096.0) + nodes * (2 * 20 + 8);
}

/// Rows of parts, one part after the other: their predictions and score.
template <class T>
class Prediction {
 public:
  Prediction(Context& context, const Model& model, const PredictParams& params)
      : context_(context),
        model_(model),
        columns_(on_columns(model, made_)),
        params_(params),
        model_bytes_(count_model_bytes()),
        tally_(context, model) {
    for (const std::string& name : model.classes) cells_.push_back(io::tsv_cell(name));
  }

  PredictResult run() {
    check();
    OutputFiles files;
    const char* kind = params_.nodes ? ".nodes.tsv" : ".predicted.tsv";
    const std::string prefix = without_tsv(params_.out);
    AtomicFile& file = files.add(table_path(params_.out, kind));
    {
      Stage stage(context_, "predict " + params_.table.path);
      const std::int64_t at_a_time = rows_at_a_time();
      const io::TakeTable<T> take = [&](io::TableFile<T>&& part) {
        has_missing_ = has_missing_ || part.missing > 0;
        // A piece of text has more rows than may be written together where its lines are short.
        for (std::int64_t first = 0; first < part.table.rows(); first += at_a_time) {
          TableView<T> some = part.table.view();
          some.data += first;
          some.rows = std::min(at_a_time, some.rows - first);
          text_ = result_.rows == 0 ? part.ids.header() + header() : std::string();
          result_.rows += some.rows;
          params_.nodes ? write_nodes(part, some, first) : write_labels(part, some, first);
          file.write(text_);
        }
      };
      TreeTable table = params_.table;
      table.columns.held_bytes = model_bytes_;
      read_parts_for_model(context_, columns_, table, part_bytes(), take);
    }
    if (labelled_) result_.measures = tally_.measures(context_);
    if (params_.report && labelled_) {
      write_trees_page(files.add(prefix + ".html"),
                       model_,
                       params_.command,
                       result_.measures,
                       "of " + params_.table.path,
                       {},
                       {},
                       nullptr,
                       has_missing_);
    }
    commit_files(context_, files, result_.files, prefix, {".html"});
    const std::int64_t unknown = result_.measures.unknown;
    if (unknown > 0) {
      context_.note(
          fmt::format("{} of {} {} a class that the model does not know, counted as wrong",
                      unknown,
                      counted(result_.measures.rows, "row"),
                      unknown == 1 ? "has" : "have"));
    }
    result_.classes = model_.classes;
    return std::move(result_);
  }

 private:
  void check() const {
    if (params_.shares && !model_.is_class()) {
      throw usage_error("--proba: the model predicts numbers, which have no shares");
    }
    check_memory(context_,
                 params_.model + ": predicting with the model",
                 static_cast<std::uint64_t>(model_bytes_ + least_part_bytes),
                 [&] {
                   return std::max(model_bytes_ + bytes_of_piece(params_, columns_),
                                   io::packed_text_bytes(params_.table.path));
                 });
  }

  double count_model_bytes() const {
    double bytes = 0;
    for (const forest::Tree& tree : model_.trees) {
      bytes += bytes_of_tree(model_, tree, model_.trees.size());
    }
    return bytes;
  }

  /// Of a part's features: with what is computed and written of a row it takes a fifth of what the
  /// run may hold besides the model.
  std::int64_t part_bytes() const {
    const auto features = static_cast<double>(std::max<std::size_t>(1, columns_.features.size()));
    const auto outputs = static_cast<double>(
        params_.nodes ? model_.trees.size() : std::max<std::size_t>(1, model_.classes.size()));
    const double row = features * sizeof(T);
    const double most = std::min((static_cast<double>(context_.memory()) - model_bytes_) / 5,
                                 static_cast<double>(max_part_bytes));
    return static_cast<std::int64_t>(most * row / (row + 32 * outputs + 32));
  }

  std::int64_t rows_at_a_time() const {
    constexpr std::int64_t least = 4096;
    const std::size_t row = std::max<std::size_t>(1, columns_.features.size()) * sizeof(T);
    return std::max(least, part_bytes() / static_cast<std::int64_t>(row));
  }

  std::string header() const {
    std::string text;
    for (std::size_t t = 0; params_.nodes && t < model_.trees.size(); ++t) {
      text += fmt::format("{}tree{}", t > 0 ? "\t" : "", t + 1);
    }
    if (!params_.nodes) text = "predicted";
    for (const std::string& cell : cells_) {
      if (params_.shares && !params_.nodes) text += "\t" + cell;
    }
    return text + '\n';
  }

  /// `some`: the part's rows from `first` on.
  void write_nodes(const io::TableFile<T>& part, TableView<T> some, std::int64_t first) {
    const double begin = now();
    const Matrix<std::int32_t> nodes = forest::apply(context_, columns_, some);
    result_.seconds += now() - begin;
    for (std::int64_t i = 0; i < nodes.rows(); ++i) {
      text_ += part.ids.of(first + i);
      for (std::int64_t t = 0; t < nodes.cols(); ++t) {
        if (t > 0) text_ += '\t';
        append_formatted(text_, "{}", nodes(i, t));
      }
      text_ += '\n';
    }
  }

  void write_labels(const io::TableFile<T>& part, TableView<T> some, std::int64_t first) {
    const double begin = now();
    const Matrix<double> shares = forest::predict_shares(context_, columns_, some);
    result_.seconds += now() - begin;
    for (std::int64_t i = 0; i < shares.rows(); ++i) {
      const double* row = shares.row(i);
      text_ += part.ids.of(first + i);
      model_.is_class() ? write_class(row, shares.cols()) : append_number(text_, row[0]);
      text_ += '\n';
    }
    count(part, shares, first);
  }

  void write_class(const double* row, std::int64_t classes) {
    text_ += cells_[static_cast<std::size_t>(std::max_element(row, row + classes) - row)];
    for (std::int64_t c = 0; params_.shares && c < classes; ++c) {
      text_ += '\t';
      append_number(text_, row[c]);
    }
  }

  /// Measures rows of the part, if they have labels.
  void count(const io::TableFile<T>& part, const Matrix<double>& shares, std::int64_t first) {
    if (part.codes.empty() && part.values.empty()) return;
    forest::Target target = target_of(part);
    const auto own = io::places_of(part.classes, model_.classes);
    std::vector<std::int32_t> codes;
    for (std::int64_t i = first; i < first + shares.rows() && !part.codes.empty(); ++i) {
      codes.push_back(own[static_cast<std::size_t>(part.codes[i])]);
    }
    labelled_ = true;
    target.codes = codes.data();
    if (!part.values.empty()) target.values += first;
    tally_.add(context_, target, shares.view());
  }

  Context& context_;
  const Model& model_;
  Model made_;
  const Model& columns_;  ///< the same, see on_columns()
  const PredictParams& params_;
  const double model_bytes_;
  PredictResult result_;
  std::string text_;
  std::vector<std::string> cells_;  ///< of the classes
  TreeTally tally_;
  bool labelled_ = false;
  bool has_missing_ = false;  ///< some row misses a value
};

void write_importances(Context& context, const ImportanceParams& params, ImportanceResult& result) {
  const bool shuffled = !result.permutation.empty();
  std::vector<report::Importance> list;
  std::string text =
      shuffled ? "feature\timpurity\tpermutation\tdeviation\n" : "feature\timpurity\n";
  for (std::size_t f = 0; f < result.features.size(); ++f) {
    report::Importance& own = list.emplace_back();
    own.feature = result.features[f];
    own.impurity = result.impurity[f];
    text += io::tsv_cell(own.feature) + '\t';
    own.feature = io::column_words(own.feature);
    append_number(text, own.impurity);
    if (shuffled) {
      own.permutation = result.permutation[f];
      own.deviation = result.deviations[f];
      for (const double value : {own.permutation, own.deviation}) {
        text += '\t';
        append_number(text, value);
      }
    }
    text += '\n';
  }
  OutputFiles files;
  // -o x.tsv names the table, with x.svg next to it; -o x.svg the picture, and its table is no
  // x.tsv, which may be the rows that were read.
  const std::filesystem::path out(params.out);
  const bool of_picture = out.extension() == ".svg";
  std::string prefix = of_picture ? (out.parent_path() / out.stem()).string() : params.out;
  if (of_picture && prefix.ends_with(".importances")) prefix += ".tsv";
  const std::string table = table_path(prefix, ".importances.tsv");
  files.add(table).write(text);
  report::write_importances_svg(
      files.add(of_picture ? params.out : without_tsv(table) + ".svg"), std::move(list), shuffled);
  commit_files(context, files, result.files);
}

/// Bytes of a whole table and its copy, of `columns` columns together at most, its lines counted,
/// or of the table and its packed text.
double bytes_of_whole(const std::string& path, double columns) {
  const io::InputFile file(path);
  if (io::is_npy(file)) {
    const io::NpyLayout layout = io::npy_layout(file);
    return 8 * columns * static_cast<double>(layout.shape.empty() ? 0 : layout.shape[0]);
  }
  io::TextStream text(path);
  std::string buffer(1 << 20, '\0');
  double bytes = 0, lines = 1;
  while (const std::int64_t got = text.read(buffer.data(), std::ssize(buffer))) {
    bytes += static_cast<double>(got);
    lines += static_cast<double>(std::count(buffer.begin(), buffer.begin() + got, '\n'));
  }
  const double rows = 8 * columns * lines;
  return std::max(io::is_packed(file) ? bytes + rows / 2 : 0, rows);
}

/// Bytes of the picture of importances, most of them of its letters.
constexpr std::uint64_t picture_bytes = 3'500'000;

/// The model for importances; a refusal counts the table that is read next.
Model read_model_of_importances(Context& context, const ImportanceParams& params) {
  const TreeTable& table = params.table;
  const auto total = [&](double) {
    if (table.path.empty() || io::is_libsvm(table.path)) return 0.0;
    const auto columns = io::first_columns(table.path, table.columns).names.size();
    return bytes_of_whole(table.path, 2 * static_cast<double>(columns));
  };
  if (!params.out.empty()) {
    check_memory(context, "importances: their picture", picture_bytes, [&] { return total(0); });
  }
  return io::read_model(params.model, context.memory(), {{}, total});
}

/// The whole table; a refusal for its packed text counts the rows, too. A copy of its features is
/// what is shuffled; each row has a label and a prediction.
template <class T>
io::TableFile<T> read_for_importances(Context& context, const Model& model, TreeTable table) {
  const std::size_t copies = model.encodings.empty() ? 1 : 2;  // one is made of the columns
  table.columns.row_bytes =
      static_cast<double>(copies * sizeof(T) * model.features.size() + (model.is_class() ? 8 : 16));
  try {
    return read_for_model<T>(context, model, table);
  } catch (const Error& error) {
    const bool is_short = error.code() == ErrorCode::out_of_resources;
    if (!is_short || !io::is_packed(io::InputFile(table.path))) throw;
    const std::size_t values = 2 * model.features.size() + columns_of(model).features.size();
    check_memory(
        context,
        table.path + ": the table",
        static_cast<std::uint64_t>(bytes_of_whole(table.path, static_cast<double>(values))));
    throw;
  }
}

template <class T>
void shuffle_features(Context& context,
                      const Model& model,
                      const ImportanceParams& params,
                      ImportanceResult& result) {
  auto file = read_for_importances<T>(context, model, params.table);
  use_classes(file, params.table.path, model.classes);
  auto found = forest::permutation_importances(
      context, model, file.table.view(), target_of(file), params.repeats, params.seed);
  result.permutation = std::move(found.means);
  result.deviations = std::move(found.deviations);
  result.score = found.score;
}

}  // namespace

PredictResult predict_trees(Context& context, const PredictParams& params) {
  double piece = 0;
  const auto of_tree = [&](const Model& model, const forest::Tree& tree, std::size_t trees) {
    if (piece == 0) piece = bytes_of_piece(params, model);
    return bytes_of_tree(model, tree, trees);
  };
  const auto total = [&](double trees) {
    return std::max(trees + piece, io::packed_text_bytes(params.table.path));
  };
  const Model model = io::read_model(params.model, context.memory(), {of_tree, total});
  return params.table.single ? Prediction<float>(context, model, params).run()
                             : Prediction<double>(context, model, params).run();
}

ImportanceResult importances_of_trees(Context& context, const ImportanceParams& params) {
  if (!params.table.path.empty() && params.table.columns.label.empty()) {
    throw usage_error("--label: name the table's column of true labels");
  }
  const Model model = read_model_of_importances(context, params);
  ImportanceResult result;
  result.features = model.features;
  result.impurity = forest::importances(model.trees, std::ssize(model.features));
  result.impurity_deviations = forest::importance_deviations(model.trees, result.impurity);
  if (!params.table.path.empty()) {
    if (params.table.single) {
      shuffle_features<float>(context, model, params, result);
    } else {
      shuffle_features<double>(context, model, params, result);
    }
  }
  if (!params.out.empty()) write_importances(context, params, result);
  return result;
}

}  // namespace yupana::job
