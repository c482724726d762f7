#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "python/bindings/call.hpp"
#include "python/bindings/choices.hpp"
#include "python/bindings/forest.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/forest/lists.hpp"
#include "yupana/forest/predict.hpp"
#ifdef YUPANA_CUDA
#include "yupana/forest/tree_cuda.hpp"
#endif

namespace yupana::python {
namespace {

using forest::Model;
using forest::Tree;

const Choices<forest::Criterion> criteria{{"gini", forest::Criterion::gini},
                                          {"entropy", forest::Criterion::entropy},
                                          {"log_loss", forest::Criterion::entropy},
                                          {"squared_error", forest::Criterion::variance},
                                          {"absolute_error", forest::Criterion::absolute_error},
                                          {"poisson", forest::Criterion::poisson}};
const Choices<forest::Sampling> samplings{{"bootstrap", forest::Sampling::bootstrap},
                                          {"partition", forest::Sampling::partition},
                                          {"all", forest::Sampling::all}};

Growing growing_of(const nb::kwargs& given) {
  Growing growing;
  forest::ForestParams& forest = growing.params;
  forest::TreeParams& tree = forest.tree;
  const auto take = [&](const char* name, auto& value) {
    if (!given.contains(name) || given[name].is_none()) return false;
    if (nb::try_cast(given[name], value)) return true;
    throw nb::type_error(name);
  };
  std::string criterion, sampling;
  std::vector<int> categorical, monotonic;
  bool soft = true;
  take("criterion", criterion);
  take("max_depth", tree.max_depth);
  take("min_samples_split", tree.min_samples_split);
  take("min_samples_leaf", tree.min_samples_leaf);
  take("min_weight_fraction_leaf", tree.min_weight_fraction_leaf);
  take("max_leaf_nodes", tree.max_leaf_nodes);
  take("min_impurity_decrease", tree.min_impurity_decrease);
  take("max_features", forest.max_features);
  take("seed", tree.seed);
  take("sampling", sampling);
  take("max_samples", forest.max_samples);
  take("soft", soft);
  take("first_tree", forest.first_tree);
  take("all_trees", forest.all_trees);
  take("categorical", categorical);
  take("monotonic", monotonic);
  take("random_splits", tree.random_splits);
  growing.many = take("trees", forest.trees);
  if (!growing.many) forest.trees = 1;
  tree.criterion = chosen("criterion", criterion, criteria);
  tree.max_features = forest.max_features;
  tree.monotonic.assign(monotonic.begin(), monotonic.end());
  tree.categorical.assign(categorical.begin(), categorical.end());
  forest.sampling = chosen("sampling", sampling, samplings);
  forest.voting = soft ? forest::Voting::soft : forest::Voting::hard;
  return growing;
}

/// resident: the table once more in the memory of the context's GPU, or null
template <class T>
std::vector<Tree> grow(Context& context,
                       TableView<T> table,
                       [[maybe_unused]] const T* resident,
                       const forest::Target& target,
                       const Growing& growing) {
#ifdef YUPANA_CUDA
  if (resident != nullptr) {
    const Visit visit(context.devices().front());
    if (growing.many) {
      return forest::cuda::fit_resident_forest(context, table, resident, target, growing.params);
    }
    return {forest::cuda::fit_resident_tree(context, table, resident, target, growing.params.tree)};
  }
#endif
  if (growing.many) return forest::fit_forest(context, table, target, growing.params);
  return {forest::fit_tree(context, table, target, growing.params.tree)};
}

template <class T>
std::vector<Tree> grow(Context& context,
                       const forest::SparseColumns<T>& table,
                       const forest::Target& target,
                       const Growing& growing) {
  if (growing.many) return forest::fit_sparse_forest(context, table, target, growing.params);
  return {forest::fit_sparse_tree(context, table, target, growing.params.tree)};
}

Model model_of(std::vector<Tree> trees,
               std::vector<std::string> classes,
               std::vector<std::string> features,
               const Growing& growing) {
  Model fitted;
  fitted.features = std::move(features);
  fitted.classes = std::move(classes);
  fitted.label = "label";
  fitted.voting = growing.params.voting;
  fitted.trees = std::move(trees);
  return fitted;
}

template <class T>
void bind_fits(nb::module_& m) {
  m.def(
      "fit",
      [](const Options& options,
         Cells<T> table,
         const Labels<std::int32_t>& codes,
         const Labels<double>& values,
         const Labels<double>& weights,
         std::vector<std::string> classes,
         std::vector<std::string> features,
         const Growing& growing,
         std::optional<Resident<T>> resident) {
        const TableView<T> view = table_of(table);
        if (resident &&
            (resident->shape(0) != table.shape(0) || resident->shape(1) != table.shape(1))) {
          throw usage_error("fit: expected the same table twice");
        }
        const T* const there = resident ? resident->data() : nullptr;
        const forest::Target target = target_of(view.rows, codes, values, weights, classes.size());
        std::vector<Tree> grown = call(options, [&](Context& context) {
          Array<T> turned;
          const TableView<T> columns = forest::in_columns(context, view, turned);
          return grow(context, columns, there, target, growing);
        });
        return model_of(std::move(grown), std::move(classes), std::move(features), growing);
      },
      nb::arg(),
      nb::arg(),
      nb::arg("codes").none(),
      nb::arg("values").none(),
      nb::arg("weights").none(),
      nb::arg("classes"),
      nb::arg("features"),
      nb::arg("growing"),
      nb::arg("resident").none().noconvert() = nb::none());
  def<"_ _ _ _ _ codes? values? weights? classes features growing">(
      m,
      "fit_sparse",
      [](const Options& options,
         std::int64_t rows,
         Vector<std::int64_t> starts,
         Vector<std::uint32_t> entry_rows,
         Vector<T> entries,
         const Labels<std::int32_t>& codes,
         const Labels<double>& values,
         const Labels<double>& weights,
         std::vector<std::string> classes,
         std::vector<std::string> features,
         const Growing& growing) {
        const forest::SparseColumns<T> table{
            rows, size_of(starts) - 1, starts.data(), entry_rows.data(), entries.data()};
        const bool fits = table.features == std::ssize(features) &&
                          size_of(entry_rows) == size_of(entries) &&
                          table.entries() == size_of(entries);
        if (!fits) throw usage_error("fit_sparse: expected starts of the entries of each feature");
        const forest::Target target = target_of(rows, codes, values, weights, classes.size());
        std::vector<Tree> grown =
            call(options, [&](Context& context) { return grow(context, table, target, growing); });
        return model_of(std::move(grown), std::move(classes), std::move(features), growing);
      });
}

}  // namespace

/// Labels of the rows of a table, one of both kinds, and weights.
forest::Target target_of(std::int64_t rows,
                         const Labels<std::int32_t>& codes,
                         const Labels<double>& values,
                         const Labels<double>& weights,
                         std::size_t classes) {
  forest::Target target;
  if (codes) target.codes = codes->data();
  target.classes = static_cast<std::int32_t>(classes);
  if (values) target.values = values->data();
  if (weights) target.weights = weights->data();
  const auto fits = [&](const auto& vector) { return !vector || size_of(*vector) == rows; };
  if (codes.has_value() == values.has_value() || !fits(codes) || !fits(values) || !fits(weights)) {
    throw usage_error("fit: expected one label and weight for each row");
  }
  return target;
}

void bind_growing(nb::module_& m) {
  nb::class_<Growing>(m, "Growing", "How trees grow.")
      .def("__init__",
           [](Growing* self, const nb::kwargs& given) { new (self) Growing(growing_of(given)); });
  m.def("rows_of_tree", [](const Growing& growing, std::int64_t rows, std::int64_t tree) {
    return to_numpy(forest::rows_of_tree(growing.params, rows, tree));
  });
  m.def("tree_seed", [](const Growing& growing, std::int64_t tree) {
    return forest::params_of_tree(growing.params, tree, 1, true).seed;
  });
  m.def("parts_of_rows", [](std::int64_t rows, std::int64_t trees, std::uint64_t seed) {
    return to_numpy(forest::parts_of_rows(rows, trees, seed));
  });
  bind_fits<float>(m);
  bind_fits<double>(m);
}

}  // namespace yupana::python
