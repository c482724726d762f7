#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/support/bench.hpp"
#include "bench/support/python_peer.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/random.hpp"
#include "yupana/core/text.hpp"
#include "yupana/core/unfinished_files.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/table.hpp"

namespace yupana::bench {
namespace {

constexpr std::int64_t features = 18;

/// A reader as its users call it: `read` gives a table, `column` is column c of it.
struct Reader {
  const char* name;
  const char* imports;
  const char* version;
  const char* file;
  const char* read;
  const char* column;
};
constexpr const char* pandas_version = "'pandas ' + pandas.__version__";
constexpr const char* arrow_version = "'pyarrow ' + pyarrow.__version__";
constexpr const char* by_name = "t['x' + str(c)].to_numpy()";
constexpr const char* arrow_imports = "import pyarrow, pyarrow.csv";
constexpr Reader readers[] = {
    {"pandas", "import pandas", pandas_version, "six.csv", "pandas.read_csv(path)", by_name},
    {"pandas", "import pandas", pandas_version, "whole.csv", "pandas.read_csv(path)", by_name},
    {"pandas, float_precision round_trip",
     "import pandas",
     pandas_version,
     "whole.csv",
     "pandas.read_csv(path, float_precision='round_trip')",
     by_name},
    {"pandas, engine pyarrow",
     "import pandas, pyarrow",
     pandas_version,
     "six.csv",
     "pandas.read_csv(path, engine='pyarrow')",
     by_name},
    {"pandas, engine pyarrow",
     "import pandas, pyarrow",
     pandas_version,
     "whole.csv",
     "pandas.read_csv(path, engine='pyarrow')",
     by_name},
    {"pandas", "import pandas", pandas_version, "six.csv.gz", "pandas.read_csv(path)", by_name},
    {"pyarrow", arrow_imports, arrow_version, "six.csv", "pyarrow.csv.read_csv(path)", by_name},
    {"pyarrow", arrow_imports, arrow_version, "whole.csv", "pyarrow.csv.read_csv(path)", by_name},
    {"pyarrow", arrow_imports, arrow_version, "six.csv.gz", "pyarrow.csv.read_csv(path)", by_name},
    {"scikit-learn load_svmlight_file",
     "import sklearn\nfrom sklearn.datasets import load_svmlight_file",
     "'scikit-learn ' + sklearn.__version__",
     "six.svm",
     "load_svmlight_file(path)[0]",
     "t[:, c].toarray().ravel()"},
    {"NumPy load, to columns",
     "",
     "'NumPy ' + np.__version__",
     "rows.npy",
     "np.asfortranarray(np.load(path))",
     "t[:, c]"}};

class TablesBench {
 public:
  TablesBench(Context& context, const BenchParams& params)
      : context_(context),
        params_(params),
        rows_(params.quick ? 20'000 : 1'000'000),
        repeats_(params.quick ? 1 : 3) {}

  void run() {
    write();
    for (const Case& one : cases_) ours(one);
    if (params_.peers) peers();
  }

 private:
  struct Case {
    std::string file;
    std::string what;
    std::int64_t bytes;  ///< of its text, unpacked
    std::int64_t first;  ///< column of wanted_
  };

  std::string path(const std::string& name) const { return folder_ / name; }

  void put(const std::string& name, const std::string& text, const std::string& what, int first) {
    AtomicFile file(path(name));
    file.write(text);
    file.commit();
    cases_.push_back({name, what, std::ssize(text), first});
  }

  void fill() {
    const Random random(1);
    wanted_.resize(2 * features + 1, std::vector<double>(static_cast<std::size_t>(rows_)));
    for (std::int64_t f = 0; f < features; ++f) {
      for (std::int64_t i = 0; i < rows_; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double u = random.uniform(static_cast<std::uint64_t>(i * features + f));
        // The quotient of these two integers, rounded once, is the double nearest to the text.
        wanted_[static_cast<std::size_t>(f)][at] = std::floor(u * 1e6) / 1e6;
        wanted_[static_cast<std::size_t>(features + f)][at] = u;
        wanted_[2 * features][at] = u < 0.5 ? 0 : 1;
      }
    }
  }

  /// Columns from `first` on as CSV, each number by `format`.
  std::string csv(std::int64_t first, fmt::format_string<const double&> format) const {
    std::string text;
    for (std::int64_t f = 0; f < features; ++f) text += fmt::format("x{},", f);
    text += "y\n";
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows_); ++i) {
      for (std::int64_t f = 0; f < features; ++f) {
        append_formatted(text, format, wanted_[static_cast<std::size_t>(first + f)][i]);
        text += ',';
      }
      text += wanted_[2 * features][i] == 0 ? "0\n" : "1\n";
    }
    return text;
  }

  std::string svm() const {
    std::string text;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows_); ++i) {
      text += wanted_[2 * features][i] == 0 ? "-1" : "1";
      for (std::size_t f = 0; f < features; ++f) {
        append_formatted(text, " {}:{:.6f}", f + 1, wanted_[f][i]);
      }
      text += '\n';
    }
    return text;
  }

  std::string npy() const {
    std::string bytes = io::npy_preamble("<f8", rows_, features);
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows_); ++i) {
      for (std::size_t f = 0; f < features; ++f) {
        const double value = wanted_[features + f][i];
        bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
      }
    }
    return bytes;
  }

  void write() {
    fill();
    put("six.csv", csv(0, "{:.6f}"), "CSV of 6 decimals", 0);
    if (!output_of(fmt::format("gzip -1 -k {} && echo 1", path("six.csv"))).empty()) {
      cases_.push_back({"six.csv.gz", "CSV of 6 decimals, gzip", cases_.back().bytes, 0});
    }
    put("whole.csv", csv(features, "{:.17g}"), "CSV of 17 digits", features);
    put("six.svm", svm(), "libsvm of 6 decimals", 0);
    put("rows.npy", npy(), ".npy of float64", features);
    AtomicFile file(path("wanted.f8"));
    for (const auto& column : wanted_) file.write(column.data(), column.size() * sizeof(double));
    file.commit();
  }

  std::string what(const Case& one) const {
    return fmt::format("read {} MB of {}, {} x {}, {}",
                       one.bytes / 1000000,
                       one.what,
                       rows_,
                       features,
                       threads_text(context_.threads()));
  }
  double rate(const Case& one, double seconds) const {
    return static_cast<double>(one.bytes) / seconds * 1e-6;
  }

  void ours(const Case& one) {
    io::TableParams reading;
    if (one.file != "rows.npy") reading.label = one.file == "six.svm" ? "" : "y";
    decltype(io::read_table<double>(context_, path(one.file), reading)) file;
    const Timing timing = time_runs(
        repeats_,
        [&] { file = {}; },
        [&] { file = io::read_table<double>(context_, path(one.file), reading); });
    bool right = file.table.rows() == rows_ && file.table.columns() == features;
    for (std::int64_t f = 0; f < features && right; ++f) {
      const auto& column = wanted_[static_cast<std::size_t>(one.first + f)];
      right = std::equal(column.begin(), column.end(), file.table.column(f));
    }
    params_.emit(timed_line("tables",
                            what(one),
                            fmt::format("yupana cpu {}", simd_target()),
                            rate(one, timing.median),
                            "MB/s",
                            right,
                            timing));
  }

  /// By the user's own Python, which may have what the system's lacks, or by the system's.
  PythonResult run(const Reader& reader, const Case& one) const {
    PythonPeer peer{.imports = std::string("import numpy as np\n") + reader.imports,
                    .version = reader.version};
    peer.setup = fmt::format(
        "path = '{}'\n"
        "wanted = np.fromfile('{}', float).reshape(-1, {})\n"
        "try:\n"
        "    pyarrow.set_cpu_count({})\n"
        "except NameError:\n"
        "    pass",
        path(reader.file),
        path("wanted.f8"),
        rows_,
        context_.threads());
    peer.prepare = "t = None";
    peer.statement = fmt::format("t = {}", reader.read);
    peer.verified = fmt::format("all(np.array_equal({}, wanted[{} + c]) for c in range({}))",
                                reader.column,
                                one.first,
                                features);
    peer.repeats = repeats_;
    peer.environment = fmt::format("OMP_NUM_THREADS={}", context_.threads());
    peer.python = "python3";
    PythonResult result = run_python(peer);
    if (result.ran()) return result;
    peer.python = "/usr/bin/python3";
    return run_python(peer);
  }

  void peers() {
    for (const Reader& reader : readers) {
      const auto one = std::find_if(
          cases_.begin(), cases_.end(), [&](const Case& c) { return c.file == reader.file; });
      if (one == cases_.end()) continue;
      emit_python(params_,
                  "tables",
                  what(*one),
                  reader.name,
                  "MB/s",
                  run(reader, *one),
                  [&](double seconds) { return rate(*one, seconds); });
    }
  }

  Context& context_;
  const BenchParams& params_;
  std::int64_t rows_;
  int repeats_;
  TemporaryFolder folder_{"bench"};
  std::vector<std::vector<double>> wanted_;
  std::vector<Case> cases_;
};

}  // namespace

void tables(Context& context, const BenchParams& params) { TablesBench(context, params).run(); }

}  // namespace yupana::bench
