#include "cli/interrupts.hpp"

#include <fmt/core.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <string_view>

#include "cli/out_folder.hpp"
#include "cli/standard_streams.hpp"
#include "yupana/cluster/mpi.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/unfinished_files.hpp"

namespace yupana::cli {
namespace {

std::atomic<Context*> running{nullptr};
std::atomic<int> first_signal{0}, signals{0};
// Posted by the handler, which may do little else, and over also by the end of the run.
sem_t signalled, over;
std::atomic<bool> ended{false}, reader_left{false};
std::atomic<bool> is_rank{false};

constexpr int interrupted = static_cast<int>(ErrorCode::interrupted);

/// mpirun sends SIGTERM where another rank has ended the run, and said why.
bool said_by_another(int number) { return number == SIGTERM && is_rank; }

void on_signal(int number) {
  Context* context = running.load();
  const int count = ++signals;
  if (context == nullptr && !said_by_another(number)) {
    // The run is over and what it wrote is whole; what it prints may not be.
    constexpr std::string_view line = "yupana: interrupted\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  }
  if (context == nullptr || count > 2) _exit(interrupted);
  if (count == 2) {
    sem_post(&over);  // the watcher ends the program now
    return;
  }
  first_signal = number;
  context->cancel();
  sem_post(&signalled);
}

/// The thread that wrote stops here, and the watcher ends the program: a library's message on
/// standard error would else end it as it is.
void on_broken_pipe(int /*number*/) {
  reader_left = true;
  sem_post(&signalled);
  sem_post(&over);
  for (;;) pause();
}

void catch_signal(int number, void (*handler)(int)) {
  struct sigaction before {};
  sigaction(number, nullptr, &before);
  const bool may_be_ignored = number == SIGHUP || number == SIGPIPE;
  if (may_be_ignored && before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handler;
  sigaction(number, &action, nullptr);
}

/// Ends the program as SIGPIPE ends any.
[[noreturn]] void end_by_broken_pipe() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  signal(SIGPIPE, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &pipe, nullptr);
  raise(SIGPIPE);
  _exit(128 + SIGPIPE);  // not reached
}

void wait_for(sem_t& semaphore) {
  while (sem_wait(&semaphore) != 0 && errno == EINTR) {
  }
}

/// Nanoseconds that a run has to end by itself. mpirun follows its SIGTERM with SIGKILL after a
/// second, and a rank that waits for a dead one never ends by itself.
long time_to_unwind() { return said_by_another(first_signal) ? 100'000'000 : 999'999'999; }

/// Waits for it, `nanoseconds` at the most, whatever the clock of the day is set to meanwhile.
void wait_for(sem_t& semaphore, long nanoseconds) {
  timespec end{};
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_nsec += nanoseconds;
  end.tv_sec += end.tv_nsec / 1'000'000'000;
  end.tv_nsec %= 1'000'000'000;
  int status = -1;
  do {
    status = sem_clockwait(&semaphore, CLOCK_MONOTONIC, &end);
  } while (status != 0 && errno == EINTR);
}

}  // namespace

Interrupts::Interrupts(Context& context) {
  sem_init(&signalled, 0, 0);
  sem_init(&over, 0, 0);
  signals = 0;
  ended = false;
  is_rank = cluster::under_mpi();
  // Signals go to the threads that work: their blocking calls then end.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  watcher_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  running = &context;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) catch_signal(number, on_signal);
  catch_signal(SIGPIPE, on_broken_pipe);
}

Interrupts::~Interrupts() {
  catch_signal(SIGPIPE, SIG_DFL);  // no file is unfinished now
  running = nullptr;
  ended = true;
  sem_post(&over);
  sem_post(&signalled);
  watcher_.join();
  sem_destroy(&over);
}

void Interrupts::watch() {
  wait_for(signalled);
  if (!ended) wait_for(over, time_to_unwind());
  if (ended && !reader_left) return;
  remove_unfinished_files();
  remove_out_folders();
  if (reader_left) end_by_broken_pipe();
  if (!said_by_another(first_signal)) {
    put_text(stderr, fmt::format("yupana: {}\n", interrupted_text));
    std::fflush(stderr);
  }
  _exit(interrupted);
}

}  // namespace yupana::cli
