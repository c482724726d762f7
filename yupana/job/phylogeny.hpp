#pragma once

#include <string>
#include <vector>

#include "yupana/analysis/neighbor_joining.hpp"
#include "yupana/core/context.hpp"
#include "yupana/genotype/block_bootstrap.hpp"
#include "yupana/graph/fermat.hpp"
#include "yupana/job/input.hpp"
#include "yupana/job/plan.hpp"
#include "yupana/report/report.hpp"

namespace yupana::job {

using Trees = std::vector<analysis::Phylogeny>;

/// The tree of a matrix of any type.
analysis::Phylogeny tree_of(Context& context,
                            const graph::AnyMatrix& distances,
                            analysis::TreeMethod method);

/// Bytes that tree_of() holds in addition to the matrix.
std::uint64_t tree_bytes(std::int64_t samples, analysis::TreeMethod method);

/// Percent of the other trees that have the branch above each node.
std::vector<double> support_of(const analysis::Phylogeny& tree, const Trees& others);

/// The merges, tips and support of a tree as reports draw it: heights are path lengths from the
/// leaf that is farthest from the root, whose three children are merged one after the other.
report::Tree drawn_tree(const analysis::Phylogeny& tree);
/// Of each merge of the drawn tree.
std::vector<float> drawn_support(const analysis::Phylogeny& tree,
                                 const std::vector<double>& support);

/// "percent of 100 replicates, 214 blocks of 100 kb, seed 0"
std::string support_sentence(const genotype::BootstrapParams& params, std::int64_t blocks);

/// Adds the replicates to a plan: they follow the counts. `held`: by the run next to their sums,
/// and where no call is missing.
void add_bootstrap(const Context& context,
                   PlanParams& sizes,
                   const genotype::BootstrapParams& params,
                   std::uint64_t held,
                   std::uint64_t complete_held);

/// The memory that is left for the sums of replicates next to `held`.
std::uint64_t bootstrap_memory(const Context& context, std::uint64_t held, std::int64_t samples);

/// Throws usage where replicates are asked of several processes, or blocks in kb of an input
/// without positions.
void check_bootstrap(const Context& context,
                     const genotype::BootstrapParams& params,
                     const InputParams& input);

/// A tree of a matrix file.
struct TreeFileParams {
  std::string path;  ///< of the matrix, as io::read_distances takes it
  analysis::TreeMethod method = analysis::TreeMethod::nj;
  std::string out;  ///< Newick file; empty: none is written
};

struct TreeFileResult {
  std::string newick;
  std::int64_t leaves = 0;
  std::int64_t negative = 0;  ///< branches of negative length
};

/// Distances in, a Newick tree out. Leaves without names are called 1, 2, ...
TreeFileResult tree_file(Context& context, const TreeFileParams& params);

}  // namespace yupana::job
