#include "python/bindings/call.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "python/bindings/python_words.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/text.hpp"

namespace yupana::python {
namespace {

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
