#pragma once

#include <cstdint>
#include <string>

#include "yupana/io/spliced_files.hpp"

/// Private to the writers of spliced alignments: what proteins have otherwise than cDNAs.
namespace yupana::io {

/// Score of the columns of exon `index` of the chain.
std::int64_t protein_exon_score(const SplicedHit& hit, std::size_t index);
/// A line as miniprot writes it; bases first to last on the forward strand.
std::string protein_paf_line(const SplicedHit& hit, std::int64_t first, std::int64_t last);
/// Exon by exon: codons, their amino acids, and the target.
std::string protein_text(const SplicedHit& hit);

}  // namespace yupana::io
