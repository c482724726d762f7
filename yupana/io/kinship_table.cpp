#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "yupana/genotype/metric.hpp"
#include "yupana/io/pair_table.hpp"

namespace yupana::io {
namespace {

std::vector<ParquetColumn> columns_of(const std::vector<std::string>& ids, bool ibd) {
  std::vector<ParquetColumn> columns;
  for (const char* sample : {"1", "2"}) {
    for (const std::string& id : ids) columns.push_back({id + sample, ParquetType::text});
  }
  columns.push_back({"NSNP", ParquetType::int64});
  for (const char* name : {"HETHET", "IBS0", "KINSHIP"}) {
    columns.push_back({name, ParquetType::float64});
  }
  columns.push_back({"RELATIONSHIP", ParquetType::text});
  if (!ibd) return columns;
  for (const char* name : {"Z0", "Z1", "Z2", "PI_HAT"}) {
    columns.push_back({name, ParquetType::float64});
  }
  return columns;
}

RowProducer kinship_rows(const genotype::PairCounts& counts) {
  return [&counts](std::int64_t i, double* row) {
    genotype::metric_lower_row(counts, {.metric = genotype::Metric::king}, i, row);
  };
}

/// A pair i > j of the table.
struct Row {
  std::int64_t i = 0, j = 0;
  genotype::Kinship pair;
  genotype::Relationship relationship{};
  std::optional<genotype::IbdShares> shares = {};
};

/// A name that is one column may have tabs in it.
template <class Cells>
void put_name(std::string_view name, std::size_t id_columns, Cells& cells) {
  for (std::size_t left = id_columns - 1; left > 0; --left) {
    const std::size_t tab = name.find('\t');
    cells.add(name.substr(0, tab));
    name.remove_prefix(tab + 1);
  }
  cells.add(name);
}

template <class Cells>
void put_numbers(const Row& row, Cells& cells) {
  cells.add(static_cast<std::int64_t>(row.pair.sites));
  cells.add(row.pair.share(row.pair.hethet));
  cells.add(row.pair.share(row.pair.ibs0));
  cells.add(row.pair.kinship);
  cells.add(genotype::relationship_names[static_cast<std::size_t>(row.relationship)]);
  if (!row.shares) return;
  cells.add(row.shares->none);
  cells.add(row.shares->one);
  cells.add(row.shares->both);
  cells.add(row.shares->alleles());
}

}  // namespace

KinshipTable::KinshipTable(AtomicFile& file,
                           std::vector<std::string> samples,
                           std::vector<std::string> id_columns,
                           bool ibd,
                           PairFormat format)
    : samples_(std::move(samples)),
      id_columns_(id_columns.size()),
      file_(file, samples_, columns_of(id_columns, ibd), format, "#", 8 * number_text_bytes + 16) {}

void KinshipTable::write_band(Context& context,
                              const genotype::PairCounts& counts,
                              double least,
                              const genotype::ExpectedIbs* expected) {
  std::mutex adding;
  const auto find = [&](std::int64_t i, const double* kinships, const auto& take) {
    genotype::RelationshipCounts found;
    for (std::int64_t j = 0; j < i; ++j) {
      const double kinship = kinships[j];
      if (!(kinship >= least) && !(std::isnan(kinship) && std::isinf(least))) continue;
      Row row{i, j, genotype::kinship_of(counts, i, j, kinship)};
      row.relationship = genotype::relationship_of(row.pair);
      if (expected != nullptr) {
        row.shares = expected->shares(row.pair.sites, row.pair.ibs0, row.pair.ibs1);
      }
      found.add(row.relationship, i, j);
      take(row);
    }
    const std::lock_guard lock(adding);
    all_ += found;
  };
  const auto put = [&](const Row& row, auto& cells) {
    put_name(samples_[static_cast<std::size_t>(row.i)], id_columns_, cells);
    put_name(samples_[static_cast<std::size_t>(row.j)], id_columns_, cells);
    put_numbers(row, cells);
  };
  file_.write_band<Row>(context, counts.rows, kinship_rows(counts), find, put);
}

genotype::RelationshipCounts KinshipTable::finish() {
  file_.finish();
  return std::exchange(all_, {});
}

std::uint64_t KinshipTable::parquet_bytes(const std::vector<std::string>& samples) {
  return PairFile::parquet_bytes(samples, 8 * sizeof(double) + 5 * 4 + 6);
}

}  // namespace yupana::io
