#include "yupana/io/pair_table.hpp"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/core/version.hpp"
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

constexpr std::string_view parquet_magic = "PAR1";
constexpr std::int64_t group_rows = std::int64_t{1} << 17;
constexpr std::size_t group_bytes = std::size_t{16} << 20;

// Enumerations of parquet.thrift.
constexpr int plain_encoding = 0, rle_encoding = 3, zstd_codec = 6, data_page = 0, required = 0,
              utf8_text = 0;

template <class T>
void append_bytes(std::string& bytes, T value) {
  static_assert(std::endian::native == std::endian::little);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A struct in Thrift's compact protocol: fields are added by ascending number.
class ThriftStruct {
 public:
  enum Type : std::uint8_t { i32 = 5, i64 = 6, binary = 8, list = 9, structure = 12 };

  void add(int field, std::int32_t value) { put_integer(begin(field, i32), value); }
  void add(int field, std::int64_t value) { put_integer(begin(field, i64), value); }
  void add(int field, std::string_view text) { put_text(begin(field, binary), text); }
  void add(int field, const ThriftStruct& value) { begin(field, structure) += value.bytes(); }
  void add(int field, const std::vector<ThriftStruct>& values) {
    std::string& out = put_size(begin(field, list), values.size(), structure);
    for (const ThriftStruct& value : values) out += value.bytes();
  }
  void add(int field, const std::vector<std::int32_t>& values) {
    std::string& out = put_size(begin(field, list), values.size(), i32);
    for (const std::int32_t value : values) put_integer(out, value);
  }
  void add(int field, const std::vector<std::string>& texts) {
    std::string& out = put_size(begin(field, list), texts.size(), binary);
    for (const std::string& text : texts) put_text(out, text);
  }
  /// With the mark of its end.
  std::string bytes() const { return fields_ + '\0'; }

 private:
  std::string fields_;
  int last_ = 0;

  std::string& begin(int field, Type type) {
    fields_ += static_cast<char>((field - std::exchange(last_, field)) << 4 | type);
    return fields_;
  }
  static void put_varint(std::string& out, std::uint64_t value) {
    for (; value > 127; value >>= 7) out += static_cast<char>((value & 127) | 128);
    out += static_cast<char>(value);
  }
  static void put_integer(std::string& out, std::int64_t value) {
    put_varint(out,
               static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  static void put_text(std::string& out, std::string_view text) {
    put_varint(out, text.size());
    out += text;
  }
  static std::string& put_size(std::string& out, std::size_t size, Type type) {
    out += static_cast<char>((size < 15 ? size : 15) << 4 | type);
    if (size >= 15) put_varint(out, size);
    return out;
  }
};

std::string packed(std::string_view values) {
  constexpr int level = 3;
  std::string out(ZSTD_compressBound(values.size()), '\0');
  const std::size_t size =
      ZSTD_compress(out.data(), out.size(), values.data(), values.size(), level);
  if (ZSTD_isError(size) != 0) throw resource_error("Zstandard: {}", ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

std::string page_header(std::int64_t rows, std::size_t plain, std::size_t packed) {
  ThriftStruct values, header;
  values.add(1, static_cast<std::int32_t>(rows));
  values.add(2, plain_encoding);
  values.add(3, rle_encoding);  // of levels, which columns without gaps do not have
  values.add(4, rle_encoding);
  header.add(1, data_page);
  header.add(2, static_cast<std::int32_t>(plain));
  header.add(3, static_cast<std::int32_t>(packed));
  header.add(5, values);
  return header.bytes();
}

std::vector<ThriftStruct> schema(const std::vector<ParquetColumn>& columns) {
  std::vector<ThriftStruct> elements(1);
  elements[0].add(4, std::string_view("table"));
  elements[0].add(5, static_cast<std::int32_t>(columns.size()));
  for (const ParquetColumn& column : columns) {
    ThriftStruct& element = elements.emplace_back();
    element.add(1, static_cast<std::int32_t>(column.type));
    element.add(3, required);
    element.add(4, std::string_view(column.name));
    if (column.type != ParquetType::text) continue;
    ThriftStruct text;
    text.add(1, ThriftStruct());
    element.add(6, utf8_text);
    element.add(10, text);
  }
  return elements;
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

ParquetWriter::ParquetWriter(AtomicFile& file, std::vector<ParquetColumn> columns)
    : file_(file), columns_(std::move(columns)), values_(columns_.size()) {
  write(parquet_magic);
}

std::uint64_t ParquetWriter::memory(std::uint64_t rows, std::uint64_t row_bytes) {
  constexpr std::uint64_t compressor = std::uint64_t{2} << 20;
  const std::uint64_t group =
      std::min(std::min<std::uint64_t>(rows, group_rows) * row_bytes, group_bytes + row_bytes);
  // Columns grow by doubling; the one that is written is held packed, too.
  return 3 * group + compressor;
}

void ParquetWriter::add(std::size_t column, std::string_view text) {
  append_bytes(values_[column], static_cast<std::uint32_t>(text.size()));
  values_[column] += text;
}

void ParquetWriter::add(std::size_t column, double number) {
  append_bytes(values_[column], number);
}

void ParquetWriter::add(std::size_t column, std::int64_t number) {
  append_bytes(values_[column], number);
}

void ParquetWriter::end_row() {
  std::size_t bytes = 0;
  for (const std::string& values : values_) bytes += values.size();
  if (++rows_ == group_rows || bytes >= group_bytes) end_group();
}

void ParquetWriter::finish() {
  if (rows_ > 0) end_group();
  std::string end = footer();
  append_bytes(end, static_cast<std::uint32_t>(end.size()));
  write(end.append(parquet_magic));
}

void ParquetWriter::write(std::string_view bytes) {
  file_.write(bytes);
  offset_ += std::ssize(bytes);
}

ParquetWriter::Chunk ParquetWriter::write_chunk(std::string_view values) {
  const std::string page = packed(values);
  const std::string header = page_header(rows_, values.size(), page.size());
  const Chunk chunk{
      offset_, std::ssize(header) + std::ssize(values), std::ssize(header) + std::ssize(page)};
  write(header);
  write(page);
  return chunk;
}

void ParquetWriter::end_group() {
  RowGroup& group = groups_.emplace_back(RowGroup{rows_, {}});
  for (std::string& values : values_) {
    group.chunks.push_back(write_chunk(values));
    values.clear();
  }
  rows_ = 0;
}

std::string ParquetWriter::footer() const {
  std::vector<ThriftStruct> groups;
  std::int64_t rows = 0;
  for (const RowGroup& group : groups_) {
    std::vector<ThriftStruct> chunks;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Chunk& chunk = group.chunks[i];
      ThriftStruct facts, &entry = chunks.emplace_back();
      facts.add(1, static_cast<std::int32_t>(columns_[i].type));
      facts.add(2, std::vector<std::int32_t>{plain_encoding});
      facts.add(3, std::vector<std::string>{columns_[i].name});
      facts.add(4, zstd_codec);
      facts.add(5, group.rows);
      facts.add(6, chunk.plain_bytes);
      facts.add(7, chunk.packed_bytes);
      facts.add(9, chunk.offset);
      entry.add(2, chunk.offset);
      entry.add(3, facts);
      bytes += chunk.plain_bytes;
    }
    ThriftStruct& entry = groups.emplace_back();
    entry.add(1, chunks);
    entry.add(2, bytes);
    entry.add(3, group.rows);
    rows += group.rows;
  }
  ThriftStruct file;
  file.add(1, std::int32_t{1});
  file.add(2, schema(columns_));
  file.add(3, rows);
  file.add(4, groups);
  file.add(6, std::string_view(std::string("yupana version ") + version));
  return file.bytes();
}

}  // namespace yupana::io
