#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "yupana/genotype/cohort.hpp"

namespace yupana::genotype {

/// ", 365 not autosomal, 12 missing rate above --geno"
std::string reasons(const std::map<std::string, std::int64_t>& dropped);

/// Notes that filters of frequencies count `founders` of `kept` samples.
void note_founders(const Context& context,
                   const CohortParams& params,
                   std::int64_t founders,
                   std::size_t kept);

}  // namespace yupana::genotype
