#pragma once

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

/// Work of several devices at a time. Only files of the CUDA build include this.
namespace yupana::cuda {

/// run(0) .. run(count - 1), each in a thread of its own where there are several; once all have
/// ended, the first error is thrown.
template <class Run>
void run_side_by_side(std::size_t count, const Run& run) {
  if (count == 1) return run(0);
  std::vector<std::exception_ptr> errors(count);
  std::vector<std::thread> threads;
  for (std::size_t d = 0; d < count; ++d) {
    threads.emplace_back([&, d] {
      try {
        run(d);
      } catch (...) {
        errors[d] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace yupana::cuda
