#include <memory>
#include <set>

#include "cli/command.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"

namespace yupana::cli {
namespace {

const Names& benches() {
  static const Names all{"array",
                         "closest",
                         "distances",
                         "fft",
                         "matmul",
                         "merge",
                         "packing",
                         "paths",
                         "polymul",
                         "pruning",
                         "relationships",
                         "scan",
                         "som",
                         "sort",
                         "splice",
                         "tables",
                         "trees",
                         "trisolve",
                         "vcf"};
  return all;
}

struct Options {
  std::string name;
  bench::BenchParams params;
  bool no_peers = false;
};

/// An option that a bench would ignore is an error.
void check(const Context& context, const Call& call, const Options& options) {
  const bench::BenchParams& params = options.params;
  const auto only_for = [&](const std::string& option, const std::set<std::string>& benches) {
    if (benches.contains(options.name)) return;
    call.command.refuse({option},
                        fmt::format("on {}: it is for {}", options.name, joined(benches, ", ")));
  };
  only_for("--scaling", {"distances", "paths", "splice", "som", "trees"});
  only_for("--data", {"splice", "trisolve"});
  only_for("--peers", {"fft", "polymul"});
  const bool cuda = context.backend() == Backend::cuda;
  if (!cuda) only_for("--memory", {"tables", "trees"});
  if (params.scaling && !cuda) {
    throw usage_error("--scaling: expected GPUs, got none; give --device cuda");
  }
  if (cuda && !params.data.empty() && options.name != "trisolve") {
    throw usage_error("--data: expected a bench on the processor, got GPUs; give --device cpu");
  }
  if (context.backend() == Backend::reference &&
      (options.name == "vcf" || options.name == "tables")) {
    throw usage_error(
        "--device reference: expected a bench of an algorithm, got {}, whose readers are the same "
        "on every device; leave --device out",
        options.name);
  }
}

}  // namespace

void add_bench(Command& program) {
  auto options = std::make_shared<Options>();
  Command command = add_command(
      program,
      {.name = "bench",
       .purpose = "Measure an algorithm and its peers: results are verified first, timed second.",
       .example = "yupana bench distances --quick",
       .ignored = {"-o"}},
      [options](Context& context, const Call& call) {
        check(context, call, *options);
        options->params.peers = !options->no_peers;
        measure(context, call, options->name, options->params);
        return Answer{};
      });
  command.choice("name", options->name, benches(), "what to measure: " + listed(benches()))
      .required();
  command.flag("--quick", options->params.quick, "small sizes, one repetition");
  command.flag("--scaling",
               options->params.scaling,
               "only the cases that 1, 2, 4 ... GPUs do together: distances, paths, splice, som, "
               "trees");
  command.folder(
      "--data",
      [options](const std::string& folder) { options->params.data = folder; },
      "folder of real inputs: trisolve: Matrix Market files (.mtx, .mtx.gz); splice: a "
      "folder a gene with genomic.fa, target_cdna.fa, exons.tsv");
  command.flag("--no-peers", options->no_peers, "only yupana");
  command.folder(
      "--peers",
      [options](const std::string& folder) { options->params.built_peers = folder; },
      fmt::format("fft, polymul: folder with the peers that bench/peers/ built; default: {}",
                  options->params.built_peers));
  command.only_one({"--peers", "--no-peers"});
}

}  // namespace yupana::cli
