#include "cli/phylogeny_options.hpp"

#include <fmt/core.h>

#include "yupana/job/phylogeny.hpp"

namespace yupana::cli {

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
