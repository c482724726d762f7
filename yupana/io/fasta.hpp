#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/splice/substitution.hpp"

namespace yupana::io {

struct FastaRecord {
  std::string name;     ///< the first word after '>'
  std::string letters;  ///< as in the file: lower case kept
};

/// The records of a FASTA file, plain or gzip, \n or \r\n. `alphabet` has the letters allowed, in
/// upper case. Errors (bad_input) name file and line: no record, a record without letters or name,
/// a name twice, a letter outside the alphabet (`advice` then ends the message); out_of_resources
/// where the records would hold more than `max_bytes`: it says how much --memory this file needs
/// next to the `held_besides` bytes that the caller holds.
std::vector<FastaRecord> read_fasta(
    const std::string& path,
    std::string_view alphabet,
    std::string_view advice = {},
    std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max(),
    std::uint64_t held_besides = 0);
/// Bytes of memory that records hold.
std::uint64_t held_bytes(const std::vector<FastaRecord>& records);

/// What DNA may be written in: the IUPAC letters and U.
inline constexpr std::string_view dna_letters = "ACGTURYSWKMBDHVN";

/// The other strand, in its own reading direction; case is kept, letters other than IUPAC stay.
std::string reverse_complement(std::string_view bases);

/// A substitution matrix as NCBI writes them: '#' comments, a line of letters, a line for each
/// letter with its scores. Errors (bad_input) name file and line.
splice::Substitution read_substitution(const std::string& path);

}  // namespace yupana::io
