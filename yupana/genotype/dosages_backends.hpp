#pragma once

#include "yupana/core/error.hpp"
#include "yupana/genotype/dosages.hpp"

/// Private to the family: one block of planes. False if some value is no genotype; `missing`
/// reports whether a call is missing.
namespace yupana::genotype {

namespace reference {
bool fill_planes(const Dosages& dosages, Range sites, PlaneBlock& planes, bool& missing);
}  // namespace reference

namespace cpu {
bool fill_planes(
    Context& context, const Dosages& dosages, Range sites, PlaneBlock& planes, bool& missing);
}  // namespace cpu

namespace cuda {
/// Adds all sites of an array in the memory of a GPU to empty counts.
void add_pairs(
    Context& context, int device, const Dosages& dosages, bool hethet, PairCounts& counts);
}  // namespace cuda

/// Of what no genotype is; row and column from 0.
Error bad_genotype(std::int64_t row, std::int64_t column, int value);

}  // namespace yupana::genotype
