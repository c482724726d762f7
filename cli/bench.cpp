#include "bench/support/bench.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "cli/command.hpp"
#include "yupana/core/error.hpp"

namespace yupana::cli {
namespace {

using Bench = std::function<void(Context&, const bench::BenchParams&)>;
using Names = std::set<std::string>;

const std::map<std::string, Bench>& benches() {
  static const std::map<std::string, Bench> all{{"distances", bench::distances},
                                                {"paths", bench::paths},
                                                {"vcf", bench::vcf},
                                                {"packing", bench::packing},
                                                {"array", bench::array},
                                                {"scan", bench::scan},
                                                {"sort", bench::sort},
                                                {"merge", bench::merge},
                                                {"splice", bench::splice},
                                                {"closest", bench::closest},
                                                {"trisolve", bench::trisolve},
                                                {"fft", bench::fft},
                                                {"polymul", bench::polymul},
                                                {"matmul", bench::matmul},
                                                {"som", bench::som},
                                                {"trees", bench::trees},
                                                {"tables", bench::tables}};
  return all;
}

void print(const bench::Measurement& measurement) {
  const bench::Measurement m = bench::published(measurement);
  fmt::print("{:<44} {:<34} {:>10} {:<22} {:>6} {}{}\n",
             m.what,
             m.impl,
             std::isfinite(m.value) ? fmt::format("{:.4g}", m.value) : "-",
             m.unit,
             m.share_of_limit ? fmt::format("{:.0f} %", 100 * *m.share_of_limit) : "",
             m.verified || !m.note.empty() ? "" : "not verified",
             m.note);
}

struct Options {
  std::string name;
  bench::BenchParams params;
  bool no_peers = false;
  bool built_peers = false;  ///< --peers was given
};

void only_for(const std::string& option, bool given, const Names& names, const std::string& name) {
  if (!given || names.contains(name)) return;
  throw Error(ErrorCode::usage,
              fmt::format("{}: expected one of the benches {}, got {}; leave {} out",
                          option,
                          fmt::join(names, ", "),
                          name,
                          option));
}

/// An option that a bench would ignore is an error.
void check(const Context& context, const CommonOptions& common, const Options& options) {
  const bench::BenchParams& params = options.params;
  only_for(
      "--scaling", params.scaling, {"distances", "paths", "splice", "som", "trees"}, options.name);
  only_for("--data", !params.data.empty(), {"splice", "trisolve"}, options.name);
  only_for("--peers", options.built_peers, {"fft", "polymul"}, options.name);
  const bool cuda = context.backend() == Backend::cuda;
  if (params.scaling && !cuda) {
    throw Error(ErrorCode::usage, "--scaling: expected GPUs, got none; give --device cuda");
  }
  if (cuda && !params.data.empty()) {
    throw Error(ErrorCode::usage,
                "--data: expected a bench on the processor, got GPUs; give --device cpu");
  }
  if (context.backend() == Backend::reference && Names{"vcf", "tables"}.contains(options.name)) {
    throw Error(ErrorCode::usage,
                fmt::format("--device reference: expected a bench of an algorithm, got {}, whose "
                            "readers are the same on every device; leave --device out",
                            options.name));
  }
  if (!common.out.empty()) {
    throw Error(ErrorCode::usage, "bench: writes no file; leave -o out, redirect standard output");
  }
}

}  // namespace

void add_bench(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App& app = add_command(
      program,
      "bench",
      "Measure an algorithm beside its peers: results are verified first, timed second.",
      "yupana bench distances --quick",
      [options](Context& context, const CommonOptions& common) {
        check(context, common, *options);
        options->params.peers = !options->no_peers;
        options->params.emit = [&](const bench::Measurement& m) {
          if (common.json) {
            fmt::print("{}\n", bench::json_line(m));
          } else {
            print(m);
          }
          std::fflush(stdout);
          context.check_cancelled();
        };
        benches().at(options->name)(context, options->params);
        return Answer{};
      },
      Runs::anywhere,
      Ranks::one,
      {.out = true});
  std::vector<std::string> names;
  for (const auto& [name, bench] : benches()) names.push_back(name);
  app.add_option("name", options->name, "what to measure")->required()->check(CLI::IsMember(names));
  app.add_flag("--quick", options->params.quick, "small sizes, one repetition");
  app.add_flag("--scaling",
               options->params.scaling,
               "only the cases that 1, 2, 4 ... GPUs do together: distances, paths, splice, som, "
               "trees");
  app.add_option("--data",
                 options->params.data,
                 "folder of real inputs: trisolve: Matrix Market files (.mtx, .mtx.gz); splice: a "
                 "folder a gene with genomic.fa, target_cdna.fa, exons.tsv")
      ->check(CLI::ExistingDirectory);
  auto* no_peers = app.add_flag("--no-peers", options->no_peers, "only yupana");
  app.add_option_function<std::string>(
         "--peers",
         [options](const std::string& folder) {
           options->params.built_peers = folder;
           options->built_peers = true;
         },
         fmt::format("fft, polymul: folder with the peers that bench/peers/ built; default: {}",
                     options->params.built_peers))
      ->check(CLI::ExistingDirectory)
      ->excludes(no_peers);
}

}  // namespace yupana::cli
