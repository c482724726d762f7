#include "yupana/job/phylogeny.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/matrix_reader.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {

analysis::Phylogeny tree_of(Context& context,
                            const graph::AnyMatrix& distances,
                            analysis::TreeMethod method) {
  Stage stage(context, "tree");
  return std::visit([&](const auto& m) { return analysis::phylogeny(context, m.view(), method); },
                    distances);
}

std::uint64_t tree_bytes(std::int64_t samples, analysis::TreeMethod method) {
  if (analysis::is_linkage(method)) return analysis::linkage_bytes(samples);
  const bool weighted = method == analysis::TreeMethod::bionj;
  return analysis::neighbor_joining_bytes(
      samples, weighted ? analysis::Joining::bionj : analysis::Joining::nj);
}

std::vector<double> support_of(const analysis::Phylogeny& tree, const Trees& others) {
  analysis::SplitCounts counts(tree);
  for (const analysis::Phylogeny& other : others) counts.add(other);
  return counts.percent();
}

report::Tree drawn_tree(const analysis::Phylogeny& tree) {
  const std::int64_t n = tree.leaves, root = tree.nodes() - 1;
  std::vector<double> depth(tree.parent.size(), 0);
  std::vector<std::vector<std::int32_t>> children(tree.parent.size());
  double deepest = 0;
  for (std::int64_t node = root - 1; node >= 0; --node) {
    const auto at = static_cast<std::size_t>(node),
               above = static_cast<std::size_t>(tree.parent[at]);
    depth[at] = depth[above] + tree.length[at];
    deepest = std::max(deepest, depth[at]);
    children[above].push_back(static_cast<std::int32_t>(node));
  }
  report::Tree drawn;
  for (std::int64_t node = 0; node <= root; ++node) {
    const auto at = static_cast<std::size_t>(node);
    const auto height = static_cast<float>(deepest - depth[at]);
    if (node < n) {
      drawn.tips.push_back(height);
      continue;
    }
    std::int32_t last = children[at].back();
    for (auto child = children[at].rbegin() + 1; child != children[at].rend(); ++child) {
      drawn.merges.push_back({last, *child, height});
      last = static_cast<std::int32_t>(n + std::ssize(drawn.merges) - 1);
    }
  }
  return drawn;
}

std::vector<float> drawn_support(const analysis::Phylogeny& tree,
                                 const std::vector<double>& support) {
  std::vector<float> drawn;
  if (support.empty()) return drawn;
  for (std::size_t k = static_cast<std::size_t>(tree.leaves); k < support.size(); ++k) {
    drawn.push_back(static_cast<float>(support[k]));
  }
  // A root of three children is two merges.
  drawn.resize(static_cast<std::size_t>(std::max<std::int64_t>(tree.leaves - 1, 0)),
               std::numeric_limits<float>::quiet_NaN());
  return drawn;
}

std::string support_sentence(const genotype::BootstrapParams& params, std::int64_t blocks) {
  const genotype::SiteBlocks& cut = params.blocks;
  return fmt::format("percent of {}, {} of {}, seed {}",
                     counted(params.replicates, "replicate"),
                     counted(blocks, "block"),
                     cut.in_base_pairs
                         ? fmt::format("{} kb", cut.length / 1000)
                         : (cut.length > 1 ? "up to " : "") + counted(cut.length, "site"),
                     params.seed);
}

std::uint64_t bootstrap_memory(const Context& context, std::uint64_t held, std::int64_t samples) {
  const std::uint64_t used =
      held + program_bytes(context) + sample_bytes * static_cast<std::uint64_t>(samples);
  return context.memory() > used ? context.memory() - used : 0;
}

void add_bootstrap(const Context& context,
                   PlanParams& sizes,
                   const genotype::BootstrapParams& params,
                   std::uint64_t held,
                   std::uint64_t complete_held) {
  if (params.replicates == 0) return;
  const auto bytes = [&](bool missing, std::uint64_t matrices) {
    const std::uint64_t left = bootstrap_memory(context, matrices, sizes.samples);
    return matrices + genotype::bootstrap_bytes(params, sizes.samples, sizes.sites, missing, left);
  };
  sizes.after_bytes = std::max(sizes.after_bytes, bytes(sizes.missing, held));
  sizes.complete_after_bytes = std::max(sizes.complete_after_bytes, bytes(false, complete_held));
}

void check_bootstrap(const Context& context,
                     const genotype::BootstrapParams& params,
                     const InputParams& input) {
  if (params.replicates == 0) return;
  if (!input.path.empty()) refuse_second_pass(input, "--bootstrap");
  if (params.blocks.in_base_pairs && !input.path.empty() && input_kind(input) == InputKind::npy) {
    throw usage_error(
        "--bootstrap: expected blocks of sites, as --block 500, got kb: a .npy holds no positions");
  }
  if (context.comm() == nullptr) return;
  throw usage_error("--bootstrap: expected one process, got {}; start yupana without mpirun",
                    counted(context.ranks(), "rank"));
}

namespace {

/// A tree is text, and no place for it is the list of names that is read next to the matrix.
void check_tree_name(const TreeFileParams& params) {
  if (io::is_npy_name(params.out)) {
    throw usage_error("nj: writes a tree as text, and -o {} names a .npy; name a .nwk", params.out);
  }
  std::error_code none;
  const std::string names = io::names_file_of(params.path);
  if (names.empty() || !std::filesystem::equivalent(names, params.out, none)) return;
  throw usage_error("{}: is read by this command, which would write over it; give another -o",
                    params.out);
}

}  // namespace

TreeFileResult tree_file(Context& context, const TreeFileParams& params) {
  std::optional<AtomicFile> file;
  if (!params.out.empty()) file.emplace(params.out);
  check_tree_name(params);
  io::DistanceMatrix read =
      io::read_distances(context, params.path, [&](const io::MatrixSize& size) {
        const auto text = static_cast<std::uint64_t>(size.text_bytes);
        check_memory(context,
                     "nj " + params.path,
                     static_cast<std::uint64_t>(size.n * size.n * size.cell) +
                         std::max(text, tree_bytes(size.n, params.method)));
      });
  const std::int64_t n = std::visit([](const auto& m) { return m.size(); }, read.values);
  if (read.names.empty()) {
    for (std::int64_t i = 1; i <= n; ++i) read.names.push_back(std::to_string(i));
  }
  const analysis::Phylogeny tree = with_input_name(
      params.path, "", [&] { return tree_of(context, read.values, params.method); });
  TreeFileResult result;
  result.newick = analysis::newick(tree, read.names) + "\n";
  result.leaves = n;
  result.negative = std::count_if(
      tree.length.begin(), tree.length.end(), [](double length) { return length < 0; });
  if (file) {
    file->write(result.newick);
    file->commit();
  }
  return result;
}

}  // namespace yupana::job
