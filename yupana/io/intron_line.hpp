#pragma once

#include <fmt/format.h>

#include <cctype>
#include <string>

#include "yupana/io/spliced_files.hpp"

/// Private to the writers of spliced alignments.
namespace yupana::io {

/// A line on the intron before exon `index` > 0 of the chain, with the two bases at its either end:
/// what one looks at first where a boundary is in doubt. Empty where no base lies between.
inline std::string intron_line(const SplicedHit& hit, std::size_t index) {
  const auto& chain = hit.alignment.chain;
  const std::int64_t first = (*hit.exons)[chain[index - 1].exon].last + 1;
  const std::int64_t last = (*hit.exons)[chain[index].exon].first - 1;
  if (last < first) return {};
  const auto site = [&](std::int64_t from) {
    std::string bases = hit.bases->substr(static_cast<std::size_t>(from - 1), 2);
    for (char& base : bases) base = static_cast<char>(std::toupper(base));
    return bases;
  };
  const std::int64_t length = std::ssize(*hit.bases);
  const bool forward = hit.strand == '+';
  const std::string ends =
      last - first < 3 ? "" : fmt::format(", {}..{}", site(first), site(last - 1));
  return fmt::format("intron {}: {}..{}, {} bases{}\n\n",
                     index,
                     forward ? first : length + 1 - last,
                     forward ? last : length + 1 - first,
                     last - first + 1,
                     ends);
}

}  // namespace yupana::io
