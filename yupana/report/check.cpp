#include "yupana/report/check.hpp"

#include <algorithm>

#include "yupana/core/messages.hpp"

namespace yupana::report {
namespace {

void expect(bool holds, std::string_view part, std::int64_t expected, std::int64_t got) {
  if (holds) return;
  throw usage_error(
      "report: {}: expected {}, got {}; fill the report from one cohort", part, expected, got);
}

void check_heat_map(const HeatMap& map, std::int64_t individuals) {
  const auto ordered = static_cast<std::int64_t>(map.order.size());
  expect(map.individuals >= map.cells.size(),
         "individuals under a heat map's cells",
         map.cells.size(),
         map.individuals);
  expect(ordered == 0 || ordered == map.individuals, "clustered order", map.individuals, ordered);
  for (const std::int64_t i : map.order) {
    expect(0 <= i && i < individuals, "individual of the clustered order below", individuals, i);
  }
}

void check_tree(const Tree& tree, std::int64_t individuals) {
  const auto merges = static_cast<std::int64_t>(tree.merges.size());
  expect(merges == std::max<std::int64_t>(individuals - 1, 0),
         "merges of a tree",
         std::max<std::int64_t>(individuals - 1, 0),
         merges);
  const std::int64_t tips = std::ssize(tree.tips), support = std::ssize(tree.support);
  expect(tips == 0 || tips == individuals, "tips of a tree", individuals, tips);
  expect(support == 0 || support == merges, "supports of a tree", merges, support);
  for (std::int64_t k = 0; k < merges; ++k) {
    const Tree::Merge& merge = tree.merges[static_cast<std::size_t>(k)];
    for (const std::int64_t child : {merge.left, merge.right}) {
      expect(
          0 <= child && child < individuals + k, "child of a merge below", individuals + k, child);
    }
  }
}

}  // namespace

void check(const Report& report) {
  const auto individuals = static_cast<std::int64_t>(report.individuals.size());
  const auto names = static_cast<std::int64_t>(report.class_names.size());
  const auto classes = static_cast<std::int64_t>(report.classes.size());
  expect(names == 0 || classes == individuals, "classes of individuals", individuals, classes);
  const auto styles = std::ssize(report.class_styles);
  expect(styles == 0 || styles == names, "styles of classes", names, styles);
  if (report.covariate) {
    const auto values = std::ssize(report.covariate->values);
    expect(values == individuals, "values of a covariate", individuals, values);
  }
  if (names > 0) {
    for (const std::int32_t c : report.classes)
      expect(-1 <= c && c < names, "class below", names, c);
  }
  for (const Embedding& embedding : report.embeddings) {
    expect(embedding.points.rows() == individuals,
           "points of an embedding",
           individuals,
           embedding.points.rows());
  }
  const auto embeddings = static_cast<std::int64_t>(report.embeddings.size());
  for (std::int64_t k = 0; k < std::min<std::int64_t>(2, embeddings); ++k) {
    const std::int64_t shown = report.side_by_side[static_cast<std::size_t>(k)];
    expect(0 <= shown && shown < embeddings, "embedding side by side, below", embeddings, shown);
  }
  for (const HeatMap& map : report.heat_maps) check_heat_map(map, individuals);
  for (const Tree& tree : report.trees) check_tree(tree, individuals);
  const auto alphas = static_cast<std::int64_t>(report.alphas.size());
  const auto kept = static_cast<std::int64_t>(report.kept_edges.size());
  expect(alphas == kept, "shares of edges kept", alphas, kept);
}

}  // namespace yupana::report
