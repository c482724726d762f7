#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "yupana/core/random.hpp"
#include "yupana/genotype/planes.hpp"
#include "yupana/genotype/source.hpp"

namespace yupana::genotype {

inline void set_code(SiteBlock& block, std::int64_t site, std::int64_t sample, int code) {
  std::uint8_t& byte = block.row(site)[sample / 4];
  byte =
      static_cast<std::uint8_t>((byte & ~(3 << (2 * (sample % 4)))) | (code << (2 * (sample % 4))));
}

/// Every code equally often, or about `missing` of them missing if that is not negative.
inline SiteBlock random_block(std::int64_t samples,
                              std::int64_t sites,
                              std::uint64_t seed,
                              double missing = -1) {
  SiteBlock block(samples, sites);
  block.sites = sites;
  const Random random(seed);
  block.codes = Array<std::uint8_t>::zeros(block.codes.size());
  constexpr int calls[3] = {homozygous_a1, heterozygous, homozygous_a2};
  for (std::int64_t site = 0; site < sites; ++site) {
    for (std::int64_t sample = 0; sample < samples; ++sample) {
      const std::uint64_t word = random.word(site * samples + sample);
      const bool lost = static_cast<double>(word >> 32) * 0x1p-32 < missing;
      const int code =
          missing < 0 ? static_cast<int>(word >> 62) : (lost ? int{missing_call} : calls[word % 3]);
      set_code(block, site, sample, code);
    }
  }
  return block;
}

/// value_of[code] of every call, a list a site, read `most` sites at a time: x, -1 where it is
/// missing, by default.
inline std::vector<std::vector<int>> read_all(Source& source,
                                              std::int64_t most,
                                              const std::array<int, 4>& value_of = {2, -1, 1, 0}) {
  std::vector<std::vector<int>> sites;
  SiteBlock block(std::ssize(source.samples()), most);
  std::memset(block.codes.data(), 0xee, block.codes.bytes());
  while (source.read(block)) {
    for (std::int64_t site = 0; site < block.sites; ++site) {
      std::vector<int>& values = sites.emplace_back();
      for (std::int64_t i = 0; i < block.samples; ++i) {
        values.push_back(value_of[block.at(site, i)]);
      }
      for (std::int64_t i = block.samples; i < 4 * block.stride; ++i) {
        EXPECT_EQ(block.at(site, i), 0) << "pad bits";
      }
    }
  }
  EXPECT_EQ(block.sites, 0);
  return sites;
}

inline std::vector<std::int64_t> identity(std::int64_t size) {
  std::vector<std::int64_t> list(static_cast<std::size_t>(size));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

inline bool plane_bit(const PlaneBlock& block, std::int64_t sample, std::int64_t site, int plane) {
  const std::uint8_t* bytes = block.chunk(sample, site / chunk_sites, plane);
  return bytes[site % chunk_sites / 8] >> (site % 8) & 1;
}

/// x of a call in a block of planes; -1 where it is missing.
inline int genotype_at(const PlaneBlock& block, std::int64_t sample, std::int64_t site) {
  if (block.planes == 3 && !plane_bit(block, sample, site, 2)) return -1;
  if (!plane_bit(block, sample, site, 0)) return 0;
  return plane_bit(block, sample, site, 1) ? 1 : 2;
}

/// A source that delivers the rows of a block, in pieces of at most `piece` sites.
class BlockSource : public Source {
 public:
  explicit BlockSource(SiteBlock block, std::int64_t piece = 1 << 20)
      : block_(std::move(block)), piece_(piece) {
    for (std::int64_t i = 0; i < block_.samples; ++i) ids_.push_back(fmt::format("s{}", i));
  }
  const std::vector<std::string>& samples() const override { return ids_; }
  std::int64_t sites() const override { return block_.sites; }
  bool read(SiteBlock& block) override {
    block.sites = std::min({block.capacity, piece_, block_.sites - next_});
    if (block.sites > 0) {
      std::memcpy(block.codes.data(), block_.row(next_), block.sites * block.stride);
    }
    if (!block_.names.empty()) {
      const auto first = block_.names.begin() + next_;
      block.names.assign(first, first + block.sites);
    }
    next_ += block.sites;
    account_.read = account_.kept = next_;
    return block.sites > 0;
  }
  void rewind() override {
    next_ = 0;
    account_ = {};
  }
  const SiteAccount& account() const override { return account_; }

 private:
  SiteBlock block_;
  std::int64_t piece_;
  std::int64_t next_ = 0;
  std::vector<std::string> ids_;
  SiteAccount account_;
};

}  // namespace yupana::genotype
