#include "yupana/splice/protein.hpp"

#include <utility>

#include "yupana/core/error.hpp"
#include "yupana/splice/checks.hpp"
#include "yupana/splice/protein_backends.hpp"

namespace yupana::splice {
namespace {

constexpr std::string_view amino_acids = "ACDEFGHIKLMNPQRSTVWYX*";

void check(const ProteinParams& params) {
  check_params(params.align);
  for (const char amino : amino_acids) {
    if (params.align.substitution.knows(amino)) continue;
    throw Error(
        ErrorCode::bad_input,
        fmt::format("splice: the substitution matrix has no scores for '{}'; wanted are the "
                    "twenty amino acids, X and *",
                    amino));
  }
  if (params.partial_codon > 0 || params.partial_codon < -largest_score) {
    throw Error(ErrorCode::bad_input,
                fmt::format("splice: a score of {} for a partial codon; wanted is 0 or a loss",
                            params.partial_codon));
  }
}

std::vector<SplicedAlignment> dispatch(Context& context,
                                       std::span<const Case> problems,
                                       const ProteinParams& params) {
  switch (context.backend()) {
    case Backend::reference: {
      std::vector<SplicedAlignment> results;
      for (const Case& problem : problems) {
        context.check_cancelled();
        results.push_back(reference::align_protein(problem, params));
      }
      return results;
    }
    case Backend::cpu:
      return cpu::align_protein(context, problems, params);
    case Backend::cuda:
      break;
  }
  throw Error(ErrorCode::device, "splice: protein targets have no CUDA version; use --device cpu");
}

}  // namespace

ProteinParams::ProteinParams() {
  align.substitution = Substitution::blosum62();
  align.gap_open = -11;
  align.gap_extend = -1;
}

std::vector<SplicedAlignment> align_protein(Context& context,
                                            std::span<const Case> problems,
                                            const ProteinParams& params) {
  check(params);
  static const Substitution dna = Substitution::dna();
  each_in_order(context, problems.size(), [&](std::size_t p) {
    check_letters(params.align.substitution, problems[p].target, 1, "target letter");
    check_exons(problems[p], dna);
  });
  std::vector<SplicedAlignment> results = dispatch(context, problems, params);
  if (!params.align.alignment) return results;
  each_in_order(context, problems.size(), [&](std::size_t p) {
    check_score(rescore_protein(problems[p], results[p].chain, params), results[p].score, p);
  });
  return results;
}

SplicedAlignment align_protein(Context& context, const Case& problem, const ProteinParams& params) {
  return std::move(align_protein(context, std::span(&problem, 1), params).front());
}

std::vector<int> carried_bases(std::span<const Exon> exons,
                               const std::vector<ExonAlignment>& chain) {
  std::vector<int> result;
  std::int64_t read = 0;
  for (const ExonAlignment& part : chain) {
    result.push_back(static_cast<int>(read % 3));
    read += exons[part.exon].length();
  }
  return result;
}

std::string spliced_bases(const Case& problem, const std::vector<ExonAlignment>& chain) {
  std::string text;
  for (const ExonAlignment& part : chain) {
    const Exon& exon = problem.exons[part.exon];
    text += problem.bases.substr(exon.first - 1, exon.length());
  }
  return text;
}

std::string translation(std::string_view bases, const GeneticCode& code) {
  std::string amino;
  for (std::size_t i = 0; i + 3 <= bases.size(); i += 3) {
    amino += code.translate(bases[i], bases[i + 1], bases[i + 2]);
  }
  return amino;
}

}  // namespace yupana::splice
