// Preloaded into the program by fault_test.py (LD_PRELOAD): makes one call to the system fail.
//
// YUPANA_FAULT="KIND:FIRST:LAST:ERRNO" makes calls FIRST to LAST of a kind fail with an errno, or
// with -SIGNAL for it sends the program a signal when they begin, and then lets them do their work;
// YUPANA_FAULT_COUNTS names a file of one 64-bit counter a kind, in which the calls are counted,
// and one of the calls that failed, however the program ends. YUPANA_CLOCK_AHEAD is what the clock
// of the day is said to be ahead of itself, in seconds, as one seems to be that is set back. Calls
// are counted from main() to its return: what constructors of libraries do before and after is not
// the program's to handle. Calls that only concern standard error are neither counted nor failed:
// the line that reports a fault goes there.
#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

extern "C" {
// glibc's own names of what is replaced here: they need no look-up, which would allocate.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

enum Kind {
  memory,
  map,
  open_file,
  read_file,
  write_file,
  name_file,
  sync_file,
  grow_file,
  thread
};
constexpr std::array<const char*, 9> names = {
    "memory", "map", "open", "read", "write", "rename", "sync", "grow", "thread"};

struct Fault {
  int kind = -1;
  std::uint64_t first = 0, last = 0;
  int cause = 0;
};
Fault fault;
std::time_t seconds_ahead = 0;
/// One of each kind, and one of the calls that failed.
std::array<std::atomic<std::uint64_t>, names.size() + 1> own_counts;
std::atomic<std::uint64_t>* counts = own_counts.data();
std::atomic<bool> armed{false};

/// Whether a call comes from a library that a fault kills or stops for ever, whatever its caller
/// does: fontconfig 2.14 follows the null pointer, htslib 1.16 waits for the thread that did not
/// start, and for a thread of its own that ended since it got no memory. The constructor of
/// tbbmalloc 2021.8 calls dlopen(); where no memory is left for that call's error, the dlopen() of
/// glibc 2.36 that loads the library follows -1. An allocation of fonts in cairo 1.16, two of the
/// image that it draws letters in, and one of indexes in htslib 1.16 are followed where there was
/// none; the rasterizer of cairo's strokes jumps to a call that has returned.
thread_local bool starts_fatal_thread = false;

bool is_fatal(Kind kind) {
  if (kind != memory && kind != thread) return false;
  if (starts_fatal_thread) return true;
  const bool main_thread = gettid() == getpid();
  std::array<void*, 16> callers;
  const int depth = backtrace(callers.data(), std::ssize(callers));
  for (int i = 0; i < depth; ++i) {
    Dl_info place{};
    if (dladdr(callers[i], &place) == 0) continue;
    const bool htslib = std::strstr(place.dli_fname, "libhts.") != nullptr;
    if (htslib && (kind == thread || !main_thread)) return true;
    if (kind != memory) continue;
    if (std::strstr(place.dli_fname, "libfontconfig.") != nullptr) return true;
    if (std::strstr(place.dli_fname, "libtbbmalloc.") != nullptr) return true;
    for (const char* const name :
         {"cairo_surface_finish", "cairo_show_text", "cairo_stroke", "hts_idx_push"}) {
      if (place.dli_sname != nullptr && std::strcmp(place.dli_sname, name) == 0) return true;
    }
  }
  return false;
}

/// Counts a call, and says whether it fails: then errno is set.
bool fails(Kind kind) {
  if (!armed.load(std::memory_order_relaxed)) return false;
  const std::uint64_t call = ++counts[kind];
  if (kind != fault.kind || call < fault.first || call > fault.last || is_fatal(kind)) return false;
  ++counts[names.size()];
  if (fault.cause < 0) {
    kill(getpid(), -fault.cause);
    return false;
  }
  errno = fault.cause;
  return true;
}

/// The function that this library hides.
template <class Function>
Function* hidden(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void read_environment() {
  if (const char* const path = std::getenv("YUPANA_FAULT_COUNTS")) {
    const int file = ::open(path, O_RDWR);
    void* const shared =
        mmap(nullptr, sizeof(own_counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (shared != MAP_FAILED) counts = static_cast<std::atomic<std::uint64_t>*>(shared);
  }
  if (const char* const ahead = std::getenv("YUPANA_CLOCK_AHEAD")) seconds_ahead = std::atol(ahead);
  char kind[16] = {};
  unsigned long long first = 0, last = 0;
  const char* const text = std::getenv("YUPANA_FAULT");
  if (text == nullptr) return;
  if (std::sscanf(text, "%15[a-z]:%llu:%llu:%d", kind, &first, &last, &fault.cause) != 4) abort();
  while (++fault.kind < std::ssize(names) && std::strcmp(kind, names[fault.kind]) != 0) {
  }
  fault.first = first;
  fault.last = last;
}

using Main = int(int, char**, char**);
Main* program = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  read_environment();
  is_fatal(memory);  // the first call of backtrace() allocates
  armed = true;
  const int status = program(argc, argv, environment);
  armed = false;
  return status;
}

bool is_standard_error(std::FILE* file) { return fileno(file) == STDERR_FILENO; }

/// Errno 0: the file ends here.
ssize_t failed_read() { return fault.cause == 0 ? 0 : -1; }

/// A stream remembers that a call failed.
void mark(std::FILE* file) { file->_flags |= 0x20; }

}  // namespace

extern "C" {

int __libc_start_main(Main* main,
                      int argc,
                      char** argv,
                      void (*init)(),
                      void (*fini)(),
                      void (*loader)(),
                      void* stack) {
  program = main;
  const auto start = hidden<decltype(__libc_start_main)>("__libc_start_main");
  return start(counted_main, argc, argv, init, fini, loader, stack);
}

void* malloc(std::size_t bytes) noexcept { return fails(memory) ? nullptr : __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return fails(memory) ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* block, std::size_t bytes) noexcept {
  return fails(memory) ? nullptr : __libc_realloc(block, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return fails(memory) ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return memalign(alignment, bytes);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
  *block = memalign(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static const auto next = hidden<decltype(clock_gettime)>("clock_gettime");
  const int status = next(clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += seconds_ahead;
  return status;
}

void* mmap(
    void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  static const auto next = hidden<decltype(mmap)>("mmap");
  return fails(map) ? MAP_FAILED : next(at, bytes, protection, flags, file, offset);
}
void* mmap64(
    void* at, std::size_t bytes, int protection, int flags, int file, off64_t offset) noexcept {
  return mmap(at, bytes, protection, flags, file, offset);
}

int open(const char* path, int flags, ...) {
  static const auto next = hidden<int(const char*, int, mode_t)>("open");
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return fails(open_file) ? -1 : next(path, flags, mode);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
int openat(int folder, const char* path, int flags, ...) {
  static const auto next = hidden<int(int, const char*, int, mode_t)>("openat");
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return fails(open_file) ? -1 : next(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));
std::FILE* fopen(const char* path, const char* mode) {
  static const auto next = hidden<decltype(fopen)>("fopen");
  return fails(open_file) ? nullptr : next(path, mode);
}
std::FILE* fopen64(const char* path, const char* mode) __attribute__((alias("fopen")));
std::FILE* fdopen(int file, const char* mode) noexcept {
  static const auto next = hidden<decltype(fdopen)>("fdopen");
  return fails(open_file) ? nullptr : next(file, mode);
}
int mkostemp(char* path, int flags) {
  static const auto next = hidden<decltype(mkostemp)>("mkostemp");
  return fails(open_file) ? -1 : next(path, flags);
}
int mkostemp64(char* path, int flags) __attribute__((alias("mkostemp")));
DIR* opendir(const char* path) {
  static const auto next = hidden<decltype(opendir)>("opendir");
  return fails(open_file) ? nullptr : next(path);
}
int mkdir(const char* path, mode_t mode) noexcept {
  static const auto next = hidden<decltype(mkdir)>("mkdir");
  return fails(open_file) ? -1 : next(path, mode);
}

ssize_t read(int file, void* to, std::size_t bytes) {
  static const auto next = hidden<decltype(read)>("read");
  return fails(read_file) ? failed_read() : next(file, to, bytes);
}
ssize_t pread(int file, void* to, std::size_t bytes, off_t offset) {
  static const auto next = hidden<decltype(pread)>("pread");
  return fails(read_file) ? failed_read() : next(file, to, bytes, offset);
}
ssize_t pread64(int file, void* to, std::size_t bytes, off64_t offset)
    __attribute__((alias("pread")));

ssize_t write(int file, const void* from, std::size_t bytes) {
  static const auto next = hidden<decltype(write)>("write");
  return file != STDERR_FILENO && fails(write_file) ? -1 : next(file, from, bytes);
}
ssize_t pwrite(int file, const void* from, std::size_t bytes, off_t offset) {
  static const auto next = hidden<decltype(pwrite)>("pwrite");
  return fails(write_file) ? -1 : next(file, from, bytes, offset);
}
ssize_t pwrite64(int file, const void* from, std::size_t bytes, off64_t offset)
    __attribute__((alias("pwrite")));
std::size_t fwrite(const void* from, std::size_t bytes, std::size_t count, std::FILE* file) {
  static const auto next = hidden<decltype(fwrite)>("fwrite");
  if (is_standard_error(file) || !fails(write_file)) return next(from, bytes, count, file);
  mark(file);
  return 0;
}
int fflush(std::FILE* file) {
  static const auto next = hidden<decltype(fflush)>("fflush");
  if (file == nullptr || is_standard_error(file) || !fails(write_file)) return next(file);
  mark(file);
  return EOF;
}
int fclose(std::FILE* file) {
  static const auto next = hidden<decltype(fclose)>("fclose");
  const bool failed = fails(write_file);
  const int cause = errno;
  const int status = next(file);
  if (failed) errno = cause;
  return failed ? EOF : status;
}

int rename(const char* from, const char* to) noexcept {
  static const auto next = hidden<decltype(rename)>("rename");
  return fails(name_file) ? -1 : next(from, to);
}
int link(const char* from, const char* to) noexcept {
  static const auto next = hidden<decltype(link)>("link");
  return fails(name_file) ? -1 : next(from, to);
}

int fsync(int file) {
  static const auto next = hidden<decltype(fsync)>("fsync");
  return fails(sync_file) ? -1 : next(file);
}
int fdatasync(int file) {
  static const auto next = hidden<decltype(fdatasync)>("fdatasync");
  return fails(sync_file) ? -1 : next(file);
}

int ftruncate(int file, off_t bytes) noexcept {
  static const auto next = hidden<decltype(ftruncate)>("ftruncate");
  return fails(grow_file) ? -1 : next(file, bytes);
}
int ftruncate64(int file, off64_t bytes) noexcept { return ftruncate(file, bytes); }
int posix_fallocate(int file, off_t offset, off_t bytes) {
  static const auto next = hidden<decltype(posix_fallocate)>("posix_fallocate");
  return fails(grow_file) ? errno : next(file, offset, bytes);
}
int posix_fallocate64(int file, off64_t offset, off64_t bytes)
    __attribute__((alias("posix_fallocate")));

int pthread_create(pthread_t* thread_id,
                   const pthread_attr_t* attributes,
                   void* (*body)(void*),
                   void* argument) noexcept {
  static const auto next = hidden<decltype(pthread_create)>("pthread_create");
  if (fails(thread)) return errno;
  starts_fatal_thread = armed && is_fatal(thread);
  const int status = next(thread_id, attributes, body, argument);
  starts_fatal_thread = false;
  return status;
}
}
