#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <atomic>
#include <cstring>
#include <utility>

#include "yupana/core/tiles.hpp"
#include "yupana/forest/upload_cuda.hpp"

namespace yupana::forest::cuda {

using yupana::cuda::check;

namespace {

// Locking 16 MB that are there takes 0.5 ms; the driver's own page-locked memory 7 ms, and more
// where several devices allocate.
constexpr std::uint64_t least_locked = std::uint64_t{32} << 20;

bool is_much(std::uint64_t bytes) { return bytes >= least_locked; }

constexpr std::int64_t range =
    2 * std::int64_t{Staging::slots} * static_cast<std::int64_t>(Staging::piece_bytes);
constexpr const char* doing = "copy to the device";
constexpr int most_threads = 8;  // that empty pieces

/// What no call uses at the moment.
class Idle {
 public:
  static Idle& instance() {
    // Never destroyed: at the end of a process the driver may be gone before it.
    static Idle& one = *new Idle;
    return one;
  }
  /// At least `size` bytes, or none.
  LockedMemory take(std::int64_t size) {
    const std::lock_guard lock(mutex_);
    return locked_.memory.size() >= size ? std::exchange(locked_, {}) : LockedMemory{};
  }
  void keep(LockedMemory locked) {
    const std::lock_guard lock(mutex_);
    if (locked.memory.size() > locked_.memory.size()) std::swap(locked, locked_);
  }

 private:
  std::mutex mutex_;
  LockedMemory locked_;
};

}  // namespace

void Upload::write_through(void* to, const void* from, std::size_t bytes) {
#ifdef __SSE2__
  auto* target = static_cast<__m128i*>(to);
  const auto* source = static_cast<const __m128i*>(from);
  std::size_t left = bytes;
  for (; left >= 64; left -= 64, target += 4, source += 4) {
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  std::memcpy(target, source, left);
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

Staging::Staging(Context& context, int first, std::vector<std::uint64_t> bytes)
    : pieces_(bytes.size(), nullptr) {
  if (std::none_of(bytes.begin(), bytes.end(), is_much)) return;
  made_ = std::async(std::launch::async,
                     [this, threads = context.threads(), first, bytes = std::move(bytes)] {
                       const yupana::cuda::DeviceScope scope(first);
                       make(threads, bytes);
                     })
              .share();
}

void Staging::make(int threads, const std::vector<std::uint64_t>& bytes) {
  const auto users = std::count_if(bytes.begin(), bytes.end(), is_much);
  locked_ = Idle::instance().take(users * range);
  if (locked_.memory.empty()) {
    locked_.memory = Array<unsigned char>(users * range);
    yupana::cuda::make_pages(locked_.memory.data(), locked_.memory.bytes(), threads);
    locked_.lock = yupana::cuda::PageLock(locked_.memory.data(), locked_.memory.bytes());
  }
  if (!locked_.lock) {
    locked_ = {};
    return;
  }
  unsigned char* next = locked_.memory.data();
  for (std::size_t d = 0; d < bytes.size(); ++d) {
    if (!is_much(bytes[d])) continue;
    pieces_[d] = next;
    next += range;
  }
}

unsigned char* Staging::of(std::size_t d) const {
  if (made_.valid()) made_.get();
  return pieces_[d];
}

Staging::~Staging() {
  if (made_.valid()) made_.wait();
  Idle::instance().keep(std::move(locked_));
}

Upload::Upload(Context& context, unsigned char* pieces)
    : context_(context), pieces_(pieces), slots_(pieces == nullptr ? 0 : slots) {
  check(cudaGetDevice(&device_), "ask for the current device");
}

Upload::~Upload() {
  // After an error pieces may still be in flight.
  for (const Slot& slot : slots_) cudaEventSynchronize(slot.copied);
}

void Upload::send_unstaged(const Target& target,
                           std::int64_t column,
                           FunctionView<Whole> whole,
                           FunctionView<Fill> fill,
                           cudaStream_t stream) {
  const std::size_t bytes = static_cast<std::size_t>(target.count) * target.size;
  const void* from = whole(column);
  Array<unsigned char> chosen(from == nullptr ? static_cast<std::int64_t>(bytes) : 0);
  if (from == nullptr) fill(column, 0, target.count, chosen.data());
  check(cudaMemcpyAsync(target.at(column, 0),
                        from == nullptr ? chosen.data() : from,
                        bytes,
                        cudaMemcpyHostToDevice,
                        stream),
        doing);
  check(cudaStreamSynchronize(stream), doing);
}

void Upload::send_piece(const Target& target,
                        std::int64_t column,
                        std::int64_t begin,
                        unsigned slot_number,
                        FunctionView<Fill> fill,
                        cudaStream_t stream) {
  const auto piece = static_cast<std::int64_t>(Staging::piece_bytes / target.size);
  Slot& slot = slots_[slot_number];
  const std::lock_guard lock(slot.filling);
  slot.copied.wait();
  unsigned char* const filled = pieces_ + slot_number * Staging::piece_bytes;
  const std::int64_t end = std::min(target.count, begin + piece);
  fill(column, begin, end, filled);
  check(cudaMemcpyAsync(target.at(column, begin),
                        filled,
                        static_cast<std::size_t>(end - begin) * target.size,
                        cudaMemcpyHostToDevice,
                        stream),
        doing);
  slot.copied.record(stream);
}

// One loop over all columns: with one a column every thread waited for the last piece of each, and
// the bus for them (17.6 ms of 18 columns of 20 MB, of which it was busy for 8.2).
void Upload::send(const Target& target,
                  FunctionView<Whole> whole,
                  FunctionView<Fill> fill,
                  FunctionView<void(std::int64_t)> ready,
                  cudaStream_t stream) {
  if (target.count == 0 || target.columns == 0) return;
  context_.count_moved(static_cast<std::uint64_t>(target.columns * target.count) * target.size);
  if (pieces_ == nullptr) {
    for (std::int64_t c = 0; c < target.columns; ++c) {
      context_.check_cancelled();
      send_unstaged(target, c, whole, fill, stream);
      ready(c);
    }
    return;
  }
  const auto piece = static_cast<std::int64_t>(Staging::piece_bytes / target.size);
  const std::int64_t of_column = divide_up(target.count, piece);
  const std::int64_t pieces = target.columns * of_column;
  std::vector<std::atomic<std::int64_t>> left(static_cast<std::size_t>(target.columns));
  for (auto& count : left) count = of_column;
  std::atomic<std::int64_t> next{0};
  std::mutex telling;
  std::size_t told = 0;  // columns
  // Whichever piece is next, not those of the range: columns are done in order. A range is one
  // piece, so that a thread of another device, which helps while it waits for its own, is soon
  // back.
  context_.parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    const yupana::cuda::DeviceScope scope(device_);
    for (std::int64_t i = begin; i < end; ++i) {
      context_.check_cancelled();
      const std::int64_t p = next++, c = p / of_column;
      const auto slot = static_cast<unsigned>((next_ + p) % slots);
      send_piece(target, c, p % of_column * piece, slot, fill, stream);
      if (--left[static_cast<std::size_t>(c)] > 0) continue;
      const std::lock_guard lock(telling);
      for (; told < left.size() && left[told] == 0; ++told) ready(static_cast<std::int64_t>(told));
    }
  });
  next_ = static_cast<unsigned>((next_ + pieces) % slots);
}

Download::Download(int threads, unsigned char* pieces)
    : threads_to_start_(std::clamp(threads / 2, 1, most_threads)),
      memory_(pieces == nullptr ? nullptr
                                : pieces + static_cast<std::size_t>(slots) * Staging::piece_bytes),
      pieces_(pieces == nullptr ? 0 : slots) {
  check(cudaGetDevice(&device_), "ask for the current device");
}

void Download::start_threads() {
  while (std::ssize(threads_) < threads_to_start_) {
    threads_.emplace_back([this] { empty_pieces(); });
  }
}

Download::~Download() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  changed_.notify_all();
  threads_.clear();
}

void Download::copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  constexpr const char* returning = "read results";
  auto* target = static_cast<unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  if (memory_ == nullptr) {
    return check(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToHost, stream), returning);
  }
  start_threads();
  for (std::size_t done = 0; done < bytes; done += Staging::piece_bytes) {
    std::unique_lock lock(mutex_);
    const std::uint64_t slot = sent_ % slots;
    Piece& piece = pieces_[slot];
    changed_.wait(lock, [&] { return !piece.is_full; });
    piece.to = target + done;
    piece.bytes = std::min(bytes - done, Staging::piece_bytes);
    unsigned char* const locked = memory_ + slot * Staging::piece_bytes;
    check(cudaMemcpyAsync(locked, source + done, piece.bytes, cudaMemcpyDeviceToHost, stream),
          returning);
    piece.arrived.record(stream);
    piece.is_full = true;
    ++sent_;
    lock.unlock();
    changed_.notify_all();
  }
}

void Download::empty_pieces() {
  const yupana::cuda::DeviceScope scope(device_);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return has_ended_ || taken_ < sent_; });
    if (taken_ == sent_) return;
    const std::uint64_t slot = taken_++ % slots;
    Piece& piece = pieces_[slot];
    std::exception_ptr failure;
    lock.unlock();
    try {
      piece.arrived.wait();
      std::memcpy(piece.to, memory_ + slot * Staging::piece_bytes, piece.bytes);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    piece.is_full = false;
    ++emptied_;
    if (failure) failure_ = failure;
    changed_.notify_all();
  }
}

void Download::wait(cudaStream_t stream) {
  if (memory_ == nullptr) return check(cudaStreamSynchronize(stream), "read results");
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return emptied_ == sent_; });
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace yupana::forest::cuda
