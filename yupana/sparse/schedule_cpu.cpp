#include <algorithm>
#include <numeric>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/sparse/arithmetic.hpp"
#include "yupana/sparse/triangular_backends.hpp"

namespace yupana::sparse::cpu {
namespace {

/// Neighbouring rows that are solved together, by level: enough independent rows to hide the
/// latency of an addition, a division and a store, yet few enough streams of memory for the
/// prefetcher (2-D grid of 1,000 x 1,000: 8 lines; level after level of the whole grid is slower
/// than row after row).
constexpr std::int64_t strip = 8192;

/// Rows and entries of a piece: some microseconds of work, against 0.1 us to take and report one.
constexpr std::int64_t piece_work = 1024;

/// The rows in this order, without values.
template <class Value, class Index>
void take_rows(Context& context,
               const Split<Value, Index>& matrix,
               Schedule<Value, Index>& schedule) {
  const std::int64_t n = matrix.rows;
  Split<Value, Index>& to = schedule.matrix;
  to.rows = n;
  to.begin = Array<Index>(n + 1);
  to.columns = Array<Index>(matrix.columns.size());
  to.values = Array<Value>(matrix.columns.size());
  to.diagonal = Array<Value>(n);
  Index entries = 0;
  for (std::int64_t p = 0; p < n; ++p) {
    const std::int64_t row = schedule.row[p];
    to.begin[p] = entries;
    entries += matrix.begin[row + 1] - matrix.begin[row];
  }
  to.begin[n] = entries;
  context.parallel_for(n, 1 << 14, [&](std::int64_t first, std::int64_t last) {
    context.check_cancelled();
    for (std::int64_t p = first; p < last; ++p) {
      const std::int64_t row = schedule.row[p];
      std::copy(matrix.columns.data() + matrix.begin[row],
                matrix.columns.data() + matrix.begin[row + 1],
                to.columns.data() + to.begin[p]);
    }
  });
  schedule_values(context, matrix, schedule);
}

/// Pieces of the positions, each within a strip, with the depth of each in the graph of pieces.
template <class Value, class Index>
class PieceCutter {
 public:
  explicit PieceCutter(Schedule<Value, Index>& schedule)
      : schedule_(schedule), piece_of_(schedule.matrix.rows) {}

  void cut() {
    const Split<Value, Index>& matrix = schedule_.matrix;
    for (std::int64_t p = 0; p < matrix.rows;) {
      const std::int64_t end = end_of_piece(p);
      add_piece(p, end);
      p = end;
    }
    order_by_depth();
  }

 private:
  std::int64_t end_of_piece(std::int64_t begin) const {
    const Split<Value, Index>& matrix = schedule_.matrix;
    const std::int64_t most = std::min(matrix.rows, (begin / strip + 1) * strip);
    std::int64_t end = begin + 1;
    while (end < most && end - begin + matrix.begin[end] - matrix.begin[begin] < piece_work) ++end;
    return end;
  }

  void add_piece(std::int64_t begin, std::int64_t end) {
    const Split<Value, Index>& matrix = schedule_.matrix;
    const auto piece = static_cast<Index>(pieces_.size());
    for (std::int64_t p = begin; p < end; ++p) piece_of_[schedule_.row[p]] = piece;
    std::int64_t depth = 0;
    for (std::int64_t e = matrix.begin[begin]; e < matrix.begin[end]; ++e) {
      const Index from = piece_of_[matrix.columns[e]];
      if (from != piece) depth = std::max(depth, pieces_[static_cast<std::size_t>(from)].needs);
    }
    pieces_.push_back({begin, end, depth + 1});  // the depth, until all needs are known
  }

  /// Pieces of one depth need only pieces of less.
  void order_by_depth() {
    std::int64_t deepest = 0;
    for (const auto& piece : pieces_) deepest = std::max(deepest, piece.needs);
    std::vector<std::int64_t> next(static_cast<std::size_t>(deepest) + 2, 0);
    for (const auto& piece : pieces_) ++next[static_cast<std::size_t>(piece.needs) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    const std::vector<std::int64_t> first_of_depth = next;
    schedule_.pieces.resize(pieces_.size());
    for (const auto& piece : pieces_) {
      const auto depth = static_cast<std::size_t>(piece.needs);
      schedule_.pieces[static_cast<std::size_t>(next[depth]++)] = {
          piece.begin, piece.end, first_of_depth[depth]};
    }
  }

  Schedule<Value, Index>& schedule_;
  Array<Index> piece_of_;  ///< of each row
  std::vector<typename Schedule<Value, Index>::Piece> pieces_;
};

/// Rows between two looks at Ctrl-C.
constexpr std::int64_t breath = 1 << 18;

/// Positions of [0, n) in stable order of key(i) in [0, bins): `in` lists them in the order before.
template <class Index, class Key>
void counting_sort(const Index* in, std::int64_t n, std::int64_t bins, const Key& key, Index* out) {
  std::vector<std::int64_t> next(static_cast<std::size_t>(bins) + 1, 0);
  for (std::int64_t i = 0; i < n; ++i) ++next[static_cast<std::size_t>(key(i)) + 1];
  for (std::size_t bin = 1; bin < next.size(); ++bin) next[bin] += next[bin - 1];
  for (std::int64_t i = 0; i < n; ++i) {
    const Index row = in == nullptr ? static_cast<Index>(i) : in[i];
    out[next[static_cast<std::size_t>(key(row))]++] = row;
  }
}

}  // namespace

template <class Value, class Index>
void schedule_values(Context& context,
                     const Split<Value, Index>& matrix,
                     Schedule<Value, Index>& schedule) {
  Split<Value, Index>& to = schedule.matrix;
  to.ones = matrix.ones;
  context.parallel_for(matrix.rows, 1 << 14, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t p = first; p < last; ++p) {
      const std::int64_t row = schedule.row[p];
      to.diagonal[p] = matrix.diagonal[row];
      std::copy(matrix.values.data() + matrix.begin[row],
                matrix.values.data() + matrix.begin[row + 1],
                to.values.data() + to.begin[p]);
    }
  });
}

template <class Value, class Index>
Schedule<Value, Index> schedule_levels(Context& context,
                                       const Split<Value, Index>& matrix,
                                       const LevelAnalysis<Index>& analysis) {
  Schedule<Value, Index> result;
  result.row = Array<Index>(matrix.rows);
  std::copy(analysis.order.begin(), analysis.order.end(), result.row.begin());
  result.level_begin = Array<std::int64_t>::zeros(analysis.levels + 1);
  for (const LevelKey& key : analysis.keys) result.level_begin[key.level] += key.rows;
  for (std::int64_t l = 0; l < analysis.levels; ++l) {
    result.level_begin[l + 1] += result.level_begin[l];
  }
  take_rows(context, matrix, result);
  return result;
}

template <class Value, class Index>
Schedule<Value, Index> schedule_pieces(Context& context,
                                       const Split<Value, Index>& matrix,
                                       const LevelAnalysis<Index>& analysis) {
  const std::int64_t n = matrix.rows;
  Schedule<Value, Index> result;
  result.row = Array<Index>(n);
  // The analysis' order, dealt to the strips: each has its rows by level and class.
  std::vector<std::int64_t> next(static_cast<std::size_t>(n / strip) + 1);
  for (std::size_t s = 0; s < next.size(); ++s) next[s] = static_cast<std::int64_t>(s) * strip;
  for (const Index row : analysis.order) {
    const std::int64_t turn = row_at(matrix.triangle, n, row);
    result.row[next[static_cast<std::size_t>(turn / strip)]++] = row;
  }
  take_rows(context, matrix, result);
  PieceCutter<Value, Index>(result).cut();
  return result;
}

YUPANA_FUNCTIONS(YUPANA_SPARSE, schedule_levels, schedule_pieces, schedule_values)
YUPANA_FUNCTIONS(YUPANA_SPARSE_COMPLEX, schedule_levels, schedule_pieces, schedule_values)

template <class Value, class Index>
LevelAnalysis<Index> analyse(Context& context, const Split<Value, Index>& matrix) {
  const std::int64_t n = matrix.rows;
  LevelAnalysis<Index> result;
  result.level = Array<Index>(n);
  result.row_class = Array<std::uint8_t>(n);
  result.order = Array<Index>(n);
  Index deepest = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    if (k % breath == 0) context.check_cancelled();
    const std::int64_t i = row_at(matrix.triangle, n, k);
    Index level = 0;
    for (std::int64_t e = matrix.begin[i]; e < matrix.begin[i + 1]; ++e) {
      level = std::max(level, result.level[matrix.columns[e]]);
    }
    result.level[i] = ++level;
    result.row_class[i] =
        static_cast<std::uint8_t>(class_of(matrix.begin[i + 1] - matrix.begin[i]));
    deepest = std::max(deepest, level);
  }
  result.levels = deepest;
  // By class, then by level: as many bins as there are levels, not seven times as many.
  Array<Index> by_class(n);
  const auto class_key = [&](std::int64_t i) { return std::int64_t{result.row_class[i]}; };
  const auto level_key = [&](std::int64_t i) { return std::int64_t{result.level[i]} - 1; };
  counting_sort<Index>(nullptr, n, 7, class_key, by_class.data());
  counting_sort<Index>(by_class.data(), n, result.levels, level_key, result.order.data());
  const auto same_key = [&](std::int64_t p) {
    const Index row = result.order[p], before = result.order[p - 1];
    return result.level[row] == result.level[before] &&
           result.row_class[row] == result.row_class[before];
  };
  // Counted first: a vector that grows would hold them twice, up to 64 bytes a row.
  std::int64_t keys = 0;
  for (std::int64_t p = 0; p < n; ++p) keys += p == 0 || !same_key(p);
  result.keys.reserve(static_cast<std::size_t>(keys));
  for (std::int64_t p = 0; p < n;) {
    const Index row = result.order[p];
    const std::int64_t first = p++;
    while (p < n && same_key(p)) ++p;
    const int row_class = result.row_class[row];
    result.keys.push_back(
        {result.level[row], row_class, p - first, warps_of(p - first, row_class)});
    result.warps += result.keys.back().warps;
  }
  return result;
}

YUPANA_FUNCTIONS(YUPANA_SPARSE, analyse)
YUPANA_FUNCTIONS(YUPANA_SPARSE_COMPLEX, analyse)

}  // namespace yupana::sparse::cpu
