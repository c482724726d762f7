#include "yupana/core/workers.hpp"

#include <tbb/blocked_range.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <mutex>
#include <stdexcept>

#include "yupana/core/messages.hpp"

// The thread sanitizer sees what instrumented code does. The distribution's oneTBB is not
// instrumented: that a task begins after it was spawned, and that a loop ends after its pieces, it
// cannot see. So under it this file is compiled without instrumentation (CMakeLists.txt), which
// keeps oneTBB's own accesses, in its templates, out of sight; and the order that oneTBB promises,
// no more, is told by hand: what follows a release of an address and acquires it comes after.
// Pieces of one loop stay unordered, so a race between them is reported
// (tests/core/race_probe.cpp).
#ifdef YUPANA_TSAN
#include <sanitizer/tsan_interface.h>
#define YUPANA_ACQUIRE(address) __tsan_acquire(const_cast<void*>(static_cast<const void*>(address)))
#define YUPANA_RELEASE(address) __tsan_release(const_cast<void*>(static_cast<const void*>(address)))
#else
#define YUPANA_ACQUIRE(address) static_cast<void>(address)
#define YUPANA_RELEASE(address) static_cast<void>(address)
#endif

namespace yupana {
namespace {

/// The order around a parallel region: all of it after its begin, its end after all of it.
class Region {
 public:
  Region() { YUPANA_RELEASE(&begin_); }
  ~Region() { YUPANA_ACQUIRE(&end_); }
  /// Part of the region, in any thread.
  template <class Body>
  void part(const Body& body) {
    YUPANA_ACQUIRE(&begin_);
    const Part end{*this};
    body();
  }

 private:
  struct Part {
    Region& region;
    ~Part() { YUPANA_RELEASE(&region.end_); }  // an exception is an end too
  };
  char begin_ = 0;
  char end_ = 0;
};

/// Lets the process run `threads` more than one per core, while it lives. oneTBB's own limit is one
/// per core, and of several global_control objects the smallest counts: so one serves the
/// sum of what all contexts want. Each context's arena keeps it to its own number.
class Allowance {
 public:
  explicit Allowance(int threads) : threads_(threads) { change(threads_); }
  ~Allowance() { change(-threads_); }
  Allowance(const Allowance&) = delete;
  Allowance& operator=(const Allowance&) = delete;

 private:
  static void change(int threads) {
    if (threads == 0) return;
    static std::mutex mutex;
    static int extra = 0;
    static std::unique_ptr<tbb::global_control> control;
    const std::lock_guard lock(mutex);
    extra += threads;
    const auto limit = static_cast<std::size_t>(tbb::info::default_concurrency() + extra);
    // The new limit before the old one goes, so that none falls below both.
    std::unique_ptr<tbb::global_control> next;
    if (extra > 0) {
      next = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                   limit);
    }
    control = std::move(next);
  }
  int threads_;
};

/// Has oneTBB's allocator take memory from the system before the first arena needs some of it.
/// oneTBB 2022 waits for ever where it is refused that memory: it holds the lock that its error
/// path takes.
///   errors: std::bad_alloc
void reserve_for_arena() {
  constexpr std::size_t bytes = std::size_t{1} << 18;
  tbb::cache_aligned_allocator<char> allocator;
  allocator.deallocate(allocator.allocate(bytes), bytes);
}

/// Runs body(region) in the arena.
/// errors: out_of_resources where the system refuses a thread: oneTBB throws its words
template <class Body>
void execute(tbb::task_arena& arena, const Body& body) {
  if (!arena.is_active()) reserve_for_arena();
  try {
    Region region;  // which ends before what one of its threads threw is read
    arena.execute([&] { body(region); });
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& fault) {
    if (!is_refused_thread(fault)) throw;
    throw resource_error("{}{}", no_thread, fault.what());
  }
}

}  // namespace

struct Workers::State {
  explicit State(int threads)
      : allowance(threads > tbb::info::default_concurrency() ? threads : 0), arena(threads) {}
  Allowance allowance;
  tbb::task_arena arena;
};

Workers::Workers(int threads) : state_(std::make_unique<State>(threads)) {}
Workers::~Workers() = default;

void Workers::parallel_for(std::int64_t count,
                           std::int64_t grain,
                           FunctionView<void(std::int64_t, std::int64_t)> body) {
  using Pieces = tbb::blocked_range<std::int64_t>;
  execute(state_->arena, [&](Region& region) {
    const auto piece = [&](const Pieces& r) { region.part([&] { body(r.begin(), r.end()); }); };
    tbb::parallel_for(
        Pieces(0, count, static_cast<std::size_t>(grain)), piece, tbb::simple_partitioner());
  });
}

void Workers::in_order(std::int64_t count,
                       std::int64_t most,
                       FunctionView<void*(std::int64_t)> make,
                       FunctionView<void(void*, bool)> put) {
  // A pipeline that an exception leaves loses its results in flight, so none may escape.
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  execute(state_->arena, [&](Region& region) {
    const auto guarded = [&](const auto& work) {
      try {
        region.part(work);
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
      }
    };
    std::int64_t next = 0;
    const auto count_up = [&](tbb::flow_control& control) {
      if (next == count || failed.load()) control.stop();
      return next++;
    };
    const auto make_one = [&](std::int64_t i) {
      void* result = nullptr;
      if (!failed.load()) guarded([&] { result = make(i); });
      YUPANA_RELEASE(result);
      return result;
    };
    char turn = 0;  // each put comes after the one before it
    const auto put_one = [&](void* result) {
      if (result == nullptr) return;
      YUPANA_ACQUIRE(result);
      YUPANA_ACQUIRE(&turn);
      guarded([&] { put(result, !failed.load()); });
      YUPANA_RELEASE(&turn);
    };
    constexpr auto serial = tbb::filter_mode::serial_in_order;
    tbb::parallel_pipeline(
        static_cast<std::size_t>(most),
        tbb::make_filter<void, std::int64_t>(serial, count_up) &
            tbb::make_filter<std::int64_t, void*>(tbb::filter_mode::parallel, make_one) &
            tbb::make_filter<void*, void>(serial, put_one));
  });
  if (failure) std::rethrow_exception(failure);
}

void Workers::run(FunctionView<void()> body) {
  execute(state_->arena, [&](Region& region) { region.part([&] { body(); }); });
}

}  // namespace yupana
