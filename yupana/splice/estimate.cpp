#include "yupana/splice/estimate.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <string>

#include "yupana/core/random.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/plan.hpp"

namespace yupana::splice {
namespace {

void count(std::vector<std::int64_t>& histogram, std::int64_t size) {
  const std::size_t bin = std::bit_width(static_cast<std::uint64_t>(size)) - 1;
  histogram.resize(std::max(histogram.size(), bin + 1));
  ++histogram[bin];
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

}  // namespace

Estimate estimate(const Case& problem, const AlignParams& params) {
  const std::vector<std::int64_t> order = ordered_exons(problem.exons);
  Estimate e;
  e.letters = std::ssize(problem.target);
  e.exons = std::ssize(order);
  e.executed_cells = make_plan(problem.exons, params.min_intron).cells(e.letters);
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
  e.skewed_steps =
      order.empty() ? 0 : e.letters - 1 + longest_chain(problem.exons, order, params.min_intron);
  return e;
}

Estimate estimate_protein(const Case& problem, const ProteinParams& params) {
  Estimate e = estimate(problem, params.align);
  for (const Start& start : make_plan(problem.exons, params.align.min_intron).starts) {
    if (start.version > 0) e.executed_cells += 18 * e.letters;
  }
  return e;
}

namespace {

/// The best of five runs of `run`, which gives the cells of one on a context of one thread.
template <class Run>
double best_rate(const Run& run) {
  ContextParams one;
  one.device = "cpu";
  one.threads = 1;
  Context context(one);
  double best = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    const std::int64_t cells = run(context);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    best = std::max(best, static_cast<double>(cells) / seconds.count());
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

}  // namespace

double measured_rate(const AlignParams& params) {
  RandomSequence random(1);
  const std::string bases = random_letters(random, 6000, "ACGT");
  const std::string target = random_letters(random, 1460, "ACGT");
  const std::vector<Exon> exons = even_exons(std::ssize(bases));
  AlignParams plain = params;
  plain.substitution = Substitution::dna();
  return best_rate([&](Context& context) {
    return align(context, {bases, exons, target}, plain).executed_cells;
  });
}

double measured_protein_rate(const ProteinParams& params) {
  RandomSequence random(1);
  const std::string bases = random_letters(random, 6000, "ACGT");
  const std::string target = random_letters(random, 480, "ACDEFGHIKLMNPQRSTVWY");
  const std::vector<Exon> exons = even_exons(std::ssize(bases));
  const std::int64_t cells = estimate_protein({bases, exons, target}, params).executed_cells;
  return best_rate([&](Context& context) {
    align_protein(context, {bases, exons, target}, params);
    return cells;
  });
}

}  // namespace yupana::splice
