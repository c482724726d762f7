#pragma once

#include <string>
#include <unordered_set>

#include "yupana/genotype/site_block.hpp"

namespace yupana::genotype {

/// Checks that sites come by chromosome and position: what takes neighbours for linked needs it.
class SiteOrder {
 public:
  /// `option`: that needs the order, as the messages name it.
  explicit SiteOrder(std::string option) : option_(std::move(option)) {}

  /// True where the site is the first of its chromosome.
  ///   errors: bad_input where the chromosome was left before, or the position is before the last
  bool begins_chromosome(const SiteName& site);

 private:
  std::string option_;
  std::string chromosome_;  ///< of the last site
  std::int64_t position_ = 0;
  std::unordered_set<std::string> seen_;
};

}  // namespace yupana::genotype
