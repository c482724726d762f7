
#include "python/bindings/forest.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/call.hpp"
#include "yupana/core/finite.hpp"
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

/// At once where it takes less than a millisecond: rows are packed and go down, nodes are packed.
Runs runs_of(const Model& model, std::int64_t rows, std::int64_t columns) {
  std::int64_t steps = rows * (columns + 16 * std::ssize(model.trees));
  for (const Tree& tree : model.trees) steps += 8 * std::ssize(tree.nodes);
  return steps <= 400'000 ? Runs::at_once : Runs::anywhere;
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
void bind_table_type(nb::class_<Model>& model) {
  def<"_ _ codes? values? growing">(
      model,
      "out_of_bag",
      [](const Model& self,
         const Options& options,
         Cells<T> table,
         const Labels<std::int32_t>& codes,
         const Labels<double>& values,
         const Growing& growing) {
        const TableView<T> view = table_of(table);
        const forest::Target target = target_of(view.rows, codes, values, {}, self.classes.size());
        forest::OutOfBag held = call(options, [&](Context& context) {
          Array<T> turned;
          const TableView<T> columns = forest::in_columns(context, view, turned);
          return forest::out_of_bag(context, self.trees, columns, target, growing.params);
        });
        const std::int64_t outputs = held.values.size() / view.rows;
        return std::pair(held.score, owned<double>(std::move(held.values), {view.rows, outputs}));
      });
#ifdef YUPANA_CUDA
  model.def("predict_shares", [](const Model& self, const Options& options, Resident<T> table) {
    const std::int64_t outputs = self.is_class() ? std::ssize(self.classes) : 1;
    const auto predict = [&](Context&, double* shares) {
      forest::cuda::predict_resident_shares<T>(self, table.device_id(), table_of(table), shares);
    };
    return made_at<double>(
        table.device_id(), options, Runs::anywhere, {extent(table, 0), outputs}, predict);
  });
  model.def("apply", [](const Model& self, const Options& options, Resident<T> table) {
    const std::int64_t rows = extent(table, 0), trees = std::ssize(self.trees);
    const auto apply = [&](Context&, std::int64_t* wide) {
      yupana::cuda::DeviceArray<std::int32_t> leaves(rows * trees);
      forest::cuda::apply_to_resident<T>(self, table.device_id(), table_of(table), leaves.data());
      const yupana::cuda::Stream stream;
      arrays::cuda::convert(leaves.data(), leaves.size(), wide, stream);
      stream.wait();
    };
    return made_at<std::int64_t>(table.device_id(), options, Runs::anywhere, {rows, trees}, apply);
  });
#endif
  const auto predict = [](auto&& function) {
    return [=](const Model& self, const Options& options, Cells<T> table, bool finite) {
      const TableView<T> rows = table_of(table);
      const auto infinite = finite ? forest::Infinite::refused : forest::Infinite::taken;
      const Runs runs = runs_of(self, rows.rows, rows.columns);
      return to_numpy(call(options, runs, [&](Context& context) {
        return function(context, self, rows, infinite);
      }));
    };
  };
  const auto finite = nb::arg("finite") = false;
  const auto any = nb::arg();
  model.def("predict_shares", predict(forest::predict_shares<T>), any, any, finite);
  model.def("predict_classes", predict(forest::predict_classes<T>), any, any, finite);
  const auto apply = [](auto&&... arguments) {
    const auto leaves = forest::apply<T>(arguments...);
    Matrix<std::int64_t> wide(leaves.rows(), leaves.cols());
    std::copy_n(leaves.data(), wide.rows() * wide.cols(), wide.data());
    return wide;
  };
  model.def("apply", predict(apply), any, any, finite);
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
      .def("on_asked_columns",
           [](const Model& self) {
             auto [own, columns] = forest::on_asked_columns(self);
             return std::pair(std::move(own), to_numpy(std::move(columns)));
           })
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
  bind_growing(m);
  nb::class_<Model> model = bind_model(m);
  bind_table_type<float>(model);
  bind_table_type<double>(model);
  const auto finite = [](const Options& options, auto table, bool allow_nan) {
    const auto cells = table_of(table);
    const bool is_small = cells.rows * cells.columns < 100'000;
    return call(options, is_small ? Runs::at_once : Runs::on_the_processor, [&](Context& context) {
      return all_finite(context, cells, allow_nan);
    });
  };
  m.def("all_finite", [=](const Options& options, Cells<float> table, bool allow_nan) {
    return finite(options, table, allow_nan);
  });
  m.def("all_finite", [=](const Options& options, Cells<double> table, bool allow_nan) {
    return finite(options, table, allow_nan);
  });
}

}  // namespace yupana::python
