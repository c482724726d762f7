#include "yupana/io/matrix_writer.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/io/number_text.hpp"

namespace yupana::io {
namespace {

using SampleIds = std::vector<std::string>;

char* put(std::string_view text, char* out) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

std::int64_t count(const SampleIds& names) { return static_cast<std::int64_t>(names.size()); }

/// Rows "name<separator>value<separator>...".
TextRows named_rows(const SampleIds& names, char separator, const RowProducer& producer) {
  const std::int64_t n = count(names);
  TextRows rows;
  rows.size = n;
  rows.producer = producer;
  rows.bytes = [&names, n](std::int64_t i) {
    return names[i].size() + static_cast<std::size_t>(n) * (number_text_bytes + 1) + 1;
  };
  rows.text = [&names, n, separator](std::int64_t i, const double* row, char* out) {
    out = put(names[i], out);
    for (std::int64_t j = 0; j < n; ++j) {
      *out++ = separator;
      out = write_shortest(row[j], out);
    }
    *out++ = '\n';
    return out;
  };
  return rows;
}

SampleIds phylip_names(Context& context, const AtomicFile& file, const SampleIds& names) {
  constexpr std::string_view ending = " \t\r\n()[]:;,'";
  SampleIds relaxed = names;
  std::int64_t changed = 0;
  std::unordered_set<std::string_view> seen;
  for (std::string& name : relaxed) {
    bool touched = name.empty();
    if (touched) name.assign(1, '_');
    for (char& c : name) {
      if (ending.find(c) == std::string_view::npos) continue;
      c = '_';
      touched = true;
    }
    changed += touched;
    if (seen.insert(name).second) continue;
    throw bad_file(file.path(),
                   "two samples are named '{}' once characters that PHYLIP cannot hold are "
                   "replaced by '_'; rename one",
                   name);
  }
  if (changed > 0) {
    context.note(fmt::format(
        "{}: {} changed: PHYLIP holds no blanks, brackets, colons, semicolons, commas or "
        "apostrophes; '_' replaces them",
        file.path(),
        counted(changed, "sample name")));
  }
  return relaxed;
}

// Text a piece may take: small enough to stay in a core's cache until it is written, two a thread
// being in memory; large enough that its hand-over costs nothing. A gzip member is larger, since
// each begins with an empty dictionary.
constexpr std::int64_t text_piece_bytes = std::int64_t{256} << 10;
constexpr std::int64_t member_bytes = std::int64_t{3} << 20;

struct Piece {
  Range rows;
  Array<char> text;
  std::size_t size = 0;
};

Array<char> compressed(const char* text, std::size_t size, std::size_t& packed) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  // Digits of distances: level 3 takes a third of the default level's time (1.0 s against 3.0 for
  // 31 MB) and 8 % more room.
  constexpr int level = 3;
  if (deflateInit2(&stream, level, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw resource_error("gzip: no memory for the compressor");
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ending(&stream, deflateEnd);
  Array<char> out(static_cast<std::int64_t>(deflateBound(&stream, size)));
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  std::size_t room = out.bytes();
  std::size_t left = size;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text));
  // zlib counts in 32 bits; one long row may pass them.
  constexpr std::size_t most = std::size_t{1} << 30;
  int status = Z_OK;
  while (status == Z_OK) {
    const uInt in = static_cast<uInt>(std::min(left, most));
    const uInt space = static_cast<uInt>(std::min(room, most));
    stream.avail_in = in;
    stream.avail_out = space;
    status = deflate(&stream, in == left ? Z_FINISH : Z_NO_FLUSH);
    left -= in - stream.avail_in;
    room -= space - stream.avail_out;
  }
  if (status != Z_STREAM_END) throw resource_error("gzip: compression failed");
  packed = out.bytes() - room;
  return out;
}

/// row: of a whole row's numbers.
Piece made(const TextRows& rows, Range range, double* row) {
  std::size_t most = 0;
  for (std::int64_t i = range.begin; i < range.end; ++i) most += rows.bytes(i);
  // At least so large that malloc gives it pages of its own: those of the heap of each thread would
  // not go back to the system.
  Array<char> text(std::max(static_cast<std::int64_t>(most), text_piece_bytes));
  Piece piece{range, std::move(text), 0};
  char* out = piece.text.data();
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    rows.producer(i, row);
    out = rows.text(i, row, out);
  }
  piece.size = static_cast<std::size_t>(out - piece.text.data());
  if (rows.gzip) piece.text = compressed(piece.text.data(), piece.size, piece.size);
  return piece;
}

}  // namespace

void check_names_of_text(const AtomicFile& file, const SampleIds& names) {
  for (const std::string& name : names) {
    if (name.find_first_of("\t\r\n") == std::string::npos) continue;
    throw bad_file(file.path(),
                   "sample name '{}' holds a tab or a line end; rename the sample",
                   name.substr(0, name.find_first_of("\t\r\n")));
  }
}

void write_ids(AtomicFile& file, const SampleIds& names) {
  check_names_of_text(file, names);
  for (const std::string& name : names) {
    file.write(name);
    file.write("\n");
  }
}

void write_tsv(Context& context,
               AtomicFile& file,
               const SampleIds& names,
               const RowProducer& rows) {
  check_names_of_text(file, names);
  file.write("sample");
  for (const std::string& name : names) {
    file.write("\t");
    file.write(name);
  }
  file.write("\n");
  write_text_rows(context, file, named_rows(names, '\t', rows));
}

void write_phylip(Context& context,
                  AtomicFile& file,
                  const SampleIds& names,
                  const RowProducer& rows) {
  const SampleIds relaxed = phylip_names(context, file, names);
  file.write(fmt::format("{}\n", names.size()));
  write_text_rows(context, file, named_rows(relaxed, ' ', rows));
}

void write_text_rows(Context& context, AtomicFile& file, const TextRows& rows) {
  const Range range = rows.rows.size() == 0 ? Range{0, rows.size} : rows.rows;
  const double cells = static_cast<double>(range.size()) * static_cast<double>(rows.size);
  Stage stage(context, "write " + file.path(), cells, "numbers");
  const std::int64_t longest = range.size() == 0 ? 0 : rows.bytes(range.end - 1);
  const std::int64_t most = rows.gzip ? member_bytes : text_piece_bytes;
  const std::int64_t step = std::max<std::int64_t>(1, most / std::max<std::int64_t>(1, longest));
  // Numbers of rows that are done make room for the next ones: of a large matrix new memory for
  // each costs more than its numbers.
  std::mutex taking;
  std::vector<Array<double>> idle;
  const auto take = [&] {
    const std::lock_guard lock(taking);
    if (idle.empty()) return Array<double>(rows.size);
    Array<double> row = std::move(idle.back());
    idle.pop_back();
    return row;
  };
  // Compressed text is made next to the text.
  const std::int64_t bytes = (rows.gzip ? 2 : 1) * step * longest + 8 * rows.size;
  context.in_order(
      divide_up(range.size(), step),
      bytes,
      [&](std::int64_t i) {
        const std::int64_t begin = range.begin + i * step;
        Array<double> row = take();
        Piece piece = made(rows, {begin, std::min(begin + step, range.end)}, row.data());
        const std::lock_guard lock(taking);
        idle.push_back(std::move(row));
        return piece;
      },
      [&](const Piece& piece) {
        file.write(piece.text.data(), piece.size);
        stage.advance(static_cast<double>(piece.rows.size()) * static_cast<double>(rows.size));
      });
}

}  // namespace yupana::io
