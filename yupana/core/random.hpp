#pragma once

#include <cstdint>

namespace yupana {

/// A stateless stream of random words: word(i) depends on the seed, the stream and i alone, so that
/// any thread, block or device draws the same values (kernels may call what is constexpr). The
/// mixing is the finaliser of SplitMix64 (Steele, Lea, Flood 2014), applied to a Weyl sequence
/// keyed by seed and stream.
class Random {
 public:
  constexpr explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : key_(mix(seed + 0x9e3779b97f4a7c15ull) ^ mix(stream * 0xd1342543de82ef95ull + 1)) {}

  constexpr std::uint64_t word(std::uint64_t index) const { return mix(key_ + (index + 1) * weyl); }
  /// Uniform in [0, 1), 53 bits.
  double uniform(std::uint64_t index) const {
    return static_cast<double>(word(index) >> 11) * 0x1p-53;
  }

  /// What vector code needs to draw word(i) itself: mix(key() + (i + 1) * weyl).
  std::uint64_t key() const { return key_; }
  static constexpr std::uint64_t weyl = 0x9e3779b97f4a7c15ull;

  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }

 private:
  std::uint64_t key_;
};

/// A sequential reader of one stream, for code that draws an unknown number of values.
class RandomSequence {
 public:
  explicit RandomSequence(std::uint64_t seed, std::uint64_t stream = 0) : random_(seed, stream) {}
  std::uint64_t word() { return random_.word(next_++); }
  double uniform() { return random_.uniform(next_++); }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

}  // namespace yupana
