#include "yupana/splice/align_memory.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/protein_backends.hpp"
#include "yupana/splice/row_kernels.hpp"

namespace yupana::splice {
namespace {

constexpr std::int64_t word_bytes = sizeof(std::int64_t);

/// Bytes of a plan, whose lists double as they grow, and of the score of each reading.
std::int64_t plan_bytes(const TableCounts& counts) {
  constexpr auto reading = static_cast<std::int64_t>(sizeof(Reading));
  constexpr auto start = static_cast<std::int64_t>(sizeof(Start));
  return 2 * (counts.readings * (reading + 2 * word_bytes) + counts.starts * start +
              counts.ended * word_bytes);
}

/// Values of a striped row, cut into the most blocks that the solver makes.
std::int64_t row_values(std::int64_t letters, std::int64_t lanes) {
  const std::int64_t blocks = std::max<std::int64_t>(1, divide_up(letters, 8 * lanes));
  return round_up(letters, lanes) + (blocks + 1) * lanes;
}

/// Whole tables of three scores a cell, `more` rows each than bases, and where row 0 comes from in
/// two states for each of `carried`.
std::uint64_t table_bytes(const Case& problem, int more, int carried) {
  const double columns = static_cast<double>(problem.target.size()) + 1;
  double bytes = 0;
  for (const Exon& exon : problem.exons) {
    bytes += (static_cast<double>(exon.length()) + more) * columns * 3 * word_bytes;
    bytes += carried * columns * 4 * word_bytes;
  }
  return static_cast<std::uint64_t>(std::min(bytes, 1e18));
}

/// What a problem needs where it is more than `left`, else 0. bytes_of(counts, left): of the CPU.
template <class Bytes>
std::uint64_t lacking(const Context& context,
                      const Case& problem,
                      const AlignParams& params,
                      std::uint64_t left,
                      std::uint64_t reference,
                      const Bytes& bytes_of) {
  if (context.backend() == Backend::reference) return reference > left ? reference : 0;
  if (context.backend() != Backend::cpu) return 0;
  if (bytes_of(TableCounts::bound(problem.exons), left) <= left) return 0;
  const TableCounts counts = TableCounts::of(make_plan(problem.exons, params.min_intron));
  std::uint64_t bytes = bytes_of(counts, left);
  if (bytes <= left) return 0;
  // Where more is left more rows are kept: what is named has to suffice when it is left.
  for (std::uint64_t more = 0; (more = bytes_of(counts, bytes)) > bytes;) bytes = more;
  return bytes;
}

/// lacking() of each problem.
std::vector<std::uint64_t> lacking_of(Context& context,
                                      std::span<const Case> problems,
                                      const AlignParams& params,
                                      std::uint64_t left,
                                      bool is_protein) {
  std::vector<std::uint64_t> bytes(problems.size());
  context.parallel_for(std::ssize(problems), 1, [&](std::size_t p) {
    const Case& problem = problems[p];
    const auto bytes_of = [&](const TableCounts& counts, std::uint64_t allowed) {
      if (is_protein) return cpu_protein_bytes(problem, params, counts);
      return cpu_bytes(problem, params, counts, cpu::score_bytes(problem, params), allowed);
    };
    const std::uint64_t reference =
        is_protein ? reference_protein_bytes(problem) : reference_bytes(problem);
    bytes[p] = lacking(context, problem, params, left, reference, bytes_of);
  });
  return bytes;
}

/// Refuses the problem that lacks most, so that what is named suffices for all.
void check(Context& context,
           std::span<const Case> problems,
           const AlignParams& params,
           bool is_protein) {
  const std::uint64_t left = memory_left(context, params);
  const auto bytes = lacking_of(context, problems, params, left, is_protein);
  const auto most = std::max_element(bytes.begin(), bytes.end());
  if (most == bytes.end() || *most == 0) return;
  const auto& problem = problems[static_cast<std::size_t>(most - bytes.begin())];
  refuse_memory(problem, params, is_protein ? "amino acids" : "target letters", *most, left);
}

std::uint64_t most_bytes(Context& context,
                         std::span<const Case> problems,
                         const AlignParams& params,
                         bool is_protein) {
  const auto bytes = lacking_of(context, problems, params, 0, is_protein);
  return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

}  // namespace

std::uint64_t reference_bytes(const Case& problem) { return table_bytes(problem, 1, 1); }

// Three streams with a third of the rows each, and what an exon sees with each carry.
std::uint64_t reference_protein_bytes(const Case& problem) {
  return table_bytes(problem, 3, carries);
}

TableCounts TableCounts::of(const Plan& plan) {
  return {std::ssize(plan.readings),
          std::ssize(plan.starts),
          plan.slots,
          plan.versions,
          std::ssize(plan.ended),
          plan.rows,
          plan.longest};
}

TableCounts TableCounts::bound(std::span<const Exon> exons) {
  const std::int64_t count = std::ssize(exons);
  TableCounts counts{count, count, count, count + 1, count, count, 0};
  for (const Exon& exon : exons) {
    counts.rows += exon.length();
    counts.longest = std::max(counts.longest, exon.length());
  }
  return counts;
}

std::uint64_t memory_left(const Context& context, const AlignParams& params) {
  return context.memory() - std::min(context.memory(), params.held_bytes);
}

std::int64_t slab_rows(std::int64_t saved_bytes, std::int64_t row_bytes, std::int64_t rows) {
  const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(rows)));
  return std::clamp<std::int64_t>(std::max(saved_bytes / row_bytes, root), 1, rows);
}

std::uint64_t cpu_bytes(const Case& problem,
                        const AlignParams& params,
                        const TableCounts& counts,
                        std::int64_t score_bytes,
                        std::uint64_t left) {
  const std::int64_t lanes = score_bytes == 2 ? cpu::row_kernels<std::int16_t>().lanes
                                              : cpu::row_kernels<std::int32_t>().lanes;
  const std::int64_t states = params.gap_open != 0 ? 2 : 1;
  const std::int64_t planes = states * (params.alignment ? 3 : 1);
  const std::int64_t row = row_values(std::ssize(problem.target), lanes) * score_bytes;
  std::int64_t kept = counts.slots + 1 + (params.alignment ? counts.versions : 0);
  std::int64_t bytes = row * (params.substitution.letters + 1 + states);  // profiles, row at work
  bytes += kept * planes * row + 2 * counts.rows * score_bytes + plan_bytes(counts);
  if (params.alignment && counts.longest > 0) {
    const std::int64_t rows = slab_rows(cpu::saved_bytes(left), states * row, counts.longest);
    bytes += (rows + 1 + divide_up(counts.longest, rows)) * states * row;
  }
  return static_cast<std::uint64_t>(bytes);
}

// Each end of exons is left with the carries of three sizes, each of them one text; a running row
// is kept once after each end that changed it, and once a start where more of them did.
std::uint64_t cpu_protein_bytes(const Case& problem,
                                const AlignParams& params,
                                const TableCounts& counts) {
  const std::int64_t lanes = cpu::row_kernels<std::int32_t>().lanes;
  const std::int64_t letters = std::ssize(problem.target);
  const std::int64_t states = params.gap_open != 0 ? 2 : 1;
  const std::int64_t row = (round_up(letters, lanes) + lanes) * std::int64_t{sizeof(std::int32_t)};
  const std::int64_t kept_row = states * row * (params.alignment ? 2 : 1);
  const std::int64_t versions =
      params.alignment ? std::min<std::int64_t>(3 * counts.ended, carries * counts.versions) : 0;
  std::int64_t bytes = row * (params.substitution.letters + 1 + 2 * states);
  bytes += (std::min<std::int64_t>(3 * counts.ended, carries) + 3 * counts.slots + versions + 1) *
           kept_row;
  bytes += plan_bytes(counts);
  if (params.alignment) {
    bytes +=
        carries * (counts.starts * std::int64_t{sizeof(std::int32_t)} + 3 * word_bytes * letters);
    bytes += (counts.longest / 3 + 1) * (letters + 1);
  }
  return static_cast<std::uint64_t>(bytes);
}

void check_memory(Context& context, std::span<const Case> problems, const AlignParams& params) {
  check(context, problems, params, false);
}

void check_protein_memory(Context& context,
                          std::span<const Case> problems,
                          const AlignParams& params) {
  check(context, problems, params, true);
}

std::uint64_t sufficient_bytes(Context& context,
                               std::span<const Case> problems,
                               const AlignParams& params) {
  return most_bytes(context, problems, params, false);
}

std::uint64_t sufficient_protein_bytes(Context& context,
                                       std::span<const Case> problems,
                                       const AlignParams& params) {
  return most_bytes(context, problems, params, true);
}

int problems_at_once(int threads, std::uint64_t bytes, std::uint64_t left) {
  const std::uint64_t fit = left / std::max<std::uint64_t>(bytes, 1);
  return static_cast<int>(std::clamp<std::uint64_t>(fit, 1, static_cast<std::uint64_t>(threads)));
}

void refuse_memory(const Case& problem,
                   const AlignParams& params,
                   const char* letters,
                   std::uint64_t bytes,
                   std::uint64_t left) {
  throw resource_error(
      "splice: {} exons against {} {} need {} of memory and {} are left of "
      "--memory; give fewer candidates or --memory {}",
      problem.exons.size(),
      problem.target.size(),
      letters,
      needed_bytes(static_cast<double>(bytes)),
      allowed_bytes(static_cast<double>(left)),
      memory_option(static_cast<double>(params.held_bytes + bytes)));
}

}  // namespace yupana::splice
