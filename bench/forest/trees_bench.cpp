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
    const TemporaryFolder folder("bench");
    AtomicFile file(folder / "table.f4");
    file.write(rows_.table.column(0), static_cast<std::size_t>(n_ * features) * sizeof(float));
    file.write(rows_.codes.data(), rows_.codes.size() * sizeof(std::int32_t));
    for (const auto& classes : predicted_) file.write(classes.data(), classes.bytes());
    file.commit();
    for (const Row& row : measured_) measure(folder, row);
  }

 private:
  /// A model of scikit-learn. Of equal splits it draws one, and its forests draw other rows and
  /// features: what it predicts must be right as often as ours, within `near`.
  struct Sklearn {
    std::string impl, model;
    const char* ours;  ///< whose predictions it is compared with
    double near = 0.005;
    bool fit_before = false;  ///< time the prediction alone
  };
  /// What is measured, ours and its peers in turns.
  struct Row {
    std::string name;
    bool verified;
    std::function<void()> run;
    std::vector<Sklearn> peers;
    std::int64_t levels = 0;  ///< that a row of the table goes down, where they are counted
  };

  std::string what(const std::string& name) const {
    return fmt::format("{}, {} x {}, {}", name, n_, features, threads_text(context_.threads()));
  }
  static constexpr std::int64_t learned_rows = 100'000;  ///< where predictions are timed
  std::int64_t predicting_trees() const { return params_.quick ? 12 : 100; }

  void measure(const TemporaryFolder& folder, const Row& row) {
    std::vector<NamedPeer> peers;
    for (const Sklearn& one : row.peers) peers.push_back({one.impl, peer_of(folder, one)});
    const bool fits = row.peers.empty() || !row.peers[0].fit_before;
    const auto value = [&](double seconds) {
      return fits ? seconds : static_cast<double>(n_) / seconds * 1e-6;
    };
    const Timing timing = emit_in_turns(params_,
                                        {.bench = "trees",
                                         .what = what(row.name),
                                         .impl = impl_name(context_),
                                         .unit = fits ? "s" : "M rows/s",
                                         .share_of_limit = {},
                                         .verified = row.verified},
                                        params_.quick ? 1 : 3,
                                        row.run,
                                        value,
                                        std::move(peers));
    if (row.levels == 0) return;
    params_.emit(timed_line(
        "trees",
        what(fmt::format("levels gone down by {} trees of depth 10", predicting_trees())),
        impl_name(context_),
        static_cast<double>(n_ * row.levels) / timing.median * 1e-9,
        "G levels/s",
        row.verified,
        timing));
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
    const forest::TreeParams params{.max_depth = depth};
    model.trees = {forest::fit_tree(context_, rows_.table.view(), rows_.target(), params)};
    measured_.push_back(
        {fmt::format("tree of depth {}", depth),
         same_trees(params, model.trees[0]),
         [=, this] { forest::fit_tree(context_, rows_.table.view(), rows_.target(), params); },
         {{"scikit-learn, 1 thread", sklearn_tree(depth), depth == 4 ? "four" : "ten"}}});
    predicted_.push_back(forest::predict_classes(context_, model, rows_.table.view()));
  }

  forest::Model fit_forest() {
    forest::ForestParams params{.trees = 12};
    params.tree.max_depth = 10;
    forest::Model model = empty_model();
    model.trees = forest::fit_forest(context_, rows_.table.view(), rows_.target(), params);
    Context one({.device = "cpu", .threads = 1});
    const auto alone = forest::fit_forest(one, rows_.table.view(), rows_.target(), params);
    const bool same = context_.backend() != Backend::reference && model.trees == alone;
    std::vector<Sklearn> peers{{"scikit-learn" + on(), sklearn_forest(12, 10), "forest", 0.02}};
    if (context_.threads() > 1) {
      peers.push_back({"scikit-learn, 1 thread", sklearn_forest(12, 10, 1), "forest", 0.02});
    }
    measured_.push_back(
        {"forest of 12 trees of depth 10",
         same,
         [=, this] { forest::fit_forest(context_, rows_.table.view(), rows_.target(), params); },
         std::move(peers)});
    predicted_.push_back(forest::predict_classes(context_, model, rows_.table.view()));
    params.trees = predicting_trees();
    model.trees = forest::fit_forest(context_, rows_.table.view(), rows_.target(), params);
    return model;
  }

  /// depth: of all trees; 0: as deep as they grow.
  void predict(const forest::Model& model, int depth) {
    const Matrix<double> shares = forest::predict_shares(context_, model, rows_.table.view());
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
    const std::int64_t trees = std::ssize(model.trees);
    const Sklearn alone{"scikit-learn, 1 thread", sklearn_tree(depth), "tree", 0.005, true};
    const Sklearn many{"scikit-learn" + on(),
                       sklearn_forest(trees, depth),
                       depth > 0 ? "forest" : "trees",
                       0.02,
                       true};
    measured_.push_back({predicting(trees, depth),
                         right,
                         [=, this] { forest::predict_shares(context_, model, rows_.table.view()); },
                         {trees == 1 ? alone : many},
                         depth * trees});
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

  std::string on() const { return ", " + threads_text(context_.threads()); }
  /// depth 0: any.
  static std::string limit(std::int64_t depth) {
    return depth > 0 ? fmt::format("max_depth={}", depth) : "max_depth=None";
  }
  static std::string sklearn_tree(std::int64_t depth) {
    return fmt::format("DecisionTreeClassifier({})", limit(depth));
  }
  std::string sklearn_forest(std::int64_t trees, std::int64_t depth, int jobs = 0) const {
    return fmt::format("RandomForestClassifier({}, {}, n_jobs={})",
                       trees,
                       limit(depth),
                       jobs > 0 ? jobs : context_.threads());
  }

  PythonPeer peer_of(const TemporaryFolder& folder, const Sklearn& one) const {
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
    peer.package = "python3-sklearn";
    return peer;
  }

  Context& context_;
  const BenchParams& params_;
  TreeRows rows_;
  std::int64_t n_;
  /// Of all rows, by the trees of depth 4 and 10, the forest of 12 trees, and the tree and the
  /// forest of any depth.
  std::vector<Array<std::int32_t>> predicted_;
  std::vector<Row> measured_;
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
