#include "yupana/io/kinship_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <mutex>
#include <utility>

#include "yupana/genotype/metric.hpp"
#include "yupana/io/number_text.hpp"

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

}  // namespace

/// A pair i > j of the table.
struct KinshipTable::Row {
  std::int64_t i = 0, j = 0;
  genotype::Kinship pair;
  genotype::Relationship relationship{};
  std::optional<genotype::IbdShares> shares = {};

  std::string_view relationship_name() const {
    return genotype::relationship_names[static_cast<std::size_t>(relationship)];
  }

  /// visit(row) for those pairs of i and the samples before it that are in the table; `kinships`
  /// are row i of the matrix.
  template <class Visit>
  static void for_each(const genotype::PairCounts& counts,
                       std::int64_t i,
                       const double* kinships,
                       double least,
                       const genotype::ExpectedIbs* expected,
                       const Visit& visit) {
    for (std::int64_t j = 0; j < i; ++j) {
      const double kinship = kinships[j];
      if (!(kinship >= least) && !(std::isnan(kinship) && std::isinf(least))) continue;
      Row row{i, j, genotype::kinship_of(counts, i, j, kinship)};
      row.relationship = genotype::relationship_of(row.pair);
      if (expected != nullptr) {
        row.shares = expected->shares(row.pair.sites, row.pair.ibs0, row.pair.ibs1);
      }
      visit(row);
    }
  }
};

KinshipTable::KinshipTable(AtomicFile& file,
                           std::vector<std::string> samples,
                           std::vector<std::string> id_columns,
                           bool ibd,
                           PairFormat format)
    : file_(file), samples_(std::move(samples)), id_columns_(id_columns.size()) {
  for (const std::string& name : samples_) longest_ = std::max(longest_, name.size());
  std::vector<ParquetColumn> columns = columns_of(id_columns, ibd);
  if (format == PairFormat::parquet) {
    check_names_of_parquet(file, samples_);
    parquet_.emplace(file, std::move(columns));
    return;
  }
  std::string head = "#";
  for (const ParquetColumn& column : columns) head += column.name + '\t';
  head.back() = '\n';
  file.write(head);
}

void KinshipTable::write_band(Context& context,
                              const genotype::PairCounts& counts,
                              double least,
                              const genotype::ExpectedIbs* expected) {
  parquet_ ? write_parquet(context, counts, least, expected)
           : write_text(context, counts, least, expected);
}

genotype::RelationshipCounts KinshipTable::finish() {
  if (parquet_) parquet_->finish();
  return std::exchange(all_, {});
}

std::uint64_t KinshipTable::parquet_bytes(const std::vector<std::string>& samples) {
  constexpr std::uint64_t numbers = 8 * sizeof(double), names = 5 * 4 + 6;
  std::size_t longest = 0;
  for (const std::string& name : samples) longest = std::max(longest, name.size());
  const std::uint64_t n = samples.size();
  return ParquetWriter::memory(n * (n - 1) / 2, 2 * longest + numbers + names);
}

char* KinshipTable::put_row(const Row& row, char* out) const {
  const genotype::Kinship& pair = row.pair;
  const auto put_numbers = [&](std::initializer_list<double> numbers) {
    for (const double number : numbers) {
      *out++ = '\t';
      out = write_shortest(number, out);
    }
  };
  out = put_text(samples_[static_cast<std::size_t>(row.i)], out);
  *out++ = '\t';
  out = put_text(samples_[static_cast<std::size_t>(row.j)], out);
  put_numbers({static_cast<double>(pair.sites),
               pair.share(pair.hethet),
               pair.share(pair.ibs0),
               pair.kinship});
  *out++ = '\t';
  out = put_text(row.relationship_name(), out);
  if (row.shares) {
    put_numbers({row.shares->none, row.shares->one, row.shares->both, row.shares->alleles()});
  }
  *out++ = '\n';
  return out;
}

void KinshipTable::write_text(Context& context,
                              const genotype::PairCounts& counts,
                              double least,
                              const genotype::ExpectedIbs* expected) {
  std::mutex adding;
  TextRows rows;
  rows.size = counts.samples;
  rows.rows = counts.rows;
  rows.producer = kinship_rows(counts);
  rows.bytes = [&](std::int64_t i) {
    return static_cast<std::size_t>(i) * (2 * longest_ + 8 * number_text_bytes + 16);
  };
  rows.text = [&](std::int64_t i, const double* kinships, char* out) {
    genotype::RelationshipCounts found;
    Row::for_each(counts, i, kinships, least, expected, [&](const Row& row) {
      found.add(row.relationship, row.i, row.j);
      out = put_row(row, out);
    });
    const std::lock_guard lock(adding);
    all_ += found;
    return out;
  };
  write_text_rows(context, file_, rows);
}

void KinshipTable::add_row(const Row& row) {
  std::size_t column = 0;
  const auto add = [&](const auto& cell) { parquet_->add(column++, cell); };
  for (const std::int64_t sample : {row.i, row.j}) {
    std::string_view name = samples_[static_cast<std::size_t>(sample)];
    // A name that is one column may have tabs in it.
    for (std::size_t left = id_columns_ - 1; left > 0; --left) {
      const std::size_t tab = name.find('\t');
      add(name.substr(0, tab));
      name.remove_prefix(tab + 1);
    }
    add(name);
  }
  add(static_cast<std::int64_t>(row.pair.sites));
  add(row.pair.share(row.pair.hethet));
  add(row.pair.share(row.pair.ibs0));
  add(row.pair.kinship);
  add(row.relationship_name());
  if (row.shares) {
    add(row.shares->none);
    add(row.shares->one);
    add(row.shares->both);
    add(row.shares->alleles());
  }
  parquet_->end_row();
}

void KinshipTable::write_parquet(Context& context,
                                 const genotype::PairCounts& counts,
                                 double least,
                                 const genotype::ExpectedIbs* expected) {
  genotype::RelationshipCounts found;
  const auto find = [&](std::int64_t i, const double* kinships, std::vector<Row>& rows) {
    Row::for_each(
        counts, i, kinships, least, expected, [&](const Row& row) { rows.push_back(row); });
  };
  const auto put = [&](const Row& row) {
    found.add(row.relationship, row.i, row.j);
    add_row(row);
  };
  put_pairs<Row>(context, file_, counts.samples, counts.rows, kinship_rows(counts), find, put);
  all_ += found;
}

}  // namespace yupana::io
