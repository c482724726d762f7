#include <algorithm>
#include <cstring>
#include <utility>

#include "yupana/genotype/cohort.hpp"

namespace yupana::genotype {

void gather_codes(const std::uint8_t* from,
                  const std::vector<std::int64_t>& samples,
                  std::uint8_t* to) {
  const auto count = std::ssize(samples);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = samples[static_cast<std::size_t>(i)];
    const int code = from[at / 4] >> (2 * (at % 4)) & 3;
    to[i / 4] = static_cast<std::uint8_t>((i % 4 == 0 ? 0 : to[i / 4]) | code << (2 * (i % 4)));
  }
}

bool FilteredSource::read(SiteBlock& block) {
  block.sites = 0;
  if (!cohort_.read(calls_, block.capacity)) return false;
  SiteBlock& codes = calls_.codes;
  if (std::ssize(calls_.samples) == codes.samples) {
    std::swap(block, codes);
    return true;
  }
  context_.parallel_for(codes.sites, 16, [&](std::int64_t k) {
    gather_codes(codes.row(k), calls_.samples, block.row(k));
    const std::int64_t bytes = divide_up(block.samples, 4);
    std::memset(block.row(k) + bytes, 0, static_cast<std::size_t>(block.stride - bytes));
  });
  block.sites = codes.sites;
  block.names = std::move(codes.names);
  return true;
}

std::int64_t count_sites(Context& context, Cohort& cohort) {
  constexpr std::int64_t block_sites = 1024;
  const auto announced = static_cast<double>(std::max<std::int64_t>(cohort.sites(), 0));
  Stage stage(context, "count sites", announced, "sites");
  CallBlock block;
  std::int64_t sites = 0;
  while (cohort.read(block, block_sites)) {
    sites += block.codes.sites;
    stage.advance(static_cast<double>(block.codes.sites));
  }
  cohort.rewind();
  return sites;
}

}  // namespace yupana::genotype
