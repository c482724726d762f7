#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/error.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/devices_cuda.hpp"
#include "yupana/splice/memory_cuda.hpp"

/// Private to the family: batches on their way through one device. While one is at work the host
/// packs the next and unpacks the one before, so that neither waits for the other. Only files of
/// the CUDA build include this.
namespace yupana::splice::cuda {

/// Batches on their way at once: one at work, one behind it whose warps take the place of those
/// that are done, one in the host's hands.
constexpr std::size_t most_flights = 3;

template <class T>
void set_zero(T* array, std::int64_t count, cudaStream_t stream) {
  if (count == 0) return;
  yupana::cuda::check(
      cudaMemsetAsync(array, 0, static_cast<std::size_t>(count) * sizeof(T), stream),
      "clear memory");
}

/// A stream with memory of its own. What a batch has beside it is the derived type's.
struct Flight {
  Flight(int device, std::uint64_t allowed) : memory(device, allowed, stream) {}
  const yupana::cuda::Stream stream;
  MemoryLease memory;
  const std::array<yupana::cuda::Event, 4> marks{yupana::cuda::Event(true),
                                                 yupana::cuda::Event(true),
                                                 yupana::cuda::Event(true),
                                                 yupana::cuda::Event(true)};
  std::int32_t* counters = nullptr;  ///< of the batch on its way: null, none
  std::uint64_t bytes = 0;           ///< that it takes on the device
};

/// Packs the cases of a flight on all threads, sends them to `upload`, and points the batch there.
template <class Packed, class Batch>
void send(Context& context, Flight& flight, Packed& packed, std::uint8_t* upload, Batch& batch) {
  const auto bytes = static_cast<std::size_t>(packed.layout().bytes);
  std::uint8_t* from = flight.memory.on_host(packed.layout().bytes);
  packed.fill(context, from);
  flight.marks[0].record(flight.stream);
  yupana::cuda::check(cudaMemcpyAsync(upload, from, bytes, cudaMemcpyHostToDevice, flight.stream),
                      "upload cases");
  context.count_moved(bytes);
  packed.point_into(upload, batch);
  flight.marks[1].record(flight.stream);
}

/// Waits for a flight; its results, and the words of their alignments in the flight's memory.
template <class Batch>
auto receive(const Context& context,
             Flight& flight,
             const Batch& batch,
             DeviceSeconds* seconds,
             const char* doing) {
  const auto& marks = flight.marks;
  const auto cases = static_cast<std::size_t>(batch.case_count);
  wait_for(context, flight.stream, batch.counters, marks[1], doing);
  const auto scores = read_back(flight.memory, batch.results, cases, flight.stream, "read scores");
  std::vector results(scores.begin(), scores.end());
  if (seconds != nullptr) {
    seconds->upload += seconds_between(marks[0], marks[1]);
    seconds->forward += seconds_between(marks[1], marks[2]);
    seconds->trace += seconds_between(marks[2], marks[3]);
  }
  std::int64_t used = 0;
  for (const auto& result : results) used = std::max(used, result.words_at + result.words);
  const auto words = static_cast<std::size_t>(used);
  return std::pair(std::move(results),
                   read_back(flight.memory, batch.words, words, flight.stream, "read alignments"));
}

/// At most so many of one device, ended in the order in which they began.
template <class Type>
class Flights {
 public:
  Flights(int device, std::uint64_t memory, std::size_t most)
      : device_(device), memory_(memory), most_(most) {}
  /// Where a call ends by an error, kernels are told to end, so that none outlives it by long.
  ~Flights() {
    for (const auto& flight : flying_) stop(*flight);
  }
  Flights(const Flights&) = delete;
  Flights& operator=(const Flights&) = delete;

  /// begin(flight) of one with room for `bytes` on the device; end(flight) of the earlier ones
  /// first, where there are too many or all together would pass what is allowed.
  template <class Begin, class End>
  void add(std::uint64_t bytes, std::uint64_t allowed, const Begin& begin, const End& end) {
    while (!flying_.empty() && (flying_.size() == most_ || held() + bytes > allowed)) {
      end_first(end);
    }
    // What memory resting flights hold may be wanted, too.
    if (bytes > allowed / most_flights) resting_.clear();
    if (resting_.empty()) resting_.push_back(std::make_unique<Type>(device_, memory_));
    flying_.push_back(std::move(resting_.back()));
    resting_.pop_back();
    flying_.back()->bytes = bytes;
    begin(*flying_.back());
  }
  template <class End>
  void end_all(const End& end) {
    while (!flying_.empty()) end_first(end);
  }

 private:
  std::uint64_t held() const {
    std::uint64_t bytes = 0;
    for (const auto& flight : flying_) bytes += flight->bytes;
    return bytes;
  }
  template <class End>
  void end_first(const End& end) {
    end(*flying_.front());
    flying_.front()->counters = nullptr;
    resting_.push_back(std::move(flying_.front()));
    flying_.erase(flying_.begin());
  }
  static void stop(const Flight& flight) noexcept {
    if (flight.counters == nullptr) return;
    try {
      stop_kernels(flight.counters, flight.marks[1]);
    } catch (const Error&) {
      // The device answers no more; the first error tells of it.
    }
  }

  const int device_;
  const std::uint64_t memory_;
  const std::size_t most_;
  std::vector<std::unique_ptr<Type>> resting_, flying_;
};

}  // namespace yupana::splice::cuda
