#pragma once

#include <thread>

#include "yupana/core/context.hpp"

namespace yupana::cli {

/// While it lives, Ctrl-C, SIGTERM and SIGHUP (unless ignored, as nohup does) cancel the context. A
/// run that has not ended a second later, because it waits for a pipe, ends then, with its
/// temporary files removed; a second signal ends it so at once. SIGPIPE ends the program as it
/// ends any, with these files removed. One lives at a time.
class Interrupts {
 public:
  explicit Interrupts(Context& context);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  void watch();
  std::thread watcher_;
};

/// The line that an interrupted run ends with.
inline constexpr const char* interrupted_text = "interrupted; no output file was written";

}  // namespace yupana::cli
