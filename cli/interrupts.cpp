#include "cli/interrupts.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>

#include "yupana/core/error.hpp"
#include "yupana/core/unfinished_files.hpp"

namespace yupana::cli {
namespace {

std::atomic<Context*> running{nullptr};
sem_t signalled;  ///< posted by the handler, which may do little else

constexpr int interrupted = static_cast<int>(ErrorCode::interrupted);

void on_signal(int) {
  Context* context = running.load();
  if (context == nullptr || context->cancelled()) _exit(interrupted);
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

/// False after a second without it.
bool wait_a_second_for(sem_t& semaphore) {
  timespec end{};
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 1;
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
  if (wait_a_second_for(over_)) return;
  remove_unfinished_files();
  fmt::print(stderr, "yupana: {}\n", interrupted_text);
  std::fflush(stderr);
  _exit(interrupted);
}

}  // namespace yupana::cli
