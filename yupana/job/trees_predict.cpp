#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>

#include "yupana/core/error.hpp"
#include "yupana/forest/importance.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/io/model_files.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/job/trees.hpp"
#include "yupana/report/importance_plot.hpp"

namespace yupana::job {
namespace {

using forest::Model;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void append_number(std::string& text, double value) {
  char digits[io::number_text_bytes];
  text.append(digits, io::write_shortest(value, digits));
}

template <class T>
PredictResult predict(Context& context, const Model& model, const PredictParams& params) {
  const auto file = read_for_model<T>(context, model, params.table);
  const TableView<T> table = file.table.view();
  PredictResult result;
  result.rows = table.rows;
  OutputFiles files;
  std::string text;
  const double begin = now();
  if (params.nodes) {
    const Matrix<std::int32_t> nodes = forest::apply(context, model, table);
    result.seconds = now() - begin;
    for (std::int64_t t = 0; t < nodes.cols(); ++t) {
      text += fmt::format("{}tree{}", t > 0 ? "\t" : "", t + 1);
    }
    text += '\n';
    for (std::int64_t i = 0; i < nodes.rows(); ++i) {
      for (std::int64_t t = 0; t < nodes.cols(); ++t) {
        text += fmt::format("{}{}", t > 0 ? "\t" : "", nodes(i, t));
      }
      text += '\n';
    }
    files.add(params.out + ".nodes.tsv").write(text);
    files.commit();
    result.files = {params.out + ".nodes.tsv"};
    return result;
  }
  const Matrix<double> shares = forest::predict_shares(context, model, table);
  result.seconds = now() - begin;
  text += "predicted";
  for (const std::string& name : model.classes) {
    if (params.shares) text += "\t" + name;
  }
  text += '\n';
  std::unordered_map<std::string, std::int32_t> codes;
  for (const std::string& name : model.classes) {
    codes.emplace(name, static_cast<std::int32_t>(codes.size()));
  }
  std::int64_t right = 0;
  double errors = 0, sum = 0, squares = 0;
  for (std::int64_t i = 0; i < table.rows; ++i) {
    const double* row = shares.row(i);
    if (model.is_class()) {
      const auto best = std::max_element(row, row + shares.cols()) - row;
      text += model.classes[static_cast<std::size_t>(best)];
      if (!file.codes.empty()) {
        const auto found = codes.find(file.classes[static_cast<std::size_t>(file.codes[i])]);
        result.labelled += found != codes.end();
        right += found != codes.end() && found->second == best;
      }
      for (std::int64_t c = 0; params.shares && c < shares.cols(); ++c) {
        text += '\t';
        append_number(text, row[c]);
      }
    } else {
      append_number(text, row[0]);
      if (!file.values.empty()) {
        ++result.labelled;
        errors += (row[0] - file.values[i]) * (row[0] - file.values[i]);
        sum += file.values[i];
        squares += file.values[i] * file.values[i];
      }
    }
    text += '\n';
  }
  if (result.labelled > 0) {
    const double n = static_cast<double>(result.labelled);
    const double spread = squares - sum * sum / n;
    result.score =
        model.is_class() ? static_cast<double>(right) / n : (spread > 0 ? 1 - errors / spread : 0);
  }
  files.add(params.out + ".predicted.tsv").write(text);
  files.commit();
  result.files = {params.out + ".predicted.tsv"};
  return result;
}

void write_importances(const ImportanceParams& params, ImportanceResult& result) {
  const bool shuffled = !result.permutation.empty();
  std::vector<report::Importance> list;
  std::string text =
      shuffled ? "feature\timpurity\tpermutation\tdeviation\n" : "feature\timpurity\n";
  for (std::size_t f = 0; f < result.features.size(); ++f) {
    report::Importance& own = list.emplace_back();
    own.feature = result.features[f];
    own.impurity = result.impurity[f];
    text += own.feature + '\t';
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
  files.add(params.out + ".importances.tsv").write(text);
  report::write_importances_svg(
      files.add(params.out + ".importances.svg"), std::move(list), shuffled);
  files.commit();
  for (const AtomicFile& file : files.files()) result.files.push_back(file.path());
}

template <class T>
void shuffle_features(Context& context,
                      const Model& model,
                      const ImportanceParams& params,
                      ImportanceResult& result) {
  auto file = read_for_model<T>(context, model, params.table);
  use_classes(file, params.table.path, model.classes);
  auto found = forest::permutation_importances(
      context, model, file.table.view(), target_of(file), params.repeats, params.seed);
  result.permutation = std::move(found.means);
  result.deviations = std::move(found.deviations);
  result.score = found.score;
}

}  // namespace

PredictResult predict_trees(Context& context, const PredictParams& params) {
  const Model model = io::read_model(params.model, context.memory());
  return params.table.single ? predict<float>(context, model, params)
                             : predict<double>(context, model, params);
}

ImportanceResult importances_of_trees(Context& context, const ImportanceParams& params) {
  const Model model = io::read_model(params.model, context.memory());
  ImportanceResult result;
  result.features = model.features;
  result.impurity = forest::importances(model.trees, std::ssize(model.features));
  if (!params.table.path.empty()) {
    if (params.table.columns.label.empty()) {
      throw Error(ErrorCode::usage, "--label: name the table's column of true labels");
    }
    if (params.table.single) {
      shuffle_features<float>(context, model, params, result);
    } else {
      shuffle_features<double>(context, model, params, result);
    }
  }
  if (!params.out.empty()) write_importances(params, result);
  return result;
}

}  // namespace yupana::job
