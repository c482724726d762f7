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
    one_hot_.one_hot.assign(std::begin(widths), std::end(widths));
    for (const std::int32_t width : widths) native_.categorical.push_back(width > 0);
    made_ = forest::with_features(rows_.table.view(), one_hot_.one_hot);
    AtomicFile file(folder_ / "features.f4");
    file.write(made_.column(0), static_cast<std::size_t>(n_ * made_.columns()) * sizeof(float));
    file.write(rows_.codes.data(), rows_.codes.size() * sizeof(std::int32_t));
    file.commit();
    fit_tree();
    fit_forests();
    predict();
  }

 private:
  std::string what(const std::string& name) const {
    return fmt::format(
        "{}, {} x {}, {}", name, n_, made_.columns(), threads_text(context_.threads()));
  }
  /// peers: models of scikit-learn, by what they are called
  void measure(const std::string& name,
               bool predicts,
               bool verified,
               const std::function<void()>& run,
               std::vector<NamedPeer> peers) const {
    const auto value = [&](double seconds) {
      return predicts ? static_cast<double>(n_) / seconds * 1e-6 : seconds;
    };
    emit_in_turns(params_,
                  {.bench = "trees",
                   .what = what(name),
                   .impl = impl_name(context_),
                   .unit = predicts ? "M rows/s" : "s",
                   .share_of_limit = {},
                   .verified = verified},
                  params_.quick ? 1 : 3,
                  run,
                  value,
                  std::move(peers));
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
    const auto run = [&] {
      return forest::fit_tree(context_, rows_.table.view(), rows_.target(), one_hot_);
    };
    const std::string model = "DecisionTreeClassifier()";
    measure("tree of columns of categories, one-hot",
            false,
            run() == forest::fit_tree(context_, made_.view(), rows_.target()),
            run,
            {sklearn("1 thread", model, true, false), sklearn("1 thread", model, false, false)});
  }

  /// From columns of categories, one-hot or split as they are, and from the features, made.
  void fit_forests() {
    const auto grown = [this](Context& context, const auto& table, const forest::TreeParams& tree) {
      return forest::fit_forest(context, table.view(), rows_.target(), {.trees = 12, .tree = tree});
    };
    const NamedPeer dense = sklearn(on(), sklearn_forest(12), false, false);
    Context one({.device = "cpu", .threads = 1});
    const auto expected = grown(one, made_, {});
    measure("forest of 12 trees of columns of categories, one-hot",
            false,
            grown(context_, rows_.table, one_hot_) == expected,
            [&] { grown(context_, rows_.table, one_hot_); },
            {sklearn(on(), sklearn_forest(12), true, false), dense});
    measure("forest of 12 trees of columns of categories, native",
            false,
            grown(context_, rows_.table, native_) == grown(one, rows_.table, native_),
            [&] { grown(context_, rows_.table, native_); },
            {dense});
    measure("forest of 12 trees of features of 0 and 1",
            false,
            grown(context_, made_, {}) == expected,
            [&] { grown(context_, made_, {}); },
            {dense});
  }

  void predict() {
    forest::ForestParams params{.trees = predicting_trees()};
    params.tree = native_;
    const forest::Model model =
        model_of(forest::fit_forest(context_, rows_.table.view(), rows_.target(), params));
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
    measure(fmt::format("predict with {} trees that split categories", predicting_trees()),
            true,
            right,
            [&] { forest::predict_shares(context_, model, rows_.table.view()); },
            {sklearn(on(), sklearn_forest(predicting_trees()), false, true)});
  }

  std::string on() const { return threads_text(context_.threads()); }
  std::string sklearn_forest(std::int64_t trees) const {
    return fmt::format("RandomForestClassifier({}, n_jobs={})", trees, context_.threads());
  }

  /// scikit-learn grows from the features, made before, as a sparse table or as one of all values.
  /// Of equal splits it draws one: its trees know the rows they grew from as well as ours, that is
  /// nearly all.
  NamedPeer sklearn(const std::string& threads,
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
        folder_ / "features.f4",
        sparse ? "csc_matrix(x)" : "x",
        model,
        predicts ? "model.fit(x, y)" : "");
    peer.statement = predicts ? "model.predict_proba(x)" : "model.fit(x, y)";
    peer.verified = "np.mean(model.predict(x) == y) > 0.97";
    peer.package = "python3-sklearn";
    return {"scikit-learn, " + threads + (sparse ? ", sparse" : ", all values"), peer};
  }

  std::int64_t predicting_trees() const { return params_.quick ? 12 : 100; }

  Context& context_;
  const BenchParams& params_;
  std::int64_t n_;
  TreeRows rows_;
  Table<float> made_;
  forest::TreeParams one_hot_, native_;
  TemporaryFolder folder_{"bench"};
};

}  // namespace

void categories(Context& context, const BenchParams& params) {
  Bench(context, params, params.quick ? 5'000 : 50'000).run();
}

}  // namespace yupana::bench
