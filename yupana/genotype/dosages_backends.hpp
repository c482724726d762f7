#pragma once

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

}  // namespace yupana::genotype
