#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "yupana/job/analyze.hpp"
#include "yupana/job/describe.hpp"

namespace yupana::job {
namespace {

/// Pairs of duplicates that are named in the report.
constexpr std::size_t named_duplicates = 50;

constexpr const char* relationship_texts[] = {"duplicates or monozygotic twins",
                                              "parent and child",
                                              "full siblings",
                                              "second degree",
                                              "third degree",
                                              "unrelated",
                                              "not known"};

report::TextTable degrees_of(const FermatJobResult& result) {
  const genotype::RelationshipCounts& counts = *result.relationships;
  report::TextTable table{
      "Relatives",
      "Pairs by their KING-robust kinship: bounds at 0.354, 0.177, 0.0884 and 0.0442; of the first "
      "degree those with opposite homozygotes at less than 0.5 % of the sites are parent and "
      "child.",
      {"Relationship", "Pairs"},
      {}};
  for (std::size_t r = 0; r < counts.pairs.size(); ++r) {
    if (counts.pairs[r] == 0) continue;
    table.rows.push_back({relationship_texts[r], grouped(counts.pairs[r])});
  }
  const std::size_t named = std::min(counts.duplicates.size(), named_duplicates);
  for (std::size_t k = 0; k < named; ++k) {
    const auto [i, j] = counts.duplicates[k];
    table.note += fmt::format("{} {} = {}",
                              k == 0 ? " Duplicates or twins:" : ",",
                              result.names[static_cast<std::size_t>(j)],
                              result.names[static_cast<std::size_t>(i)]);
  }
  if (named < counts.duplicates.size()) {
    table.note += fmt::format(", and {} more", counts.duplicates.size() - named);
  }
  if (named > 0) table.note += ".";
  return table;
}

std::string number_or_dash(double value) {
  return std::isnan(value) ? "\u2013" : fmt::format("{:.4f}", value);
}

report::TextTable pairs_of_populations(const FermatJobResult& result,
                                       std::string title,
                                       std::string note,
                                       const std::vector<double>& values) {
  report::TextTable table{std::move(title), std::move(note), {"Population", "Individuals"}, {}};
  table.head.insert(table.head.end(), result.populations.begin(), result.populations.end());
  const genotype::PopulationPairs& pairs = result.population_pairs;
  for (std::int64_t a = 0; a < std::ssize(pairs.sizes); ++a) {
    const auto k = static_cast<std::size_t>(a);
    std::vector<std::string> row = {result.populations[k], grouped(pairs.sizes[k])};
    for (std::int64_t b = 0; b < std::ssize(pairs.sizes); ++b) {
      row.push_back(number_or_dash(values[static_cast<std::size_t>(pairs.cell(a, b))]));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::vector<report::TextTable> tables_of(const FermatJobResult& result) {
  std::vector<report::TextTable> tables;
  if (result.relationships) tables.push_back(degrees_of(result));
  if (result.populations.empty()) return tables;
  tables.push_back(pairs_of_populations(result,
                                        "F_ST between populations",
                                        "Hudson's estimator (Bhatia et al. 2013), the ratio of the "
                                        "averages over all sites kept. Below "
                                        "0 means: no difference that samples of these sizes show.",
                                        result.population_pairs.fst));
  tables.push_back(pairs_of_populations(result,
                                        "Identity by state",
                                        "The mean of 1 \u2212 |x \u2212 x\u2032| / 2 over sites "
                                        "and pairs of individuals, one of each "
                                        "population; on the diagonal two of the same.",
                                        result.population_pairs.ibs));
  return tables;
}

}  // namespace yupana::job
