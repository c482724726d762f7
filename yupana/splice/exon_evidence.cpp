#include "yupana/splice/exon_evidence.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "yupana/core/text.hpp"
#include "yupana/splice/protein.hpp"

namespace yupana::splice {
namespace {

/// Bases from 1, both ends included.
struct Stretch {
  std::int64_t first = 0, last = 0;
};

/// What of an exon's bases a chain does not read, whose exons are in order.
template <class Visit>
void each_own_stretch(const Exon& exon, const std::vector<Stretch>& chain, const Visit& visit) {
  std::int64_t first = exon.first;
  auto read = std::ranges::lower_bound(chain, exon.first, {}, &Stretch::last);
  for (; read != chain.end() && read->first <= exon.last; ++read) {
    if (first < read->first) visit(Stretch{first, read->first - 1});
    first = read->last + 1;
  }
  if (first <= exon.last) visit(Stretch{first, exon.last});
}

/// The union of stretches, in order; neighbours become one.
std::vector<Stretch> joined(std::vector<Stretch> stretches) {
  std::ranges::sort(stretches, {}, &Stretch::first);
  std::vector<Stretch> result;
  for (const Stretch& one : stretches) {
    if (result.empty() || result.back().last + 1 < one.first) {
      result.push_back(one);
    } else {
      result.back().last = std::max(result.back().last, one.last);
    }
  }
  return result;
}

/// Finds, in texts, the letters of shortest alignments without a gap to a target that reach a
/// score: [begin, end) of each that ends where such ones end.
class SegmentSearch {
 public:
  SegmentSearch(std::string_view target, const Substitution& substitution, const EvidenceParams& p)
      : target_(target),
        substitution_(substitution),
        params_(p),
        masked_(p.low_complexity(target)),
        before_(target.size() + 1),
        here_(target.size() + 1) {}

  /// Letters [begin, end) of the text.
  template <class Visit>
  void each(std::string_view text, std::size_t begin, std::size_t end, const Visit& visit) {
    const std::vector<bool> masked = params_.low_complexity(text);
    std::fill(here_.begin(), here_.end(), 0);
    for (std::size_t i = begin; i < end; ++i) {
      const std::vector<std::int32_t>& scores = profile(text[i], masked[i]);
      std::swap(before_, here_);
      if (!row(scores)) continue;
      for (std::size_t j = 0; j < target_.size(); ++j) {
        if (here_[j + 1] < params_.least_score) continue;
        // Its best begin gains no less, so the way back reaches the score before it.
        std::int64_t sum = 0;
        std::size_t back = 0;
        for (;; ++back) {
          sum += profile(text[i - back], masked[i - back])[j - back];
          if (sum >= params_.least_score) break;
        }
        visit(i - back, i + 1);
      }
    }
  }

 private:
  /// The next row of best sums that end at each letter; whether one of them is evidence.
  bool row(const std::vector<std::int32_t>& scores) {
    std::int32_t most = 0;
    const std::int32_t* const before = before_.data();
    std::int32_t* const here = here_.data() + 1;
    for (std::size_t j = 0; j < target_.size(); ++j) {
      here[j] = std::max(before[j] + scores[j], 0);
      most = std::max(most, here[j]);
    }
    return most >= params_.least_score;
  }

  const std::vector<std::int32_t>& profile(char letter, bool is_masked) {
    std::vector<std::int32_t>& scores =
        profiles_[is_masked][substitution_.code[static_cast<unsigned char>(letter)]];
    if (!scores.empty()) return scores;
    for (std::size_t j = 0; j < target_.size(); ++j) {
      const int score = substitution_.score(letter, target_[j]);
      scores.push_back(is_masked || masked_[j] ? std::min(score, 0) : score);
    }
    return scores;
  }

  const std::string_view target_;
  const Substitution& substitution_;
  const EvidenceParams& params_;
  const std::vector<bool> masked_;
  std::vector<std::int32_t> before_, here_;
  std::array<std::vector<std::int32_t>, 256> profiles_[2];
};

/// Bases of alignments that are evidence, in order of their first; the last of each is the first
/// of those that begin there or later.
class Evidence {
 public:
  Evidence(const Case& problem,
           const std::vector<Stretch>& stretches,
           const Substitution& substitution,
           const EvidenceParams& params) {
    SegmentSearch search(problem.target, substitution, params);
    for (const Stretch& one : stretches) {
      // Repeats are marked by what is around them.
      const std::int64_t start = std::max<std::int64_t>(1, one.first - params.context);
      const std::int64_t end =
          std::min<std::int64_t>(std::ssize(problem.bases), one.last + params.context);
      for (std::int64_t frame = 0; frame < (params.code ? 3 : 1); ++frame) {
        add(problem.bases.substr(start - 1, end - start + 1), start, one, frame, params, search);
      }
    }
    std::ranges::sort(found_, {}, [](const Stretch& a) { return std::pair(a.first, a.last); });
    for (std::size_t i = found_.size(); i-- > 1;) {
      found_[i - 1].last = std::min(found_[i - 1].last, found_[i].last);
    }
  }

  bool in(const Stretch& bases) const {
    const auto first = std::ranges::lower_bound(found_, bases.first, {}, &Stretch::first);
    return first != found_.end() && first->last <= bases.last;
  }

 private:
  /// Adds what is found in a stretch of the bases, which begin at `start`; of a protein's codons
  /// those that begin in the frame.
  void add(std::string_view bases,
           std::int64_t start,
           const Stretch& stretch,
           std::int64_t frame,
           const EvidenceParams& params,
           SegmentSearch& search) {
    const std::int64_t size = params.code ? 3 : 1;
    const std::int64_t offset = (stretch.first - start + frame) % size;
    std::string codons;
    if (params.code) codons = translation(bases.substr(offset), *params.code);
    const std::string_view text = params.code ? std::string_view(codons) : bases;
    const std::int64_t begin = (stretch.first - start + frame - offset) / size;
    const std::int64_t length = (stretch.last - stretch.first + 1 - frame) / size;
    if (length <= 0) return;
    search.each(text, begin, begin + length, [&](std::size_t from, std::size_t to) {
      const std::int64_t base = start + offset;
      found_.push_back({base + size * static_cast<std::int64_t>(from),
                        base + size * static_cast<std::int64_t>(to) - 1});
    });
  }

  std::vector<Stretch> found_;
};

/// A column of an alignment: the last of its bases, or 0 of a gap, and its score.
struct Column {
  std::int64_t base = 0;
  int score = 0;
};

/// The columns of each exon of a chain.
std::vector<std::vector<Column>> columns_of(const Case& problem,
                                            const std::vector<ExonAlignment>& chain,
                                            const Substitution& substitution,
                                            const EvidenceParams& params) {
  const std::int64_t size = params.code ? 3 : 1;
  std::vector<int> carried(chain.size());
  std::string text = spliced_bases(problem, chain);
  if (params.code) {
    carried = carried_bases(problem.exons, chain);
    text = translation(text, *params.code);
  }
  const std::vector<bool> of_text = params.low_complexity(text);
  const std::vector<bool> of_target = params.low_complexity(problem.target);
  std::vector<std::vector<Column>> result(chain.size());
  std::size_t at = 0;
  for (std::size_t k = 0; k < chain.size(); ++k) {
    const Exon& exon = problem.exons[static_cast<std::size_t>(chain[k].exon)];
    std::int64_t base = exon.first - 1 - carried[k], letter = chain[k].target_begin;
    for (const Run& run : chain[k].runs) {
      for (std::int64_t i = 0; i < run.length; ++i) {
        Column column;
        if (run.operation != 'I') base += size;
        if (run.operation != 'I' && run.operation != 'D') {
          const int score = substitution.score(text[at], problem.target[letter]);
          column = {base, of_text[at] || of_target[letter] ? std::min(score, 0) : score};
        }
        at += run.operation != 'I';
        letter += run.operation != 'D';
        result[k].push_back(column);
      }
    }
  }
  return result;
}

/// Whether columns without a gap between them, all in the stretch, reach the score.
bool reach(const std::vector<Column>& columns, const Stretch& stretch, std::int64_t least_score) {
  std::int64_t sum = 0;
  for (const Column& column : columns) {
    const bool inside = column.base >= stretch.first && column.base <= stretch.last;
    sum = inside ? std::max<std::int64_t>(0, sum + column.score) : 0;
    if (sum >= least_score) return true;
  }
  return false;
}

std::vector<Stretch> bases_of(const Case& problem, const std::vector<ExonAlignment>& chain) {
  std::vector<Stretch> bases;
  for (const ExonAlignment& part : chain) {
    const Exon& exon = problem.exons[static_cast<std::size_t>(part.exon)];
    bases.push_back({exon.first, exon.last});
  }
  return bases;
}

}  // namespace

std::vector<bool> exons_with_evidence(const Case& problem,
                                      const std::vector<ExonAlignment>& chain,
                                      const Substitution& substitution,
                                      const EvidenceParams& params) {
  const std::vector<Stretch> read = bases_of(problem, chain);
  std::vector<Stretch> own;
  const auto keep = [&](const Stretch& one) { own.push_back(one); };
  for (const Exon& exon : problem.exons) each_own_stretch(exon, read, keep);
  const Evidence evidence(problem, joined(std::move(own)), substitution, params);
  std::vector<bool> result;
  for (const Exon& exon : problem.exons) {
    bool all = true;
    each_own_stretch(exon, read, [&](const Stretch& one) { all = all && evidence.in(one); });
    result.push_back(all);
  }
  return result;
}

bool holds_evidence(const Case& problem,
                    const std::vector<ExonAlignment>& chain,
                    const std::vector<ExonAlignment>& other,
                    const Substitution& substitution,
                    const EvidenceParams& params) {
  const std::vector<Stretch> read = bases_of(problem, chain);
  const auto columns = columns_of(problem, other, substitution, params);
  bool all = true;
  for (std::size_t k = 0; k < other.size(); ++k) {
    each_own_stretch(
        problem.exons[static_cast<std::size_t>(other[k].exon)], read, [&](const Stretch& one) {
          all = all && reach(columns[k], one, params.least_score);
        });
  }
  return all;
}

}  // namespace yupana::splice
