#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string_view>

namespace yupana {

/// Any callable, without a copy and without its type: what crosses into workers.cpp.
template <class Signature>
class FunctionView;
template <class Result, class... Args>
class FunctionView<Result(Args...)> {
 public:
  template <class Function>
  explicit FunctionView(const Function& function)
      : function_(&function), call_([](const void* erased, Args... args) -> Result {
          return (*static_cast<const Function*>(erased))(args...);
        }) {}
  Result operator()(Args... args) const { return call_(function_, args...); }

 private:
  const void* function_;
  Result (*call_)(const void*, Args...);
};

/// What a message begins with where the system refused a thread.
inline constexpr const char* no_thread =
    "cannot start a thread; lower --threads, or raise ulimit -u or -v: ";

/// Whether oneTBB threw `fault` because the system refused it a thread. Its threads start one
/// another, so that it may end a program in std::terminate, where no call of ours can catch it.
inline bool is_refused_thread(const std::exception& fault) noexcept {
  return std::string_view(fault.what()).starts_with("pthread_");
}

/// The threads of one Context: the only place where oneTBB starts work. Its templates are
/// instantiated in workers.cpp alone, so that a file that runs loops does not compile them, and so
/// that the thread sanitizer is told there what follows what (see workers.cpp).
class Workers {
 public:
  /// `threads` work at a time, the calling one among them, however many cores there are; oneTBB
  /// itself stops at 256 a process, or four per core where that is more.
  explicit Workers(int threads);
  ~Workers();

  /// body(begin, end) over [0, count) in pieces of about `grain`. The first exception of a body is
  /// thrown once no piece runs any more; the others are dropped, and the pieces not yet begun.
  void parallel_for(std::int64_t count,
                    std::int64_t grain,
                    FunctionView<void(std::int64_t, std::int64_t)> body);
  /// put(make(i)) for every i of [0, count): make on all threads, put one at a time and in order,
  /// at most `most` results at a time. The first exception ends the making, and is thrown when
  /// put(result, false) has released every result that was in flight.
  void in_order(std::int64_t count,
                std::int64_t most,
                FunctionView<void*(std::int64_t)> make,
                FunctionView<void(void*, bool)> put);
  /// body() among these threads: the loops in it do not enter and leave them one by one.
  void run(FunctionView<void()> body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace yupana
