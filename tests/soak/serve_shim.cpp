// Preloaded into the program by soak.py: runs main() once for each command line that comes in on
// standard input, so that neither the program nor a GPU is started anew for each. What one run
// leaves behind in the process, the next one meets. Limits Highway to the instruction sets of
// YUPANA_TARGETS, a mask, so that the code of older processors runs on newer ones. With
// YUPANA_UNDRAWN pictures are laid out and written, but nothing in them is drawn, which is most of
// a run's time. With YUPANA_ONCE it does no more than these two.
#include <cairo.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <hwy/targets.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using Main = int (*)(int, char**, char**);
Main main_of_program;

bool is_undrawn() { return std::getenv("YUPANA_UNDRAWN") != nullptr; }

/// A function that is defined here, as the libraries after this one have it.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

[[noreturn]] void end(const char* what) {
  std::perror(what);
  _exit(70);
}

/// False at the end of the input.
bool read_all(int from, void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = read(from, at, bytes);
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

void redirect(int stream, const std::string& path, int flags) {
  const int file = open(path.c_str(), flags, 0600);
  if (file < 0 || dup2(file, stream) < 0 || close(file) != 0) end(path.c_str());
}

/// A request is its length in bytes, then words that end in 0: the folder to run in, the file for
/// standard output, the one for standard error, and the command line. The answer is main()'s
/// result.
int serve(int, char** argv, char** environment) {
  const int requests = dup(0), answers = dup(1);
  for (std::uint32_t bytes = 0; read_all(requests, &bytes, sizeof(bytes));) {
    std::string text(bytes, '\0');
    if (!read_all(requests, text.data(), bytes)) break;
    std::vector<char*> words;
    for (std::size_t at = 0; at < bytes; at = text.find('\0', at) + 1) words.push_back(&text[at]);
    if (words.size() < 3) end("a request without folder and streams");
    redirect(0, "/dev/null", O_RDONLY);
    redirect(1, words[1], O_WRONLY | O_CREAT | O_TRUNC);
    redirect(2, words[2], O_WRONLY | O_CREAT | O_TRUNC);
    if (chdir(words[0]) != 0) end(words[0]);
    std::vector<char*> line = {argv[0]};
    line.insert(line.end(), words.begin() + 3, words.end());
    line.push_back(nullptr);
    const std::int32_t status =
        main_of_program(static_cast<int>(line.size()) - 1, line.data(), environment);
    std::fflush(nullptr);
    std::clearerr(stdout);
    if (write(answers, &status, sizeof(status)) != sizeof(status)) break;
  }
  return 0;
}

}  // namespace

extern "C" cairo_t* cairo_create(cairo_surface_t* surface) {
  cairo_t* const context = next<decltype(cairo_create)>("cairo_create")(surface);
  if (!is_undrawn()) return context;
  cairo_rectangle(context, 0, 0, 0, 0);
  cairo_clip(context);
  return context;
}

extern "C" cairo_status_t cairo_surface_write_to_png_stream(cairo_surface_t* surface,
                                                            cairo_write_func_t take,
                                                            void* closure) {
  const auto write =
      next<decltype(cairo_surface_write_to_png_stream)>("cairo_surface_write_to_png_stream");
  if (!is_undrawn()) return write(surface, take, closure);
  cairo_surface_t* const pixel = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
  const cairo_status_t status = write(pixel, take, closure);
  cairo_surface_destroy(pixel);
  return status;
}

extern "C" int __libc_start_main(Main program,
                                 int argc,
                                 char** argv,
                                 void (*init)(),
                                 void (*fini)(),
                                 void (*loader)(),
                                 void* stack) {
  using Start = int(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  if (const char* const mask = std::getenv("YUPANA_TARGETS")) {
    hwy::SetSupportedTargetsForTest(hwy::SupportedTargets() & std::atoll(mask));
  }
  main_of_program = std::getenv("YUPANA_ONCE") == nullptr ? program : nullptr;
  Start* const start = next<Start>("__libc_start_main");
  return start(main_of_program != nullptr ? serve : program, argc, argv, init, fini, loader, stack);
}
