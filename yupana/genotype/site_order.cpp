#include "yupana/genotype/site_order.hpp"

#include "yupana/core/messages.hpp"

namespace yupana::genotype {

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
