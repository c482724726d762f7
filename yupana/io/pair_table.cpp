#include "yupana/io/pair_table.hpp"

#include <atomic>

#include "yupana/core/escaped.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/io/number_text.hpp"

namespace yupana::io {
namespace {

struct Pair {
  std::int64_t i, j;
  double value;
};

}  // namespace

void check_names_of_parquet(const AtomicFile& file, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (is_utf8(name)) continue;
    throw bad_file(file.path(),
                   "expected sample names in UTF-8, which Parquet holds, got '{}'; rename the "
                   "sample, or write tsv",
                   name);
  }
}

PairTable::PairTable(AtomicFile& file,
                     const std::vector<std::string>& names,
                     const PairFilter& filter,
                     PairFormat format)
    : file_(file), names_(names), filter_(filter) {
  for (const std::string& name : names) longest_ = std::max(longest_, name.size());
  if (format == PairFormat::tsv) {
    check_names_of_text(file, names);
    file.write("sample1\tsample2\tvalue\n");
    return;
  }
  check_names_of_parquet(file, names);
  parquet_.emplace(file,
                   std::vector<ParquetColumn>{{"sample1", ParquetType::text},
                                              {"sample2", ParquetType::text},
                                              {"value", ParquetType::float64}});
}

void PairTable::write_band(Context& context, Range rows, const RowProducer& lower_rows) {
  if (rows.size() == 0) return;
  parquet_ ? write_parquet(context, rows, lower_rows) : write_text(context, rows, lower_rows);
}

std::uint64_t PairTable::parquet_bytes(const std::vector<std::string>& names) {
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  const std::uint64_t n = names.size();
  return ParquetWriter::memory(n * (n - 1) / 2, 2 * (4 + longest) + sizeof(double));
}

std::int64_t PairTable::finish() {
  if (parquet_) parquet_->finish();
  return listed_;
}

void PairTable::write_text(Context& context, Range band, const RowProducer& lower_rows) {
  std::atomic<std::int64_t> listed{0};
  TextRows rows;
  rows.size = std::ssize(names_);
  rows.rows = band;
  rows.producer = lower_rows;
  rows.bytes = [&](std::int64_t i) {
    return static_cast<std::size_t>(i) * (2 * longest_ + number_text_bytes + 3);
  };
  rows.text = [&](std::int64_t i, const double* row, char* out) {
    std::int64_t found = 0;
    for (std::int64_t j = 0; j < i; ++j) {
      if (!filter_.passes(row[j])) continue;
      out = put_text(names_[j], out);
      *out++ = '\t';
      out = put_text(names_[i], out);
      *out++ = '\t';
      out = write_shortest(row[j], out);
      *out++ = '\n';
      ++found;
    }
    listed.fetch_add(found, std::memory_order_relaxed);
    return out;
  };
  write_text_rows(context, file_, rows);
  listed_ += listed;
}

void PairTable::write_parquet(Context& context, Range band, const RowProducer& lower_rows) {
  const auto find = [&](std::int64_t i, const double* row, std::vector<Pair>& pairs) {
    for (std::int64_t j = 0; j < i; ++j) {
      if (filter_.passes(row[j])) pairs.push_back({i, j, row[j]});
    }
  };
  const auto put = [&](const Pair& pair) {
    parquet_->add(0, names_[static_cast<std::size_t>(pair.j)]);
    parquet_->add(1, names_[static_cast<std::size_t>(pair.i)]);
    parquet_->add(2, pair.value);
    parquet_->end_row();
    ++listed_;
  };
  put_pairs<Pair>(context, file_, std::ssize(names_), band, lower_rows, find, put);
}

}  // namespace yupana::io
