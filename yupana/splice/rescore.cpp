#include "yupana/core/error.hpp"
#include "yupana/splice/align.hpp"

namespace yupana::splice {
namespace {

/// Walks along the columns of an alignment and adds up.
class Scorer {
 public:
  Scorer(const Case& problem, const AlignParams& params) : problem_(problem), params_(params) {}

  void walk(const ExonAlignment& part) {
    const Exon& exon = problem_.exons[part.exon];
    base_ = exon.first - 1;
    demand(part.target_begin == letter_, "an exon begins at another letter than the last ended");
    for (const Run& run : part.runs) {
      demand(run.length > 0, "a run without columns");
      add(run, exon);
    }
    demand(base_ == exon.last, "the columns of an exon end before it does");
    demand(part.target_end == letter_, "an exon ends at another letter than it says");
  }
  std::int64_t finish() const {
    demand(letter_ == std::ssize(problem_.target), "letters of the target are left over");
    return score_;
  }
  void add(std::int64_t score) { score_ += score; }

 private:
  static void demand(bool holds, const char* what) {
    if (holds) return;
    throw Error(ErrorCode::device,
                fmt::format("splice: internal error: {}; please report the input", what));
  }

  void add(const Run& run, const Exon& exon) {
    const bool pair = run.operation == '=' || run.operation == 'X';
    const bool gap = run.operation == 'D' || run.operation == 'I';
    demand(pair || gap, "a column of no kind");
    const std::int64_t bases = run.operation == 'I' ? 0 : run.length;
    const std::int64_t letters = run.operation == 'D' ? 0 : run.length;
    demand(bases <= exon.last - base_, "an exon has more columns than bases");
    demand(letters <= std::ssize(problem_.target) - letter_, "more columns than target letters");
    if (gap) {
      score_ +=
          (run.operation == previous_ ? 0 : params_.gap_open) + run.length * params_.gap_extend;
    } else {
      for (std::int64_t i = 0; i < run.length; ++i) {
        const char base = problem_.bases[base_ + i];
        const char letter = problem_.target[letter_ + i];
        const Substitution& s = params_.substitution;
        const bool same =
            s.code[static_cast<unsigned char>(base)] == s.code[static_cast<unsigned char>(letter)];
        demand(same == (run.operation == '='), "a column called equal is not, or the reverse");
        score_ += s.score(base, letter);
      }
    }
    previous_ = run.operation;
    base_ += bases;
    letter_ += letters;
  }

  const Case& problem_;
  const AlignParams& params_;
  std::int64_t score_ = 0;
  std::int64_t base_ = 0;    ///< bases before the next column
  std::int64_t letter_ = 0;  ///< letters before the next column
  char previous_ = '=';      ///< a gap goes on over a junction
};

}  // namespace

std::int64_t rescore(const Case& problem,
                     const std::vector<ExonAlignment>& chain,
                     const AlignParams& params) {
  if (chain.empty()) {
    const std::int64_t n = std::ssize(problem.target);
    return n == 0 ? 0 : params.gap_open + n * params.gap_extend;
  }
  Scorer scorer(problem, params);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Exon& exon = problem.exons[chain[i].exon];
    scorer.add(i == 0 ? exon.begin : exon.entry);
    scorer.add(i + 1 == chain.size() ? exon.end : exon.exit);
    if (i > 0 && problem.exons[chain[i - 1].exon].last + params.min_intron >= exon.first) {
      throw Error(ErrorCode::device,
                  "splice: internal error: an exon begins before the last one ended; please report "
                  "the input");
    }
    scorer.walk(chain[i]);
  }
  return scorer.finish();
}

}  // namespace yupana::splice
