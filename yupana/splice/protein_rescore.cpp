#include "yupana/core/error.hpp"
#include "yupana/splice/protein_backends.hpp"

namespace yupana::splice {
namespace {

void demand(bool holds, const char* what) {
  if (holds) return;
  throw Error(ErrorCode::device,
              fmt::format("splice: internal error: {}; please report the input", what));
}

/// Walks along the columns of a chain, codon by codon of its translation.
class Scorer {
 public:
  Scorer(const Case& problem, const std::vector<ExonAlignment>& chain, const ProteinParams& params)
      : target_(problem.target), params_(params) {
    const std::string bases = spliced_bases(problem, chain);
    amino_ = translation(bases, params.code);
    if (bases.size() % 3 != 0) score_ = params.partial_codon;
  }

  /// The columns of an exon, before which `codons` of the chain end.
  void walk(const ExonAlignment& part, std::int64_t codons) {
    demand(part.target_begin == letter_, "an exon begins at another letter than the last ended");
    for (const Run& run : part.runs) add(run);
    demand(codon_ == codons, "the columns of an exon are not its codons");
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
    const std::int64_t codons = run.operation == 'I' ? 0 : run.length;
    const std::int64_t letters = run.operation == 'D' ? 0 : run.length;
    demand(codons <= std::ssize(amino_) - codon_, "more columns than codons");
    demand(letters <= std::ssize(target_) - letter_, "more columns than target letters");
    const AlignParams& p = params_.align;
    if (!pair) {
      score_ += (run.operation == previous_ ? 0 : p.gap_open) + run.length * p.gap_extend;
    }
    for (std::int64_t i = 0; pair && i < run.length; ++i) {
      const char amino = amino_[codon_ + i], letter = target_[letter_ + i];
      demand(column_of_amino(p.substitution, amino, letter) == run.operation,
             "a column called equal is not, or the reverse");
      score_ += p.substitution.score(amino, letter);
    }
    previous_ = run.operation;
    codon_ += codons;
    letter_ += letters;
  }

  std::string_view target_;
  const ProteinParams& params_;
  std::string amino_;
  std::int64_t score_ = 0;
  std::int64_t codon_ = 0;   ///< before the next column
  std::int64_t letter_ = 0;  ///< before the next column
  char previous_ = '=';      ///< a gap goes on over a junction
};

}  // namespace

std::int64_t rescore_protein(const Case& problem,
                             const std::vector<ExonAlignment>& chain,
                             const ProteinParams& params) {
  if (chain.empty()) {
    const std::int64_t n = std::ssize(problem.target);
    return n == 0 ? 0 : params.align.gap_open + n * params.align.gap_extend;
  }
  Scorer scorer(problem, chain, params);
  std::int64_t bases = 0;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Exon& exon = problem.exons[chain[i].exon];
    scorer.add(i == 0 ? exon.begin : exon.entry);
    scorer.add(i + 1 == chain.size() ? exon.end : exon.exit);
    demand(i == 0 || problem.exons[chain[i - 1].exon].last + params.align.min_intron < exon.first,
           "an exon begins before the last one ended");
    bases += exon.length();
    scorer.walk(chain[i], bases / 3);
  }
  return scorer.finish();
}

}  // namespace yupana::splice
