#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "python/bindings/call.hpp"
#include "python/bindings/choices.hpp"
#include "python/bindings/views.hpp"
#include "yupana/analysis/clustering.hpp"
#include "yupana/analysis/mds.hpp"
#include "yupana/analysis/measures.hpp"
#include "yupana/analysis/neighbor_joining.hpp"
#include "yupana/analysis/scores.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::python {
namespace {

using analysis::Linkage;
using analysis::Merge;

const Choices<Linkage> linkages{{"single", Linkage::single},
                                {"average", Linkage::average},
                                {"complete", Linkage::complete},
                                {"weighted", Linkage::weighted},
                                {"ward", Linkage::ward}};

/// Merges as scipy has them: left, right, height, size.
Matrix<double> rows_of(const std::vector<Merge>& merges) {
  Matrix<double> rows(std::ssize(merges), 4);
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    const Merge& merge = merges[static_cast<std::size_t>(i)];
    rows(i, 0) = static_cast<double>(merge.left);
    rows(i, 1) = static_cast<double>(merge.right);
    rows(i, 2) = merge.height;
    rows(i, 3) = static_cast<double>(merge.size);
  }
  return rows;
}

/// Merge i joins two earlier clusters; each is joined once.
std::vector<Merge> merges_of(const Rows<double>& rows) {
  const auto count = static_cast<std::int64_t>(rows.shape(0));
  const MatrixView<const double> view = view_of(rows);
  std::vector<Merge> merges;
  std::vector<std::uint8_t> joined(static_cast<std::size_t>(2 * count + 1), 0);
  const auto cluster = [&](double number, std::int64_t merge) {
    const auto known = static_cast<double>(count + 1 + merge);
    const bool whole = number >= 0 && number < known && number == std::floor(number);
    if (!whole || joined[static_cast<std::size_t>(number)]++ != 0) {
      throw input_error(
          "merges: row {} (from 1) joins {}, which is no cluster then", merge + 1, number);
    }
    return static_cast<std::int64_t>(number);
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t left = cluster(view(i, 0), i), right = cluster(view(i, 1), i);
    merges.push_back({left, right, view(i, 2), static_cast<std::int64_t>(view(i, 3))});
  }
  return merges;
}

const Choices<analysis::Joining> joinings{{"nj", analysis::Joining::nj},
                                          {"bionj", analysis::Joining::bionj}};

/// Parents have larger numbers than their children; inner nodes follow the leaves.
analysis::Phylogeny tree_of(std::vector<std::int64_t> parent, std::vector<double> length) {
  const std::int64_t nodes = std::ssize(parent);
  std::int64_t leaves = nodes;
  std::vector<bool> inner(parent.size());
  bool valid = length.size() == parent.size() && (nodes == 0 || parent.back() == -1);
  for (std::int64_t i = 0; valid && i + 1 < nodes; ++i) {
    const std::int64_t above = parent[static_cast<std::size_t>(i)];
    valid = above > i && above < nodes;
    if (!valid) break;
    inner[static_cast<std::size_t>(above)] = true;
    leaves = std::min(leaves, above);
  }
  for (std::int64_t i = leaves; valid && i < nodes; ++i) valid = inner[static_cast<std::size_t>(i)];
  if (!valid) {
    throw input_error(
        "tree: expected a length for each parent, parents of larger numbers than their children, "
        "leaves before inner nodes and -1 for the last");
  }
  return {leaves, std::move(parent), std::move(length)};
}

template <class T>
void bind_clusterings(nb::module_& m) {
  def<"_ _ squared dimensions">(
      m,
      "mds",
      [](const Options& options, Rows<T> distances, bool squared, std::int64_t dimensions) {
        analysis::MdsResult result = call(options, [&](Context& context) {
          const Entries entries = squared ? Entries::squares : Entries::distances;
          return analysis::mds(context, view_of(distances), entries, {dimensions});
        });
        nb::dict facts;
        facts["points"] = to_numpy<double>(std::move(result.points));
        facts["eigenvalues"] = to_numpy(std::move(result.eigenvalues));
        facts["share"] = to_numpy(std::move(result.share));
        facts["trace"] = result.trace;
        return facts;
      });
  m.def("linkage", [](const Options& options, Rows<T> distances, const std::string& method) {
    const Linkage linkage = chosen("method", method, linkages);
    return to_numpy(call(options, Runs::on_the_processor, [&](Context& context) {
      return rows_of(analysis::linkage(context, view_of(distances), linkage));
    }));
  });
  m.def("neighbor_joining",
        [](const Options& options, Rows<T> distances, const std::string& method) {
          const analysis::Joining joining = chosen("method", method, joinings);
          analysis::Phylogeny tree = call(options, [&](Context& context) {
            return analysis::neighbor_joining(context, view_of(distances), joining);
          });
          nb::dict facts;
          facts["parent"] = to_numpy(std::move(tree.parent));
          facts["length"] = to_numpy(std::move(tree.length));
          return facts;
        });
  m.def("minimum_spanning_tree", [](const Options& options, Rows<T> distances) {
    const auto edges = call(options, Runs::on_the_processor, [&](Context& context) {
      return analysis::minimum_spanning_tree(context, view_of(distances));
    });
    Matrix<std::int64_t> rows(std::ssize(edges), 2);
    for (std::int64_t i = 0; i < rows.rows(); ++i) {
      rows(i, 0) = edges[static_cast<std::size_t>(i)].first;
      rows(i, 1) = edges[static_cast<std::size_t>(i)].second;
    }
    return to_numpy(std::move(rows));
  });
  m.def("label_scores",
        [](const Options& options, Rows<T> distances, std::vector<std::int32_t> labels) {
          const analysis::LabelScores scores =
              call(options, Runs::on_the_processor, [&](Context& context) {
                return analysis::label_scores(context, view_of(distances), labels);
              });
          nb::dict facts;
          facts["silhouette"] = scores.silhouette;
          facts["adjusted_rand"] = scores.adjusted_rand;
          facts["nearest_neighbor"] = scores.nearest_neighbor;
          facts["individuals"] = scores.individuals;
          facts["classes"] = scores.classes;
          return facts;
        });
}

nb::dict facts_of(const analysis::Measures& measures) {
  nb::dict facts;
  facts["rows"] = measures.rows;
  for (const auto& [name, value] : measures.values) facts[name.c_str()] = value;
  return facts;
}

nb::dict class_measures(const Options& options, Vector<std::int32_t> codes, Rows<double> shares) {
  if (codes.shape(0) != shares.shape(0)) {
    throw input_error(
        "shares: expected a row for each of {} labels, got {}", codes.shape(0), shares.shape(0));
  }
  analysis::Measures measures = call(options, Runs::on_the_processor, [&](Context& context) {
    analysis::ClassTally tally(static_cast<std::int64_t>(shares.shape(1)),
                               static_cast<double>(context.memory()));
    tally.add(context, codes.data(), view_of(shares));
    return tally.measures(context);
  });
  nb::dict facts = facts_of(measures);
  facts["unknown_class_rows"] = measures.unknown;
  const auto list = [&](const char* name, const auto& value) {
    std::vector<std::decay_t<decltype(value(measures.classes[0]))>> values;
    for (const analysis::ClassMeasures& own : measures.classes) values.push_back(value(own));
    facts[name] = to_numpy(std::move(values));
  };
  using Own = analysis::ClassMeasures;
  list("class_rows", [](const Own& own) { return own.rows; });
  list("class_predicted", [](const Own& own) { return own.predicted; });
  list("class_precision", [](const Own& own) { return own.precision(); });
  list("class_recall", [](const Own& own) { return own.recall(); });
  list("class_f1", [](const Own& own) { return own.f1(); });
  list("class_roc_auc", [](const Own& own) { return own.roc_auc; });
  list("class_pr_auc", [](const Own& own) { return own.pr_auc; });
  facts["confusion"] = to_numpy(std::move(measures.confusion));
  return facts;
}

nb::dict number_measures(const Options& options, Vector<double> values, Vector<double> predicted) {
  if (values.shape(0) != predicted.shape(0)) {
    throw input_error("predicted: expected a number for each of {} labels, got {}",
                      values.shape(0),
                      predicted.shape(0));
  }
  const analysis::Measures measures = call(options, Runs::on_the_processor, [&](Context& context) {
    analysis::NumberTally tally(static_cast<double>(context.memory()));
    tally.add(values.data(), {predicted.data(), size_of(predicted), 1});
    return tally.measures();
  });
  nb::dict facts = facts_of(measures), quantiles;
  for (const auto& [p, error] : measures.error_quantiles) quantiles[nb::float_(p)] = error;
  facts["error_quantiles"] = quantiles;
  return facts;
}

}  // namespace

void bind_analysis(nb::module_& module) {
  nb::module_ m = module.def_submodule("analysis", "What distances tell.");
  bind_clusterings<std::int32_t>(m);
  bind_clusterings<float>(m);
  bind_clusterings<double>(m);
  m.def("linkage", [](const Options& options, Vector<double> pairs, const std::string& method) {
    const Linkage linkage = chosen("method", method, linkages);
    return to_numpy(call(options, Runs::on_the_processor, [&](Context& context) {
      return rows_of(analysis::linkage_condensed(context, {pairs.data(), pairs.size()}, linkage));
    }));
  });
  m.def("class_measures", class_measures);
  m.def("number_measures", number_measures);
  m.def("leaf_order",
        [](Rows<double> merges) { return to_numpy(analysis::leaf_order(merges_of(merges))); });
  m.def(
      "cut_tree",
      [](Rows<double> merges, std::int64_t clusters) {
        return to_numpy(analysis::cut_tree(merges_of(merges), clusters));
      },
      nb::arg(),
      nb::arg("clusters"));
  m.def("newick", [](Rows<double> merges, const std::vector<std::string>& names) {
    return analysis::newick(merges_of(merges), names);
  });
  using Parents = std::vector<std::int64_t>;
  using Numbers = std::vector<double>;
  m.def("tree_newick",
        [](Parents parent, Numbers length, const std::vector<std::string>& names, Numbers support) {
          if (!support.empty() && support.size() != parent.size()) {
            throw input_error("support: expected a number for each of {} nodes, got {}",
                              parent.size(),
                              support.size());
          }
          return analysis::newick(tree_of(std::move(parent), std::move(length)), names, support);
        });
  m.def("tree_support",
        [](Parents parent, Numbers length, std::vector<std::pair<Parents, Numbers>> others) {
          analysis::SplitCounts counts(tree_of(std::move(parent), std::move(length)));
          for (auto& [above, branch] : others)
            counts.add(tree_of(std::move(above), std::move(branch)));
          return to_numpy(counts.percent());
        });
  m.def("adjusted_rand",
        [](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
          return analysis::adjusted_rand(a, b);
        });
}

}  // namespace yupana::python
