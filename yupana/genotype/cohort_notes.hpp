#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "yupana/genotype/cohort.hpp"

namespace yupana::genotype {

/// ", 365 not autosomal, 12 missing rate above --geno"
std::string reasons(const std::map<std::string, std::int64_t>& dropped);

/// Notes that filters of frequencies count `founders` of `kept` samples.
void note_founders(const Context& context,
                   const CohortParams& params,
                   std::int64_t founders,
                   std::size_t kept);

/// Notes that sites of which some samples have one copy count like others.
void note_haploid(const Context& context);

/// Notes how many sites have dosages; throws bad_input where none has.
void note_dosages(const Context& context, const CohortParams& params, const CohortSummary& summary);

/// Throws for a rate out of its range, under the name of its option.
void check_params(const CohortParams& params);

/// Marks the samples a list names; throws for an identifier the input does not have.
std::vector<bool> marked_samples(const std::vector<std::string>& ids,
                                 const std::vector<std::string>& list,
                                 const char* option);

}  // namespace yupana::genotype
