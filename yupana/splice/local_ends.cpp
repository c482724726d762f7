#include "yupana/splice/local_ends.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>
#include <utility>

#include "yupana/splice/align_backends.hpp"

namespace yupana::splice {
namespace {

/// A column of a chain, and bases and letters of its exon before it.
struct PlacedColumn {
  std::size_t exon = 0;
  std::int64_t base = 0;    ///< from the exon's first
  std::int64_t letter = 0;  ///< of the target
  char operation = '=';
  std::int64_t score = 0;     ///< with what it costs to open its gap
  std::int64_t junction = 0;  ///< score of the junction right before it
  std::int64_t prior = 0;     ///< of that junction's intron
};

std::vector<PlacedColumn> placed_columns(const Case& problem,
                                         const AlignParams& params,
                                         const StretchParams& stretch,
                                         const std::vector<Exon>& exons,
                                         const std::vector<ExonAlignment>& chain) {
  std::vector<PlacedColumn> columns;
  char before = '=';
  for (std::size_t k = 0; k < chain.size(); ++k) {
    std::int64_t junction = k == 0 ? 0 : exons[k - 1].exit + exons[k].entry;
    std::int64_t prior = k == 0 ? 0 : intron_prior(exons[k].first - exons[k - 1].last - 1, stretch);
    std::int64_t base = 0, letter = chain[k].target_begin;
    for (const Run& run : chain[k].runs) {
      for (std::int64_t i = 0; i < run.length; ++i) {
        const bool gap = run.operation == 'I' || run.operation == 'D';
        PlacedColumn column{
            k, base, letter, run.operation, 0, std::exchange(junction, 0), std::exchange(prior, 0)};
        if (gap) {
          column.score += params.gap_extend + (before == run.operation ? 0 : params.gap_open);
        } else {
          column.score += params.substitution.score(problem.bases[exons[k].first - 1 + base],
                                                    problem.target[letter]);
        }
        before = run.operation;
        base += run.operation != 'I';
        letter += run.operation != 'D';
        columns.push_back(column);
      }
    }
  }
  return columns;
}

// Letters that an exon is extended by at a time, and bases more than these.
constexpr std::int64_t letters_at_once = 64, bases_more = 16;
constexpr std::int64_t lowest = INT64_MIN / 4;

/// Columns further on.
struct Extension {
  std::int64_t gain = 0, bases = 0, letters = 0;
  std::vector<Run> runs;  ///< from the last to the first
};

/// Best scores of all extensions by so many bases and letters: any, and in a gap of either.
class ExtensionTable {
 public:
  ExtensionTable(std::string_view bases, std::string_view letters, const AlignParams& params)
      : bases_(bases), letters_(letters), params_(params), columns_(bases.size() + 1) {
    cells_.resize((letters.size() + 1) * columns_);
    for (std::size_t j = 0; j <= letters.size(); ++j) {
      for (std::size_t i = 0; i <= bases.size(); ++i) fill(i, j);
    }
  }

  Extension best() const {
    Extension best;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (cells_[c].any <= best.gain) continue;
      best.gain = cells_[c].any;
      best.bases = static_cast<std::int64_t>(c % columns_);
      best.letters = static_cast<std::int64_t>(c / columns_);
    }
    trace(best);
    return best;
  }

 private:
  struct Cell {
    std::int64_t any = lowest, of_bases = lowest, of_letters = lowest;
  };
  const Cell& at(std::size_t i, std::size_t j) const { return cells_[j * columns_ + i]; }
  std::int64_t open() const { return std::int64_t{params_.gap_open} + params_.gap_extend; }
  std::int64_t pair(std::size_t i, std::size_t j) const {
    return at(i - 1, j - 1).any + params_.substitution.score(bases_[i - 1], letters_[j - 1]);
  }

  void fill(std::size_t i, std::size_t j) {
    Cell& cell = cells_[j * columns_ + i];
    if (i == 0 && j == 0) cell.any = 0;
    if (i > 0) {
      const Cell& before = at(i - 1, j);
      cell.of_bases = std::max(before.any + open(), before.of_bases + params_.gap_extend);
    }
    if (j > 0) {
      const Cell& before = at(i, j - 1);
      cell.of_letters = std::max(before.any + open(), before.of_letters + params_.gap_extend);
    }
    if (i > 0 && j > 0) cell.any = pair(i, j);
    cell.any = std::max({cell.any, cell.of_bases, cell.of_letters});
  }

  void trace(Extension& best) const {
    auto i = static_cast<std::size_t>(best.bases), j = static_cast<std::size_t>(best.letters);
    char state = '=';
    while (i > 0 || j > 0) {
      const Cell& cell = at(i, j);
      if (state == '=' && i > 0 && j > 0 && cell.any == pair(i, j)) {
        append(best.runs, column_of(params_.substitution, bases_[i - 1], letters_[j - 1]));
        --i, --j;
        continue;
      }
      if (state == '=') state = cell.any == cell.of_bases ? 'D' : 'I';
      append(best.runs, state);
      const bool opens = state == 'D' ? cell.of_bases == at(i - 1, j).any + open()
                                      : cell.of_letters == at(i, j - 1).any + open();
      state == 'D' ? --i : --j;
      if (opens) state = '=';
    }
  }

  const std::string_view bases_, letters_;
  const AlignParams& params_;
  const std::size_t columns_;
  std::vector<Cell> cells_;
};

}  // namespace

std::int64_t intron_prior(std::int64_t bases, const StretchParams& stretch) {
  // More than all columns of a target can gain.
  if (bases > stretch.max_intron) return std::int64_t{1} << 40;
  return stretch.score_scale * std::bit_width(static_cast<std::uint64_t>(bases)) / 2;
}

void keep_best_stretch(const Case& problem,
                       const AlignParams& params,
                       const StretchParams& stretch,
                       std::vector<Exon>& exons,
                       SplicedAlignment& alignment) {
  const std::vector<PlacedColumn> columns =
      placed_columns(problem, params, stretch, exons, alignment.chain);
  std::size_t first = 0, best_first = 0, best_end = 0;
  std::int64_t sum = 0, best = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    // A stretch begins with a column, not with the junction before it.
    sum += columns[c].junction - columns[c].prior;
    if (sum <= 0) {
      sum = 0;
      first = c;
    }
    sum += columns[c].score;
    if (sum <= best) continue;
    best = sum;
    best_first = first;
    best_end = c + 1;
  }
  std::vector<ExonAlignment> chain;
  std::vector<Exon> kept;
  alignment.score = 0;
  for (std::size_t c = best_first; c < best_end; ++c) {
    const PlacedColumn& column = columns[c];
    const Exon& exon = exons[column.exon];
    alignment.score += column.score + (c == best_first ? 0 : column.junction);
    if (c == best_first || columns[c - 1].exon != column.exon) {
      kept.push_back(exon);
      kept.back().first = exon.first + column.base;
      kept.back().begin = kept.back().end = 0;
      chain.push_back({std::ssize(kept) - 1, column.letter, column.letter, {}});
    }
    kept.back().last = exon.first + column.base - (column.operation == 'I' ? 1 : 0);
    ExonAlignment& part = chain.back();
    part.target_end = column.letter + (column.operation == 'D' ? 0 : 1);
    if (part.runs.empty() || part.runs.back().operation != column.operation) {
      part.runs.push_back({column.operation, 0});
    }
    ++part.runs.back().length;
  }
  alignment.chain = std::move(chain);
  exons = std::move(kept);
}

void extend_stretch(const Case& problem,
                    const AlignParams& params,
                    std::vector<Exon>& exons,
                    SplicedAlignment& alignment) {
  if (alignment.chain.empty()) return;
  const auto add = [](std::vector<Run>& runs, const std::vector<Run>& more) {
    for (const Run& run : more) append(runs, run.operation, run.length);
  };
  ExonAlignment& last = alignment.chain.back();
  while (true) {
    const std::string_view letters = problem.target.substr(last.target_end, letters_at_once);
    const std::string_view bases =
        problem.bases.substr(exons.back().last, letters.size() + bases_more);
    Extension more = ExtensionTable(bases, letters, params).best();
    if (more.gain == 0) break;
    std::reverse(more.runs.begin(), more.runs.end());
    add(last.runs, more.runs);
    exons.back().last += more.bases;
    last.target_end += more.letters;
    alignment.score += more.gain;
  }
  ExonAlignment& first = alignment.chain.front();
  while (true) {
    const std::int64_t count = std::min(first.target_begin, letters_at_once);
    const std::int64_t before = std::min(exons.front().first - 1, count + bases_more);
    std::string letters(problem.target.substr(first.target_begin - count, count));
    std::string bases(problem.bases.substr(exons.front().first - 1 - before, before));
    std::reverse(letters.begin(), letters.end());
    std::reverse(bases.begin(), bases.end());
    Extension more = ExtensionTable(bases, letters, params).best();
    if (more.gain == 0) break;
    add(more.runs, first.runs);
    first.runs = std::move(more.runs);
    exons.front().first -= more.bases;
    first.target_begin -= more.letters;
    alignment.score += more.gain;
  }
}

}  // namespace yupana::splice
