#include "yupana/splice/protein.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/align_memory.hpp"
#include "yupana/splice/checks.hpp"
#include "yupana/splice/protein_backends.hpp"

namespace yupana::splice {
namespace {

constexpr std::string_view codon_letters = "ACDEFGHIKLMNPQRSTVWYX*";

void check(const ProteinParams& params) {
  check_params(params.align);
  for (const char amino : codon_letters) {
    if (params.align.substitution.knows(amino)) continue;
    throw input_error(
        "splice: expected a substitution matrix of the twenty amino acids, X and *, got "
        "one without '{}'",
        amino);
  }
  if (params.partial_codon > 0 || params.partial_codon < -largest_score) {
    throw input_error("splice: expected a score of 0 or less for a partial codon, got {}",
                      params.partial_codon);
  }
}

constexpr std::int64_t protein_sum_limit = (1 << 28) - 1;

/// A bound on the scores reached with up to `chain` exons in a chain, over `covered` bases.
std::int64_t largest_sum(const Case& problem,
                         const ProteinParams& params,
                         std::int64_t chain,
                         std::int64_t covered) {
  std::int64_t begin = 0, junction = 0, size = 0;
  for (const Exon& exon : problem.exons) {
    begin = std::max<std::int64_t>(begin, std::abs(std::int64_t{exon.begin}));
    junction = std::max<std::int64_t>(
        junction, std::abs(std::int64_t{exon.entry}) + std::abs(std::int64_t{exon.exit}));
  }
  for (const int score : params.align.substitution.scores) {
    size = std::max<std::int64_t>(size, std::abs(score));
  }
  const std::int64_t extend = -params.align.gap_extend;
  const std::int64_t gaps = extend * (covered / 3 + 1) - std::int64_t{2} * params.align.gap_open;
  return begin + chain * junction + std::ssize(problem.target) * (size + 2 * extend) + gaps;
}

std::vector<SplicedAlignment> dispatch(Context& context,
                                       std::span<const Case> problems,
                                       const ProteinParams& params) {
  const auto one = [&](const Case& problem) { return reference::align_protein(problem, params); };
  if (context.backend() == Backend::reference) return each_alone(context, problems, one);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return cuda::align_protein(context, problems, params);
#endif
  return cpu::align_protein(context, problems, params);
}

}  // namespace

// A cell with an exon of a chain is reached by a gap of all letters and one of all codons, so that
// its best value is no less than these and the junctions lose. Exons of a chain are at most as many
// as end one after the other, the first to end always taken.
void check_protein_range(const Case& problem, const ProteinParams& params, const Plan& plan) {
  std::int64_t chain = 0, free_from = 0;
  for (const std::int64_t k : ordered_exons(problem.exons)) {
    const Exon& exon = problem.exons[k];
    if (exon.first < free_from) continue;
    ++chain;
    free_from = exon.last + params.align.min_intron + 1;
  }
  std::int64_t covered = 0, reach = 0;
  for (const Start& start : plan.starts) {
    const std::int64_t last = start.first + start.rows - 1;
    covered += std::max<std::int64_t>(0, last - std::max(start.first - 1, reach));
    reach = std::max(reach, last);
  }
  const std::int64_t sum = largest_sum(problem, params, chain, covered);
  if (sum < protein_sum_limit) return;
  throw usage_error(
      "splice: scores against {} target letters, with up to {} exons in a "
      "chain, could reach {}; expected below {}: give smaller scores of amino "
      "acids and gaps",
      problem.target.size(),
      chain,
      sum,
      protein_sum_limit);
}

bool stops_end(const Case& problem, const ProteinParams& params) {
  const std::string_view inner =
      problem.target.substr(0, std::max<std::size_t>(problem.target.size(), 1) - 1);
  return params.stops_end && inner.find_first_of("*Uu") == std::string_view::npos;
}

OpenCodons::OpenCodons(
    const GeneticCode& code, bool any_stop, const char* first, int carried, std::int64_t codons)
    : code_(code), any_stop_(any_stop), first_(first) {
  if (any_stop) return;
  // The first codon after a carry lies over a junction.
  for (std::int64_t row = carried == 0 ? 1 : 2; row <= codons; ++row) {
    if (first_amino(code, 0, first + 3 * (row - 1) - carried) != '*') continue;
    stop_ = row;
    return;
  }
}

ProteinParams::ProteinParams() {
  align.substitution = Substitution::blosum62();
  align.gap_open = -11;
  align.gap_extend = -1;
}

void check_proteins(Context& context, std::span<const Case> problems, const ProteinParams& params) {
  check(params);
  static const Substitution dna = Substitution::dna();
  each_in_order(context, problems.size(), [&](std::size_t p) {
    check_letters(params.align.substitution, problems[p].target, 1, "target letter");
    check_exons(problems[p], dna);
    const std::int64_t exons = std::ssize(problems[p].exons), bases = std::ssize(problems[p].bases);
    if (largest_sum(problems[p], params, exons, bases) >= protein_sum_limit) {
      check_protein_range(
          problems[p], params, make_plan(problems[p].exons, params.align.min_intron));
    }
  });
  check_protein_memory(context, problems, params.align);
}

std::vector<SplicedAlignment> align_protein(Context& context,
                                            std::span<const Case> problems,
                                            const ProteinParams& params) {
  check_proteins(context, problems, params);
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
