#include "bench/forest/trees_bench.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/random.hpp"
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

template <class Body>
double seconds_of(const Body& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class Bench {
 public:
  Bench(Context& context, const BenchParams& params, std::int64_t n)
      : context_(context), params_(params), rows_(tree_rows(n)), n_(n) {}

  void run() {
    for (const std::int64_t depth : {4, 10}) fit_tree(depth);
    forest::Model model = fit_forest();
    predict(model);
    if (params_.peers) peers();
  }

 private:
  std::string impl() const { return fmt::format("yupana cpu {}", simd_target()); }
  std::string what(const std::string& name) const {
    return fmt::format("{}, {} x {}, {} threads", name, n_, features, context_.threads());
  }
  template <class Body>
  double best(const Body& body) const {
    double least = HUGE_VAL;
    for (int i = 0; i < (params_.quick ? 1 : 3); ++i) least = std::min(least, seconds_of(body));
    return least;
  }
  void emit(const std::string& name, double value, const char* unit, bool verified) const {
    params_.emit({"trees", what(name), impl(), value, unit, std::nullopt, verified});
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
    const double seconds = best([&] {
      tree = forest::fit_tree(context_, rows_.table.view(), rows_.target(), {.max_depth = depth});
    });
    Context one({.device = "cpu", .threads = 1});
    const bool same =
        tree == forest::fit_tree(one, rows_.table.view(), rows_.target(), {.max_depth = depth});
    emit(fmt::format("tree of depth {}", depth), seconds, "s", same);
    predicted_.push_back(forest::predict_classes(context_, model, rows_.table.view()));
  }

  forest::Model fit_forest() {
    forest::ForestParams params{.trees = 12};
    params.tree.max_depth = 10;
    forest::ForestResult result;
    const double seconds = best(
        [&] { result = forest::fit_forest(context_, rows_.table.view(), rows_.target(), params); });
    Context one({.device = "cpu", .threads = 1});
    const auto alone = forest::fit_forest(one, rows_.table.view(), rows_.target(), params);
    emit("forest of 12 trees of depth 10", seconds, "s", result.trees == alone.trees);
    forest::Model model = empty_model();
    model.trees = std::move(result.trees);
    predicted_.push_back(forest::predict_classes(context_, model, rows_.table.view()));
    params.trees = params_.quick ? 12 : 100;
    model.trees = forest::fit_forest(context_, rows_.table.view(), rows_.target(), params).trees;
    return model;
  }

  void predict(const forest::Model& model) {
    Matrix<double> shares;
    const double seconds =
        best([&] { shares = forest::predict_shares(context_, model, rows_.table.view()); });
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
    emit(fmt::format("predict with {} trees of depth 10", model.trees.size()),
         static_cast<double>(n_) / seconds * 1e-6,
         "M rows/s",
         right);
    const double depth = 10;
    emit(fmt::format("levels gone down by {} trees of depth 10", model.trees.size()),
         static_cast<double>(n_) * static_cast<double>(model.trees.size()) * depth / seconds * 1e-9,
         "G levels/s",
         right);
  }

  void peers() {
    if (output_of("/usr/bin/python3 -c 'import sklearn; print(1)'").empty()) {
      context_.note("scikit-learn: not installed (Debian: python3-sklearn), left out");
      return;
    }
    const auto path =
        (std::filesystem::temp_directory_path() / fmt::format("yupana_bench_{}.f4", getpid()))
            .string();
    {
      AtomicFile file(path);
      file.write(rows_.table.column(0), static_cast<std::size_t>(n_ * features) * sizeof(float));
      file.write(rows_.codes.data(), rows_.codes.size() * sizeof(std::int32_t));
      for (const auto& classes : predicted_) file.write(classes.data(), classes.bytes());
      file.commit();
    }
    // Of equal splits scikit-learn draws one, and forests draw other rows and features: what they
    // predict must be right as often as ours.
    const std::string script = fmt::format(
        "import sklearn, time, numpy as np\n"
        "from sklearn.tree import DecisionTreeClassifier\n"
        "from sklearn.ensemble import RandomForestClassifier\n"
        "n = {0}\n"
        "raw = np.fromfile(\"{1}\", dtype=np.float32)\n"
        "x = np.ascontiguousarray(raw[:18 * n].reshape(18, n).T)\n"
        "y, four, ten, forest = raw[18 * n:].view(np.int32).reshape(4, n)\n"
        "def timed(f):\n"
        "    t = time.perf_counter(); f(); return time.perf_counter() - t\n"
        "def right(got, ours, near):\n"
        "    return int(abs(np.mean(got == y) - np.mean(ours == y)) < near)\n"
        "for depth, ours in ((4, four), (10, ten)):\n"
        "    f = DecisionTreeClassifier(max_depth=depth)\n"
        "    print(timed(lambda: f.fit(x, y)), right(f.predict(x), ours, 0.005))\n"
        "for jobs in ({2}, 1):\n"
        "    f = RandomForestClassifier(12, max_depth=10, n_jobs=jobs)\n"
        "    print(timed(lambda: f.fit(x, y)), right(f.predict(x), forest, 0.02))\n"
        "f = RandomForestClassifier(100, max_depth=10, n_jobs={2}).fit(x[:100000], y[:100000])\n"
        "print(n / timed(lambda: f.predict_proba(x)) * 1e-6, right(f.predict(x), forest, 0.02))\n",
        n_,
        path,
        context_.threads());
    const std::string output = output_of(fmt::format("/usr/bin/python3 -c '{}'", script));
    std::filesystem::remove(path);
    std::istringstream lines(output);
    std::vector<std::pair<double, bool>> v;
    double value = 0;
    for (bool right = false; lines >> value >> right;) v.emplace_back(value, right);
    if (v.size() != 5) {
      context_.note("scikit-learn: failed, left out");
      return;
    }
    const char* names[] = {"tree of depth 4",
                           "tree of depth 10",
                           "forest of 12 trees of depth 10",
                           "forest of 12 trees of depth 10",
                           "predict with 100 trees of depth 10"};
    for (std::size_t i = 0; i < 5; ++i) {
      params_.emit({"trees",
                    what(names[i]),
                    i == 3 ? "scikit-learn on one thread" : "scikit-learn",
                    v[i].first,
                    i < 4 ? "s" : "M rows/s",
                    std::nullopt,
                    v[i].second});
    }
  }

  Context& context_;
  const BenchParams& params_;
  TreeRows rows_;
  std::int64_t n_;
  /// Of the training rows, by the trees of depth 4 and 10, and by the forest of 12 trees.
  std::vector<Array<std::int32_t>> predicted_;
};

}  // namespace

void trees(Context& context, const BenchParams& params) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return trees_cuda(context, params);
#endif
  Bench(context, params, params.quick ? 20'000 : 1'000'000).run();
}

}  // namespace yupana::bench
