#include "yupana/io/unpack.hpp"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
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
  // A frame's header may ask for much memory; what every level but --ultra and --long takes is
  // free.
  constexpr int least = 23, largest = 27;
  ZSTD_DCtx_setParameter(stream.get(),
                         ZSTD_d_windowLogMax,
                         std::clamp(static_cast<int>(std::bit_width(most)), least, largest));
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

// Blosc 1, from its description of the chunk format: a header of 16 bytes, where each block begins,
// and blocks of one or, one for each byte of an element, several compressed streams; then bytes or
// bits of the elements of a block are put back in order.

using PackedBytes = std::span<const std::uint8_t>;
using UnpackedBytes = std::vector<std::uint8_t>;

constexpr const char* damaged_container = "is no whole container of Blosc: it is damaged";

enum BloscFlag : std::uint8_t { shuffled = 1, copied = 2, bit_shuffled = 4, not_split = 16 };
enum class BloscInner : std::uint8_t { blosclz, lz4, snappy, zlib, zstd };

std::uint32_t blosc_number_at(PackedBytes bytes, std::size_t at) {
  std::uint32_t value;
  std::memcpy(&value, &bytes[at], sizeof value);
  return value;
}

struct BloscHeader {
  std::uint8_t flags;
  std::size_t element;  ///< bytes of an element
  std::size_t size;     ///< unpacked
  std::size_t block;    ///< bytes of a block, the last perhaps less
};
constexpr std::size_t blosc_header_bytes = 16;

/// A length that continues in bytes of 255; false where the data end.
bool add_length(PackedBytes& in, std::size_t& length) {
  for (std::uint8_t byte = 255; byte == 255; in = in.subspan(1)) {
    if (in.empty()) return false;
    byte = in[0];
    length += byte;
  }
  return true;
}

/// A block of LZ4 of exactly `size` bytes, appended to `out`; false where it is damaged.
bool unpack_lz4(PackedBytes in, std::size_t size, UnpackedBytes& out) {
  constexpr std::size_t most_factor = 255;  // a byte makes no more than so many
  if (size / most_factor > in.size()) return false;
  const std::size_t begin = out.size(), end = begin + size;
  while (!in.empty()) {
    const std::uint8_t token = in[0];
    in = in.subspan(1);
    std::size_t literals = token >> 4, match = token & 15;
    if (literals == 15 && !add_length(in, literals)) return false;
    if (literals > in.size() || literals > end - out.size()) return false;
    out.insert(out.end(), in.begin(), in.begin() + static_cast<std::ptrdiff_t>(literals));
    in = in.subspan(literals);
    if (in.empty()) break;
    if (in.size() < 2) return false;
    const std::size_t back = in[0] | in[1] << 8;
    in = in.subspan(2);
    if (match == 15 && !add_length(in, match)) return false;
    match += 4;
    if (back == 0 || back > out.size() - begin || match > end - out.size()) return false;
    for (std::size_t i = 0; i < match; ++i) out.push_back(out[out.size() - back]);
  }
  return out.size() == end;
}

/// A stream of exactly `size` bytes, appended to `out`.
const char* unpack_stream(BloscInner inner, PackedBytes in, std::size_t size, UnpackedBytes& out) {
  if (in.size() == size) {
    out.insert(out.end(), in.begin(), in.end());
    return nullptr;
  }
  if (inner == BloscInner::lz4) return unpack_lz4(in, size, out) ? nullptr : damaged_container;
  UnpackedBytes stream;
  const Packing packing = inner == BloscInner::zlib ? Packing::zlib : Packing::zstd;
  if (unpack(packing, in, size, stream) != nullptr || stream.size() != size)
    return damaged_container;
  out.insert(out.end(), stream.begin(), stream.end());
  return nullptr;
}

/// Byte k of every element one after the other, for each k: put back.
void unshuffle(const BloscHeader& header,
               std::uint8_t* block,
               std::size_t size,
               UnpackedBytes& shuffled_block) {
  shuffled_block.assign(block, block + size);
  const std::size_t elements = size / header.element;
  for (std::size_t k = 0; k < header.element; ++k) {
    const std::uint8_t* const from = shuffled_block.data() + k * elements;
    for (std::size_t i = 0; i < elements; ++i) block[i * header.element + k] = from[i];
  }
}

/// Bit j of byte i becomes bit i of byte j (Warren, Hacker's Delight, 7-3).
std::uint64_t transposed_bits(std::uint64_t bytes) {
  const auto exchange = [&](int by, std::uint64_t mask) {
    const std::uint64_t changed = (bytes ^ (bytes >> by)) & mask;
    bytes ^= changed ^ (changed << by);
  };
  exchange(7, 0x00AA00AA00AA00AA);
  exchange(14, 0x0000CCCC0000CCCC);
  exchange(28, 0x00000000F0F0F0F0);
  return bytes;
}

/// The same of bits, eight elements at a time. Elements that are no multiple of eight were left as
/// they are.
void unshuffle_bits(const BloscHeader& header,
                    std::uint8_t* block,
                    std::size_t size,
                    UnpackedBytes& from) {
  const std::size_t elements = size / header.element, groups = elements / 8;
  if (elements % 8 != 0) return;
  from.assign(block, block + size);
  for (std::size_t k = 0; k < header.element; ++k) {
    const std::uint8_t* const rows = from.data() + 8 * k * groups;
    for (std::size_t group = 0; group < groups; ++group) {
      std::uint64_t bits = 0;
      for (std::size_t row = 0; row < 8; ++row) {
        bits |= std::uint64_t{rows[row * groups + group]} << (8 * row);
      }
      bits = transposed_bits(bits);
      for (std::size_t i = 0; i < 8; ++i) {
        block[(8 * group + i) * header.element + k] = static_cast<std::uint8_t>(bits >> (8 * i));
      }
    }
  }
}

/// The streams of a block of `size` bytes that begins at `at`, appended to `out`.
const char* unpack_block(const BloscHeader& header,
                         PackedBytes packed,
                         std::size_t at,
                         std::size_t size,
                         UnpackedBytes& out) {
  constexpr std::size_t most_streams = 16, least_elements = 128;
  const bool is_split = (header.flags & not_split) == 0 && header.element <= most_streams &&
                        header.block / header.element >= least_elements && size == header.block;
  const std::size_t streams = is_split ? header.element : 1;
  for (std::size_t k = 0; k < streams; ++k) {
    if (at > packed.size() || packed.size() - at < 4) return damaged_container;
    const std::size_t bytes = blosc_number_at(packed, at);
    at += 4;
    if (bytes > packed.size() - at) return damaged_container;
    const auto inner = static_cast<BloscInner>(header.flags >> 5);
    const char* fault = unpack_stream(inner, packed.subspan(at, bytes), size / streams, out);
    if (fault != nullptr) return fault;
    at += bytes;
  }
  return nullptr;
}

/// The same of a container of Blosc 1 whose blocks are compressed as LZ4, zlib or Zstandard.
const char* unpack_blosc(PackedBytes packed, std::size_t most, UnpackedBytes& bytes) {
  bytes.clear();
  if (packed.size() < blosc_header_bytes) return damaged_container;
  const BloscHeader header{
      packed[2], packed[3], blosc_number_at(packed, 4), blosc_number_at(packed, 8)};
  if (packed[0] != 2 || blosc_number_at(packed, 12) != packed.size() || header.element == 0)
    return damaged_container;
  if (header.size > most) return "unpacks to more bytes than it says";
  if ((header.flags & copied) != 0) {
    bytes.assign(packed.begin() + blosc_header_bytes, packed.end());
    return bytes.size() == header.size ? nullptr : damaged_container;
  }
  const auto inner = static_cast<BloscInner>(header.flags >> 5);
  if (inner != BloscInner::lz4 && inner != BloscInner::zlib && inner != BloscInner::zstd) {
    return "is compressed by Blosc as BloscLZ or Snappy; write the store again with cname zstd, "
           "lz4 "
           "or zlib";
  }
  if (header.size == 0) return nullptr;
  if (header.block == 0) return damaged_container;
  const std::size_t blocks = (header.size + header.block - 1) / header.block;
  if (blocks > (packed.size() - blosc_header_bytes) / 4) return damaged_container;
  UnpackedBytes spare;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t begin = bytes.size();
    const std::size_t size = std::min(header.block, header.size - begin);
    const std::size_t at = blosc_number_at(packed, blosc_header_bytes + 4 * i);
    if (const char* fault = unpack_block(header, packed, at, size, bytes)) return fault;
    if (bytes.size() != begin + size) return damaged_container;
    if ((header.flags & shuffled) != 0 && header.element > 1) {
      unshuffle(header, bytes.data() + begin, size, spare);
    } else if ((header.flags & bit_shuffled) != 0) {
      unshuffle_bits(header, bytes.data() + begin, size, spare);
    }
  }
  return nullptr;
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
