#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "yupana/io/fam.hpp"

namespace yupana::io {

/// Finds the samples of an input by the names a file may give them.
class SampleIndex {
 public:
  static constexpr std::int64_t none = -1;
  static constexpr std::int64_t several = -2;

  explicit SampleIndex(const SampleNames& samples) : samples_(samples) {
    for (std::size_t i = 0; i < samples.ids.size(); ++i) {
      ids_.emplace(samples.ids[i], static_cast<std::int64_t>(i));
    }
    for (std::size_t i = 0; i < samples.individuals.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      const auto [entry, is_new] = individuals_.emplace(samples.individuals[i], place);
      if (!is_new) entry->second = several;
      pairs_.emplace(pair_of(samples.families[i], samples.individuals[i]), place);
    }
  }

  std::int64_t find(std::string_view name) const {
    const auto by_id = ids_.find(name);
    if (by_id != ids_.end()) return by_id->second;
    const auto by_individual = individuals_.find(name);
    return by_individual != individuals_.end() ? by_individual->second : none;
  }

  std::int64_t find(std::string_view family, std::string_view individual) const {
    if (samples_.families.empty()) return find(individual);
    const auto found = pairs_.find(pair_of(family, individual));
    return found != pairs_.end() ? found->second : none;
  }

 private:
  /// Names have no tab in them.
  static std::string pair_of(std::string_view family, std::string_view individual) {
    return fmt::format("{}\t{}", family, individual);
  }

  const SampleNames& samples_;
  std::unordered_map<std::string_view, std::int64_t> ids_;
  std::unordered_map<std::string_view, std::int64_t> individuals_;
  std::unordered_map<std::string, std::int64_t> pairs_;
};

}  // namespace yupana::io
