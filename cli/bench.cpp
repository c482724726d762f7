#include "bench/support/bench.hpp"

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <set>

#include "cli/command.hpp"
#include "cli/standard_streams.hpp"
#include "yupana/core/counted.hpp"
#include "yupana/core/messages.hpp"

namespace yupana::cli {
namespace {

using Bench = std::function<void(Context&, const bench::BenchParams&)>;

const std::map<std::string, Bench>& benches() {
  static const std::map<std::string, Bench> all{{"distances", bench::distances},
                                                {"paths", bench::paths},
                                                {"vcf", bench::vcf},
                                                {"packing", bench::packing},
                                                {"pruning", bench::pruning},
                                                {"relationships", bench::relationships},
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

/// "scikit-learn 1.2.1; 3 runs, -2 % to +5 %": what the peer calls itself, and the spread of the
/// seconds about their median.
std::string origin(const bench::Measurement& m) {
  std::string text = m.version;
  const bench::Timing& timing = m.timing;
  if (timing.repeats == 0) return text;
  if (!text.empty()) text += "; ";
  text += counted(timing.repeats, "run");
  if (timing.repeats == 1) return text;
  return text + fmt::format(", {:+.0f} % to {:+.0f} %",
                            100 * (timing.min / timing.median - 1),
                            100 * (timing.max / timing.median - 1));
}

void print(const bench::Measurement& measurement) {
  const bench::Measurement m = bench::published(measurement);
  const std::string from = origin(m);
  std::string line =
      fmt::format("{:<44} {:<34} {:>10} {:<22} {:>6} {}{}{}",
                  m.what,
                  m.impl,
                  std::isfinite(m.value) ? fmt::format("{:.4g}", m.value) : "-",
                  m.unit,
                  m.share_of_limit ? fmt::format("{:.0f} %", 100 * *m.share_of_limit) : "",
                  from.empty() ? "" : "[" + from + "] ",
                  m.verified || !m.note.empty() ? "" : "not verified",
                  m.note);
  line.resize(line.find_last_not_of(' ') + 1);
  put_text(stdout, line + "\n");
}

/// A reader that goes (bench trees | head) ends the program by SIGPIPE as it ends others, but once
/// the files of the peers are removed.
class UntilReaderIsGone {
 public:
  UntilReaderIsGone() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~UntilReaderIsGone() { std::signal(SIGPIPE, before_); }
  UntilReaderIsGone(const UntilReaderIsGone&) = delete;
  UntilReaderIsGone& operator=(const UntilReaderIsGone&) = delete;

  void check() const {
    if (std::fflush(stdout) != 0 && errno == EPIPE) throw Gone{};
  }
  void run(const std::function<void()>& body) const {
    try {
      body();
    } catch (const Gone&) {
      std::signal(SIGPIPE, SIG_DFL);
      std::raise(SIGPIPE);
    }
  }

 private:
  struct Gone {};
  void (*before_)(int);
};

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
                        fmt::format("on {}: it is for {}", options.name, fmt::join(benches, ", ")));
  };
  only_for("--scaling", {"distances", "paths", "splice", "som", "trees"});
  only_for("--data", {"splice", "trisolve"});
  only_for("--peers", {"fft", "polymul"});
  const bool cuda = context.backend() == Backend::cuda;
  if (!cuda) only_for("--memory", {"tables", "trees"});
  if (params.scaling && !cuda) {
    throw usage_error("--scaling: expected GPUs, got none; give --device cuda");
  }
  if (cuda && !params.data.empty()) {
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
        const UntilReaderIsGone until_gone;
        options->params.emit = [&](const bench::Measurement& m) {
          if (call.json) {
            put_text(stdout, fmt::format("{}\n", bench::json_line(m)));
          } else {
            print(m);
          }
          until_gone.check();
          check_standard_output();
          context.check_cancelled();
        };
        until_gone.run([&] { benches().at(options->name)(context, options->params); });
        return Answer{};
      });
  Names names;
  for (const auto& [name, bench] : benches()) names.push_back(name);
  command.choice("name", options->name, names, "what to measure: " + listed(names)).required();
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
