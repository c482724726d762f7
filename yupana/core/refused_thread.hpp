#pragma once

#include <exception>
#include <string_view>

namespace yupana {

/// What a message begins with where the system refused a thread.
inline constexpr const char* no_thread =
    "cannot start a thread; lower --threads, or raise ulimit -u or -v: ";

/// Whether oneTBB threw `fault` because the system refused it a thread. Its threads start one
/// another, so that it may end a program in std::terminate, where no call of ours can catch it.
inline bool is_refused_thread(const std::exception& fault) noexcept {
  return std::string_view(fault.what()).starts_with("pthread_");
}

}  // namespace yupana
