// What makes the program yupana-bench of the sources of yupana: the benches themselves.
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>

#include "cli/command.hpp"
#include "cli/standard_streams.hpp"
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

}  // namespace

void measure(Context& context,
             const Call& call,
             const std::string& name,
             const bench::BenchParams& params) {
  const UntilReaderIsGone until_gone;
  bench::BenchParams printed = params;
  printed.emit = [&](const bench::Measurement& m) {
    if (call.json) {
      put_text(stdout, fmt::format("{}\n", bench::json_line(m)));
    } else {
      print(m);
    }
    until_gone.check();
    check_standard_output();
    context.check_cancelled();
  };
  until_gone.run([&] { benches().at(name)(context, printed); });
}

}  // namespace yupana::cli
