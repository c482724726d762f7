#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "yupana/io/bgen_calls.hpp"

namespace yupana::io {
namespace {

constexpr std::size_t spare = 8;  ///< zeros after the data

/// Calls step(to, room) -> bytes written, until one writes nothing or `size` bytes are there; more
/// memory is taken only once the data have filled what there is.
template <class Step>
bool fill(std::vector<std::uint8_t>& bytes, std::size_t packed, std::size_t size, Step&& step) {
  constexpr std::size_t most_factor = 64;
  std::size_t filled = 0;
  bytes.resize(std::min(size, most_factor * packed));
  while (filled < size) {
    if (filled == bytes.size()) bytes.resize(std::min(size, 2 * filled));
    const std::size_t got = step(bytes.data() + filled, bytes.size() - filled);
    if (got == 0) return false;
    filled += got;
  }
  return true;
}

const char* inflate(std::span<const std::uint8_t> packed,
                    std::size_t size,
                    std::vector<std::uint8_t>& bytes) {
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = ISAL_ZLIB;
  state.next_in = const_cast<std::uint8_t*>(packed.data());
  state.avail_in = static_cast<std::uint32_t>(packed.size());
  bool broken = false;
  const auto step = [&](std::uint8_t* to, std::size_t room) {
    state.next_out = to;
    state.avail_out = static_cast<std::uint32_t>(std::min<std::size_t>(room, 1 << 30));
    const std::uint32_t before = state.avail_out;
    broken = isal_inflate(&state) != ISAL_DECOMP_OK;
    return broken ? 0 : static_cast<std::size_t>(before - state.avail_out);
  };
  const bool whole = fill(bytes, packed.size(), size, step);
  std::uint8_t more;
  // The checksum is compared once the end is read.
  if (whole && state.block_state != ISAL_BLOCK_FINISH && step(&more, 1) > 0) {
    return "unpacks to more bytes than it says";
  }
  if (broken || !whole || state.block_state != ISAL_BLOCK_FINISH) {
    return "is no zlib stream of the size it says: it is damaged";
  }
  // What is left may be in ISA-L's buffer of bits.
  return state.avail_in > 0 || state.read_in_length >= 8 ? "has something after its data" : nullptr;
}

const char* decompress(std::span<const std::uint8_t> packed,
                       std::size_t size,
                       std::vector<std::uint8_t>& bytes) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          ZSTD_freeDStream);
  if (stream == nullptr) return "cannot be unpacked: memory is short";
  ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, 27);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t status = 1;
  const auto step = [&](std::uint8_t* to, std::size_t room) -> std::size_t {
    ZSTD_outBuffer out{to, room, 0};
    status = ZSTD_decompressStream(stream.get(), &out, &in);
    return ZSTD_isError(status) != 0 ? 0 : out.pos;
  };
  const bool whole = fill(bytes, packed.size(), size, step);
  std::uint8_t more;
  if (whole && status != 0 && ZSTD_isError(status) == 0 && step(&more, 1) > 0) {
    return "unpacks to more bytes than it says";
  }
  if (!whole || status != 0) return "is no Zstandard frame of the size it says: it is damaged";
  return in.pos < in.size ? "has something after its data" : nullptr;
}

}  // namespace

const std::uint8_t* BgenUnpacker::unpack(std::span<const std::uint8_t> packed, std::int64_t size) {
  const auto wanted = static_cast<std::size_t>(size);
  fault_ = nullptr;
  switch (packing_) {
    case BgenPacking::none:
      bytes_.assign(packed.begin(), packed.end());
      break;
    case BgenPacking::zlib:
      fault_ = inflate(packed, wanted, bytes_);
      break;
    case BgenPacking::zstd:
      fault_ = decompress(packed, wanted, bytes_);
  }
  bytes_.resize(bytes_.size() + spare);
  return fault_ == nullptr ? bytes_.data() : nullptr;
}

}  // namespace yupana::io
