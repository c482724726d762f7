#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "yupana/io/spliced_files.hpp"

/// Private to the writers of spliced alignments.
namespace yupana::io {

/// A line on the intron before exon `index` > 0 of the chain, with the two bases at its either end:
/// what one looks at first where a boundary is in doubt. Empty where no base lies between.
std::string intron_line(const SplicedHit& hit, std::size_t index);

/// The first two bases of that intron and its last two, in upper case; empty where it has fewer
/// than three.
std::pair<std::string, std::string> intron_sites(const SplicedHit& hit, std::size_t index);

/// Score of the columns of exon `index` of the chain.
std::int64_t protein_exon_score(const SplicedHit& hit, std::size_t index);
/// A line as miniprot writes it; bases first to last on the forward strand.
std::string protein_paf_line(const SplicedHit& hit, std::int64_t first, std::int64_t last);
/// Exon by exon: codons, their amino acids, and the target.
std::string protein_text(const SplicedHit& hit);

}  // namespace yupana::io
