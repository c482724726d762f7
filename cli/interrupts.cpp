#include "cli/interrupts.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>

#include "cli/out_folder.hpp"
#include "cli/standard_streams.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/unfinished_files.hpp"

namespace yupana::cli {
namespace {

std::atomic<Context*> running{nullptr};
std::atomic<int> first_signal{0};
sem_t signalled;  ///< posted by the handler, which may do little else

constexpr int interrupted = static_cast<int>(ErrorCode::interrupted);

void on_signal(int number) {
  Context* context = running.load();
  if (context == nullptr || context->cancelled()) _exit(interrupted);
  first_signal = number;
  context->cancel();
  sem_post(&signalled);
}

void catch_signal(int number) {
  struct sigaction before {};
  sigaction(number, nullptr, &before);
  if (number == SIGHUP && before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(number, &action, nullptr);
}

void wait_for(sem_t& semaphore) {
  while (sem_wait(&semaphore) != 0 && errno == EINTR) {
  }
}

/// Nanoseconds that a run has to end by itself. mpirun follows its SIGTERM with SIGKILL after a
/// second, and a rank that waits for a dead one never ends by itself.
long time_to_unwind() { return first_signal == SIGTERM ? 400'000'000 : 1'000'000'000; }

/// False after `nanoseconds` without it.
bool wait_for(sem_t& semaphore, long nanoseconds) {
  timespec end{};
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += nanoseconds;
  end.tv_sec += end.tv_nsec / 1'000'000'000;
  end.tv_nsec %= 1'000'000'000;
  int status = -1;
  do {
    status = sem_timedwait(&semaphore, &end);
  } while (status != 0 && errno == EINTR);
  return status == 0;
}

}  // namespace

Interrupts::Interrupts(Context& context) {
  sem_init(&signalled, 0, 0);
  sem_init(&over_, 0, 0);
  // Signals go to the threads that work: their blocking calls then end.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  watcher_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  running = &context;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) catch_signal(number);
}

Interrupts::~Interrupts() {
  running = nullptr;
  sem_post(&over_);
  sem_post(&signalled);
  watcher_.join();
  sem_destroy(&over_);
}

void Interrupts::watch() {
  wait_for(signalled);
  if (wait_for(over_, time_to_unwind())) return;
  remove_unfinished_files();
  remove_out_folders();
  put_text(stderr, fmt::format("yupana: {}\n", interrupted_text));
  std::fflush(stderr);
  _exit(interrupted);
}

}  // namespace yupana::cli
