#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"

namespace yupana::splice {

/// `run` takes a GPU some seconds; cancelled on its way it must end within one.
template <class Run>
void expect_cancelled_within_a_second(const Run& run) {
  using Clock = std::chrono::steady_clock;
  Context context({.device = "cuda:0"});
  Clock::time_point asked;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    asked = Clock::now();
    context.cancel();
  });
  bool interrupted = false;
  try {
    run(context);
  } catch (const Error& error) {
    interrupted = error.code() == ErrorCode::interrupted;
    if (!interrupted) ADD_FAILURE() << error.what();
  }
  const auto ended = Clock::now();
  other.join();
  EXPECT_TRUE(interrupted) << "it was done before it could be cancelled: make it longer";
  EXPECT_LT(std::chrono::duration<double>(ended - asked).count(), 1.0);
}

}  // namespace yupana::splice
