#include "bench/support/bench.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>

#include "cli/command.hpp"
#include "yupana/core/error.hpp"

namespace yupana::cli {
namespace {

using Bench = std::function<void(Context&, const bench::BenchParams&)>;

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

void print(const bench::Measurement& m) {
  fmt::print("{:<44} {:<34} {:>10.4g} {:<22} {:>6} {}\n",
             m.what,
             m.impl,
             m.value,
             m.unit,
             m.share_of_limit ? fmt::format("{:.0f} %", 100 * *m.share_of_limit) : "",
             m.verified ? "" : "not verified");
}

void check_scaling(Context& context, const std::string& name, const bench::BenchParams& params) {
  if (!params.scaling) return;
  const std::set<std::string> together{"distances", "paths", "splice", "som", "trees"};
  if (!together.contains(name)) {
    throw Error(
        ErrorCode::usage,
        fmt::format("--scaling: one of {} wanted, {} given", fmt::join(together, ", "), name));
  }
  if (context.backend() != Backend::cuda) {
    throw Error(ErrorCode::usage, "--scaling: GPUs wanted; give --device cuda");
  }
}

}  // namespace

void add_bench(CLI::App& program) {
  struct Options {
    std::string name;
    bench::BenchParams params;
    bool no_peers = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App& app = add_command(
      program,
      "bench",
      "Measure an algorithm beside its peers: results are verified first, timed second.",
      "yupana bench distances --quick",
      [options](Context& context, const CommonOptions& common) {
        options->params.peers = !options->no_peers;
        check_scaling(context, options->name, options->params);
        options->params.emit = [&](const bench::Measurement& m) {
          if (common.json) {
            fmt::print("{}\n", bench::json_line(m));
          } else {
            print(m);
          }
          std::fflush(stdout);
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
  app.add_flag("--no-peers", options->no_peers, "only yupana");
}

}  // namespace yupana::cli
