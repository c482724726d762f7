#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "yupana/genotype/kinship.hpp"

namespace yupana::cli {

/// Adds to an answer how many pairs of each relationship there are, and those that are duplicates
/// or twins by name; returns the same in lines of text.
std::string add_relationships(nlohmann::ordered_json& json,
                              const genotype::RelationshipCounts& counts,
                              const std::vector<std::string>& names);

}  // namespace yupana::cli
