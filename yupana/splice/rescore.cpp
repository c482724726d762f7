#include "yupana/core/error.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/protein_backends.hpp"

namespace yupana::splice {
namespace {

void demand(bool holds, const char* what) {
  if (holds) return;
  throw Error(ErrorCode::device,
              fmt::format("splice: internal error: {}; please report the input", what));
}

/// Walks along the columns of a chain, letter by letter of what it reads, and adds up.
class Scorer {
 public:
  using Column = char (*)(const Substitution&, char, char);
  Scorer(std::string_view read, std::string_view target, const AlignParams& params, Column column)
      : read_(read), target_(target), params_(params), column_(column) {}

  /// The columns of an exon, after which `read` letters of the chain are read.
  void walk(const ExonAlignment& part, std::int64_t read) {
    demand(part.target_begin == letter_, "an exon begins at another letter than the last ended");
    for (const Run& run : part.runs) add(run);
    demand(place_ == read, "the columns of an exon are not what it reads");
    demand(part.target_end == letter_, "an exon ends at another letter than it says");
  }
  void add(std::int64_t score) { score_ += score; }
  std::int64_t finish() const {
    demand(letter_ == std::ssize(target_), "letters of the target are left over");
    return score_;
  }

 private:
  void add(const Run& run) {
    const bool pair = run.operation == '=' || run.operation == 'X';
    demand(pair || run.operation == 'D' || run.operation == 'I', "a column of no kind");
    demand(run.length > 0, "a run without columns");
    const std::int64_t read = run.operation == 'I' ? 0 : run.length;
    const std::int64_t letters = run.operation == 'D' ? 0 : run.length;
    demand(read <= std::ssize(read_) - place_, "more columns than the chain reads");
    demand(letters <= std::ssize(target_) - letter_, "more columns than target letters");
    if (!pair) {
      score_ +=
          (run.operation == previous_ ? 0 : params_.gap_open) + run.length * params_.gap_extend;
    }
    for (std::int64_t i = 0; pair && i < run.length; ++i) {
      const char own = read_[place_ + i], letter = target_[letter_ + i];
      demand(column_(params_.substitution, own, letter) == run.operation,
             "a column called equal is not, or the reverse");
      score_ += params_.substitution.score(own, letter);
    }
    previous_ = run.operation;
    place_ += read;
    letter_ += letters;
  }

  std::string_view read_, target_;
  const AlignParams& params_;
  Column column_;
  std::int64_t score_ = 0;
  std::int64_t place_ = 0;   ///< in `read_`, of the next column
  std::int64_t letter_ = 0;  ///< before the next column
  char previous_ = '=';      ///< a gap goes on over a junction
};

/// The score of a chain that reads a letter for each `bases` of its bases.
std::int64_t score_of(const Case& problem,
                      const std::vector<ExonAlignment>& chain,
                      const AlignParams& params,
                      Scorer scorer,
                      std::int64_t bases) {
  if (chain.empty()) {
    const std::int64_t n = std::ssize(problem.target);
    return n == 0 ? 0 : params.gap_open + n * params.gap_extend;
  }
  std::int64_t read = 0;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Exon& exon = problem.exons[chain[i].exon];
    scorer.add(i == 0 ? exon.begin : exon.entry);
    scorer.add(i + 1 == chain.size() ? exon.end : exon.exit);
    demand(i == 0 || problem.exons[chain[i - 1].exon].last + params.min_intron < exon.first,
           "an exon begins before the last one ended");
    read += exon.length();
    scorer.walk(chain[i], read / bases);
  }
  return scorer.finish();
}

}  // namespace

std::int64_t rescore(const Case& problem,
                     const std::vector<ExonAlignment>& chain,
                     const AlignParams& params) {
  const std::string bases = spliced_bases(problem, chain);
  return score_of(problem, chain, params, {bases, problem.target, params, column_of}, 1);
}

std::int64_t rescore_protein(const Case& problem,
                             const std::vector<ExonAlignment>& chain,
                             const ProteinParams& params) {
  const std::string bases = spliced_bases(problem, chain);
  const std::string amino = translation(bases, params.code);
  Scorer scorer(amino, problem.target, params.align, column_of_amino);
  if (bases.size() % 3 != 0) scorer.add(params.partial_codon);
  return score_of(problem, chain, params.align, scorer, 3);
}

}  // namespace yupana::splice
