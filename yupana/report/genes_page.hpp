#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "yupana/core/atomic_file.hpp"

namespace yupana::report {

/// One exon; places on the forward strand, from 1.
struct GeneExon {
  std::int64_t first = 0, last = 0;
  std::int64_t coding_first = 0, coding_last = 0;  ///< 0: none of it is coding
  std::int64_t target_first = 0, target_last = 0;  ///< letters of the target, from 1
  double identity = 0;
  std::string score;
  std::string acceptor, donor;  ///< bases of the introns next to it, "AG" and "GT"; may be empty
};

/// The exons of one target, in reading order.
struct GenePicture {
  std::string name, sequence;
  char strand = '+';
  std::vector<GeneExon> exons;
  std::string facts;  ///< in one line: score, identity
};

/// Everything the page of spliced alignments shows. Plain data: the job fills it, this room draws.
struct GenesReport {
  std::string title;
  std::vector<std::string> findings;  ///< sentences
  std::vector<GenePicture> genes;
  std::vector<std::pair<std::string, std::string>> summary;  ///< options, versions
};

/// One self-contained page without network, external files or scripts that draw: of each gene its
/// exons to scale, and enlarged between introns of one width, coloured by identity, coding bases
/// high, with the bases of introns that are not GT..AG. The same report gives the same bytes. Names
/// may hold any bytes.
void write_genes_html(AtomicFile& file, const GenesReport& report);

}  // namespace yupana::report
