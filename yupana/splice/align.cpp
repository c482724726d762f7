#include "yupana/splice/align.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "yupana/core/error.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/align_memory.hpp"
#include "yupana/splice/checks.hpp"
#include "yupana/splice/protein_backends.hpp"

namespace yupana::splice {
namespace {

std::vector<SplicedAlignment> dispatch(Context& context,
                                       std::span<const Case> problems,
                                       const AlignParams& params) {
  const auto one = [&](const Case& problem) { return reference::align(problem, params); };
  if (context.backend() == Backend::reference) return each_alone(context, problems, one);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return cuda::align(context, problems, params);
#endif
  return cpu::align(context, problems, params);
}

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

namespace {

/// Places in the order of their exons' last bases, those of one in their own order; empty where the
/// last bases lie far apart.
std::vector<std::int64_t> places_by_last(std::span<const Exon> exons) {
  if (exons.empty()) return {};
  const auto ends = std::ranges::minmax(exons, {}, &Exon::last);
  const std::int64_t least = ends.min.last, most = ends.max.last;
  if ((most - least) / 4 > std::ssize(exons)) return {};
  std::vector<std::int64_t> next(static_cast<std::size_t>(most - least) + 2);
  const auto next_of = [&](const Exon& exon) { return next.data() + (exon.last - least); };
  for (const Exon& exon : exons) ++next_of(exon)[1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::int64_t> places(exons.size());
  for (const Exon& exon : exons) {
    places[static_cast<std::size_t>((*next_of(exon))++)] = &exon - exons.data();
  }
  return places;
}

}  // namespace

std::vector<std::int64_t> ordered_exons(std::span<const Exon> exons) {
  const auto tied = [](const Exon& x) {
    return std::tie(x.last, x.first, x.begin, x.entry, x.exit, x.end);
  };
  const auto is_less = [&](std::int64_t a, std::int64_t b) {
    return tied(exons[a]) < tied(exons[b]);
  };
  // Candidates come by their first bases: then this is their order.
  std::vector<std::int64_t> order = places_by_last(exons);
  if (order.empty() || !std::is_sorted(order.begin(), order.end(), is_less)) {
    // The keys lie side by side: with a million exons a sort through indices takes five times as
    // long.
    struct Key {
      Exon exon;
      std::int64_t place;
    };
    std::vector<Key> keys;
    keys.reserve(exons.size());
    for (const Exon& exon : exons) keys.push_back({exon, std::ssize(keys)});
    std::ranges::sort(keys, [&](const Key& a, const Key& b) {
      return std::tuple_cat(tied(a.exon), std::tie(a.place)) <
             std::tuple_cat(tied(b.exon), std::tie(b.place));
    });
    order.clear();
    for (const Key& key : keys) order.push_back(key.place);
  }
  const auto equal = [&](std::int64_t a, std::int64_t b) { return exons[a] == exons[b]; };
  order.erase(std::unique(order.begin(), order.end(), equal), order.end());
  return order;
}

void check_problems(Context& context,
                    std::span<const Case> problems,
                    const AlignParams& params,
                    int score_scale) {
  check_params(params);
  // The error is that of the first case at fault, whatever the threads.
  each_in_order(context, problems.size(), [&](std::size_t p) {
    check_letters(params.substitution, problems[p].target, 1, "target letter");
    check_exons(problems[p], params.substitution);
    check_sums(problems[p], params, score_scale);
  });
  check_memory(context, problems, params);
}

std::vector<SplicedAlignment> align(Context& context,
                                    std::span<const Case> problems,
                                    const AlignParams& params) {
  check_problems(context, problems, params);
  std::vector<SplicedAlignment> results = dispatch(context, problems, params);
  if (!params.alignment || context.backend() == Backend::cuda) return results;
  each_in_order(context, problems.size(), [&](std::size_t p) {
    check_score(rescore(problems[p], results[p].chain, params), results[p].score, p);
  });
  return results;
}

SplicedAlignment align(Context& context, const Case& problem, const AlignParams& params) {
  return std::move(align(context, std::span(&problem, 1), params).front());
}

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
