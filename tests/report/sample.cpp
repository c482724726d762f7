#include "tests/report/sample.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace yupana::report {
namespace {

constexpr std::int64_t dimensions = 10;
constexpr std::uint32_t seed = 14;

Matrix<double> clustered_points(const Report& report, double spread) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto n = static_cast<std::int64_t>(report.individuals.size());
  Matrix<double> centers(static_cast<std::int64_t>(report.class_names.size()) + 1, dimensions);
  for (std::int64_t c = 0; c < centers.rows(); ++c) {
    for (std::int64_t k = 0; k < dimensions; ++k) {
      centers(c, k) = 30 * normal(random) / (k + 1.0);
    }
  }
  Matrix<double> points(n, dimensions);
  std::mt19937 noise(seed + 1);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int32_t c = report.classes.empty() ? 0 : report.classes[static_cast<std::size_t>(i)];
    for (std::int64_t k = 0; k < dimensions; ++k) {
      const double own = spread * normal(noise) / std::sqrt(k + 1.0);
      points(i, k) = centers(c < 0 ? centers.rows() - 1 : c, k) + own;
    }
  }
  return points;
}

/// Centres the columns, as an embedding is; gives each one's share of the variation.
std::vector<double> center(Matrix<double>& points) {
  std::vector<double> share;
  double total = 0;
  for (std::int64_t k = 0; k < points.cols(); ++k) {
    double mean = 0, sum = 0;
    for (std::int64_t i = 0; i < points.rows(); ++i) mean += points(i, k) / points.rows();
    for (std::int64_t i = 0; i < points.rows(); ++i) {
      points(i, k) -= mean;
      sum += points(i, k) * points(i, k);
    }
    share.push_back(sum);
    total += sum;
  }
  for (double& value : share) value /= total;
  return share;
}

SquareMatrix<float> distances(const Matrix<double>& points, const std::vector<std::int64_t>& of) {
  const auto n = static_cast<std::int64_t>(of.size());
  SquareMatrix<float> result(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < dimensions; ++k) {
        const double difference =
            points(of[static_cast<std::size_t>(i)], k) - points(of[static_cast<std::size_t>(j)], k);
        sum += difference * difference;
      }
      result(i, j) = static_cast<float>(std::sqrt(sum));
    }
  }
  return result;
}

SquareMatrix<float> fermat(const SquareMatrix<float>& plain) {
  const std::int64_t n = plain.size();
  SquareMatrix<float> result(n);
  for (std::int64_t i = 0; i < n * n; ++i) result.data()[i] = plain.data()[i] * plain.data()[i];
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        result(i, j) = std::min(result(i, j), result(i, k) + result(k, j));
      }
    }
  }
  return result;
}

Histogram histogram_of(const std::string& name, const SquareMatrix<float>& values) {
  constexpr std::int64_t bins = 60;
  Histogram histogram;
  histogram.name = name;
  histogram.counts.assign(bins, 0);
  for (std::int64_t i = 0; i < values.size() * values.size(); ++i) {
    histogram.high = std::max<double>(histogram.high, values.data()[i]);
  }
  for (std::int64_t i = 1; i < values.size(); ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      const auto bin = static_cast<std::int64_t>(bins * values(i, j) / histogram.high);
      ++histogram.counts[static_cast<std::size_t>(std::min(bin, bins - 1))];
    }
  }
  return histogram;
}

void add_individuals(Report& report, std::int64_t individuals, std::int64_t classes) {
  const std::vector<std::string> known = {"CEU", "YRI", "CHB", "MXL"};
  std::mt19937 random(7);
  for (std::int64_t c = 0; c < classes; ++c) {
    const auto k = static_cast<std::size_t>(c);
    report.class_names.push_back(k < known.size() ? known[k] : fmt::format("population {}", c + 1));
  }
  for (std::int64_t i = 0; i < individuals; ++i) {
    report.individuals.push_back(fmt::format("NA{:05}", 6984 + 7 * i));
    if (classes == 0) continue;
    const std::int64_t c = static_cast<std::int64_t>(random()) % classes;
    report.classes.push_back(i % 97 == 96 ? -1 : static_cast<std::int32_t>(c));
  }
}

/// Positions sorted by class, at most 512 of them, evenly taken.
std::vector<std::int64_t> clustered_order(const Report& report) {
  std::vector<std::int64_t> order(report.individuals.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  if (report.classes.empty()) return order;
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return report.classes[static_cast<std::size_t>(a)] <
           report.classes[static_cast<std::size_t>(b)];
  });
  return order;
}

/// Neighbours of the clustered order joined pairwise, and the pairs, and so on.
Tree tree_of(const std::string& name, const std::vector<std::int64_t>& order) {
  Tree tree{name, "mm", "average", {}};
  std::vector<std::int64_t> clusters = order;
  auto next = static_cast<std::int64_t>(order.size());
  for (float height = 1; clusters.size() > 1; height *= 1.7f) {
    std::vector<std::int64_t> joined;
    for (std::size_t k = 0; k + 1 < clusters.size(); k += 2) {
      const auto [left, right] = std::minmax(clusters[k], clusters[k + 1]);
      tree.merges.push_back(
          {static_cast<std::int32_t>(left), static_cast<std::int32_t>(right), height});
      joined.push_back(next++);
    }
    if (clusters.size() % 2 == 1) joined.push_back(clusters.back());
    clusters = std::move(joined);
  }
  return tree;
}

void add_words(Report& report) {
  report.findings = {
      "Fermat distances with α = 2 replaced 41 % of the direct edges by paths through others.",
      "They separate the labels better than d² does: the mean silhouette rises from 0.52 to 0.71.",
      "After the 1/α root the gain is 0.03: most of it comes from the power, not from the paths."};
  report.notices = {
      "3 individuals without a label are drawn in grey and left out of the scores.",
      "2 pairs look like duplicates or close relatives (distance below a fifth of the median)."};
  report.summary = {
      {"Input", "cohort.vcf.gz"},
      {"Individuals", fmt::format("{}", report.individuals.size())},
      {"Sites used", "812,337 of 1,103,547 (biallelic, minor allele frequency ≥ 0.01)"},
      {"Missing genotypes", "0.42 %"},
      {"Distance", "Euclidean, pairwise complete"},
      {"Time", "read 3.1 s, distances 0.4 s, paths 0.1 s, analysis 0.2 s"},
      {"Version", "yupana 0.1.0, 2 threads, AVX-512"}};
  report.scores = {{"d", 0.412, 0.886, 0.983},
                   {"d^α", 0.523, 0.886, 0.983},
                   {"F", 0.709, 0.943, 0.987},
                   {"F^(1/α)", 0.441, 0.943, 0.987}};
  report.newick = {{"d, average linkage", "((NA06984:1,NA06991:1):2,NA06998:3);"},
                   {"F, average linkage", "((NA06984:1,NA06998:1):2,NA06991:3);"}};
}

}  // namespace

Report sample_report(std::int64_t individuals, std::int64_t classes) {
  Report report;
  report.title = "Fermat distances of an invented cohort";
  add_individuals(report, individuals, classes);
  Matrix<double> plain = clustered_points(report, 9), close = clustered_points(report, 4);
  const std::vector<std::int64_t> order = clustered_order(report);
  std::vector<std::int64_t> rows;
  const std::int64_t cells = std::min<std::int64_t>(individuals, 512);
  for (std::int64_t r = 0; r < cells; ++r) {
    rows.push_back(order[static_cast<std::size_t>(r * individuals / cells)]);
  }
  SquareMatrix<float> d = distances(plain, rows), f = fermat(d);
  report.histograms.push_back(histogram_of("Euclidean d", d));
  report.histograms.push_back(histogram_of("Fermat F, α = 2", f));
  report.heat_maps.push_back({"Euclidean d", std::move(d), individuals, order, {}});
  report.heat_maps.push_back({"Fermat F, α = 2", std::move(f), individuals, order, {}});
  std::vector<double> share = center(plain);
  report.embeddings.push_back({"Euclidean d", std::move(plain), std::move(share), {}});
  share = center(close);
  report.embeddings.push_back({"Fermat F, α = 2", std::move(close), std::move(share), {}});
  report.trees = {tree_of("Euclidean d", order), tree_of("Fermat F, α = 2", order)};
  report.trees[1].tips.assign(order.size(), 0.3f);
  report.trees[1].support.assign(report.trees[1].merges.size(), 87);
  report.subtitle = fmt::format("{} individuals, Euclidean distance", individuals);
  for (HeatMap& map : report.heat_maps) map.unit = "mm";
  for (Histogram& histogram : report.histograms) histogram.unit = "mm";
  for (Embedding& embedding : report.embeddings) embedding.unit = "mm";
  report.alphas = {1, 1.5, 2, 4, 8, 16, 32};
  report.run_alphas = {2, 8};
  report.curve_note = "Of all pairs of the full matrix.";
  report.kept_edges = {1, 0.83, 0.59, 0.31, 0.19, 0.12, 0.1};
  add_words(report);
  return report;
}

const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> names = {"</script><script>window.harmed = 1</script>",
                                                 "\"><img src=x onerror=\"window.harmed = 1\">",
                                                 "<!--<script>",
                                                 "' onmouseover='window.harmed = 1",
                                                 "]]>&lt;\\u003c{{data}}",
                                                 "tab\tnew\nline\x01",
                                                 "not UTF-8: \xff\xfe\xc3",
                                                 std::string(3000, 'W')};
  return names;
}

Report hostile_report() {
  const std::vector<std::string>& names = hostile_names();
  const auto n = static_cast<std::int64_t>(names.size());
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Report report = sample_report(n, n);
  report.title = names[0];
  report.individuals = report.class_names = names;
  report.findings = report.notices = names;
  for (std::size_t i = 0; i < 2; ++i) {
    report.embeddings[i].name = report.heat_maps[i].name = report.histograms[i].name = names[i];
    report.embeddings[i].unit = report.heat_maps[i].unit = report.histograms[i].unit = names[i];
    report.trees[i].name = report.trees[i].unit = report.trees[i].linkage = names[i];
  }
  report.embeddings[1].points(1, 0) = nan;
  report.embeddings[1].points(2, 1) = infinity;
  report.embeddings[1].share = {nan};
  report.heat_maps[0].cells(2, 1) = report.heat_maps[0].cells(1, 2) = std::nanf("");
  report.kept_edges[1] = nan;
  report.run_alphas = {infinity, nan};
  report.subtitle = report.curve_note = names[0];
  report.trees[0].merges.back().height = std::numeric_limits<float>::infinity();
  report.scores[0].silhouette = nan;
  for (const std::string& name : names) {
    report.scores.push_back({name, infinity, nan, -infinity});
    report.summary.push_back({name, name});
    report.newick.push_back({name, name});
  }
  return report;
}

Report bare_report(std::int64_t individuals, std::int64_t dimensions_kept) {
  Report report;
  for (std::int64_t i = 0; i < individuals; ++i)
    report.individuals.push_back(fmt::format("i{}", i));
  Embedding embedding = {"d", Matrix<double>(individuals, dimensions_kept), {}, {}};
  for (std::int64_t i = 0; i < individuals * dimensions_kept; ++i) {
    embedding.points.data()[i] = static_cast<double>(i);
  }
  report.embeddings.push_back(std::move(embedding));
  SquareMatrix<float> zeros(individuals);
  std::fill(zeros.data(), zeros.data() + individuals * individuals, 0.0f);
  report.heat_maps.push_back({"d", std::move(zeros), individuals, {}, {}});
  report.histograms.push_back({"d", 0, 0, {}, {}});
  return report;
}

}  // namespace yupana::report
