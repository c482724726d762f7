#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "bench/support/bench.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/random.hpp"
#include "yupana/io/npy_layout.hpp"
#include "yupana/io/table.hpp"

namespace yupana::bench {
namespace {

constexpr std::int64_t features = 18;

/// Reads each file as the peers' users do and prints: reader, seconds (best of `repeats`), whether
/// all numbers have the bits that were written. Arguments: folder, rows, threads, repeats.
constexpr const char* peers_script = R"(
import os, sys, time
folder, rows, threads, repeats = sys.argv[1], *map(int, sys.argv[2:])
os.environ["OMP_NUM_THREADS"] = str(threads)
import numpy as np

wanted = np.fromfile(folder + "/wanted.f8").reshape(-1, rows)  # 18 of six decimals, 18 whole, y

def told(reader, name, read, columns, first):
    try:
        read()
    except (ImportError, ModuleNotFoundError):
        return
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        table = read()
        best = min(best, time.perf_counter() - begin)
    right = all(np.array_equal(columns(table, c), wanted[first + c]) for c in range(18))
    print(name + "\t" + reader + "\t" + repr(best) + "\t" + str(int(right)))

def with_pandas(name, first, **options):
    try:
        import pandas
    except ImportError:
        return
    label = "pandas " + pandas.__version__
    if options.get("engine") == "pyarrow":
        try:
            import pyarrow
        except ImportError:
            return
        label += ", engine pyarrow"
    elif options:
        label += ", float_precision round_trip"
    told(label, name, lambda: pandas.read_csv(folder + "/" + name, **options),
         lambda t, c: t["x" + str(c)].to_numpy(), first)

def with_pyarrow(name, first):
    try:
        import pyarrow
        import pyarrow.csv
    except ImportError:
        return
    pyarrow.set_cpu_count(threads)
    told("pyarrow " + pyarrow.__version__, name,
         lambda: pyarrow.csv.read_csv(folder + "/" + name),
         lambda t, c: t["x" + str(c)].to_numpy(), first)

for name, first in (("six.csv", 0), ("whole.csv", 18), ("six.csv.gz", 0)):
    with_pandas(name, first)
    if name == "whole.csv":
        with_pandas(name, first, float_precision="round_trip")
    if not name.endswith(".gz"):
        with_pandas(name, first, engine="pyarrow")
    with_pyarrow(name, first)
try:
    import sklearn
    from sklearn.datasets import load_svmlight_file
    told("scikit-learn " + sklearn.__version__, "six.svm",
         lambda: load_svmlight_file(folder + "/six.svm")[0],
         lambda t, c: t[:, c].toarray().ravel(), 0)
except ImportError:
    pass
told("NumPy " + np.__version__ + ", to columns", "rows.npy",
     lambda: np.asfortranarray(np.load(folder + "/rows.npy")), lambda t, c: t[:, c], 18)
)";

class TablesBench {
 public:
  TablesBench(Context& context, const BenchParams& params)
      : context_(context),
        params_(params),
        rows_(params.quick ? 20'000 : 1'000'000),
        repeats_(params.quick ? 1 : 3),
        folder_(std::filesystem::temp_directory_path() /
                fmt::format("yupana_bench_tables_{}", getpid())) {
    std::filesystem::create_directories(folder_);
  }
  TablesBench(const TablesBench&) = delete;
  TablesBench& operator=(const TablesBench&) = delete;
  ~TablesBench() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

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

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

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
        fmt::format_to(
            std::back_inserter(text), format, wanted_[static_cast<std::size_t>(first + f)][i]);
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
        fmt::format_to(std::back_inserter(text), " {}:{:.6f}", f + 1, wanted_[f][i]);
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
    return fmt::format("read {} MB of {}, {} x {}, {} threads",
                       one.bytes / 1000000,
                       one.what,
                       rows_,
                       features,
                       context_.threads());
  }
  void emit(const Case& one, const std::string& impl, double seconds, bool right) const {
    const double rate = static_cast<double>(one.bytes) / seconds * 1e-6;
    params_.emit({"tables", what(one), impl, rate, "MB/s", std::nullopt, right});
  }

  void ours(const Case& one) {
    double best = HUGE_VAL;
    bool right = true;
    io::TableParams reading;
    if (one.file != "rows.npy") reading.label = one.file == "six.svm" ? "" : "y";
    for (int i = 0; i < repeats_; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const auto file = io::read_table<double>(context_, path(one.file), reading);
      const auto end = std::chrono::steady_clock::now();
      best = std::min(best, std::chrono::duration<double>(end - begin).count());
      right = right && file.table.rows() == rows_ && file.table.columns() == features;
      for (std::int64_t f = 0; f < features && right; ++f) {
        const auto& column = wanted_[static_cast<std::size_t>(one.first + f)];
        right = std::equal(column.begin(), column.end(), file.table.column(f));
      }
    }
    emit(one, fmt::format("yupana cpu {}", simd_target()), best, right);
  }

  /// A Python of the user's own may have what the system's lacks; a reader is told once.
  void peers() {
    {
      AtomicFile file(path("peers.py"));
      file.write(std::string(peers_script));
      file.commit();
    }
    std::vector<std::string> seen;
    for (const char* python : {"python3", "/usr/bin/python3"}) {
      std::istringstream lines(output_of(fmt::format("{} {} {} {} {} {}",
                                                     python,
                                                     path("peers.py"),
                                                     folder_.string(),
                                                     rows_,
                                                     context_.threads(),
                                                     repeats_)));
      std::vector<std::string> new_ones;
      for (std::string file, reader, seconds, right; std::getline(lines, file, '\t');) {
        std::getline(lines, reader, '\t');
        std::getline(lines, seconds, '\t');
        std::getline(lines, right);
        const auto one = std::find_if(
            cases_.begin(), cases_.end(), [&](const Case& c) { return c.file == file; });
        const std::string program = reader.substr(0, reader.find(' '));
        if (one == cases_.end() || std::count(seen.begin(), seen.end(), program) > 0) continue;
        new_ones.push_back(program);
        emit(*one, reader, std::stod(seconds), right == "1");
      }
      seen.insert(seen.end(), new_ones.begin(), new_ones.end());
    }
    for (const char* program : {"pandas", "pyarrow", "scikit-learn", "NumPy"}) {
      if (std::count(seen.begin(), seen.end(), program) > 0) continue;
      context_.note(std::string(program) + ": not installed for python3, left out");
    }
  }

  Context& context_;
  const BenchParams& params_;
  std::int64_t rows_;
  int repeats_;
  std::filesystem::path folder_;
  std::vector<std::vector<double>> wanted_;
  std::vector<Case> cases_;
};

}  // namespace

void tables(Context& context, const BenchParams& params) { TablesBench(context, params).run(); }

}  // namespace yupana::bench
