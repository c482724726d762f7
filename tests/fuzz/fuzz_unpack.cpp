// Any bytes as compressed ones: a fault in words, or no more than is allowed. The first byte says
// how they are packed and how much may come out; a container of Blosc gets a version and the length
// that it says.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "yupana/io/unpack.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using yupana::io::Packing;
  if (size == 0) return 0;
  constexpr std::array<Packing, 4> packings = {
      Packing::blosc, Packing::zstd, Packing::zlib, Packing::gzip};
  const Packing packing = packings[data[0] & 3];
  const std::size_t most = std::size_t{1} << (data[0] >> 4);
  std::vector<std::uint8_t> packed(data + 1, data + size);
  constexpr std::size_t header_bytes = 16, size_at = 4, length_at = 12;
  const bool is_blosc = packing == Packing::blosc && packed.size() >= header_bytes;
  if (is_blosc) {
    packed[0] = 2;
    const auto length = static_cast<std::uint32_t>(packed.size());
    std::memcpy(packed.data() + length_at, &length, sizeof length);
  }
  std::vector<std::uint8_t> bytes;
  if (yupana::io::unpack(packing, packed, most, bytes) != nullptr) return 0;
  if (bytes.size() > most) std::abort();
  std::uint32_t told = 0;
  if (is_blosc) std::memcpy(&told, packed.data() + size_at, sizeof told);
  if (is_blosc && bytes.size() != told) std::abort();
  return 0;
}
