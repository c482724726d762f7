#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"

namespace yupana::splice {

/// `run` takes a GPU some seconds; cancelled after 1.5 of them it must end as interrupted.
template <class Run>
void expect_cancelled(const Run& run) {
  Context context({.device = "cuda:0"});
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    context.cancel();
  });
  bool interrupted = false;
  try {
    run(context);
  } catch (const Error& error) {
    interrupted = error.code() == ErrorCode::interrupted;
    if (!interrupted) ADD_FAILURE() << error.what();
  }
  other.join();
  EXPECT_TRUE(interrupted) << "it was done before it could be cancelled: make it longer";
}

}  // namespace yupana::splice
