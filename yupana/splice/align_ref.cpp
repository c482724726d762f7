#include <algorithm>

#include "yupana/splice/align_backends.hpp"

namespace yupana::splice::reference {
namespace {

constexpr std::int64_t lowest = INT64_MIN / 4;
constexpr std::int64_t no_exon = -1;

/// Best of a target position in the row above an exon: its value and the exon it comes from.
struct Source {
  std::int64_t value = lowest;
  std::int64_t exon = no_exon;
};

/// The three scores of the cells of one exon, rows 0 (above its first base) to its length.
struct Table {
  std::int64_t columns = 0;
  std::vector<std::int64_t> best, bases,
      letters;                             ///< any end; ending in a gap of bases, of letters
  std::vector<Source> above, above_bases;  ///< where row 0 comes from, in the two states

  std::int64_t at(std::int64_t i, std::int64_t j) const { return i * columns + j; }
};

class Solver {
 public:
  Solver(const Case& problem, const AlignParams& params)
      : problem_(problem), params_(params), order_(ordered_exons(problem.exons)) {}

  SplicedAlignment solve() {
    SplicedAlignment result;
    tables_.resize(problem_.exons.size());
    std::int64_t last = no_exon;
    for (const std::int64_t k : order_) {
      fill(k);
      result.executed_cells += exon(k).length() * letters();
      const std::int64_t score = tables_[k].best[tables_[k].at(exon(k).length(), letters())];
      if (last == no_exon || score + exon(k).end > result.score) {
        result.score = score + exon(k).end;
        last = k;
      }
    }
    if (last == no_exon) result.score = gap(letters());
    if (params_.alignment && last != no_exon) trace(last, result.chain);
    return result;
  }

 private:
  const Exon& exon(std::int64_t k) const { return problem_.exons[k]; }
  std::int64_t letters() const { return std::ssize(problem_.target); }
  std::int64_t gap(std::int64_t length) const {
    return length == 0 ? 0 : params_.gap_open + params_.gap_extend * length;
  }
  std::int64_t pair(std::int64_t k, std::int64_t i, std::int64_t j) const {
    return params_.substitution.score(problem_.bases[exon(k).first + i - 2],
                                      problem_.target[j - 1]);
  }

  void fill_above(std::int64_t k, std::int64_t j, Table& table) const {
    Source& best = table.above[j] = {exon(k).begin + gap(j), no_exon};
    Source& bases = table.above_bases[j];
    for (const std::int64_t l : order_) {
      if (exon(l).last + params_.min_intron >= exon(k).first) continue;
      const Table& before = tables_[l];
      const std::int64_t cell = before.at(exon(l).length(), j);
      const std::int64_t added = exon(l).exit + exon(k).entry;
      if (before.best[cell] + added > best.value) best = {before.best[cell] + added, l};
      if (before.bases[cell] + added > bases.value) bases = {before.bases[cell] + added, l};
    }
    table.best[j] = best.value;
    table.bases[j] = bases.value;
    table.letters[j] = lowest;
  }

  void fill(std::int64_t k) {
    Table& table = tables_[k];
    table.columns = letters() + 1;
    const std::size_t cells = (exon(k).length() + 1) * table.columns;
    table.best.assign(cells, lowest);
    table.bases = table.letters = table.best;
    table.above.resize(table.columns);
    table.above_bases.resize(table.columns);
    for (std::int64_t j = 0; j <= letters(); ++j) fill_above(k, j, table);
    const std::int64_t open = params_.gap_open + params_.gap_extend;
    const std::int64_t extend = params_.gap_extend;
    for (std::int64_t i = 1; i <= exon(k).length(); ++i) {
      for (std::int64_t j = 0; j <= letters(); ++j) {
        const std::int64_t cell = table.at(i, j);
        const std::int64_t up = table.at(i - 1, j);
        table.bases[cell] = std::max(table.best[up] + open, table.bases[up] + extend);
        if (j > 0) {
          table.letters[cell] =
              std::max(table.best[cell - 1] + open, table.letters[cell - 1] + extend);
        }
        table.best[cell] = std::max(table.bases[cell], table.letters[cell]);
        if (j > 0) {
          table.best[cell] = std::max(table.best[cell], table.best[up - 1] + pair(k, i, j));
        }
      }
    }
  }

  // Backwards from the end of exon k, in the order of ties that align() promises.
  void trace(std::int64_t k, std::vector<ExonAlignment>& chain) const {
    std::int64_t i = exon(k).length(), j = letters();
    char state = 'H';
    chain.push_back({k, 0, j, {}});
    while (true) {
      const Table& table = tables_[k];
      if (i == 0) {
        const Source source = state == 'D' ? table.above_bases[j] : table.above[j];
        if (source.exon == no_exon) break;
        chain.back().target_begin = j;
        k = source.exon;
        i = exon(k).length();
        chain.push_back({k, 0, j, {}});
        continue;
      }
      step(k, i, j, state, chain.back().runs);
    }
    append(chain.back().runs, 'I', j);
    std::reverse(chain.begin(), chain.end());
    for (ExonAlignment& part : chain) std::reverse(part.runs.begin(), part.runs.end());
  }

  void step(
      std::int64_t k, std::int64_t& i, std::int64_t& j, char& state, std::vector<Run>& runs) const {
    const Table& table = tables_[k];
    const std::int64_t cell = table.at(i, j);
    const std::int64_t open = params_.gap_open + params_.gap_extend;
    if (state == 'H') {
      if (j > 0 && table.best[cell] == table.best[table.at(i - 1, j - 1)] + pair(k, i, j)) {
        append(runs,
               column_of(params_.substitution,
                         problem_.bases[exon(k).first + i - 2],
                         problem_.target[j - 1]));
        --i, --j;
      } else {
        state = table.best[cell] == table.bases[cell] ? 'D' : 'I';
      }
    } else if (state == 'D') {
      append(runs, 'D');
      if (table.bases[cell] == table.best[table.at(i - 1, j)] + open) state = 'H';
      --i;
    } else {
      append(runs, 'I');
      if (table.letters[cell] == table.best[cell - 1] + open) state = 'H';
      --j;
    }
  }

  const Case& problem_;
  const AlignParams& params_;
  std::vector<std::int64_t> order_;
  std::vector<Table> tables_;
};

}  // namespace

SplicedAlignment align(const Case& problem, const AlignParams& params) {
  return Solver(problem, params).solve();
}

}  // namespace yupana::splice::reference
