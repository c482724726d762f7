#include "yupana/genotype/block_bootstrap.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/genotype/site_names.hpp"

namespace yupana::genotype {
namespace {

constexpr std::int64_t read_bytes = std::int64_t{16} << 20;
constexpr std::int64_t few_blocks = 20;        // fewer give replicates of which many are alike
constexpr std::int64_t counts_at_once = 2048;  // counts of a replicate that stay in the first cache

struct BlockScan {
  std::vector<std::int64_t> sizes;
  bool missing = false;
};

std::int64_t site_bytes(std::int64_t samples) { return SiteBlock(samples, 0).stride; }

/// Sites that are read at a time.
std::int64_t sites_read(std::int64_t samples) {
  return std::clamp<std::int64_t>(read_bytes / site_bytes(samples), 64, 16384);
}

/// What the replicates of one pass hold.
struct Needs {
  std::size_t waiting;  ///< blocks that wait for their sums
  std::uint64_t fixed;  ///< these, the counter, a replicate that is taken, codes and planes
  std::uint64_t each;   ///< sums and weights of a replicate
  /// Replicates whose sums `memory` holds, at least one.
  std::int64_t batch(std::uint64_t memory, std::int64_t replicates) const {
    const std::uint64_t left = memory - std::min(memory, fixed);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(left / each), 1, replicates);
  }
};

Needs needs_of(std::int64_t samples, bool missing, std::int64_t blocks, std::size_t waiting) {
  const std::uint64_t one = ReplicateSums::bytes(samples, missing);
  const std::int64_t read = 3 * sites_read(samples) * site_bytes(samples);
  return {waiting,
          (waiting + 2) * one + static_cast<std::uint64_t>(read) + (1 << 20),
          one + static_cast<std::uint64_t>(4 * blocks + 24 * samples)};
}

/// With as many waiting blocks as fit and leave the fewest passes: a pass counts every pair again,
/// while fewer blocks at a time only add to the sums more often.
Needs best_needs(std::int64_t samples,
                 bool missing,
                 std::int64_t blocks,
                 std::uint64_t memory,
                 std::int64_t replicates) {
  const auto of = [&](std::size_t waiting) { return needs_of(samples, missing, blocks, waiting); };
  const auto passes = [&](const Needs& needs) {
    return divide_up(replicates, needs.batch(memory, replicates));
  };
  Needs best = of(ReplicateSums::most_waiting);
  for (std::size_t waiting = best.waiting / 2; waiting >= ReplicateSums::least_waiting;) {
    const bool fits = best.fixed + best.each <= memory;
    if (!fits || passes(of(waiting)) < passes(best)) best = of(waiting);
    waiting /= 2;
  }
  return best;
}

BlockScan scan(Cohort& cohort, const SiteBlocks& blocks) {
  cohort.name_sites();
  cohort.rewind();
  BlockScan found;
  CallBlock block;
  SiteOrder order("--bootstrap");
  std::int64_t place = -1;
  const std::int64_t at_once = sites_read(std::ssize(cohort.samples()));
  while (cohort.read(block, at_once)) {
    found.missing = found.missing || !block.complete;
    for (const SiteName& site : block.codes.names) {
      const std::int64_t here = blocks.in_base_pairs ? (site.position - 1) / blocks.length : 0;
      const bool full =
          !blocks.in_base_pairs && !found.sizes.empty() && found.sizes.back() == blocks.length;
      if (order.begins_chromosome(site) || full || here != place) {
        found.sizes.push_back(0);
        place = here;
      }
      ++found.sizes.back();
    }
  }
  cohort.rewind();
  return found;
}

}  // namespace

SiteBlocks site_blocks(const std::string& word) {
  std::string_view number = word;
  SiteBlocks blocks;
  blocks.in_base_pairs = number.ends_with("kb");
  if (blocks.in_base_pairs) number.remove_suffix(2);
  const char* const end = number.data() + number.size();
  const auto [rest, error] = std::from_chars(number.data(), end, blocks.length);
  constexpr std::int64_t largest = 2'000'000;  // kb: beyond every chromosome
  if (error != std::errc() || rest != end || blocks.length < 1 ||
      (blocks.in_base_pairs && blocks.length > largest)) {
    throw usage_error(
        "--block: expected a number of sites or, with kb after it, kilobases, as 500 "
        "or 100kb, got '{}'",
        word);
  }
  if (blocks.in_base_pairs) blocks.length *= 1000;
  return blocks;
}

std::vector<std::int64_t> block_sizes(Cohort& cohort, const SiteBlocks& blocks) {
  return scan(cohort, blocks).sizes;
}

std::vector<std::uint32_t> block_weights(std::int64_t count,
                                         std::int64_t replicate,
                                         std::uint64_t seed) {
  constexpr std::uint64_t stream = 0x626c6f636b73;  // "blocks": --thin draws from the same seed
  const Random random(seed, stream + static_cast<std::uint64_t>(replicate));
  std::vector<std::uint32_t> weights(static_cast<std::size_t>(count));
  for (std::int64_t draw = 0; draw < count; ++draw) {
    const auto word = static_cast<unsigned __int128>(random.word(static_cast<std::uint64_t>(draw)));
    ++weights[static_cast<std::size_t>(word * static_cast<std::uint64_t>(count) >> 64)];
  }
  return weights;
}

std::uint64_t ReplicateSums::bytes(std::int64_t samples, bool with_missing) {
  return static_cast<std::uint64_t>(triangle_cells(samples)) * (with_missing ? 12 : 8);
}

ReplicateSums::ReplicateSums(Context& context,
                             std::int64_t samples,
                             bool with_missing,
                             std::size_t waiting,
                             std::vector<std::vector<std::uint32_t>> weights)
    : context_(context),
      samples_(samples),
      kinds_(with_missing ? 3 : 2),
      weights_(std::move(weights)),
      totals_(weights_.size()) {
  const std::int64_t counts = triangle_cells(samples) * kinds_;
  for (std::size_t g = 0; g < waiting; ++g) waiting_.emplace_back(counts);
  const auto n = static_cast<std::size_t>(samples);
  for (Totals& totals : totals_) {
    sums_.push_back(Array<std::uint32_t>::zeros(counts));
    totals.called = totals.heterozygous = totals.homozygous = std::vector<std::uint64_t>(n);
  }
}

// With C_b the counts up to the end of block b and w_b its weight, the weighted sum of the blocks
// is that of (w_b - w_(b + 1)) C_b. Differences below zero wrap around: sums are exact modulo 2^32,
// and the counts of a replicate are below.
void ReplicateSums::add_block(const PairCounts& so_far) {
  const std::int64_t cells = triangle_cells(samples_);
  std::uint32_t* const to = waiting_[used_].data();
  std::copy_n(so_far.ibs1.low_words().data(), cells, to);
  std::copy_n(so_far.ibs0.low_words().data(), cells, to + cells);
  if (kinds_ == 3 && so_far.shared.empty()) {
    std::fill_n(to + 2 * cells, cells, static_cast<std::uint32_t>(so_far.sites));
  } else if (kinds_ == 3) {
    std::copy_n(so_far.shared.low_words().data(), cells, to + 2 * cells);
  }
  const std::size_t block = block_ + used_++;
  for (std::size_t r = 0; r < totals_.size(); ++r) {
    const std::vector<std::uint32_t>& weights = weights_[r];
    const std::uint64_t next = block + 1 < weights.size() ? weights[block + 1] : 0;
    const std::uint64_t weight = weights[block] - next;
    Totals& totals = totals_[r];
    totals.sites += static_cast<std::int64_t>(weight * static_cast<std::uint64_t>(so_far.sites));
    const auto add = [&](std::vector<std::uint64_t>& sum, const std::vector<std::uint64_t>& more) {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * more[i];
    };
    add(totals.called, so_far.called);
    add(totals.heterozygous, so_far.heterozygous);
    add(totals.homozygous, so_far.homozygous);
  }
  if (used_ == waiting_.size()) flush();
}

void ReplicateSums::flush() {
  std::vector<std::vector<std::uint32_t>> differences;
  for (const std::vector<std::uint32_t>& weights : weights_) {
    std::vector<std::uint32_t>& own = differences.emplace_back();
    for (std::size_t b = block_; b < block_ + used_; ++b) {
      own.push_back(weights[b] - (b + 1 < weights.size() ? weights[b + 1] : 0));
    }
  }
  const std::int64_t counts = triangle_cells(samples_) * kinds_;
  context_.parallel_for(
      divide_up(counts, counts_at_once), 1, [&](std::int64_t begin, std::int64_t end) {
        context_.check_cancelled();
        const std::int64_t from = begin * counts_at_once,
                           to = std::min(counts, end * counts_at_once);
        for (std::int64_t at = from; at < to; at += counts_at_once) {
          const std::uint32_t* blocks[most_waiting];
          for (std::size_t g = 0; g < used_; ++g) blocks[g] = waiting_[g].data() + at;
          for (std::size_t r = 0; r < sums_.size(); ++r) {
            const std::int64_t count = std::min(counts_at_once, to - at);
            cpu::add_weighted(sums_[r].data() + at, blocks, differences[r].data(), used_, count);
          }
        }
      });
  block_ += used_;
  used_ = 0;
}

PairCounts ReplicateSums::take(std::size_t replicate) {
  if (used_ > 0) flush();
  Totals& totals = totals_[replicate];
  if (totals.sites > std::numeric_limits<std::uint32_t>::max()) {
    throw resource_error(
        "--bootstrap: a replicate draws {} sites, and counts up to 2^32 - 1; take "
        "fewer sites (--thin)",
        totals.sites);
  }
  PairCounts counts;
  counts.samples = samples_;
  counts.sites = totals.sites;
  counts.rows = {0, samples_};
  const std::int64_t cells = triangle_cells(samples_);
  const std::uint32_t* from = sums_[replicate].data();
  for (CountTriangle* const triangle : {&counts.ibs1, &counts.ibs0, &counts.shared}) {
    if (triangle == &counts.shared && kinds_ == 2) break;
    *triangle = CountTriangle(counts.rows);
    std::copy_n(from, cells, triangle->low());
    from += cells;
  }
  counts.called = std::move(totals.called);
  counts.heterozygous = std::move(totals.heterozygous);
  counts.homozygous = std::move(totals.homozygous);
  return counts;
}

std::uint64_t bootstrap_bytes(const BootstrapParams& params,
                              std::int64_t samples,
                              std::int64_t sites,
                              bool missing,
                              std::uint64_t memory) {
  if (params.replicates == 0) return 0;
  constexpr std::int64_t longest_genome = 4'000'000'000;
  const std::int64_t windows = params.blocks.in_base_pairs ? longest_genome : sites;
  const std::int64_t blocks =
      std::clamp<std::int64_t>(windows / params.blocks.length, 0, std::max<std::int64_t>(sites, 0));
  const Needs needs = best_needs(samples, missing, blocks, memory, params.replicates);
  return needs.fixed +
         static_cast<std::uint64_t>(needs.batch(memory, params.replicates)) * needs.each;
}

std::int64_t bootstrap_counts(Context& context,
                              Cohort& cohort,
                              const BootstrapParams& params,
                              std::uint64_t memory,
                              const TakeReplicate& take) {
  const BlockScan found = scan(cohort, params.blocks);
  const std::int64_t blocks = std::ssize(found.sizes);
  if (blocks < 2) {
    throw input_error(
        "--bootstrap: expected at least 2 blocks to draw from, got {}; give a smaller "
        "--block",
        counted(blocks, "block"));
  }
  if (blocks < few_blocks) {
    context.note(fmt::format(
        "--bootstrap: support of few draws varies: there are {} to draw from; a smaller "
        "--block makes more",
        counted(blocks, "block")));
  }
  const std::int64_t samples = std::ssize(cohort.samples());
  const std::int64_t at_once = sites_read(samples);
  const Needs needs = best_needs(samples, found.missing, blocks, memory, params.replicates);
  if (needs.fixed + needs.each > memory) {
    throw resource_error(
        "--bootstrap: the sums of blocks of {} need {} next to the matrices, and --memory leaves "
        "{}; raise --memory by {}",
        counted(samples, "sample"),
        needed_bytes(needs.fixed + needs.each),
        allowed_bytes(memory),
        needed_bytes(needs.fixed + needs.each - memory));
  }
  const std::int64_t batch = needs.batch(memory, params.replicates);
  const double pairs = static_cast<double>(triangle_cells(samples));
  const std::int64_t passes = divide_up(params.replicates, batch);
  if (passes > 1) {
    const std::uint64_t needed =
        needs_of(samples, found.missing, blocks, ReplicateSums::least_waiting).fixed +
        static_cast<std::uint64_t>(params.replicates) * needs.each;
    context.note(fmt::format(
        "--bootstrap: {} in {} passes over the input, each of which counts every pair again; one "
        "with --memory raised by {}",
        counted(params.replicates, "replicate"),
        passes,
        needed_bytes(needed - memory)));
  }
  Stage stage(context,
              "bootstrap",
              pairs * static_cast<double>(std::max<std::int64_t>(cohort.sites(), 0) * passes),
              "pair-SNP");
  for (std::int64_t first = 0; first < params.replicates; first += batch) {
    const std::int64_t end = std::min(first + batch, params.replicates);
    std::vector<std::vector<std::uint32_t>> weights;
    for (std::int64_t r = first; r < end; ++r) {
      weights.push_back(block_weights(blocks, r, params.seed));
    }
    ReplicateSums sums(context, samples, found.missing, needs.waiting, std::move(weights));
    PairCounter counter(context, samples, {});
    CallBlock block;
    cohort.rewind();
    for (const std::int64_t size : found.sizes) {
      for (std::int64_t left = size; left > 0; left -= block.codes.sites) {
        if (!cohort.read(block, std::min(left, at_once))) break;
        counter.add(block, &stage);
      }
      sums.add_block(counter.counts());
    }
    for (std::int64_t r = first; r < end; ++r) {
      take(r, sums.take(static_cast<std::size_t>(r - first)));
    }
  }
  return blocks;
}

}  // namespace yupana::genotype
