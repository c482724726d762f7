#include "yupana/io/pair_table.hpp"

#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/io/matrix_writer.hpp"

namespace yupana::io {
namespace {

struct Pair {
  std::int64_t i, j;
  double value;
};

std::size_t longest_of(const std::vector<std::string>& names) {
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  return longest;
}

void check_names_of_parquet(const AtomicFile& file, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (is_utf8(name)) continue;
    throw bad_file(file.path(),
                   "expected sample names in UTF-8, which Parquet holds, got '{}'; rename the "
                   "sample, or write tsv",
                   name);
  }
}

}  // namespace

PairFile::PairFile(AtomicFile& file,
                   const std::vector<std::string>& names,
                   std::vector<ParquetColumn> columns,
                   PairFormat format,
                   std::string mark,
                   std::size_t most)
    : file_(file), samples_(std::ssize(names)), most_(most), longest_(longest_of(names)) {
  if (format == PairFormat::parquet) {
    check_names_of_parquet(file, names);
    parquet_.emplace(file, std::move(columns));
    return;
  }
  std::string head = std::move(mark);
  for (const ParquetColumn& column : columns) head += column.name + '\t';
  head.back() = '\n';
  file.write(head);
}

std::uint64_t PairFile::parquet_bytes(const std::vector<std::string>& names, std::size_t others) {
  const std::uint64_t n = names.size();
  return ParquetWriter::memory(n * (n - 1) / 2, 2 * longest_of(names) + others);
}

PairTable::PairTable(AtomicFile& file,
                     const std::vector<std::string>& names,
                     const PairFilter& filter,
                     PairFormat format)
    : names_(names),
      filter_(filter),
      file_(file,
            names,
            {{"sample1", ParquetType::text},
             {"sample2", ParquetType::text},
             {"value", ParquetType::float64}},
            format,
            "",
            number_text_bytes) {
  if (format == PairFormat::tsv) check_names_of_text(file, names);
}

void PairTable::write_band(Context& context, Range rows, const RowProducer& lower_rows) {
  const auto find = [&](std::int64_t i, const double* row, const auto& take) {
    std::int64_t found = 0;
    for (std::int64_t j = 0; j < i; ++j) {
      if (!filter_.passes(row[j])) continue;
      take(Pair{i, j, row[j]});
      ++found;
    }
    listed_ += found;
  };
  const auto put = [&](const Pair& pair, auto& cells) {
    cells.add(names_[static_cast<std::size_t>(pair.j)]);
    cells.add(names_[static_cast<std::size_t>(pair.i)]);
    cells.add(pair.value);
  };
  file_.write_band<Pair>(context, rows, lower_rows, find, put);
}

std::uint64_t PairTable::parquet_bytes(const std::vector<std::string>& names) {
  return PairFile::parquet_bytes(names, 2 * 4 + sizeof(double));
}

std::int64_t PairTable::finish() {
  file_.finish();
  return listed_;
}

}  // namespace yupana::io
