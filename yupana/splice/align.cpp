#include "yupana/splice/align.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <numeric>
#include <tuple>

#include "yupana/core/error.hpp"
#include "yupana/splice/align_backends.hpp"

namespace yupana::splice {
namespace {

Error refused(const std::string& what) { return Error(ErrorCode::bad_input, what); }

// A single letter, gap or junction beyond this is a mistake, and sums stay far below 2^63.
constexpr int largest_score = 1'000'000;

void check_letters(const Substitution& known,
                   std::string_view letters,
                   std::int64_t first,
                   const char* what) {
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (known.knows(letters[i])) continue;
    throw refused(
        fmt::format("splice: {} {} is '{}' (character {}), which the substitution matrix "
                    "does not know; remove or replace it",
                    what,
                    first + static_cast<std::int64_t>(i),
                    letters[i] >= ' ' && letters[i] <= '~' ? letters[i] : '?',
                    static_cast<unsigned char>(letters[i])));
  }
}

void check(const AlignParams& params) {
  const Substitution& s = params.substitution;
  if (s.letters <= 0 || s.scores.size() != static_cast<std::size_t>(s.letters * s.letters)) {
    throw refused("splice: the substitution matrix is empty; use Substitution::dna or matrix");
  }
  for (const int score : s.scores) {
    if (std::abs(score) > largest_score) {
      throw refused(fmt::format(
          "splice: a substitution score of {}; at most {} wanted", score, largest_score));
    }
  }
  for (const int gap : {params.gap_open, params.gap_extend}) {
    if (gap > 0 || gap < -largest_score) {
      throw refused(
          fmt::format("splice: a gap score of {}; wanted is 0 or a loss (-1, -2 ...)", gap));
    }
  }
  if (params.min_intron < 0) {
    throw refused(
        fmt::format("splice: introns of at least {} bases; 0 or more wanted", params.min_intron));
  }
}

void check(const Case& problem, const AlignParams& params) {
  check_letters(params.substitution, problem.target, 1, "target letter");
  // Bases are read where exons are; each once, whatever the overlaps.
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  for (std::size_t k = 0; k < problem.exons.size(); ++k) {
    const Exon& exon = problem.exons[k];
    if (exon.first < 1 || exon.last > std::ssize(problem.bases) || exon.first > exon.last) {
      throw refused(fmt::format("splice: exon {} is {}..{}; 1 <= first <= last <= {} wanted",
                                k + 1,
                                exon.first,
                                exon.last,
                                problem.bases.size()));
    }
    for (const std::int32_t score : {exon.begin, exon.entry, exon.exit, exon.end}) {
      if (score < -largest_score || score > largest_score) {
        throw refused(fmt::format(
            "splice: exon {} has a score of {}; at most {} wanted", k + 1, score, largest_score));
      }
    }
    spans.emplace_back(exon.first, exon.last);
  }
  std::sort(spans.begin(), spans.end());
  std::int64_t checked = 0;
  for (const auto& [first, last] : spans) {
    const std::int64_t from = std::max(first, checked + 1);
    if (from > last) continue;
    check_letters(
        params.substitution, problem.bases.substr(from - 1, last - from + 1), from, "base");
    checked = last;
  }
}

void check_score(const Case& problem,
                 const SplicedAlignment& result,
                 const AlignParams& params,
                 std::size_t number) {
  const std::int64_t score = rescore(problem, result.chain, params);
  if (score == result.score) return;
  throw Error(ErrorCode::device,
              fmt::format("splice: internal error: the alignment of case {} scores {}, its table "
                          "says {}; please report the input",
                          number + 1,
                          score,
                          result.score));
}

/// body(p) for every p on all threads; of several errors that of the first p is thrown.
template <class Body>
void each_in_order(Context& context, std::size_t count, const Body& body) {
  std::mutex mutex;
  std::size_t first = count;
  std::exception_ptr error;
  context.parallel_for(
      static_cast<std::int64_t>(count), 8, [&](std::int64_t from, std::int64_t to) {
        for (auto p = static_cast<std::size_t>(from); p < static_cast<std::size_t>(to); ++p) {
          try {
            body(p);
          } catch (...) {
            const std::lock_guard lock(mutex);
            if (p < first) first = p, error = std::current_exception();
            return;
          }
        }
      });
  if (error) std::rethrow_exception(error);
}

std::vector<SplicedAlignment> dispatch(Context& context,
                                       std::span<const Case> problems,
                                       const AlignParams& params) {
  switch (context.backend()) {
    case Backend::reference: {
      std::vector<SplicedAlignment> results;
      for (const Case& problem : problems) {
        context.check_cancelled();
        results.push_back(reference::align(problem, params));
      }
      return results;
    }
    case Backend::cpu:
      return cpu::align(context, problems, params);
    case Backend::cuda:
#ifdef YUPANA_CUDA
      return cuda::align(context, problems, params);
#else
      break;
#endif
  }
  throw Error(ErrorCode::device, "splice: this build has no CUDA version; use --device cpu");
}

}  // namespace

std::vector<std::int64_t> ordered_exons(std::span<const Exon> exons) {
  std::vector<std::int64_t> order(exons.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const auto key = [](const Exon& x) {
      return std::tie(x.last, x.first, x.begin, x.entry, x.exit, x.end);
    };
    return key(exons[a]) < key(exons[b]);
  });
  const auto equal = [&](std::int64_t a, std::int64_t b) { return exons[a] == exons[b]; };
  order.erase(std::unique(order.begin(), order.end(), equal), order.end());
  return order;
}

std::vector<SplicedAlignment> align(Context& context,
                                    std::span<const Case> problems,
                                    const AlignParams& params) {
  check(params);
  // The first case at fault is the one told of, whatever the threads.
  each_in_order(context, problems.size(), [&](std::size_t p) { check(problems[p], params); });
  std::vector<SplicedAlignment> results = dispatch(context, problems, params);
  if (!params.alignment) return results;
  each_in_order(context, problems.size(), [&](std::size_t p) {
    check_score(problems[p], results[p], params, p);
  });
  return results;
}

SplicedAlignment align(Context& context, const Case& problem, const AlignParams& params) {
  return std::move(align(context, std::span(&problem, 1), params).front());
}

}  // namespace yupana::splice
