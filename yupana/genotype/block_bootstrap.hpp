#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/pair_counts.hpp"

namespace yupana::genotype {

/// The blocks of neighbouring sites that a bootstrap draws: linked sites stay together.
struct SiteBlocks {
  std::int64_t length = 100'000;  ///< sites of a block, or base pairs
  bool in_base_pairs = true;      ///< positions (p - 1) / length of a chromosome are alike
};

/// From "100kb" or a number of sites.
///   errors: usage for other words
SiteBlocks site_blocks(const std::string& word);

struct BootstrapParams {
  std::int64_t replicates = 0;
  SiteBlocks blocks;
  std::uint64_t seed = 0;
};

/// Numbers of sites of the blocks, in order, of the sites that the cohort's filters keep: a block
/// ends with its chromosome. Reads the cohort once and leaves it at its beginning.
///   errors: bad_input for sites out of order, whose neighbours are not linked
std::vector<std::int64_t> block_sizes(Cohort& cohort, const SiteBlocks& blocks);

/// How often a replicate draws each of `count` blocks: `count` draws, each block equally likely.
/// A function of the seed and the replicate's number alone.
std::vector<std::uint32_t> block_weights(std::int64_t count,
                                         std::int64_t replicate,
                                         std::uint64_t seed);

/// Sums of the counts of blocks, weighted for each of several replicates.
///   work: one multiplication for each block, pair, replicate and kind of count
///   memory: bytes(...) a replicate, and as many more as blocks wait
///   determinism: integers: the same counts for any number of threads and order of replicates
class ReplicateSums {
 public:
  /// Blocks that wait until their counts are added to every sum.
  static constexpr std::size_t least_waiting = 4, most_waiting = 16;
  /// `waiting`: from the least to the most. `weights`: of each replicate's blocks.
  ReplicateSums(Context& context,
                std::int64_t samples,
                bool with_missing,
                std::size_t waiting,
                std::vector<std::vector<std::uint32_t>> weights);
  /// The counts of all sites up to the end of the next block.
  void add_block(const PairCounts& so_far);
  /// After the last block.
  PairCounts take(std::size_t replicate);
  static std::uint64_t bytes(std::int64_t samples, bool with_missing);

 private:
  void flush();

  Context& context_;
  std::int64_t samples_;
  int kinds_;  ///< ibs1, ibs0 and, where calls are missing, shared
  std::vector<std::vector<std::uint32_t>> weights_;
  std::vector<Array<std::uint32_t>> waiting_;  ///< counts up to the end of the last blocks
  std::size_t used_ = 0;                       ///< of these
  std::size_t block_ = 0;                      ///< that the first of them ends
  std::vector<Array<std::uint32_t>> sums_;     ///< of each replicate: its kinds, one after another
  struct Totals {
    std::int64_t sites = 0;
    std::vector<std::uint64_t> called, heterozygous, homozygous;
  };
  std::vector<Totals> totals_;
};

/// Takes a replicate: its number from 0 and its counts.
using TakeReplicate = std::function<void(std::int64_t, const PairCounts&)>;

/// Bytes that bootstrap_counts() holds where `memory` is left to it: of as many replicates as fit,
/// at least one; none without replicates. `sites`: -1 where nobody knows them.
std::uint64_t bootstrap_bytes(const BootstrapParams& params,
                              std::int64_t samples,
                              std::int64_t sites,
                              bool missing,
                              std::uint64_t memory);

/// The pair counts of every replicate, in order: sums over the blocks that it draws, each as often
/// as it is drawn. Reads the cohort once for its blocks and once for as many replicates as `memory`
/// holds sums of, next to what the caller holds. Returns the number of blocks; few are noted.
///   errors: bad_input for fewer than two blocks and for sites out of order; out_of_resources where
///   memory holds no replicate
std::int64_t bootstrap_counts(Context& context,
                              Cohort& cohort,
                              const BootstrapParams& params,
                              std::uint64_t memory,
                              const TakeReplicate& take);

namespace cpu {
/// sum[i] += weights[g] counts[g][i], modulo 2^32, over g < groups and i < count.
void add_weighted(std::uint32_t* sum,
                  const std::uint32_t* const* counts,
                  const std::uint32_t* weights,
                  std::size_t groups,
                  std::int64_t count);
}  // namespace cpu

}  // namespace yupana::genotype
