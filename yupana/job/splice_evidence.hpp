#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "yupana/io/spliced_files.hpp"

/// Private to the job: what speaks for a hit, and against.
namespace yupana::job {

/// Another alignment of a hit's target: first and last base on the forward strand of its sequence.
struct OtherPlace {
  const std::string* sequence = nullptr;
  std::pair<std::int64_t, std::int64_t> span;
  std::int64_t score = 0;
};

/// Sets the hit's E-value, against `searched_bases` on all strands, and its mapping quality, and
/// takes its alignment away where the E-value is above `max_e_value`.
void judge(io::SplicedHit& hit,
           double searched_bases,
           std::span<const OtherPlace> others,
           double max_e_value);

}  // namespace yupana::job
