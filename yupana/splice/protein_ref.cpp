#include <algorithm>

#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/protein_backends.hpp"

namespace yupana::splice::reference {
namespace {

constexpr std::int64_t lowest = INT64_MIN / 4;
constexpr std::int64_t no_exon = -1;

/// Best of a target position before the first codon of an exon: its value, where it comes from.
struct Source {
  std::int64_t value = lowest;
  std::int64_t exon = no_exon;
};

/// What an exon sees at its beginning with one carry.
struct Above {
  std::vector<Source> best, gap;  ///< any end; ending in a gap of codons
};

/// The rows of one exon behind carries of one size, from its first codon on.
struct Table {
  std::int64_t rows = 0;
  std::vector<std::int64_t> best, gap, letters;  ///< any end; a gap of codons, of target letters
};

/// Where a walk back stands: before row 0 the carry counts.
struct Stand {
  std::int64_t exon, row, letter;
  int carried;
  Carry carry;
  char state;
};

class Solver {
 public:
  Solver(const Case& problem, const ProteinParams& params)
      : problem_(problem),
        params_(params),
        order_(ordered_exons(problem.exons)),
        rank_(problem.exons.size()),
        above_(problem.exons.size()),
        tables_(problem.exons.size()),
        stops_end_(splice::stops_end(problem, params)) {
    for (std::size_t r = 0; r < order_.size(); ++r) rank_[order_[r]] = static_cast<std::int64_t>(r);
  }

  SplicedAlignment solve() {
    SplicedAlignment result;
    result.score = gap(letters());
    Stand last{no_exon, 0, letters(), 0, 0, 'H'};
    for (const std::int64_t k : order_) {
      for (Carry u = 0; u < carries; ++u) fill_above(k, u);
      for (int p = 0; p < 3; ++p) {
        fill(k, p);
        result.executed_cells += tables_[k][p].rows * letters();
        const Stand here = end_of(k, p);
        const std::int64_t value = value_at(here);
        if (value < lowest / 2) continue;
        const bool whole = (p + exon(k).length()) % 3 == 0;
        if (!whole && ends_with_stop(here)) continue;
        const std::int64_t score = value + exon(k).end + (whole ? 0 : params_.partial_codon);
        if (last.exon != no_exon && score <= result.score) continue;
        result.score = score;
        last = here;
      }
    }
    if (params_.align.alignment && last.exon != no_exon) trace(last, result.chain);
    return result;
  }

 private:
  const Exon& exon(std::int64_t k) const { return problem_.exons[k]; }
  const char* end(std::int64_t k) const { return problem_.bases.data() + exon(k).last; }
  std::int64_t letters() const { return std::ssize(problem_.target); }
  std::int64_t at(std::int64_t row, std::int64_t j) const { return row * (letters() + 1) + j; }
  std::int64_t extend() const { return params_.align.gap_extend; }
  std::int64_t open() const { return params_.align.gap_open + extend(); }
  std::int64_t gap(std::int64_t length) const {
    return length == 0 ? 0 : params_.align.gap_open + extend() * length;
  }
  char amino(std::int64_t k, int p, Carry u, std::int64_t row) const {
    const char* first = problem_.bases.data() + exon(k).first - 1;
    return row == 1 ? first_amino(params_.code, u, first)
                    : first_amino(params_.code, 0, first + 3 * (row - 1) - p);
  }
  std::int64_t pair(std::int64_t k, int p, Carry u, std::int64_t row, std::int64_t j) const {
    return params_.align.substitution.score(amino(k, p, u, row), problem_.target[j - 1]);
  }

  /// Whether the codon of a row is a stop codon that ends chains.
  bool is_stop(std::int64_t k, int p, Carry u, std::int64_t row) const {
    return stops_end_ && amino(k, p, u, row) == '*';
  }
  /// What is seen above a row: nothing with a carry that makes the first codon a stop codon.
  const Above& seen(std::int64_t k, int p, Carry u, std::int64_t row) const {
    return row == 1 && p > 0 && is_stop(k, p, u, 1) ? nothing_ : above_[k][u];
  }
  /// Whether the last codon of an exon, within it, is one.
  bool ends_with_stop(const Stand& s) const {
    return s.row > (s.carried > 0 ? 1 : 0) && is_stop(s.exon, s.carried, 0, s.row);
  }

  /// Of the carries of one size: that with the largest value, of the first source where equal.
  template <class Value, class From>
  Carry best_carry(int p, const Value& value, const From& from) const {
    const auto rank = [&](Carry u) { return from(u) == no_exon ? -1 : rank_[from(u)]; };
    Carry best = first_carry[p];
    for (Carry u = best + 1; u < first_carry[p + 1]; ++u) {
      if (value(u) > value(best) || (value(u) == value(best) && rank(u) < rank(best))) best = u;
    }
    return best;
  }
  Carry carry_of_best(std::int64_t k, int p, std::int64_t j, std::int64_t row) const {
    const auto source = [&](Carry u) { return seen(k, p, u, row).best[j]; };
    return best_carry(
        p, [&](Carry u) { return source(u).value; }, [&](Carry u) { return source(u).exon; });
  }
  Carry carry_of_gap(std::int64_t k, int p, std::int64_t j) const {
    const auto source = [&](Carry u) { return seen(k, p, u, 1).gap[j]; };
    return best_carry(
        p, [&](Carry u) { return source(u).value; }, [&](Carry u) { return source(u).exon; });
  }
  Carry carry_of_pair(std::int64_t k, int p, std::int64_t j) const {
    return best_carry(
        p,
        [&](Carry u) { return seen(k, p, u, 1).best[j - 1].value + pair(k, p, u, 1, j); },
        [&](Carry u) { return seen(k, p, u, 1).best[j - 1].exon; });
  }

  /// The end of exon l as left with carry u. Carried out of an exon without a codon's end is what
  /// was carried in, and the bases of the exon.
  Stand leaving(std::int64_t l, Carry u, std::int64_t j) const {
    const int p = static_cast<int>(((carry_size(u) - exon(l).length()) % 3 + 3) % 3);
    Stand s{l, codons(p, exon(l).length()), j, p, 0, 'H'};
    if (s.row == 0) s.carry = p == 0 ? 0 : shorter(u);
    return s;
  }
  bool leaves_with(const Stand& s, Carry u) const {
    const Carry in = s.row == 0 ? s.carry : first_carry[s.carried];
    return carried_out(in, end(s.exon), exon(s.exon).length()) == u;
  }
  Stand end_of(std::int64_t k, int p) const {
    Stand s{k, codons(p, exon(k).length()), letters(), p, 0, 'H'};
    if (s.row == 0) s.carry = carry_of_best(k, p, letters(), 0);
    return s;
  }
  std::int64_t value_at(const Stand& s) const {
    if (s.row == 0) return above_[s.exon][s.carry].best[s.letter].value;
    return tables_[s.exon][s.carried].best[at(s.row, s.letter)];
  }
  std::int64_t gap_at(const Stand& s) const {
    if (s.row == 0) return above_[s.exon][s.carry].gap[s.letter].value;
    return tables_[s.exon][s.carried].gap[at(s.row, s.letter)];
  }

  void fill_above(std::int64_t k, Carry u) {
    Above& above = above_[k].emplace_back();
    above.best.resize(letters() + 1);
    above.gap.resize(letters() + 1);
    for (std::int64_t j = 0; j <= letters(); ++j) {
      Source& best = above.best[j];
      Source& bases = above.gap[j];
      if (u == 0) best.value = exon(k).begin + gap(j);
      for (const std::int64_t l : order_) {
        if (exon(l).last + params_.align.min_intron >= exon(k).first) continue;
        const Stand before = leaving(l, u, j);
        if (!leaves_with(before, u) || ends_with_stop(before)) continue;
        const std::int64_t added = exon(l).exit + exon(k).entry;
        const auto take = [&](Source& to, std::int64_t value) {
          if (value > lowest / 2 && value + added > to.value) to = {value + added, l};
        };
        take(best, value_at(before));
        take(bases, gap_at(before));
      }
    }
  }

  void fill(std::int64_t k, int p) {
    if (p == 0) tables_[k].resize(3);
    Table& table = tables_[k][p];
    table.rows = codons(p, exon(k).length());
    table.best.assign((table.rows + 1) * (letters() + 1), lowest);
    table.gap = table.letters = table.best;
    for (std::int64_t i = 1; i <= table.rows; ++i) {
      for (std::int64_t j = 0; j <= letters(); ++j) fill_cell(k, p, i, j);
    }
  }

  void fill_cell(std::int64_t k, int p, std::int64_t i, std::int64_t j) {
    Table& table = tables_[k][p];
    const std::int64_t cell = at(i, j), up = at(i - 1, j);
    std::int64_t paired = lowest;
    if (ends_with_stop({k, i - 1, j, p, 0, 'H'})) return;
    if (i == 1) {
      const Carry best = carry_of_best(k, p, j, 1), bases = carry_of_gap(k, p, j);
      table.gap[cell] = std::max(seen(k, p, best, 1).best[j].value + open(),
                                 seen(k, p, bases, 1).gap[j].value + extend());
      if (j > 0) {
        const Carry u = carry_of_pair(k, p, j);
        paired = seen(k, p, u, 1).best[j - 1].value + pair(k, p, u, 1, j);
      }
    } else {
      table.gap[cell] = std::max(table.best[up] + open(), table.gap[up] + extend());
      if (j > 0) paired = table.best[up - 1] + pair(k, p, 0, i, j);
    }
    if (j > 0) {
      table.letters[cell] =
          std::max(table.best[cell - 1] + open(), table.letters[cell - 1] + extend());
    }
    table.best[cell] = std::max({paired, table.gap[cell], table.letters[cell]});
  }

  // Backwards, in the order of ties that align_protein() promises.
  void trace(Stand s, std::vector<ExonAlignment>& chain) const {
    chain.push_back({s.exon, 0, s.letter, {}});
    while (true) {
      if (s.row > 0) {
        step(s, chain.back().runs);
        continue;
      }
      const Above& above = above_[s.exon][s.carry];
      const Source source = s.state == 'D' ? above.gap[s.letter] : above.best[s.letter];
      if (source.exon == no_exon) break;
      chain.back().target_begin = s.letter;
      const char state = s.state;
      s = leaving(source.exon, s.carry, s.letter);
      s.state = state;
      chain.push_back({s.exon, 0, s.letter, {}});
    }
    append(chain.back().runs, 'I', s.letter);
    std::reverse(chain.begin(), chain.end());
    for (ExonAlignment& part : chain) std::reverse(part.runs.begin(), part.runs.end());
  }

  void step(Stand& s, std::vector<Run>& runs) const {
    const Table& table = tables_[s.exon][s.carried];
    const std::int64_t cell = at(s.row, s.letter), up = at(s.row - 1, s.letter);
    const std::int64_t k = s.exon, j = s.letter;
    const int p = s.carried;
    if (s.state == 'H') {
      if (j > 0) {
        const Carry u = s.row == 1 ? carry_of_pair(k, p, j) : 0;
        const std::int64_t before =
            s.row == 1 ? seen(k, p, u, 1).best[j - 1].value : table.best[up - 1];
        if (table.best[cell] == before + pair(k, p, u, s.row, j)) {
          append(runs,
                 column_of_amino(
                     params_.align.substitution, amino(k, p, u, s.row), problem_.target[j - 1]));
          --s.row, --s.letter;
          s.carry = u;
          return;
        }
      }
      s.state = table.best[cell] == table.gap[cell] ? 'D' : 'I';
    } else if (s.state == 'D') {
      append(runs, 'D');
      const Carry u = carry_of_best(k, p, j, 1);
      const std::int64_t before = s.row == 1 ? seen(k, p, u, 1).best[j].value : table.best[up];
      if (table.gap[cell] == before + open()) s.state = 'H';
      s.carry = s.state == 'H' ? u : carry_of_gap(k, p, j);
      --s.row;
    } else {
      append(runs, 'I');
      if (table.letters[cell] == table.best[cell - 1] + open()) s.state = 'H';
      --s.letter;
    }
  }

  const Case& problem_;
  const ProteinParams& params_;
  std::vector<std::int64_t> order_, rank_;
  std::vector<std::vector<Above>> above_;   ///< exon, carry
  std::vector<std::vector<Table>> tables_;  ///< exon, bases carried
  const bool stops_end_;
  const Above nothing_{std::vector<Source>(problem_.target.size() + 1),
                       std::vector<Source>(problem_.target.size() + 1)};
};

}  // namespace

SplicedAlignment align_protein(const Case& problem, const ProteinParams& params) {
  return Solver(problem, params).solve();
}

}  // namespace yupana::splice::reference
