#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <string_view>

#include "yupana/splice/align.hpp"

/// Private to the family: what is checked before any alignment. All throw bad_input but
/// check_sums.
namespace yupana::splice {

/// Which of A, C, G and T occur in a text, in either case, and whether anything else does.
struct BaseSet {
  bool a = false, c = false, g = false, t = false, other = false;
};
BaseSet base_set(std::string_view text);

void check_params(const AlignParams& params);
/// Letters of `text` are numbered from `first`; `what` is what one is called.
void check_letters(const Substitution& known,
                   std::string_view letters,
                   std::int64_t first,
                   const char* what);
/// That no sum of scores can pass 32 bits; throws usage, with scores divided by `score_scale`.
void check_sums(const Case& problem, const AlignParams& params, int score_scale);
/// Places and scores of exons, and that `known` knows their bases.
void check_exons(const Case& problem, const Substitution& known);

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

/// What --device reference returns: align_one(problem) of each, one after the other.
template <class AlignOne>
std::vector<SplicedAlignment> each_alone(Context& context,
                                         std::span<const Case> problems,
                                         const AlignOne& align_one) {
  std::vector<SplicedAlignment> results;
  for (const Case& problem : problems) {
    context.check_cancelled();
    results.push_back(align_one(problem));
  }
  return results;
}

/// Throws Error(device): the alignment of case `number` (from 0) does not add up to its score.
void check_score(std::int64_t rescored, std::int64_t score, std::size_t number);

}  // namespace yupana::splice
