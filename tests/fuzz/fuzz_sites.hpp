#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "yupana/genotype/source.hpp"

namespace yupana::fuzz {

/// Cuts the text before the next line of "--" off.
inline std::string take_part(std::string& rest) {
  const std::size_t cut = rest.find("\n--\n");
  std::string part = rest.substr(0, cut == std::string::npos ? cut : cut + 1);
  rest.erase(0, cut == std::string::npos ? rest.size() : cut + 4);
  return part;
}

/// Reads all sites and aborts where the source breaks its promises; their calls in file order.
inline std::vector<std::uint8_t> expect_sites(genotype::Source& source, std::int64_t capacity = 3) {
  const auto samples = static_cast<std::int64_t>(source.samples().size());
  if (samples == 0) std::abort();
  std::vector<std::uint8_t> calls;
  genotype::SiteBlock block(samples, capacity);
  std::int64_t sites = 0;
  while (source.read(block)) {
    if (block.sites < 1 || block.sites > capacity) std::abort();
    sites += block.sites;
    for (std::int64_t k = 0; k < block.sites; ++k) {
      for (std::int64_t i = 0; i < samples; ++i) calls.push_back(block.at(k, i));
      for (std::int64_t i = samples; i < 4 * block.stride; ++i) {
        if (block.at(k, i) != 0) std::abort();  // pad bits are zero
      }
    }
  }
  const genotype::SiteAccount& account = source.account();
  if (sites != account.kept || sites > source.sites()) std::abort();
  std::int64_t skipped = 0;
  for (const auto& [reason, count] : account.skipped) skipped += count;
  if (account.read != account.kept + skipped) std::abort();
  return calls;
}

/// The same, twice: the sites do not depend on how many are read at a time.
inline void expect_sites_again(genotype::Source& source) {
  const auto calls = expect_sites(source);
  source.rewind();
  source.name_sites();
  if (expect_sites(source, 64) != calls) std::abort();
}

}  // namespace yupana::fuzz
