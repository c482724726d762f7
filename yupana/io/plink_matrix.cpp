#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "yupana/core/messages.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/io/number_text.hpp"

namespace yupana::io {
namespace {

std::string suffix(PlinkContent content) {
  constexpr const char* suffixes[] = {".dist", ".mibs", ".mdist"};  // by PlinkContent
  return suffixes[static_cast<std::size_t>(content)];
}

/// Which cells of row i a layout writes.
struct Cells {
  std::int64_t size;
  PlinkContent content;
  PlinkLayout layout;

  bool text() const {
    return layout.encoding == PlinkEncoding::text || layout.encoding == PlinkEncoding::gzip;
  }
  /// PLINK prints the ones of an IBS matrix as text, not in binary triangles and half squares.
  bool diagonal() const {
    return layout.shape == PlinkShape::square || (content == PlinkContent::ibs && text());
  }
  /// Cells taken from the matrix; what follows is zero.
  std::int64_t taken(std::int64_t i) const {
    return layout.shape == PlinkShape::square ? size : diagonal() ? i + 1 : i;
  }
  std::int64_t written(std::int64_t i) const {
    return layout.shape == PlinkShape::triangle ? taken(i) : size;
  }
};

TextRows text_rows(const Cells& cells, const RowProducer& producer) {
  TextRows rows;
  rows.size = cells.size;
  rows.producer = producer;
  rows.gzip = cells.layout.encoding == PlinkEncoding::gzip;
  rows.bytes = [cells](std::int64_t i) {
    return static_cast<std::size_t>(cells.written(i)) * (number_text_bytes + 1) + 1;
  };
  rows.text = [cells](std::int64_t i, const double* row, char* out) {
    const std::int64_t taken = cells.taken(i);
    const std::int64_t written = cells.written(i);
    if (written == 0) return out;
    for (std::int64_t j = 0; j < taken; ++j) {
      out = write_six_digits(row[j], out);
      *out++ = '\t';
    }
    for (std::int64_t j = taken; j < written; ++j) {
      *out++ = '0';
      *out++ = '\t';
    }
    out[-1] = '\n';
    return out;
  };
  return rows;
}

template <class T>
TextRows binary_rows(const Cells& cells, const RowProducer& producer) {
  TextRows rows;
  rows.size = cells.size;
  rows.producer = producer;
  rows.bytes = [cells](std::int64_t i) {
    return static_cast<std::size_t>(cells.written(i)) * sizeof(T);
  };
  rows.text = [cells](std::int64_t i, const double* row, char* out) {
    const std::int64_t taken = cells.taken(i);
    for (std::int64_t j = 0; j < cells.written(i); ++j) {
      const T value = j < taken ? static_cast<T>(row[j]) : T{0};
      std::memcpy(out, &value, sizeof(T));
      out += sizeof(T);
    }
    return out;
  };
  return rows;
}

}  // namespace

PlinkLayout plink_layout(const std::vector<std::string>& modifiers) {
  std::optional<PlinkShape> shape;
  std::optional<PlinkEncoding> encoding;
  const std::map<std::string_view, PlinkShape> shapes = {{"square", PlinkShape::square},
                                                         {"square0", PlinkShape::square0},
                                                         {"triangle", PlinkShape::triangle}};
  const std::map<std::string_view, PlinkEncoding> encodings = {{"gz", PlinkEncoding::gzip},
                                                               {"bin", PlinkEncoding::float64},
                                                               {"bin4", PlinkEncoding::float32}};
  const auto is_set = [](auto& slot, const auto& values, const std::string& word) {
    const auto value = values.find(word);
    if (value == values.end()) return false;
    if (slot) throw usage_error("--distance: '{}' contradicts a word before", word);
    slot = value->second;
    return true;
  };
  for (const std::string& word : modifiers) {
    if (is_set(shape, shapes, word) || is_set(encoding, encodings, word)) continue;
    throw usage_error(
        "--distance: expected square, square0 or triangle, gz, bin or bin4, ibs, 1-ibs, allele-ct "
        "or "
        "flat-missing, got '{}'",
        word);
  }
  const PlinkEncoding kind = encoding.value_or(PlinkEncoding::text);
  const bool binary = kind == PlinkEncoding::float64 || kind == PlinkEncoding::float32;
  return {shape.value_or(binary ? PlinkShape::square : PlinkShape::triangle), kind};
}

std::string plink_path(const std::string& prefix, PlinkContent content, PlinkEncoding encoding) {
  constexpr const char* endings[] = {"", ".gz", ".bin", ".bin"};  // by PlinkEncoding
  return prefix + suffix(content) + endings[static_cast<std::size_t>(encoding)];
}

std::string plink_id(std::string_view sample) {
  if (sample.find('\t') != std::string_view::npos) return std::string(sample);
  return fmt::format("{}\t{}", sample, sample);
}

void write_plink(Context& context,
                 OutputFiles& files,
                 const std::string& prefix,
                 PlinkContent content,
                 const PlinkLayout& layout,
                 const std::vector<std::string>& samples,
                 const RowProducer& producer) {
  AtomicFile& matrix = files.add(plink_path(prefix, content, layout.encoding));
  AtomicFile& ids = files.add(prefix + suffix(content) + ".id");
  for (const std::string& sample : samples) {
    const std::string id = plink_id(sample);
    if (std::count(id.begin(), id.end(), '\t') != 1 || id.find_first_of("\r\n") != id.npos) {
      throw bad_file(ids.path(), "an identifier holds a tab or a line end; rename the sample");
    }
    ids.write(id);
    ids.write("\n");
  }
  const Cells cells{static_cast<std::int64_t>(samples.size()), content, layout};
  const RowProducer rows = [&](std::int64_t i, double* row) {
    producer(i, row);
    // Exact whatever the formula made of it: every call of an individual agrees with itself, even
    // where all are missing.
    row[i] = content == PlinkContent::ibs ? 1 : 0;
  };
  write_text_rows(context,
                  matrix,
                  layout.encoding == PlinkEncoding::float64   ? binary_rows<double>(cells, rows)
                  : layout.encoding == PlinkEncoding::float32 ? binary_rows<float>(cells, rows)
                                                              : text_rows(cells, rows));
}

}  // namespace yupana::io
