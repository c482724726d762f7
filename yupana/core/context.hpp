#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "yupana/core/workers.hpp"

namespace yupana {

class Comm;

/// Which of an algorithm's implementations runs.
enum class Backend { reference, cpu, cuda };

struct ContextParams {
  std::string device = "auto";  ///< auto, cpu, reference, cuda or cuda:0,1
  int threads = 0;  ///< threads at work, cores or not; 0: one per core this process may use
  std::uint64_t memory = 0;      ///< bytes a run may hold; 0: 80 % of what is free at the start
  std::uint64_t gpu_memory = 0;  ///< the same on each GPU; 0: 90 % of what is free
  /// The caller's CUDA stream, on which functions that say so queue work on arrays that lie on a
  /// GPU; none: on a stream of their own, and they return when it has ended.
  std::optional<std::uintptr_t> gpu_stream = std::nullopt;
  Comm* comm = nullptr;  ///< the ranks of the run, which outlive the context; null: one process
};

/// How far a stage has come. `done` and `total` count `unit`s; total is 0 where it is unknown.
struct Progress {
  std::string_view stage;
  double done = 0;
  double total = 0;
  std::string_view unit;
  double seconds = 0;  ///< since the stage began
};

/// A finished stage of a run, for reports.
struct StageTime {
  std::string name;
  double seconds = 0;
  double work = 0;  ///< units done; 0 where the stage does not count
  std::string unit;
};

/// Where and how algorithms run: device, threads, ranks, memory, progress and cancellation. Several
/// contexts work side by side; one context serves one call at a time. A function that is collective
/// is called by every rank of the context, in the same order.
class Context {
 public:
  /// Throws usage for a device name it does not know, device for a GPU that does not exist.
  explicit Context(const ContextParams& params = {});

  Backend backend() const { return backend_; }
  /// Ordinals of the CUDA devices to use; empty on the CPU.
  const std::vector<int>& devices() const { return devices_; }
  int threads() const { return threads_; }
  /// The ranks of the run; null for one process, which is rank 0 of 1.
  Comm* comm() const { return comm_; }
  int rank() const;
  int ranks() const;
  std::uint64_t memory() const { return memory_; }
  /// Bytes that algorithms may hold on each device.
  std::uint64_t gpu_memory() const { return gpu_memory_; }
  const std::optional<std::uintptr_t>& gpu_stream() const { return gpu_stream_; }

  /// body(begin, end) over [0, count) in pieces of about `grain`, or body(i) of each, on this
  /// context's threads.
  template <class Body>
  void parallel_for(std::int64_t count, std::int64_t grain, const Body& body) {
    if constexpr (std::is_invocable_v<const Body&, std::int64_t>) {
      parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) body(i);
      });
    } else {
      workers_.parallel_for(count, grain, FunctionView<void(std::int64_t, std::int64_t)>(body));
    }
  }
  /// put(make(i)) for every i of [0, count): make on all threads, put one at a time and in order,
  /// with at most two results a thread in memory. The first exception ends it and is thrown.
  template <class Make, class Put>
  void in_order(std::int64_t count, const Make& make, const Put& put) {
    in_order(count, 0, make, put);
  }
  /// The same of results of so many bytes, which take at most a sixteenth of memory() together,
  /// or are four: many threads make more than a small memory holds.
  template <class Make, class Put>
  void in_order(std::int64_t count, std::int64_t bytes, const Make& make, const Put& put) {
    using Result = std::invoke_result_t<Make, std::int64_t>;
    const auto make_one = [&](std::int64_t i) -> void* { return new Result(make(i)); };
    const auto put_one = [&](void* made, bool keep) {
      const std::unique_ptr<Result> result(static_cast<Result*>(made));
      if (keep) put(*result);
    };
    workers_.in_order(count,
                      results_at_once(bytes),
                      FunctionView<void*(std::int64_t)>(make_one),
                      FunctionView<void(void*, bool)>(put_one));
  }
  /// Runs body() inside this context's threads: the loops in it need not gather them one by one.
  /// Waiting for another thread's loop of this context deadlocks.
  template <class Body>
  auto run(const Body& body) {
    std::invoke_result_t<Body> result{};
    const auto keep = [&] { result = body(); };
    workers_.run(FunctionView<void()>(keep));
    return result;
  }

  /// Cancels the running call; may be called from a signal handler or another thread.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }
  /// Throws Error(interrupted) once cancel() was called. Algorithms check many times a second.
  void check_cancelled() const;

  /// `sink` receives progress, a few times a second, from any thread but never from two at once.
  void on_progress(std::function<void(const Progress&)> sink) { sink_ = std::move(sink); }
  /// `sink` receives notes: one-line facts a user should know, none of them an error.
  void on_note(std::function<void(const std::string&)> sink) { note_sink_ = std::move(sink); }
  void note(const std::string& text) const {
    if (note_sink_) note_sink_(text);
  }

  /// Bytes copied between host and devices, or between two arrays, outside any memory plan.
  void count_moved(std::uint64_t bytes) { moved_.fetch_add(bytes, std::memory_order_relaxed); }
  std::uint64_t bytes_moved() const { return moved_.load(std::memory_order_relaxed); }

  /// Finished stages, in order; those inside another stage are part of it and not listed. After
  /// 1,000 of them further ones are added to the last of their name.
  const std::vector<StageTime>& stages() const { return stages_; }

 private:
  friend class Stage;
  void use_devices(std::string_view device, std::uint64_t memory);
  std::int64_t results_at_once(std::int64_t bytes) const;
  Backend backend_ = Backend::cpu;
  std::vector<int> devices_;
  int threads_;
  Comm* comm_;
  std::uint64_t memory_ = 0;
  std::uint64_t gpu_memory_ = 0;
  std::optional<std::uintptr_t> gpu_stream_;
  Workers workers_;
  std::atomic<bool> cancelled_{false};
  std::atomic<std::uint64_t> moved_{0};
  std::function<void(const Progress&)> sink_;
  std::function<void(const std::string&)> note_sink_;
  std::vector<StageTime> stages_;
  int open_stages_ = 0;
};

/// One named step of a run, from construction to destruction: reports progress, is timed.
class Stage {
 public:
  Stage(Context& context, std::string name, double total = 0, std::string unit = {});
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Adds finished work, reports to the sink now and then, throws if the run was cancelled. From
  /// any thread.
  void advance(double work);

 private:
  double elapsed() const;
  Context& context_;
  StageTime time_;
  double total_;
  std::int64_t begin_;
  std::atomic<double> done_{0};
  std::atomic<std::int64_t> reported_{0};
  std::atomic_flag reporting_ = ATOMIC_FLAG_INIT;
};

}  // namespace yupana
