#include <fmt/format.h>

#include "cli/command.hpp"
#include "yupana/analysis/neighbor_joining.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/job/phylogeny.hpp"

namespace yupana::cli {
namespace {

Answer nj(Context& context, const Call& call, job::TreeFileParams params) {
  params.out = call.out;
  const job::TreeFileResult result = job::tree_file(context, params);
  Answer answer;
  answer.json = {{"command", "nj"},
                 {"leaves", result.leaves},
                 {"negative_branches", result.negative},
                 {"stages", stages_json(context)},
                 {"peak_memory", peak_memory()}};
  if (params.out.empty()) {
    answer.text = answer.json["newick"] = result.newick;
    answer.is_result = true;
  } else {
    answer.add_files({params.out});
  }
  return answer;
}

}  // namespace

void add_nj(Command& program) {
  auto params = std::make_shared<job::TreeFileParams>();
  Command command = add_command(
      program,
      {.name = "nj",
       .purpose = "The neighbour-joining tree of a distance matrix (.npy, PLINK's files, PHYLIP, "
                  "or a table), in Newick format: exact, for tens of thousands of leaves.",
       .example = "yupana nj D.npy -o tree.nwk",
       .without_gpu = fmt::format("a GPU joins {} samples and more, below them the processor is "
                                  "faster; linkage has no CUDA version",
                                  analysis::gpu_leaves)},
      [params](Context& context, const Call& call) { return nj(context, call, *params); });
  command
      .input(
          "input", params->path, "distances; names inside, or in a file of identifiers next to it")
      .required();
  command.choice("--tree", params->method, tree_methods(), "method");
}

Choices<analysis::TreeMethod> tree_methods() {
  using analysis::TreeMethod;
  return {{"nj", TreeMethod::nj},
          {"bionj", TreeMethod::bionj},
          {"upgma", TreeMethod::average},
          {"average", TreeMethod::average},
          {"single", TreeMethod::single},
          {"complete", TreeMethod::complete}};
}

void add_bootstrap(Command& command, genotype::BootstrapParams& bootstrap) {
  command.number("--bootstrap",
                 bootstrap.replicates,
                 "support of the tree's branches: percent of so many replicates that have them; "
                 "each draws blocks of sites (see --seed)",
                 1,
                 1'000'000);
  command
      .word(
          "--block",
          [&bootstrap](const std::string& word) { bootstrap.blocks = genotype::site_blocks(word); },
          "sites that are drawn together: a number of sites or, with kb after it, kilobases")
      .shows("100kb");
  command.needs({"--block"}, {"--bootstrap"});
}

std::string add_support(nlohmann::ordered_json& json,
                        const genotype::BootstrapParams& bootstrap,
                        std::int64_t blocks) {
  if (blocks == 0) return {};
  const std::string sentence = job::support_sentence(bootstrap, blocks);
  json["support"] = sentence;
  json["bootstrap_blocks"] = blocks;
  return fmt::format("support  {}\n", sentence);
}

}  // namespace yupana::cli
