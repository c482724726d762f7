#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/io/table.hpp"

namespace yupana::io {

/// The text of a table in pieces of whole lines, which several threads take at the same time. A
/// plain file is read piece by piece, a gzip file is decompressed whole.
class TableText {
 public:
  static constexpr std::int64_t piece_bytes = std::int64_t{1} << 20;

  /// Throws bad_input for a file that is not there or damaged, out_of_resources beyond `most` bytes
  /// of decompressed text, unless there is a folder `scratch` to keep it in.
  TableText(const std::string& path, std::uint64_t most, const std::string& scratch = {});

  const std::string& path() const { return file_.path(); }
  std::int64_t size() const { return size_; }
  std::int64_t pieces() const { return (size_ + piece_bytes - 1) / piece_bytes; }
  /// Bytes held while so many threads read pieces.
  double bytes(int threads) const {
    return static_cast<double>(text_.empty() ? std::min(size_, threads * piece_bytes) : size_);
  }
  /// The lines that begin in piece i, the last one whole, each ending with \n. They are in
  /// `buffer` or, of a gzip file, in this object.
  std::string_view piece(std::int64_t i, Array<char>& buffer) const;

 private:
  std::string_view piece_in_memory(std::int64_t i) const;
  void read(std::int64_t offset, char* to, std::int64_t bytes) const;

  InputFile file_;
  Array<char> text_;        ///< of a gzip file
  std::int64_t begin_ = 0;  ///< after a byte-order mark
  std::int64_t size_ = 0;
};

/// usage where a parameter was given that means nothing for a kind of file.
void check_kind(const std::string& path, const TableParams& params, bool text, bool libsvm);

/// Each kind of file a table may be; see read_table_parts.
template <class T>
void read_text_table(Context& context,
                     const TableText& text,
                     const TableParams& params,
                     std::int64_t bytes,
                     const TakeTable<T>& take);
template <class T>
void read_libsvm_table(Context& context,
                       const TableText& text,
                       const TableParams& params,
                       std::int64_t bytes,
                       const TakeTable<T>& take);
template <class T>
void read_npy_table(Context& context,
                    const std::string& path,
                    const TableParams& params,
                    std::int64_t bytes,
                    const TakeTable<T>& take);

inline std::int64_t bytes_of_ids(const TableColumns& columns) {
  return bytes_of_id * std::count(columns.uses.begin(), columns.uses.end(), ColumnUse::id);
}

/// Rows of a part whose features take at most `bytes`; at least one.
template <class T>
std::int64_t rows_of_part(const TableColumns& columns, std::int64_t bytes) {
  const auto row =
      static_cast<std::int64_t>(columns.features.size() * sizeof(T)) + bytes_of_ids(columns);
  return std::max<std::int64_t>(1, bytes / std::max<std::int64_t>(1, row));
}

/// A table without values, in the shape that the columns and the rows give it; out_of_resources
/// where it does not fit in the context's memory, next to what `params` counts and to `text` bytes
/// until it is read, and there is no folder for it.
template <class T>
TableFile<T> shaped_table(Context& context,
                          const TableColumns& columns,
                          std::int64_t rows,
                          const TableParams& params,
                          double text = 0) {
  const auto count = static_cast<double>(rows);
  const double bytes = count * (static_cast<double>(columns.features.size() * sizeof(T)) +
                                static_cast<double>(bytes_of_ids(columns))) +
                       std::max(count * params.row_bytes, text) + params.held_bytes;
  const bool fits = bytes <= static_cast<double>(context.memory());
  if (!fits && params.scratch.empty()) {
    throw resource_error(
        "{} x {}, read together,{} take {}; memory is limited to {}; give --memory {}{}",
        counted(rows, "row"),
        counted(columns.features.size(), "feature"),
        params.row_bytes + params.held_bytes > 0 ? " with what is held next to them," : "",
        needed_bytes(bytes),
        allowed_bytes(static_cast<double>(context.memory())),
        memory_option(bytes),
        columns.for_model ? "" : ", or read fewer columns");
  }
  TableFile<T> file;
  const ScratchScope scope(fits ? std::string() : params.scratch);
  file.table = Table<T>(rows, columns.features);
  file.categories.resize(columns.features.size());
  if (columns.label >= 0) file.label = columns.names[columns.label];
  for (std::size_t c = 0; c < columns.uses.size(); ++c) {
    const ColumnUse use = columns.uses[c];
    if (use == ColumnUse::id) file.ids.names.push_back(columns.names[c]);
    if (use == ColumnUse::label) file.codes = Array<std::int32_t>(rows);
    if (use == ColumnUse::label_number) file.values = Array<double>(rows);
    if (use == ColumnUse::weight) file.weights = Array<double>(rows);
  }
  if (!file.ids.names.empty()) file.ids.rows.resize(static_cast<std::size_t>(rows));
  return file;
}

/// Lines of a text before a piece.
struct PieceStart {
  std::int64_t row = 0;       ///< rows of the table before it
  std::int64_t line = 0;      ///< lines of the file before it
  std::int64_t comments = 0;  ///< comments among them
};

/// body(i, text of piece i) for pieces [first, last), on all threads. Of several errors that of the
/// first piece is thrown, whatever the threads.
template <class Body>
void each_piece(Context& context,
                const TableText& text,
                std::int64_t first,
                std::int64_t last,
                const Body& body) {
  std::mutex lock;
  std::int64_t failed = last;
  std::exception_ptr error;
  // A buffer serves one piece after the other: fresh memory would cost more than reading into it.
  std::vector<Array<char>> spare;
  context.parallel_for(last - first, 1, [&](std::int64_t begin, std::int64_t end) {
    Array<char> buffer;
    {
      const std::lock_guard guard(lock);
      if (!spare.empty()) {
        buffer = std::move(spare.back());
        spare.pop_back();
      }
    }
    for (std::int64_t i = first + begin; i < first + end; ++i) {
      context.check_cancelled();
      try {
        body(i, text.piece(i, buffer));
      } catch (...) {
        const std::lock_guard guard(lock);
        if (i < failed) {
          failed = i;
          error = std::current_exception();
        }
        return;
      }
    }
    const std::lock_guard guard(lock);
    spare.push_back(std::move(buffer));
  });
  if (error) std::rethrow_exception(error);
}

template <class Body>
void each_piece(Context& context, const TableText& text, const Body& body) {
  each_piece(context, text, 0, text.pieces(), body);
}

/// Says how many lines of a whole text were left out as comments, if any were.
void note_comments(Context& context,
                   const TableText& text,
                   const TableParams& params,
                   const PieceStart& end);

/// Where each piece's rows begin; one more than there are pieces, the last is the whole file.
std::vector<PieceStart> piece_starts(Context& context,
                                     const TableText& text,
                                     char comment,
                                     bool header);

/// Pieces [first, last) of a text, whose rows are read together.
struct PiecesOfPart {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t rows = 0;
  std::vector<PieceStart> starts;  ///< of its pieces, rows counted from its own first
};

/// The pieces from `first` on that hold at most `rows` rows, but at least one piece with a row.
PiecesOfPart next_part(const std::vector<PieceStart>& starts,
                       std::int64_t first,
                       std::int64_t rows);

}  // namespace yupana::io
