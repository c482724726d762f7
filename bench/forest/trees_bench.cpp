#include "bench/forest/trees_bench.hpp"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "bench/support/python_peer.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/predict.hpp"

namespace yupana::bench {

TreeRows tree_rows(std::int64_t n) {
  constexpr std::int64_t features = tree_features;
  std::vector<std::string> names;
  for (std::int64_t f = 0; f < features; ++f) names.push_back(fmt::format("x{}", f));
  TreeRows rows{Table<float>(n, names), {}};
  const Random random(1);
  for (std::int64_t i = 0; i < n; ++i) {
    double x[features];
    for (std::int64_t f = 0; f < features; ++f) {
      const auto value =
          static_cast<float>(random.uniform(static_cast<std::uint64_t>(i * (features + 1) + f)));
      rows.table.column(f)[i] = value;
      x[f] = static_cast<double>(value);
    }
    const double noise = random.uniform(static_cast<std::uint64_t>(i * (features + 1) + features));
    const bool above = x[0] + x[1] * x[2] + std::sin(6 * x[3]) * x[4] > 0.9;
    rows.codes.push_back(static_cast<std::int32_t>(above != (noise < 1.0 / 6)));
  }
  return rows;
}

namespace {

constexpr std::int64_t features = tree_features;

class Bench {
 public:
  Bench(Context& context, const BenchParams& params, std::int64_t n)
      : context_(context), params_(params), rows_(tree_rows(n)), n_(n) {}

  void run() {
    for (const std::int64_t depth : {4, 10}) fit_tree(depth);
    predict(fit_forest(), 10);
    predict_deep();
    if (params_.peers) peers();
  }

 private:
  std::string what(const std::string& name) const {
    return fmt::format("{}, {} x {}, {}", name, n_, features, threads_text(context_.threads()));
  }
  static constexpr std::int64_t learned_rows = 100'000;  ///< where predictions are timed
  std::int64_t predicting_trees() const { return params_.quick ? 12 : 100; }
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
  /// Trees must be those of one thread, and of the reference for the first rows.
  bool same_trees(const forest::TreeParams& params, const forest::Tree& tree) {
    if (context_.backend() == Backend::reference) return false;
    Context one({.device = "cpu", .threads = 1}), reference({.device = "reference"});
    const TreeRows few = tree_rows(2000);
    return tree == forest::fit_tree(one, rows_.table.view(), rows_.target(), params) &&
           forest::fit_tree(context_, few.table.view(), few.target(), params) ==
               forest::fit_tree(reference, few.table.view(), few.target(), params);
  }

  forest::Model empty_model() const {
    forest::Model model;
    model.features = rows_.table.names();
    model.classes = {"0", "1"};
    return model;
  }

  void fit_tree(std::int64_t depth) {
    forest::Model model = empty_model();
    forest::Tree& tree = model.trees.emplace_back();
    const forest::TreeParams params{.max_depth = depth};
    const Timing timing = time(
        [&] { tree = forest::fit_tree(context_, rows_.table.view(), rows_.target(), params); });
    emit(fmt::format("tree of depth {}", depth),
         timing.median,
         "s",
         same_trees(params, tree),
         timing);
    predicted_.push_back(forest::predict_classes(context_, model, rows_.table.view()));
  }

  forest::Model fit_forest() {
    forest::ForestParams params{.trees = 12};
    params.tree.max_depth = 10;
    std::vector<forest::Tree> result;
    const Timing timing = time(
        [&] { result = forest::fit_forest(context_, rows_.table.view(), rows_.target(), params); });
    Context one({.device = "cpu", .threads = 1});
    const auto alone = forest::fit_forest(one, rows_.table.view(), rows_.target(), params);
    const bool same = context_.backend() != Backend::reference && result == alone;
    emit("forest of 12 trees of depth 10", timing.median, "s", same, timing);
    forest::Model model = empty_model();
    model.trees = std::move(result);
    predicted_.push_back(forest::predict_classes(context_, model, rows_.table.view()));
    params.trees = predicting_trees();
    model.trees = forest::fit_forest(context_, rows_.table.view(), rows_.target(), params);
    return model;
  }

  /// depth: of all trees; 0: as deep as they grow.
  void predict(const forest::Model& model, int depth) {
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
    const double rate = static_cast<double>(n_) / timing.median;
    emit(predicting(std::ssize(model.trees), depth), rate * 1e-6, "M rows/s", right, timing);
    if (depth == 0) return;
    const double levels = depth * static_cast<double>(model.trees.size());
    emit(fmt::format("levels gone down by {} trees of depth 10", model.trees.size()),
         rate * levels * 1e-9,
         "G levels/s",
         right,
         timing);
  }

  /// Trees that end where all rows are of one class, from the rows that peers learn from.
  void predict_deep() {
    TableView<float> some = rows_.table.view();
    some.rows = std::min(n_, learned_rows);
    forest::Model model = empty_model();
    model.trees = {forest::fit_tree(context_, some, rows_.target(), {})};
    predict(model, 0);
    predicted_.push_back(forest::predict_classes(context_, model, rows_.table.view()));
    const forest::ForestParams params{.trees = predicting_trees()};
    model.trees = forest::fit_forest(context_, some, rows_.target(), params);
    predict(model, 0);
    predicted_.push_back(forest::predict_classes(context_, model, rows_.table.view()));
  }

  static std::string predicting(std::int64_t trees, int depth) {
    const std::string count = trees == 1 ? "one tree" : fmt::format("{} trees", trees);
    return fmt::format(
        "predict with {} of {}", count, depth > 0 ? fmt::format("depth {}", depth) : "any depth");
  }

  void peers() {
    const TemporaryFolder folder("bench");
    AtomicFile file(folder / "table.f4");
    file.write(rows_.table.column(0), static_cast<std::size_t>(n_ * features) * sizeof(float));
    file.write(rows_.codes.data(), rows_.codes.size() * sizeof(std::int32_t));
    for (const auto& classes : predicted_) file.write(classes.data(), classes.bytes());
    file.commit();
    const std::string tree = "DecisionTreeClassifier(max_depth={})";
    const std::string forest = "RandomForestClassifier({}, max_depth={}, n_jobs={})";
    const std::string on = ", " + threads_text(context_.threads());
    const int jobs = context_.threads();
    const auto fits = [&](const std::string& name, const std::string& impl, const Sklearn& one) {
      const PythonResult result = run_sklearn(folder, one);
      emit_python(
          params_, "trees", what(name), impl, "s", result, [](double seconds) { return seconds; });
    };
    fits("tree of depth 4", "scikit-learn, 1 thread", {fmt::format(fmt::runtime(tree), 4), "four"});
    fits(
        "tree of depth 10", "scikit-learn, 1 thread", {fmt::format(fmt::runtime(tree), 10), "ten"});
    const std::string twelve = "forest of 12 trees of depth 10";
    fits(twelve,
         "scikit-learn" + on,
         {fmt::format(fmt::runtime(forest), 12, 10, jobs), "forest", 0.02});
    if (jobs > 1) {
      fits(twelve,
           "scikit-learn, 1 thread",
           {fmt::format(fmt::runtime(forest), 12, 10, 1), "forest", 0.02});
    }
    const auto predicts = [&](std::int64_t trees, int depth, const std::string& impl, Sklearn one) {
      one.fit_before = true;
      emit_python(params_,
                  "trees",
                  what(predicting(trees, depth)),
                  impl,
                  "M rows/s",
                  run_sklearn(folder, one),
                  [&](double seconds) { return static_cast<double>(n_) / seconds * 1e-6; });
    };
    const std::int64_t trees = predicting_trees();
    predicts(trees,
             10,
             "scikit-learn" + on,
             {fmt::format(fmt::runtime(forest), trees, "10", jobs), "forest", 0.02});
    predicts(1, 0, "scikit-learn, 1 thread", {fmt::format(fmt::runtime(tree), "None"), "tree"});
    predicts(trees,
             0,
             "scikit-learn" + on,
             {fmt::format(fmt::runtime(forest), trees, "None", jobs), "trees", 0.02});
  }

  /// A model of scikit-learn. Of equal splits it draws one, and its forests draw other rows and
  /// features: what it predicts must be right as often as ours, within `near`.
  struct Sklearn {
    std::string model;
    const char* ours;  ///< whose predictions it is compared with
    double near = 0.005;
    bool fit_before = false;  ///< time the prediction alone
  };
  PythonResult run_sklearn(const TemporaryFolder& folder, const Sklearn& one) const {
    PythonPeer peer{.imports =
                        "import numpy as np, sklearn\n"
                        "from sklearn.tree import DecisionTreeClassifier\n"
                        "from sklearn.ensemble import RandomForestClassifier",
                    .version = "'scikit-learn ' + sklearn.__version__"};
    peer.setup = fmt::format(
        "n = {}\n"
        "raw = np.fromfile('{}', dtype=np.float32)\n"
        "x = np.ascontiguousarray(raw[:{} * n].reshape(-1, n).T)\n"
        "y, four, ten, forest, tree, trees = raw[{} * n:].view(np.int32).reshape(6, n)\n"
        "model = {}\n{}",
        n_,
        folder / "table.f4",
        features,
        features,
        one.model,
        one.fit_before ? fmt::format("model.fit(x[:{0}], y[:{0}])", learned_rows) : "");
    peer.statement = one.fit_before ? "model.predict_proba(x)" : "model.fit(x, y)";
    peer.verified = fmt::format(
        "abs(np.mean(model.predict(x) == y) - np.mean({} == y)) < {}", one.ours, one.near);
    peer.repeats = params_.quick ? 1 : 3;
    peer.package = "python3-sklearn";
    return run_python(peer);
  }

  Context& context_;
  const BenchParams& params_;
  TreeRows rows_;
  std::int64_t n_;
  /// Of all rows, by the trees of depth 4 and 10, the forest of 12 trees, and the tree and the
  /// forest of any depth.
  std::vector<Array<std::int32_t>> predicted_;
};

}  // namespace

void trees(Context& context, const BenchParams& params) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return trees_cuda(context, params);
#endif
  Bench(context, params, params.quick ? 20'000 : 1'000'000).run();
  categories(context, params);
}

}  // namespace yupana::bench
