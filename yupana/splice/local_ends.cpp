#include "yupana/splice/local_ends.hpp"

#include <bit>
#include <cstddef>
#include <utility>

namespace yupana::splice {
namespace {

/// A column of a chain, and bases and letters of its exon before it.
struct Column {
  std::size_t exon = 0;
  std::int64_t base = 0;    ///< from the exon's first
  std::int64_t letter = 0;  ///< of the target
  char operation = '=';
  std::int64_t score = 0;     ///< with what it costs to open its gap
  std::int64_t junction = 0;  ///< score of the junction right before it
  std::int64_t prior = 0;     ///< of that junction's intron
};

std::vector<Column> columns_of(const Case& problem,
                               const AlignParams& params,
                               const StretchParams& stretch,
                               const std::vector<Exon>& exons,
                               const std::vector<ExonAlignment>& chain) {
  std::vector<Column> columns;
  char before = '=';
  for (std::size_t k = 0; k < chain.size(); ++k) {
    std::int64_t junction = k == 0 ? 0 : exons[k - 1].exit + exons[k].entry;
    std::int64_t prior = k == 0 ? 0 : intron_prior(exons[k].first - exons[k - 1].last - 1, stretch);
    std::int64_t base = 0, letter = chain[k].target_begin;
    for (const Run& run : chain[k].runs) {
      for (std::int64_t i = 0; i < run.length; ++i) {
        const bool gap = run.operation == 'I' || run.operation == 'D';
        Column column{
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
  const std::vector<Column> columns = columns_of(problem, params, stretch, exons, alignment.chain);
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
    const Column& column = columns[c];
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

}  // namespace yupana::splice
