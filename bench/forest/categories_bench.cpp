#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/forest/trees_bench.hpp"
#include "bench/support/python_peer.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/predict.hpp"

namespace yupana::bench {
namespace {

// As the census table "adult": six columns of numbers, eight of categories, 0: numbers.
constexpr std::int32_t widths[] = {0, 8, 0, 16, 0, 7, 14, 6, 5, 2, 0, 0, 0, 41};
constexpr std::int64_t columns = std::size(widths);

/// Categories of which the first are the more common; the class is told by six of the columns, and
/// turned around for one row in ten.
TreeRows category_rows(std::int64_t n) {
  TreeRows rows{Table<float>(n, std::vector<std::string>(columns)), {}};
  const Random random(2);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto draw = [&](std::int64_t c) {
      return random.uniform(static_cast<std::uint64_t>(i * (columns + 1) + c));
    };
    for (std::int64_t c = 0; c < columns; ++c) {
      const double u = draw(c);
      rows.table.column(c)[i] =
          static_cast<float>(widths[c] > 0 ? std::floor(u * u * widths[c]) : std::floor(100 * u));
    }
    const auto x = [&](std::int64_t c) {
      return static_cast<std::int64_t>(rows.table.column(c)[i]);
    };
    const std::int64_t score =
        x(0) + 3 * (x(3) * 5 % 16) + 8 * (x(6) * 3 % 14) + 20 * (x(5) % 3) + x(10) / 2;
    rows.codes.push_back((score + 30 * (x(13) % 2) > 150) != (draw(columns) < 0.1) ? 1 : 0);
  }
  return rows;
}

class Bench {
 public:
  Bench(Context& context, const BenchParams& params, std::int64_t n)
      : context_(context), params_(params), n_(n), rows_(category_rows(n)) {}

  void run() {
    tree_.one_hot.assign(std::begin(widths), std::end(widths));
    made_ = forest::with_features(rows_.table.view(), tree_.one_hot);
    fit_tree();
    fit_forest();
    predict();
    if (params_.peers) peers();
  }

 private:
  std::string what(const std::string& name) const {
    return fmt::format(
        "{}, {} x {}, {}", name, n_, made_.columns(), threads_text(context_.threads()));
  }
  template <class Body>
  Timing time(const Body& body) const {
    return time_runs(params_.quick ? 1 : 3, body);
  }
  void emit(const std::string& name,
            double value,
            const char* unit,
            bool verified,
            const Timing& timing) const {
    params_.emit(
        timed_line("trees", what(name), impl_name(context_), value, unit, verified, timing));
  }
  forest::Model model_of(std::vector<forest::Tree> trees) const {
    forest::Model model;
    model.features = rows_.table.names();
    model.classes = {"0", "1"};
    model.trees = std::move(trees);
    return model;
  }

  /// Trees must be those of the features, made.
  void fit_tree() {
    forest::Tree tree;
    const Timing timing =
        time([&] { tree = forest::fit_tree(context_, rows_.table.view(), rows_.target(), tree_); });
    emit(one_tree,
         timing.median,
         "s",
         tree == forest::fit_tree(context_, made_.view(), rows_.target()),
         timing);
  }

  void fit_forest() {
    forest::ForestParams params{.trees = 12};
    const auto expected = forest::fit_forest(context_, made_.view(), rows_.target(), params);
    params.tree = tree_;
    std::vector<forest::Tree> grown;
    const Timing timing = time(
        [&] { grown = forest::fit_forest(context_, rows_.table.view(), rows_.target(), params); });
    emit(many_trees, timing.median, "s", grown == expected, timing);
  }

  void predict() {
    forest::ForestParams params{.trees = predicting_trees()};
    for (const std::int32_t width : widths) params.tree.categorical.push_back(width > 0);
    const forest::Model model =
        model_of(forest::fit_forest(context_, rows_.table.view(), rows_.target(), params));
    Matrix<double> shares;
    const Timing timing =
        time([&] { shares = forest::predict_shares(context_, model, rows_.table.view()); });
    bool right = true;
    for (std::int64_t i = 0; i < n_; i += n_ / 50) {
      double sum = 0;
      for (const forest::Tree& tree : model.trees) {
        const double* value = tree.value(
            forest::leaf_of(tree, [&](std::int64_t f) { return rows_.table.view()(i, f); }));
        sum += value[1] / (value[0] + value[1]);
      }
      right = right && sum / static_cast<double>(model.trees.size()) == shares(i, 1);
    }
    emit(predicting(), static_cast<double>(n_) / timing.median * 1e-6, "M rows/s", right, timing);
  }

  /// scikit-learn grows from the features, made before, as a sparse table and as one of all values.
  /// Of equal splits it draws one: its trees know the rows they grew from as well as ours, that is
  /// nearly all.
  void peers() {
    const TemporaryFolder folder("bench");
    AtomicFile file(folder / "features.f4");
    file.write(made_.column(0), static_cast<std::size_t>(n_ * made_.columns()) * sizeof(float));
    file.write(rows_.codes.data(), rows_.codes.size() * sizeof(std::int32_t));
    file.commit();
    const std::string on = threads_text(context_.threads());
    const auto seconds = [](double s) { return s; };
    const std::string tree = "DecisionTreeClassifier()";
    const auto forest = [&](std::int64_t trees) {
      return fmt::format("RandomForestClassifier({}, n_jobs={})", trees, context_.threads());
    };
    for (const bool sparse : {true, false}) {
      const char* table = sparse ? ", sparse" : ", all values";
      const auto fits =
          [&](const std::string& name, const std::string& threads, const std::string& model) {
            emit_python(params_,
                        "trees",
                        what(name),
                        "scikit-learn, " + threads + table,
                        "s",
                        run_sklearn(folder, model, sparse, false),
                        seconds);
          };
      fits(one_tree, "1 thread", tree);
      fits(many_trees, on, forest(12));
    }
    emit_python(params_,
                "trees",
                what(predicting()),
                "scikit-learn, " + on + ", all values",
                "M rows/s",
                run_sklearn(folder, forest(predicting_trees()), false, true),
                [&](double s) { return static_cast<double>(n_) / s * 1e-6; });
  }

  PythonResult run_sklearn(const TemporaryFolder& folder,
                           const std::string& model,
                           bool sparse,
                           bool predicts) const {
    PythonPeer peer{.imports =
                        "import numpy as np, sklearn\n"
                        "from scipy.sparse import csc_matrix\n"
                        "from sklearn.tree import DecisionTreeClassifier\n"
                        "from sklearn.ensemble import RandomForestClassifier",
                    .version = "'scikit-learn ' + sklearn.__version__"};
    peer.setup = fmt::format(
        "n = {}\n"
        "raw = np.fromfile('{}', dtype=np.float32)\n"
        "x = np.ascontiguousarray(raw[:-n].reshape(-1, n).T)\n"
        "x = {}\n"
        "y = raw[-n:].view(np.int32)\n"
        "model = {}\n{}",
        n_,
        folder / "features.f4",
        sparse ? "csc_matrix(x)" : "x",
        model,
        predicts ? "model.fit(x, y)" : "");
    peer.statement = predicts ? "model.predict_proba(x)" : "model.fit(x, y)";
    peer.verified = "np.mean(model.predict(x) == y) > 0.97";
    peer.repeats = params_.quick ? 1 : 3;
    peer.package = "python3-sklearn";
    return run_python(peer);
  }

  static constexpr const char* one_tree = "tree of columns of categories, one-hot";
  static constexpr const char* many_trees = "forest of 12 trees of columns of categories, one-hot";
  std::string predicting() const {
    return fmt::format("predict with {} trees that split categories", predicting_trees());
  }
  std::int64_t predicting_trees() const { return params_.quick ? 12 : 100; }

  Context& context_;
  const BenchParams& params_;
  std::int64_t n_;
  TreeRows rows_;
  Table<float> made_;
  forest::TreeParams tree_;
};

}  // namespace

void categories(Context& context, const BenchParams& params) {
  Bench(context, params, params.quick ? 5'000 : 50'000).run();
}

}  // namespace yupana::bench
