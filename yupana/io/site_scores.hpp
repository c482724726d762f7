#pragma once

#include <map>
#include <string>

#include "yupana/splice/site_scores.hpp"

namespace yupana::io {

/// Splice sites by sequence, as minisplice writes and minimap2 and miniprot read them (--spsc): on
/// each line sequence, offset, strand + or -, D or A, and a score, 2 log2 of the site's odds
/// against other GT or AG. The offset counts the bases before the junction, from the sequence's
/// beginning. Plain or gzip; lines of # are passed over.
///   errors: bad_input naming the line for another form, and a site that is listed twice
std::map<std::string, splice::SiteScores> read_site_scores(const std::string& path);

}  // namespace yupana::io
