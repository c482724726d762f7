#pragma once

#include <string>
#include <vector>

namespace yupana::io {

/// One case of spliced alignment, by its files.
struct SpliceCase {
  std::string genome;          ///< FASTA
  std::string exons = "auto";  ///< a file of exons, or auto: from the signals in the sequence
  std::string target;          ///< FASTA
  bool is_protein = false;     ///< the target: proteins, not cDNAs
};

/// A list of cases: lines of genome, exons (or auto), target and, where it is one, the word
/// protein, between tabs, or spaces where a line has no tab. Names are relative to the list's
/// folder, or to the working folder where the list is under /dev or /proc, a pipe; lines that begin
/// with # and a first line that begins with genome are left out.
///   errors: bad_input naming file and line
std::vector<SpliceCase> read_splice_cases(const std::string& path);

}  // namespace yupana::io
