#include "yupana/io/unpack.hpp"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

namespace yupana::io {
namespace {

constexpr const char* too_many = "unpacks to more bytes than it says";

/// Calls step(to, room) -> bytes written, until is_over(); false where a step writes nothing
/// before, or `most` bytes are not all.
template <class Step, class IsOver>
const char* fill_from(std::vector<std::uint8_t>& bytes,
                      std::size_t packed,
                      std::size_t most,
                      const char* damaged,
                      const Step& step,
                      const IsOver& is_over) {
  constexpr std::size_t first_factor = 64;
  std::size_t filled = 0;
  bytes.resize(std::min(most, first_factor * packed));
  while (!is_over()) {
    if (filled == bytes.size() && filled < most) bytes.resize(std::min(most, 2 * filled));
    std::uint8_t more;
    const bool is_full = filled == bytes.size();
    const std::size_t got =
        is_full ? step(&more, 1) : step(bytes.data() + filled, bytes.size() - filled);
    if (is_full && got > 0) return too_many;
    if (got == 0 && !is_over()) return damaged;
    filled += got;
  }
  bytes.resize(filled);
  return nullptr;
}

const char* unpack_deflate(std::span<const std::uint8_t> packed,
                           std::uint32_t wrapper,
                           std::size_t most,
                           std::vector<std::uint8_t>& bytes) {
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = wrapper;
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
  // The checksum is compared before the end.
  const auto is_over = [&] { return !broken && state.block_state == ISAL_BLOCK_FINISH; };
  const char* const damaged = wrapper == ISAL_ZLIB ? "is no zlib stream: it is damaged"
                                                   : "is no gzip stream: it is damaged";
  if (const char* fault = fill_from(bytes, packed.size(), most, damaged, step, is_over))
    return fault;
  // What is left may be in ISA-L's buffer of bits.
  return state.avail_in > 0 || state.read_in_length >= 8 ? "has something after its data" : nullptr;
}

const char* unpack_zstandard(std::span<const std::uint8_t> packed,
                             std::size_t most,
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
  const auto is_over = [&] { return status == 0; };
  const char* const damaged = "is no Zstandard frame: it is damaged";
  if (const char* fault = fill_from(bytes, packed.size(), most, damaged, step, is_over))
    return fault;
  return in.pos < in.size ? "has something after its data" : nullptr;
}

}  // namespace

const char* unpack(Packing packing,
                   std::span<const std::uint8_t> packed,
                   std::size_t most,
                   std::vector<std::uint8_t>& bytes) {
  switch (packing) {
    case Packing::none:
      if (packed.size() > most) return too_many;
      bytes.assign(packed.begin(), packed.end());
      return nullptr;
    case Packing::zlib:
      return unpack_deflate(packed, ISAL_ZLIB, most, bytes);
    case Packing::gzip:
      return unpack_deflate(packed, ISAL_GZIP, most, bytes);
    case Packing::zstd:
      return unpack_zstandard(packed, most, bytes);
    case Packing::blosc:
      break;
  }
  return unpack_blosc(packed, most, bytes);
}

}  // namespace yupana::io
