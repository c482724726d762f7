#include "yupana/genotype/site_names.hpp"

#include "yupana/core/messages.hpp"

namespace yupana::genotype {
namespace {

constexpr std::int64_t chromosomes = 22;

}  // namespace

SiteName numbered_site(std::int64_t number, std::int64_t sites) {
  // The last chromosome c (from 0) with floor(c sites / 22) <= number.
  const auto chromosome =
      static_cast<std::int64_t>((static_cast<__int128>(number + 1) * chromosomes - 1) / sites);
  const auto first =
      static_cast<std::int64_t>(static_cast<__int128>(chromosome) * sites / chromosomes);
  return {std::to_string(chromosome + 1),
          number - first + 1,
          "snp" + std::to_string(number + 1),
          "A",
          "G"};
}

SiteName numbered_column(std::int64_t number) {
  return {"1", number + 1, "snp" + std::to_string(number + 1), "A", "G"};
}

std::vector<std::string> numbered_chromosomes() {
  std::vector<std::string> names;
  for (std::int64_t c = 1; c <= chromosomes; ++c) names.push_back(std::to_string(c));
  return names;
}

void name_numbered_sites(SiteBlock& block, std::int64_t first, std::int64_t sites) {
  if (!block.names.empty()) return;
  for (std::int64_t k = 0; k < block.sites; ++k) {
    block.names.push_back(numbered_site(first + k, sites));
  }
}

bool SiteOrder::begins_chromosome(const SiteName& site) {
  const bool begins = seen_.empty() || site.chromosome != chromosome_;
  if (begins && !seen_.insert(site.chromosome).second) {
    throw input_error(
        "{}: expected the sites of a chromosome together, got chromosome {} again after {}; sort "
        "the input",
        option_,
        site.chromosome,
        chromosome_);
  }
  if (!begins && site.position < position_) {
    throw input_error(
        "{}: expected the sites of a chromosome in order, got {}:{} after {}:{}; sort the input",
        option_,
        site.chromosome,
        site.position,
        chromosome_,
        position_);
  }
  if (begins) chromosome_ = site.chromosome;
  position_ = site.position;
  return begins;
}

}  // namespace yupana::genotype
