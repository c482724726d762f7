#pragma once

#include <map>
#include <string>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/io/fasta.hpp"
#include "yupana/splice/candidates.hpp"
#include "yupana/splice/species.hpp"

namespace yupana::io {

/// Splice sites by sequence, as minisplice writes and minimap2 and miniprot read them (--spsc): on
/// each line sequence, offset, strand + or -, D or A, and a score, 2 log2 of the site's odds
/// against other GT or AG. The offset counts the bases before the junction, from the sequence's
/// beginning. Plain or gzip; lines of # are passed over.
///   errors: bad_input naming the line for another form, and a site that is listed twice
std::map<std::string, splice::SiteScores> read_site_scores(const std::string& path);

/// Writes such a file of all GT and AG of both strands, by the models of a species, in order of
/// offsets: scores of nine digits. Other sites have those of the models whoever reads it.
///   work: linear in the letters, all threads
///   memory: the reverse complement of a sequence
void write_site_scores(Context& context,
                       AtomicFile& file,
                       const std::vector<FastaRecord>& sequences,
                       const splice::SiteModels& models);

}  // namespace yupana::io
