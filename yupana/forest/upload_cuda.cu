#include <algorithm>
#include <cstring>

#include "yupana/forest/upload_cuda.hpp"

namespace yupana::forest::cuda {

using yupana::cuda::check;
using yupana::cuda::PinnedArray;

namespace {

// A piece takes the bus about as long as 16 threads take to fill it.
constexpr std::size_t piece_bytes = std::size_t{4} << 20;
constexpr std::int64_t grain = 128 << 10;

}  // namespace

void Upload::copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  context_.count_moved(bytes);
  const char* doing = "copy to the device";
  if (!pinned_ || bytes < piece_bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream), doing);
    return check(cudaStreamSynchronize(stream), doing);
  }
  for (std::size_t done = 0; done < bytes; done += piece_bytes) {
    Piece& piece = pieces_[next_];
    next_ = (next_ + 1) % pieces;
    if (piece.memory.size() == 0) piece.memory = PinnedArray<unsigned char>(piece_bytes);
    const std::size_t own = std::min(piece_bytes, bytes - done);
    const auto* source = static_cast<const unsigned char*>(from) + done;
    unsigned char* const pinned = piece.memory.data();
    piece.copied.wait();
    context_.parallel_for(
        static_cast<std::int64_t>(own), grain, [&](std::int64_t begin, std::int64_t end) {
          std::memcpy(pinned + begin, source + begin, static_cast<std::size_t>(end - begin));
        });
    check(cudaMemcpyAsync(
              static_cast<unsigned char*>(to) + done, pinned, own, cudaMemcpyHostToDevice, stream),
          doing);
    piece.copied.record(stream);
  }
}

}  // namespace yupana::forest::cuda
