#include "yupana/forest/forest.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/call.hpp"
#include "python/bindings/choices.hpp"
#include "python/bindings/views.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/forest/prune.hpp"
#include "yupana/io/model_files.hpp"
#ifdef YUPANA_CUDA
#include "yupana/arrays/device_values.hpp"
#include "yupana/forest/tree_cuda.hpp"
#endif

namespace yupana::python {
namespace {

using forest::Model;
using forest::Tree;

/// Column after column, as the library has tables.
template <class T>
using Columns = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

/// The same in the memory of a GPU.
template <class T>
using Resident = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cuda>;

template <class NdArray>
auto table_of(const NdArray& table) {
  using T = std::remove_const_t<typename NdArray::Scalar>;
  return TableView<T>{table.data(), extent(table, 0), extent(table, 1), extent(table, 0)};
}

/// What grows, as Python says it.
struct Growing {
  forest::ForestParams params;
  bool many = false;  ///< a forest; else one tree, which sees every row
};

const Choices<forest::Criterion> criteria{{"gini", forest::Criterion::gini},
                                          {"entropy", forest::Criterion::entropy},
                                          {"log_loss", forest::Criterion::entropy},
                                          {"squared_error", forest::Criterion::variance}};
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
  std::vector<int> categorical;
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
  growing.many = take("trees", forest.trees);
  if (!growing.many) forest.trees = 1;
  tree.criterion = chosen("criterion", criterion, criteria);
  tree.max_features = forest.max_features;
  tree.categorical.assign(categorical.begin(), categorical.end());
  forest.sampling = chosen("sampling", sampling, samplings);
  forest.voting = soft ? forest::Voting::soft : forest::Voting::hard;
  return growing;
}

/// At once where it takes less than a millisecond: rows are packed and go down, nodes are packed.
Runs runs_of(const Model& model, std::int64_t rows, std::int64_t columns) {
  std::int64_t steps = rows * (columns + 16 * std::ssize(model.trees));
  for (const Tree& tree : model.trees) steps += 8 * std::ssize(tree.nodes);
  return steps <= 400'000 ? Runs::at_once : Runs::anywhere;
}

/// resident: the table once more in the memory of the context's GPU, or null
template <class T>
forest::ForestResult grow(Context& context,
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
    forest::ForestResult one;
    one.trees.push_back(
        forest::cuda::fit_resident_tree(context, table, resident, target, growing.params.tree));
    return one;
  }
#endif
  if (growing.many) return forest::fit_forest(context, table, target, growing.params);
  forest::ForestResult result;
  result.trees.push_back(forest::fit_tree(context, table, target, growing.params.tree));
  return result;
}

/// One tree as arrays of one entry a node.
nb::dict tree_dict(const Tree& tree) {
  const auto list = [&](auto field) {
    using V = decltype(field(tree.nodes[0]));
    Array<V> values(std::ssize(tree.nodes));
    for (std::int64_t i = 0; i < values.size(); ++i) {
      values[i] = field(tree.nodes[static_cast<std::size_t>(i)]);
    }
    return to_numpy(std::move(values));
  };
  nb::dict result;
  result["feature"] = list([](const forest::Node& n) { return std::int64_t{n.feature}; });
  result["threshold"] = list([](const forest::Node& n) { return n.threshold; });
  result["set"] = list([](const forest::Node& n) { return std::int64_t{n.set}; });
  result["left"] = list([](const forest::Node& n) { return std::int64_t{n.left}; });
  result["right"] = list([](const forest::Node& n) { return std::int64_t{n.right}; });
  result["missing_left"] =
      list([](const forest::Node& n) { return static_cast<std::uint8_t>(n.missing_left); });
  result["rows"] = list([](const forest::Node& n) { return n.rows; });
  result["weight"] = list([](const forest::Node& n) { return n.weight; });
  result["impurity"] = list([](const forest::Node& n) { return n.impurity; });
  Matrix<double> values(std::ssize(tree.nodes), tree.outputs);
  std::copy(tree.values.begin(), tree.values.end(), values.data());
  result["value"] = to_numpy(std::move(values));
  result["depth"] = tree.depth();
  result["leaves"] = tree.leaves();
  return result;
}

template <class T>
using Labels = std::optional<Vector<T>>;

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

template <class T>
void bind_table_type(nb::module_& m, nb::class_<Model>& model) {
  m.def(
      "fit",
      [](const Options& options,
         Columns<T> table,
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
        forest::ForestResult grown = call(
            options, [&](Context& context) { return grow(context, view, there, target, growing); });
        Model fitted;
        fitted.features = std::move(features);
        fitted.classes = std::move(classes);
        fitted.label = "label";
        fitted.voting = growing.params.voting;
        fitted.trees = std::move(grown.trees);
        return fitted;
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
  model.def(
      "out_of_bag",
      [](const Model& self,
         const Options& options,
         Columns<T> table,
         const Labels<std::int32_t>& codes,
         const Labels<double>& values,
         const Growing& growing) {
        const TableView<T> view = table_of(table);
        const forest::Target target = target_of(view.rows, codes, values, {}, self.classes.size());
        forest::OutOfBag held = call(options, [&](Context& context) {
          return forest::out_of_bag(context, self.trees, view, target, growing.params);
        });
        const std::int64_t outputs = held.values.size() / view.rows;
        return std::pair(held.score, owned<double>(std::move(held.values), {view.rows, outputs}));
      },
      nb::arg(),
      nb::arg(),
      nb::arg("codes").none(),
      nb::arg("values").none(),
      nb::arg("growing"));
#ifdef YUPANA_CUDA
  model.def("predict_shares", [](const Model& self, const Options& options, Resident<T> table) {
    const std::int64_t outputs = self.is_class() ? std::ssize(self.classes) : 1;
    const auto predict = [&](Context&, double* shares) {
      forest::cuda::predict_shares_there<T>(self, table.device_id(), table_of(table), shares);
    };
    return made_at<double>(
        table.device_id(), options, Runs::anywhere, {extent(table, 0), outputs}, predict);
  });
  model.def("apply", [](const Model& self, const Options& options, Resident<T> table) {
    const std::int64_t rows = extent(table, 0), trees = std::ssize(self.trees);
    const auto apply = [&](Context&, std::int64_t* wide) {
      yupana::cuda::DeviceArray<std::int32_t> leaves(rows * trees);
      forest::cuda::apply_there<T>(self, table.device_id(), table_of(table), leaves.data());
      const yupana::cuda::Stream stream;
      arrays::cuda::convert(leaves.data(), leaves.size(), wide, stream);
      stream.wait();
    };
    return made_at<std::int64_t>(table.device_id(), options, Runs::anywhere, {rows, trees}, apply);
  });
#endif
  model.def("predict_shares", [](const Model& self, const Options& options, Columns<T> table) {
    const TableView<T> rows = table_of(table);
    const Runs runs = runs_of(self, rows.rows, rows.columns);
    return to_numpy(call(options, runs, [&](Context& context) {
      return forest::predict_shares(context, self, rows);
    }));
  });
  model.def("apply", [](const Model& self, const Options& options, Columns<T> table) {
    return to_numpy(call(options, [&](Context& context) {
      const auto leaves = forest::apply(context, self, table_of(table));
      Matrix<std::int64_t> wide(leaves.rows(), leaves.cols());
      std::copy_n(leaves.data(), wide.rows() * wide.cols(), wide.data());
      return wide;
    }));
  });
}

/// The model with some of its trees, or with changed ones.
Model with_trees(const Model& model, std::vector<Tree> trees) {
  return {model.features,
          model.encodings,
          model.classes,
          model.label,
          model.zero_based,
          model.voting,
          std::move(trees)};
}

/// One forest of the trees of several, in their order; what else they say is the first one's.
Model joined(const std::vector<const Model*>& parts) {
  if (parts.empty()) throw usage_error("joined: expected at least 1 model, got 0");
  std::vector<Tree> trees;
  for (const Model* part : parts) {
    if (part->features != parts[0]->features || part->classes != parts[0]->classes) {
      throw usage_error("joined: expected models of the same features and classes");
    }
    trees.insert(trees.end(), part->trees.begin(), part->trees.end());
  }
  return with_trees(*parts[0], std::move(trees));
}

const Tree& tree_at(const Model& model, std::int64_t tree) {
  if (tree < 0 || tree >= std::ssize(model.trees)) throw nb::index_error("no such tree");
  return model.trees[static_cast<std::size_t>(tree)];
}

nb::class_<Model> bind_model(nb::module_& m) {
  nb::class_<Model> model(m, "Model", "Trees and what their numbers mean.");
  model.def_ro("features", &Model::features)
      .def_ro("classes", &Model::classes)
      .def_prop_ro("trees", [](const Model& self) { return std::ssize(self.trees); })
      .def_prop_rw(
          "soft",
          [](const Model& self) { return self.voting == forest::Voting::soft; },
          [](Model& self, bool soft) {
            self.voting = soft ? forest::Voting::soft : forest::Voting::hard;
          })
      .def("tree", [](const Model& self, std::int64_t t) { return tree_dict(tree_at(self, t)); })
      .def("alone",
           [](const Model& self, std::int64_t t) { return with_trees(self, {tree_at(self, t)}); })
      .def("importances",
           [](const Model& self) {
             return to_numpy(forest::importances(self.trees, std::ssize(self.features)));
           })
      .def("pruned",
           [](const Model& self, double alpha) {
             std::vector<Tree> trees;
             for (const Tree& tree : self.trees) {
               trees.push_back(forest::prune_cost_complexity(tree, alpha));
             }
             return with_trees(self, std::move(trees));
           })
      .def("cost_complexity_path",
           [](const Model& self) {
             std::vector<double> alphas, impurities;
             for (const forest::PathPoint& point : forest::cost_complexity_path(tree_at(self, 0))) {
               alphas.push_back(point.alpha);
               impurities.push_back(point.impurity);
             }
             return std::pair(to_numpy(std::move(alphas)), to_numpy(std::move(impurities)));
           })
      .def("to_bytes",
           [](const Model& self) {
             const std::string bytes = io::model_bytes(self);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def_static("from_bytes",
                  [](nb::bytes bytes) {
                    return io::model_from_bytes("bytes", {bytes.c_str(), bytes.size()});
                  })
      .def_static("joined", [](const std::vector<const Model*>& parts) { return joined(parts); })
      .def("rules", [](const Model& self, std::int64_t t) {
        tree_at(self, t);
        return io::rules_text(self, t);
      });
  return model;
}

}  // namespace

void bind_forest(nb::module_& module) {
  nb::module_ m = module.def_submodule("forest", "Decision trees and forests.");
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
  nb::class_<Model> model = bind_model(m);
  bind_table_type<float>(m, model);
  bind_table_type<double>(m, model);
}

}  // namespace yupana::python
