#include "yupana/core/context.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <numeric>

#include "yupana/core/comm.hpp"
#include "yupana/core/cuda/device.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"

namespace yupana {
namespace {

std::int64_t now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

/// "0,2" -> {0, 2}. A device named several times works as that many would.
std::vector<int> parse_devices(std::string_view list) {
  std::vector<int> devices;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::string_view item = list.substr(at, comma - at);
    int device = -1;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), device);
    const bool number = error == std::errc() && end == item.data() + item.size() && device >= 0;
    if (!number) {
      throw usage_error("device: expected numbers of GPUs, as cuda:0 or cuda:0,1, got 'cuda:{}'",
                        list);
    }
    devices.push_back(device);
    at = comma + 1;
  }
  return devices;
}

void check_available(const std::vector<int>& devices, int available) {
  for (const int device : devices) {
    if (device >= available) {
      throw Error(ErrorCode::device,
                  fmt::format("device: expected cuda:{}, this machine has {} usable GPU(s); "
                              "'yupana info' lists them",
                              device,
                              available));
    }
  }
}

/// Of the device with the least.
std::uint64_t least_free_memory(const std::vector<int>& devices) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const int device : devices) least = std::min(least, cuda::free_memory(device));
  return least;
}

int checked_threads(int threads) {
  if (threads < 0 || threads > 4096) {
    throw usage_error("threads: expected 1 to 4096 (0: every core), got {}", threads);
  }
  return threads > 0 ? threads : usable_cores();
}

}  // namespace

Context::Context(const ContextParams& params)
    : threads_(checked_threads(params.threads)),
      comm_(params.comm),
      memory_(params.memory > 0 ? params.memory : free_memory() / 5 * 4),
      gpu_stream_(params.gpu_stream),
      workers_(threads_) {
  const std::string_view device = params.device;
  if (device == "reference") {
    backend_ = Backend::reference;
  } else if (device == "cpu") {
    backend_ = Backend::cpu;
  } else if (device == "auto") {
    if (cuda::device_count() > 0) use_devices("cuda", params.gpu_memory);
  } else if (device == "cuda" || device.starts_with("cuda:")) {
    if (device != "cuda") devices_ = parse_devices(device.substr(5));
    if (cuda::device_count() == 0) throw Error(ErrorCode::device, cuda::why_no_device());
    use_devices(device, params.gpu_memory);
  } else {
    throw usage_error("device: '{}' is unknown; use auto, cpu, reference, cuda or cuda:0,1",
                      device);
  }
}

/// "cuda" for all of them, or "cuda:0,1".
void Context::use_devices(std::string_view device, std::uint64_t memory) {
  backend_ = Backend::cuda;
  const int gpus = cuda::device_count();
  if (device == "cuda") {
    devices_.resize(static_cast<std::size_t>(gpus));
    std::iota(devices_.begin(), devices_.end(), 0);
  } else {
    check_available(devices_, gpus);
  }
  gpu_memory_ = memory > 0 ? memory : least_free_memory(devices_) / 10 * 9;
  if (memory > 0) cuda::keep_at_most(memory / 64);
}

int Context::rank() const { return comm_ == nullptr ? 0 : comm_->rank(); }
int Context::ranks() const { return comm_ == nullptr ? 1 : comm_->size(); }

std::int64_t Context::results_at_once(std::int64_t bytes) const {
  const std::int64_t most = 2 * threads_;
  if (bytes <= 0) return most;
  const auto room = static_cast<std::int64_t>(memory_ / 16 / static_cast<std::uint64_t>(bytes));
  return std::min(most, std::max<std::int64_t>(room, 4));
}

void Context::check_cancelled() const {
  if (cancelled()) throw Error(ErrorCode::interrupted, "interrupted; no output file was written");
}

/// Of a context that makes calls without end the record does not grow without end.
constexpr std::size_t most_stages = 1000;

Stage::Stage(Context& context, std::string name, double total, std::string unit)
    : context_(context),
      time_{std::move(name), 0, 0, std::move(unit)},
      total_(total),
      begin_(now()) {
  context_.check_cancelled();
  // The destructor may not throw.
  std::vector<StageTime>& stages = context_.stages_;
  if (stages.size() == stages.capacity())
    stages.reserve(std::min(2 * stages.size() + 8, most_stages));
  ++context_.open_stages_;
}

Stage::~Stage() {
  if (--context_.open_stages_ > 0) return;
  time_.seconds = elapsed();
  time_.work = done_.load();
  std::vector<StageTime>& stages = context_.stages_;
  if (stages.size() < most_stages) {
    stages.push_back(std::move(time_));
    return;
  }
  const auto same = std::find_if(stages.rbegin(), stages.rend(), [&](const StageTime& stage) {
    return stage.name == time_.name;
  });
  if (same == stages.rend()) return;
  same->seconds += time_.seconds;
  same->work += time_.work;
}

double Stage::elapsed() const { return static_cast<double>(now() - begin_) * 1e-9; }

void Stage::advance(double work) {
  constexpr std::int64_t interval = 200'000'000;  // nanoseconds between two reports
  done_.fetch_add(work, std::memory_order_relaxed);
  context_.check_cancelled();
  if (!context_.sink_ || now() - reported_.load(std::memory_order_relaxed) < interval) return;
  if (reporting_.test_and_set(std::memory_order_acquire)) return;
  reported_.store(now(), std::memory_order_relaxed);
  // Work is counted in blocks, whose last ones may hold a little more than there is to do.
  const double done = total_ > 0 ? std::min(done_.load(), total_) : done_.load();
  context_.sink_({time_.name, done, total_, time_.unit, elapsed()});
  reporting_.clear(std::memory_order_release);
}

}  // namespace yupana
