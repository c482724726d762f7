#include "cli/relationships.hpp"

#include "yupana/core/text.hpp"

namespace yupana::cli {
namespace {

/// Pairs of Dup/MZ by name, the first ten for people.
std::string add_duplicates(nlohmann::ordered_json& json,
                           const genotype::RelationshipCounts& counts,
                           const std::vector<std::string>& names) {
  json["duplicates"] = nlohmann::ordered_json::array();
  std::vector<std::string> parts;
  for (const auto& [i, j] : counts.duplicates) {
    const std::string& one = names[static_cast<std::size_t>(j)];
    const std::string& other = names[static_cast<std::size_t>(i)];
    json["duplicates"].push_back({one, other});
    if (parts.size() < 10) parts.push_back(one + " = " + other);
  }
  if (parts.empty()) return {};
  const std::size_t more = counts.duplicates.size() - parts.size();
  return fmt::format(
      "twins    {}{}\n", joined(parts, ", "), more > 0 ? fmt::format(", and {} more", more) : "");
}

}  // namespace

std::string add_relationships(nlohmann::ordered_json& json,
                              const genotype::RelationshipCounts& counts,
                              const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  json["relationships"] = nlohmann::ordered_json::object();
  for (std::size_t r = 0; r < counts.pairs.size(); ++r) {
    const std::string_view name = genotype::relationship_names[r];
    json["relationships"][std::string(name)] = counts.pairs[r];
    if (counts.pairs[r] > 0) parts.push_back(fmt::format("{} {}", name, counts.pairs[r]));
  }
  const std::string text = parts.empty() ? "none listed" : joined(parts, ", ");
  return fmt::format("pairs    {}\n", text) + add_duplicates(json, counts, names);
}

}  // namespace yupana::cli
