#include "yupana/splice/estimate.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <string>

#include "yupana/core/array.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/random.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/align_memory.hpp"
#include "yupana/splice/plan.hpp"
#include "yupana/splice/protein_backends.hpp"
#include "yupana/splice/row_kernels.hpp"

namespace yupana::splice {
namespace {

void count(std::vector<std::int64_t>& histogram, std::int64_t size) {
  const std::size_t bin = std::bit_width(static_cast<std::uint64_t>(size)) - 1;
  histogram.resize(std::max(histogram.size(), bin + 1));
  ++histogram[bin];
}

/// The exons of a plan in the order of ties.
std::vector<std::int64_t> order_of(const Plan& plan) {
  std::vector<std::int64_t> order(plan.readings.size());
  for (const Reading& reading : plan.readings) {
    order[static_cast<std::size_t>(reading.rank)] = reading.exon;
  }
  return order;
}

// Bases of the longest chain: the longest up to each end, a running maximum as in the alignment.
std::int64_t longest_chain(std::span<const Exon> exons,
                           const std::vector<std::int64_t>& order,
                           std::int64_t min_intron) {
  std::vector<std::int64_t> ends, lengths;  // of chains up to an exon; running maximum
  for (const std::int64_t k : order) {
    const auto before =
        std::lower_bound(ends.begin(), ends.end(), exons[k].first - min_intron) - ends.begin();
    const std::int64_t length = exons[k].length() + (before > 0 ? lengths[before - 1] : 0);
    ends.push_back(exons[k].last);
    lengths.push_back(std::max(length, lengths.empty() ? 0 : lengths.back()));
  }
  return lengths.empty() ? 0 : lengths.back();
}

/// Codons of a start, in all frames, up to the first stop codon of each.
std::int64_t open_rows(const Case& problem, const ProteinParams& params, const Start& start) {
  std::int64_t rows = 0;
  for (int carried = 0; carried < 3; ++carried) {
    const std::int64_t all = codons(carried, start.rows);
    const char* first = problem.bases.data() + start.first - 1;
    rows += OpenCodons(params.code, false, first, carried, all).within(all);
  }
  return rows;
}

Estimate estimate(const Case& problem, const AlignParams& params, const Plan& plan) {
  const std::vector<std::int64_t> order = order_of(plan);
  Estimate e;
  e.letters = std::ssize(problem.target);
  e.exons = std::ssize(order);
  e.executed_cells = plan.cells(e.letters);
  e.dense_cells = e.letters * std::ssize(problem.bases);
  std::int64_t first_end = 0, longest = 0, size = 0;
  const auto close = [&] {
    if (size == 0) return;
    e.group_steps += longest + e.letters - 1;
    count(e.group_histogram, size);
  };
  for (const std::int64_t k : order) {
    const Exon& exon = problem.exons[k];
    e.cells += exon.length() * e.letters;
    e.exon_steps += exon.length() + e.letters - 1;
    count(e.length_histogram, exon.length());
    if (size == 0 || exon.first > first_end) {
      close();
      first_end = exon.last;
      longest = size = 0;
    }
    longest = std::max(longest, exon.length());
    ++size;
  }
  close();
  e.sequential_steps = e.cells;
  e.bytes = static_cast<std::int64_t>(cpu_bytes(
      problem, params, TableCounts::of(plan), cpu::score_bytes(problem, params), UINT64_MAX));
  const std::int64_t chain = longest_chain(problem.exons, order, params.min_intron);
  e.skewed_steps = order.empty() ? 0 : e.letters - 1 + chain;
  e.traced_cells = std::min(chain, e.letters) * e.letters;
  return e;
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The best seconds of `repeats` runs.
template <class Run>
double best_seconds(int repeats, double now(), const Run& run) {
  double best = HUGE_VAL;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double begin = now();
    run();
    best = std::min(best, now() - begin);
  }
  return best;
}

std::string random_letters(RandomSequence& random, int count, std::string_view of) {
  std::string text;
  for (int i = 0; i < count; ++i) text += of[random.word() % of.size()];
  return text;
}

std::vector<Exon> even_exons(std::int64_t bases) {
  std::vector<Exon> exons;
  for (std::int64_t first = 1; first + 150 <= bases; first += 100) {
    exons.push_back({});
    exons.back().first = first;
    exons.back().last = first + 149;
  }
  return exons;
}

/// The problem of which rates are measured, `cells` of work, 8,850 bases of exons.
struct Sample {
  std::string bases, target;
  std::vector<Exon> exons;
  double cells = 0;
  Case view() const { return {bases, exons, target}; }
};

Sample make_sample(int letters, std::string_view of) {
  RandomSequence random(1);
  Sample sample;
  sample.bases = random_letters(random, 6000, "ACGT");
  sample.target = random_letters(random, letters, of);
  sample.exons = even_exons(std::ssize(sample.bases));
  return sample;
}

/// align(context, problems) of one thread of the CPU, or of one GPU: with hardly any work, with one
/// problem, and with many.
template <class Align>
Rate rate_of(const Context& where, const Sample& sample, const Align& align) {
  Rate rate;
  const std::vector<Exon> one_exon(1, sample.exons.front());
  const Case smallest{sample.bases, one_exon, std::string_view(sample.target).substr(0, 4)};
  const std::vector<Case> small(1, smallest), one(1, sample.view()), many(600, sample.view());
  ContextParams params;
  params.threads = 1;
  if (where.backend() == Backend::cuda) {
    params.threads = where.threads();
    params.device = fmt::format("cuda:{}", where.devices().front());
  } else {
    params.device = where.backend() == Backend::cpu ? "cpu" : "reference";
  }
  Context context(params);
  if (where.backend() != Backend::cuda) {
    const int repeats = where.backend() == Backend::cpu ? 5 : 1;
    rate.cells = sample.cells / best_seconds(repeats, cpu_seconds, [&] { align(context, one); });
    return rate;
  }
  double bases = 0;
  for (const Exon& exon : sample.exons) bases += static_cast<double>(exon.length());
  rate.call = best_seconds(3, wall_seconds, [&] { align(context, small); });
  const double alone = best_seconds(3, wall_seconds, [&] { align(context, one); });
  const double together = best_seconds(2, wall_seconds, [&] { align(context, many); });
  // A clock that is too coarse must not make it infinitely fast.
  rate.bases = bases / std::max(alone - rate.call, 0.05 * alone);
  rate.cells = 600 * sample.cells / std::max(together - rate.call, 0.05 * together);
  return rate;
}

/// Neighbouring exons of a problem, as many as make `cells` of work or a little more; all of them
/// where they make less.
std::vector<Exon> part_of(const Case& problem, double cells) {
  const auto before = [](const Exon& a, const Exon& b) { return a.first < b.first; };
  std::vector<Exon> sorted;
  std::span<const Exon> exons = problem.exons;
  if (!std::is_sorted(exons.begin(), exons.end(), before)) {
    sorted.assign(exons.begin(), exons.end());
    std::sort(sorted.begin(), sorted.end(), before);
    exons = sorted;
  }
  // From the middle on, and then what is before it.
  const auto letters = static_cast<double>(std::max<std::size_t>(problem.target.size(), 1));
  std::size_t from = exons.size() / 2, to = from;
  double rows = 0;
  const auto few = [&] { return rows * letters < cells; };
  for (std::int64_t longest = 0; to < exons.size() && few(); ++to) {
    if (to > from && exons[to].first != exons[to - 1].first) longest = 0;
    rows += static_cast<double>(std::max<std::int64_t>(exons[to].length() - longest, 0));
    longest = std::max(longest, exons[to].length());
  }
  for (; from > 0 && few(); --from) rows += static_cast<double>(exons[from - 1].length());
  const auto part = exons.subspan(from, to - from);
  return {part.begin(), part.end()};
}

struct Traced {
  double cells = 0, seconds = 0;
};

/// align(context, problem) of one thread of the CPU, which returns what of it was the traceback: of
/// the few exons of a part more are traced than of all.
template <class Align>
Rate rate_on_cpu(const Context& where, const Case& part, double cells, const Align& align) {
  Rate rate;
  ContextParams params;
  params.threads = 1;
  params.device = where.backend() == Backend::cpu ? "cpu" : "reference";
  Context context(params);
  const Case nothing{part.bases, part.exons.first(0), part.target};
  rate.call = best_seconds(3, cpu_seconds, [&] { align(context, nothing); });
  Traced traced;
  double forward = HUGE_VAL, trace = HUGE_VAL;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const double seconds = best_seconds(1, cpu_seconds, [&] { traced = align(context, part); });
    forward = std::min(forward, seconds - traced.seconds);
    trace = std::min(trace, traced.seconds);
  }
  rate.cells = std::max(cells, 1.0) / std::max(forward - rate.call, 0.05 * forward);
  if (trace > 0) rate.traced = traced.cells / trace;
  return rate;
}

double cells_to_measure(const Context& context) {
  return context.backend() == Backend::reference ? 1e5 : 3e7;
}

}  // namespace

Estimate estimate(const Case& problem, const AlignParams& params) {
  return estimate(problem, params, make_plan(problem.exons, params.min_intron));
}

Estimate estimate_protein(const Case& problem, const ProteinParams& params) {
  const Plan plan = make_plan(problem.exons, params.align.min_intron);
  Estimate e = estimate(problem, params.align, plan);
  e.bytes =
      static_cast<std::int64_t>(cpu_protein_bytes(problem, params.align, TableCounts::of(plan)));
  const bool any_stop = !stops_end(problem, params);
  if (!any_stop) e.executed_cells = 0;
  for (const Start& start : plan.starts) {
    if (start.version > 0) e.executed_cells += 18 * e.letters;
    if (!any_stop) e.executed_cells += open_rows(problem, params, start) * e.letters;
  }
  return e;
}

double seconds_of_fresh_byte(double bytes) {
  // Unsigned, so that g++ 13 sees that no array of it is too large (-Wstringop-overflow).
  const auto touched = static_cast<std::uint32_t>(std::clamp(bytes, 1.0, double{64 << 20}));
  char last = 0;
  const double seconds = best_seconds(3, cpu_seconds, [&] {
    Array<char> fresh(touched);
    std::fill(fresh.begin(), fresh.end(), 1);
    last = fresh[touched - 1];
  });
  return last * seconds / static_cast<double>(touched);
}

std::int64_t columns_of_a_thread() { return 8 * cpu::row_kernels<std::int16_t>().lanes; }

Rate measured_rate(Context& context, const AlignParams& params, const Case& like) {
  const std::vector<Exon> exons = part_of(like, cells_to_measure(context));
  const Case part{like.bases, exons, like.target};
  const auto cells = static_cast<double>(estimate(part, params).executed_cells);
  return rate_on_cpu(context, part, cells, [&](Context& on, const Case& one) {
    Traced traced;
    if (on.backend() == Backend::reference) {
      align(on, one, params);
      return traced;
    }
    cpu::Tuning tuning;
    tuning.trace_seconds = &traced.seconds;
    traced.cells = static_cast<double>(cpu::align(on, {&one, 1}, params, tuning)[0].traced_cells);
    return traced;
  });
}

Rate measured_protein_rate(Context& context, const ProteinParams& params, const Case& like) {
  const std::vector<Exon> exons = part_of(like, cells_to_measure(context));
  const Case part{like.bases, exons, like.target};
  const auto cells = static_cast<double>(estimate_protein(part, params).executed_cells);
  return rate_on_cpu(context, part, cells, [&](Context& on, const Case& one) {
    align_protein(on, one, params);
    return Traced{};
  });
}

double Rate::seconds(double all_cells, double longest, double workers) const {
  const double alone = bases > 0 ? longest / bases : 0;
  return call + std::max(all_cells / (cells * workers), alone);
}

Rate measured_rate(Context& context, const AlignParams& params, std::int64_t letters) {
  // With the scores themselves: those of candidates from signals are large, and take 32 bits.
  AlignParams scoring = params;
  const Substitution& known = params.substitution;
  if (!known.knows('A') || !known.knows('C') || !known.knows('G') || !known.knows('T')) {
    scoring.substitution = Substitution::dna();
  }
  const bool slow = context.backend() == Backend::reference;
  const auto size = slow ? 100 : static_cast<int>(std::clamp<std::int64_t>(letters, 100, 4000));
  Sample sample = make_sample(size, "ACGT");
  sample.cells = static_cast<double>(estimate(sample.view(), scoring).executed_cells);
  return rate_of(context, sample, [&](Context& on, const std::vector<Case>& cases) {
    align(on, cases, scoring);
  });
}

Rate measured_protein_rate(Context& context, const ProteinParams& params, std::int64_t letters) {
  const bool slow = context.backend() == Backend::reference;
  const auto size = slow ? 30 : static_cast<int>(std::clamp<std::int64_t>(letters, 40, 1300));
  Sample sample = make_sample(size, "ACDEFGHIKLMNPQRSTVWY");
  sample.cells = static_cast<double>(estimate_protein(sample.view(), params).executed_cells);
  return rate_of(context, sample, [&](Context& on, const std::vector<Case>& cases) {
    align_protein(on, cases, params);
  });
}

}  // namespace yupana::splice
