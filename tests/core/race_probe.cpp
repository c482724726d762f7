// Two pieces of one loop write the same number without an order: the thread sanitizer must say so.
#include <atomic>
#include <thread>

#include "yupana/core/context.hpp"

int main() {
  yupana::Context context({.device = "cpu", .threads = 2});
  int shared = 0;
  std::atomic<int> arrived{0};
  context.parallel_for(2, 1, [&](std::int64_t begin, std::int64_t) {
    // In two threads at once; relaxed, so that the meeting itself gives no order.
    arrived.fetch_add(1, std::memory_order_relaxed);
    while (arrived.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
    shared += static_cast<int>(begin);
  });
  return shared > 2;
}
