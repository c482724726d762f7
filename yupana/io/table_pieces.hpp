#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/io/table.hpp"
#include "yupana/io/table_text.hpp"

namespace yupana::io {

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
