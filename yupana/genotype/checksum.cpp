#include "yupana/genotype/checksum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace yupana::genotype {

// Each step is a bijection of the lane for a given word and of the word for a given lane: of two
// inputs that differ in one word, the lanes differ from that word to the end. Eight independent
// lanes hide the latency of the multiplication.
std::uint64_t checksum(const void* data, std::size_t bytes) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
  const auto step = [](std::uint64_t lane, std::uint64_t word) {
    return std::rotl((lane ^ word) * odd, 29);
  };
  std::array<std::uint64_t, 8> lanes{1, 2, 3, 4, 5, 6, 7, 8};
  std::array<std::uint64_t, 8> words{};
  const char* from = static_cast<const char*>(data);
  for (std::size_t left = bytes; left > 0;) {
    const std::size_t size = std::min(left, sizeof(words));
    if (size < sizeof(words)) words.fill(0);
    std::memcpy(words.data(), from, size);
    for (std::size_t k = 0; k < lanes.size(); ++k) lanes[k] = step(lanes[k], words[k]);
    from += size;
    left -= size;
  }
  std::uint64_t sum = step(odd, bytes);
  for (const std::uint64_t lane : lanes) sum = step(sum, lane);
  return sum ^ (sum >> 32);
}

}  // namespace yupana::genotype
