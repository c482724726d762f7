#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "bench/forest/trees_bench.hpp"
#include "yupana/core/cuda/page_lock.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/forest/tree_cuda.hpp"

namespace yupana::bench {
namespace {

using namespace yupana::cuda;

template <class Body, class Prepare>
double median_of(int repeats, const Body& body, const Prepare& prepare) {
  std::vector<double> seconds;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    prepare();
    const auto begin = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (repeat > 0) seconds.push_back(took.count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

template <class Body>
double median_of(int repeats, const Body& body) {
  return median_of(repeats, body, [] {});
}

class CudaBench {
 public:
  CudaBench(Context& context, const BenchParams& params, std::int64_t n)
      : context_(context),
        params_(on_first_device(context, params)),
        on_host_(params),
        n_(n),
        rows_(tree_rows(n)),
        resident_(n * tree_features) {
    check(cudaMemcpy(
              resident_.data(), rows_.table.column(0), resident_.bytes(), cudaMemcpyHostToDevice),
          "copy the table");
  }

  void run() {
    for (const std::int64_t depth : {1, 4, 10}) grow(depth);
    const std::vector<forest::Tree> trees = grow_forest();
    predict(trees);
  }

 private:
  std::string what(const std::string& name, const char* where) const {
    return fmt::format("{}, {} x {}, {}", name, n_, tree_features, where);
  }
  void emit(const std::string& what,
            double value,
            const char* unit,
            bool verified,
            std::optional<double> share = std::nullopt) const {
    params_.emit({"trees", what, "yupana cuda", value, unit, share, verified});
  }
  void emit_cpu(const std::string& what, double value, const char* unit, bool verified) const {
    on_host_.emit({"trees",
                   what,
                   fmt::format("yupana cpu, {} threads", cpu_.threads()),
                   value,
                   unit,
                   std::nullopt,
                   verified});
  }
  int repeats() const { return params_.quick ? 1 : 5; }

  void grow(std::int64_t depth) {
    const forest::TreeParams tree{.max_depth = depth};
    const auto table = rows_.table.view();
    forest::Tree expected, got;
    const double cpu =
        seconds_of([&] { expected = forest::fit_tree(cpu_, table, rows_.target(), tree); });
    const forest::Problem problem = forest::make_problem(n_, rows_.target(), tree.criterion);
    forest::cuda::ForestSamples draws;
    draws.seeds = {0};
    const double resident = median_of(repeats(), [&] {
      got = forest::cuda::fit_trees<float>(
          context_, table, resident_.data(), problem, tree, draws)[0];
    });
    const std::string name = fmt::format("tree of depth {}", depth);
    emit(what(name, "table on the device, with sorting"), resident * 1e3, "ms", got == expected);

    emit_cpu(what(name, "table on the device, with sorting"), cpu * 1e3, "ms", got == expected);
    const double whole = median_of(
        repeats(), [&] { got = forest::fit_tree(context_, table, rows_.target(), tree); });
    emit(what(name, "table on the host"), whole * 1e3, "ms", got == expected);
  }

  std::vector<forest::Tree> grow_forest() {
    const auto table = rows_.table.view();
    forest::ForestParams params{.trees = 12, .sampling = forest::Sampling::partition};
    params.max_features = 0;
    params.tree.max_depth = 10;
    std::vector<forest::Tree> expected, got;
    for (const auto sampling : {forest::Sampling::partition, forest::Sampling::bootstrap}) {
      const bool parts = sampling == forest::Sampling::partition;
      params.sampling = sampling;
      params.max_features = parts ? 0 : forest::root_of_features;
      const double cpu =
          seconds_of([&] { expected = forest::fit_forest(cpu_, table, rows_.target(), params); });
      const double seconds = median_of(repeats(), [&] {
        got = forest::cuda::fit_resident_forest(
            context_, table, resident_.data(), rows_.target(), params);
      });
      const std::string name = fmt::format("forest of 12 trees of depth 10, {}",
                                           parts ? "disjoint parts" : "bootstrap, 4 features");
      const std::string which = what(name, "table on the device, with sorting");
      emit(which, seconds * 1e3, "ms", got == expected);
      emit_cpu(which, cpu * 1e3, "ms", got == expected);
    }
    return got;
  }

  /// Of a call that makes its result; the one before is gone.
  double seconds_of_predictions(const forest::Model& model,
                                TableView<float> table,
                                Matrix<double>& got) {
    return median_of(
        repeats(),
        [&] { got = forest::predict_shares(context_, model, table); },
        [&] { got = {}; });
  }

  struct Locked {
    double seconds;  ///< of a call
    double copy;     ///< of copying the table to the device alone
    bool same;       ///< as expected, which a long table repeats
    double share() const { return copy / seconds; }
  };

  Locked predict_locked(const forest::Model& model,
                        float* values,
                        std::int64_t rows,
                        const Matrix<double>& expected) {
    const TableView<float> table{values, rows, tree_features, rows};
    DeviceArray<float> there(rows * tree_features);
    const PageLock lock(values, there.bytes());
    Matrix<double> got;
    const double seconds = seconds_of_predictions(model, table, got);
    bool same = true;
    for (std::int64_t i = 0; i < table.rows; i += n_) {
      same = same && std::equal(expected.data(), expected.data() + n_ * 2, got.data() + i * 2);
    }
    const double copy = median_of(repeats(), [&] {
      check(cudaMemcpy(there.data(), values, there.bytes(), cudaMemcpyHostToDevice),
            "copy the table");
    });
    return {seconds, copy, same};
  }

  void predict(const std::vector<forest::Tree>& trees) {
    forest::Model model;
    model.features = rows_.table.names();
    model.classes = {"0", "1"};
    for (int i = 0; i < 100; ++i) {
      model.trees.push_back(trees[static_cast<std::size_t>(i) % trees.size()]);
    }
    Matrix<double> expected, got;
    const auto table = rows_.table.view();
    const double cpu = seconds_of([&] { expected = forest::predict_shares(cpu_, model, table); });
    const double whole = seconds_of_predictions(model, table, got);
    bool same = std::equal(expected.data(), expected.data() + n_ * 2, got.data());
    const Locked locked = predict_locked(model, rows_.table.column(0), n_, expected);
    same = same && locked.same;
    const double alone = forest::cuda::seconds_of_shares(model, table, repeats());
    const std::string name = "predict with 100 trees of depth 10";
    const double rows = static_cast<double>(n_) * 1e-6;
    emit(what(name, "table on the device"), rows / alone, "M rows/s", same);
    emit(what(name, "table on the host"), rows / whole, "M rows/s", same);
    emit(what(name, "table page-locked on the host"),
         rows / locked.seconds,
         "M rows/s",
         same,
         locked.share());
    const int times = 8;
    Array<float> many(n_ * tree_features * times);
    for (std::int64_t i = 0; i < tree_features * times; ++i) {
      std::copy_n(table.column(i / times), n_, many.data() + i * n_);
    }
    const Locked all = predict_locked(model, many.data(), n_ * times, expected);
    emit(fmt::format("{}, {} x {}, table page-locked on the host", name, n_ * times, tree_features),
         rows * times / all.seconds,
         "M rows/s",
         all.same,
         all.share());
    emit_cpu(what(name, "table on the host"), rows / cpu, "M rows/s", same);
  }

  Context& context_;
  Context cpu_{{.device = "cpu"}};
  BenchParams params_;
  BenchParams on_host_;
  std::int64_t n_;
  TreeRows rows_;
  DeviceArray<float> resident_;
};

/// A forest of one table over one, two, four ... devices, each with trees of its own; the trees
/// must be those of one device, and on a small table those of the CPU.
class ScalingBench {
 public:
  ScalingBench(Context& context, const BenchParams& params)
      : context_(context),
        params_(on_first_device(context, params)),
        rows_(tree_rows(params.quick ? 20'000 : 5'000'000)),
        few_(tree_rows(20'000)) {}

  void run() {
    for (const auto sampling : {forest::Sampling::partition, forest::Sampling::bootstrap}) {
      forest::ForestParams forest{.trees = 48, .sampling = sampling};
      forest.tree.max_depth = 10;
      const bool parts = sampling == forest::Sampling::partition;
      forest.max_features = parts ? 0 : forest::root_of_features;
      measure(forest,
              fmt::format("forest of {} trees of depth 10, {}, {} x {}, table on the host",
                          forest.trees,
                          parts ? "disjoint parts" : "bootstrap, 4 features",
                          rows_.table.rows(),
                          tree_features));
    }
  }

 private:
  static std::vector<forest::Tree> grow(Context& context,
                                        const TreeRows& rows,
                                        const forest::ForestParams& params) {
    return forest::fit_forest(context, rows.table.view(), rows.target(), params);
  }

  void measure(const forest::ForestParams& forest, const std::string& what) {
    std::vector<forest::Tree> alone;
    for_device_counts(context_, [&](const std::vector<int>& devices, const std::string& impl) {
      Context some({.device = device_text(devices)});
      std::vector<forest::Tree> trees;
      const double seconds =
          median_of(params_.quick ? 1 : 3, [&] { trees = grow(some, rows_, forest); });
      bool verified = trees == alone;
      if (devices.size() == 1) {
        Context cpu({.device = "cpu"});
        verified = grow(cpu, few_, forest) == grow(some, few_, forest);
        alone = std::move(trees);
      }
      params_.emit({"trees", what, impl, seconds * 1e3, "ms", std::nullopt, verified});
    });
  }

  Context& context_;
  BenchParams params_;
  TreeRows rows_, few_;
};

}  // namespace

void trees_cuda(Context& context, const BenchParams& params) {
  const DeviceScope scope(context.devices().front());
  if (params.scaling || context.devices().size() > 1) ScalingBench(context, params).run();
  if (params.scaling) return;
  CudaBench(context, params, params.quick ? 20'000 : 5'000'000).run();
}

}  // namespace yupana::bench
