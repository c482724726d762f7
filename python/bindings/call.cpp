#include "python/bindings/call.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "yupana/core/error.hpp"
#include "yupana/core/text.hpp"

namespace yupana::python {
namespace {

enum class Value {
  none,    ///< the option is a switch, or its value is not repeated
  number,  ///< digits
  text,    ///< digits, or one of the option's lower-case words
  bytes,   ///< a size like 87M
  path,    ///< a name with a full stop or a stroke
};

struct Parameter {
  std::string_view option, name;
  Value value = Value::none;
  std::string_view words = {};  ///< what may follow as a text, between blanks
};

constexpr std::array parameters{
    Parameter{"--all-chr", "all_chromosomes"},
    Parameter{"--bim", "bim"},
    Parameter{"--chr", "chromosomes", Value::text},
    Parameter{"--chr-set", "autosomes", Value::number},
    Parameter{"--device", "device", Value::text, " cpu cuda reference auto "},
    Parameter{"--dosage", "dosage"},
    Parameter{"--exclude", "exclude"},
    Parameter{"--extract", "extract"},
    Parameter{"--fam", "fam"},
    Parameter{"--figure-width", "figure_width", Value::number},
    Parameter{"--figures", "figures"},
    Parameter{"--from-bp", "from_bp", Value::number},
    Parameter{"--geno", "max_site_missing", Value::number},
    Parameter{"--gpu-memory", "GPU memory"},
    Parameter{"--half-call", "half_call", Value::text, " missing haploid reference error "},
    Parameter{"--hard-call-threshold", "hard_call_threshold", Value::number},
    Parameter{"--hwe", "min_hwe", Value::number},
    Parameter{"--ignore-other", "ignore_other"},
    Parameter{"--indep-pairwise", "indep_pairwise"},
    Parameter{"--iterations", "iterations", Value::number},
    Parameter{"--keep", "keep"},
    Parameter{"--keep-fam", "keep_fam"},
    Parameter{"--king-cutoff", "king_cutoff", Value::number},
    Parameter{"--knn", "neighbors", Value::number},
    Parameter{"--landmarks", "landmarks", Value::number},
    Parameter{"--learning-rate", "learning_rate", Value::number},
    Parameter{"--label-column", "label_column"},
    Parameter{"--labels", "labels"},
    Parameter{"--loadings", "loadings"},
    Parameter{"--mac", "min_mac", Value::number},
    Parameter{"--maf", "min_maf", Value::number},
    Parameter{"--max-depth", "max_depth", Value::number},
    Parameter{"--max-maf", "max_maf", Value::number},
    Parameter{"--max-samples", "max_samples", Value::number},
    Parameter{"--memory", "memory", Value::bytes},
    Parameter{"--min-samples-leaf", "min_samples_leaf", Value::number},
    Parameter{"--mind", "max_sample_missing", Value::number},
    Parameter{"--missing", "missing", Value::text, " pairwise mode error "},
    Parameter{"--multiallelic", "multiallelic", Value::text, " skip split collapse "},
    Parameter{"--nonfounders", "nonfounders"},
    Parameter{"--polyploid", "polyploid", Value::text, " missing error "},
    Parameter{"--precision", "precision", Value::text, " auto int float32 float64 "},
    Parameter{"--project", "loadings"},
    Parameter{"--psam", "psam"},
    Parameter{"--pvar", "pvar"},
    Parameter{"--real", "exact=False"},
    Parameter{"--region", "region"},
    Parameter{"--remove", "remove"},
    Parameter{"--remove-fam", "remove_fam"},
    Parameter{"--round", "round"},
    Parameter{"--sample", "sample_file"},
    Parameter{"--sigma0", "sigma0", Value::number},
    Parameter{"--sigmaf", "sigmaf", Value::number},
    Parameter{"--smooth", "smooth", Value::number},
    Parameter{"--snps-only", "snps_only"},
    Parameter{"--tau", "tau", Value::number},
    Parameter{"--thin", "thin", Value::number},
    Parameter{"--threads", "threads", Value::number},
    Parameter{"--to-bp", "to_bp", Value::number},
    Parameter{"--trees", "n_estimators", Value::number},
    Parameter{"--unit-diagonal", "unit_diagonal"},
    Parameter{"--var-filter", "var_filter"},
    Parameter{"--var-min-qual", "min_qual", Value::number},
    Parameter{"-o", "out", Value::path},
};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// The characters of the option that begins here, 0 where none does.
std::size_t option_length(std::string_view message, std::size_t at) {
  constexpr std::string_view before = " ('";
  if (message[at] != '-' || (at > 0 && before.find(message[at - 1]) == before.npos)) return 0;
  std::size_t end = at;
  while (end < message.size() && (is_word(message[end]) || message[end] == '-')) ++end;
  return end - at;
}

/// The value that follows, without the marks of the sentence after it.
std::string_view next_word(std::string_view rest) {
  if (rest.empty() || rest[0] != ' ') return {};
  rest.remove_prefix(1);
  std::string_view word = rest.substr(0, rest.find_first_of(" ;)'"));
  while (!word.empty() && std::string_view(",.:").find(word.back()) != std::string_view::npos) {
    word.remove_suffix(1);
  }
  return word;
}

/// 87M as 87_000_000: Python takes bytes. Empty where the word is no size.
std::string bytes_of(const std::string& word) {
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (end == word.c_str() || !(word[0] >= '0' && word[0] <= '9')) return {};
  const std::string unit = end;
  const std::string_view units = "KMGT";
  const std::size_t power =
      unit.empty() ? std::string_view::npos : units.find(unit[0] == 'k' ? 'K' : unit[0]);
  const bool binary = unit.ends_with("iB");
  if (!unit.empty() && power == std::string_view::npos && unit != "B") return {};
  const double scale =
      power == std::string_view::npos ? 1 : std::pow(binary ? 1024.0 : 1000.0, power + 1);
  const std::string digits = fmt::format("{:.0f}", std::ceil(number * scale));
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) result += '_';
    result += digits[i];
  }
  return result;
}

/// "=value" if the word is a value of the parameter, else nothing.
std::string assigned(const Parameter& parameter, std::string_view word) {
  if (word.empty() || parameter.value == Value::none) return {};
  if (parameter.value == Value::bytes) {
    const std::string bytes = bytes_of(std::string(word));
    return bytes.empty() ? bytes : "=" + bytes;
  }
  if (parameter.value == Value::path) {
    const bool is_path = word.find_first_of("./") != std::string_view::npos;
    return is_path ? fmt::format("=\"{}\"", word) : "";
  }
  const bool digit = (word[0] >= '0' && word[0] <= '9') || word == "N";
  if (parameter.value == Value::number) return digit ? fmt::format("={}", word) : "";
  const bool known = word.starts_with("cuda:") ||
                     parameter.words.find(fmt::format(" {} ", word)) != std::string_view::npos;
  return digit || known ? fmt::format("=\"{}\"", word) : "";
}

/// The second size of "raise --memory to 16k, or to 20k to count", as Python takes it: the text
/// that replaces so many characters, none where no size follows.
std::pair<std::string, std::size_t> second_size(std::string_view message) {
  constexpr std::string_view before = ", or to";
  if (!message.starts_with(before)) return {};
  const std::string word(next_word(message.substr(before.size())));
  const bool has_unit =
      !word.empty() && std::string_view("kMGTB").find(word.back()) != std::string_view::npos;
  const std::string bytes = has_unit ? bytes_of(word) : "";
  if (bytes.empty()) return {};
  return {fmt::format(", or memory={}", bytes), before.size() + 1 + word.size()};
}

/// "pass unit_diagonal (unit_diagonal)" names it once.
void close_repetition(std::string& text, std::string_view name) {
  const std::string twice = fmt::format("{} ({}", name, name);
  if (text.ends_with(twice)) text.resize(text.size() - name.size() - 2);
}

/// A message of the library with its parameters as a Python caller writes them: "--maf" is min_maf,
/// "--device cpu" is device="cpu", "--memory 87M" is memory=87_000_000. Options without a parameter
/// in Python stay as they are, and so do the command lines of other programs.
std::string python_words(std::string_view message) {
  if (message.find("plink") != std::string_view::npos) return std::string(message);
  std::string text;
  for (std::size_t at = 0; at < message.size();) {
    if (const auto [size, replaced] = second_size(message.substr(at)); replaced > 0) {
      text += size;
      at += replaced;
      continue;
    }
    const std::size_t length = option_length(message, at);
    const auto found = std::ranges::find(
        parameters, message.substr(at, length), [](const Parameter& p) { return p.option; });
    if (length == 0 || found == parameters.end()) {
      const std::size_t step = std::max<std::size_t>(length, 1);
      text += message.substr(at, step);
      at += step;
      continue;
    }
    at += length;
    const std::string_view to = " to";  // "raise --memory to 16k"
    const bool is_to = found->value == Value::bytes && message.substr(at).starts_with(" to ") &&
                       !bytes_of(std::string(next_word(message.substr(at + to.size())))).empty();
    if (is_to) at += to.size();
    const std::string_view word = next_word(message.substr(at));
    const std::string value = assigned(*found, word);
    text += fmt::format("{}{}", found->name, value);
    if (!value.empty()) at += 1 + word.size();
    const std::size_t before = text.size();
    close_repetition(text, found->name);
    if (text.size() != before && at < message.size() && message[at] == ')') ++at;
  }
  return text;
}

constexpr std::chrono::milliseconds poll_interval{50};

/// A Progress that owns its words.
struct Report {
  std::string stage, unit;
  double done = 0, total = 0, seconds = 0;
};

void warn(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    const nb::object kind = nb::module_::import_("yupana._call").attr("Note");
    if (PyErr_WarnEx(kind.ptr(), note.c_str(), 1) != 0) throw nb::python_error();
  }
}

/// One call: what the working thread and the waiting one tell each other.
class Running {
 public:
  explicit Running(const nb::object& progress) : progress_(progress) {}

  void listen(Context& context) {
    if (!progress_.is_none()) {
      context.on_progress([this](const Progress& now) {
        const std::lock_guard lock(mutex_);
        report_ =
            Report{std::string(now.stage), std::string(now.unit), now.done, now.total, now.seconds};
      });
    }
    context.on_note([this](const std::string& note) {
      const std::lock_guard lock(mutex_);
      notes_.push_back(escaped(python_words(note)));
    });
  }

  /// Without the interpreter's lock.
  void run(Context& context, FunctionView<void(Context&)> body) {
    std::thread worker([&] {
      std::exception_ptr error;
      try {
        body(context);
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      error_ = error;
      done_ = true;
      finished_.notify_one();
    });
    for (std::unique_lock lock(mutex_); !done_;) {
      if (finished_.wait_for(lock, poll_interval, [&] { return done_; })) break;
      const std::optional<Report> report = std::exchange(report_, std::nullopt);
      lock.unlock();
      if (!raised_) poll(report);
      if (raised_) context.cancel();
      lock.lock();
    }
    worker.join();
    // Calls that end before the first poll report too.
    if (report_ && !error_ && !raised_) poll(report_);
  }

  /// With the interpreter's lock: raises what happened.
  void finish() {
    if (raised_) std::rethrow_exception(raised_);
    if (error_) std::rethrow_exception(error_);
    warn(notes_);
  }

 private:
  void poll(const std::optional<Report>& report) {
    const nb::gil_scoped_acquire lock;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (report) {
        progress_(report->stage, report->done, report->total, report->unit, report->seconds);
      }
    } catch (...) {
      raised_ = std::current_exception();
    }
  }

  const nb::object& progress_;
  std::mutex mutex_;
  std::condition_variable finished_;
  bool done_ = false;
  std::optional<Report> report_;
  std::vector<std::string> notes_;
  std::exception_ptr error_;   ///< of the body
  std::exception_ptr raised_;  ///< a signal's or the progress callable's
};

/// The memory is given, as to read how much is free takes longer than the work.
void run_at_once(const Options& options, FunctionView<void(Context&)> body) {
  constexpr std::uint64_t memory = std::uint64_t{1} << 30;
  std::vector<std::string> notes;
  {
    const nb::gil_scoped_release unlocked;
    Context context({.device = options.stream ? options.device : "cpu",
                     .threads = 1,
                     .memory = memory,
                     .gpu_memory = memory,
                     .gpu_stream = options.stream});
    context.on_note([&](const std::string& note) { notes.push_back(escaped(python_words(note))); });
    body(context);
  }
  warn(notes);
}

PyObject* python_type(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
    case ErrorCode::bad_input:
      return PyExc_ValueError;
    case ErrorCode::out_of_resources:
      return PyExc_MemoryError;
    case ErrorCode::device:
      return PyExc_RuntimeError;
    case ErrorCode::interrupted:
      return PyExc_KeyboardInterrupt;
  }
  return PyExc_RuntimeError;
}

}  // namespace

void run_in_context(const Options& options, Runs runs, FunctionView<void(Context&)> body) {
  const bool by_processor = options.device == "auto" || options.device == "cpu";
  if (runs == Runs::at_once && (by_processor || options.stream) && options.progress.is_none()) {
    return run_at_once(options, body);
  }
  ContextParams params{
      .device = options.device, .threads = options.threads, .memory = options.memory};
  if (runs == Runs::on_the_processor && params.device == "auto") params.device = "cpu";
  Running running(options.progress);
  {
    const nb::gil_scoped_release unlocked;
    Context context(params);
    running.listen(context);
    running.run(context, body);
  }
  running.finish();
}

void bind_call(nb::module_& module) {
  nb::class_<Options>(module, "Options", "Where and how a call runs.")
      .def(
          "__init__",
          [](Options* self,
             const std::string& device,
             int threads,
             std::uint64_t memory,
             nb::object progress,
             std::optional<std::uintptr_t> stream) {
            new (self) Options{device, threads, memory, std::move(progress), stream};
          },
          nb::arg("device"),
          nb::arg("threads"),
          nb::arg("memory"),
          nb::arg("progress").none(),
          nb::arg("stream").none() = nb::none());
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetString(python_type(error.code()), escaped(python_words(error.what())).c_str());
    }
  });
}

}  // namespace yupana::python
