#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace yupana::io {

/// A candidate exon as a file gives it, in forward coordinates from 1, both ends included.
struct ExonRecord {
  std::string sequence;  ///< empty where the file names none
  std::int64_t first = 0;
  std::int64_t last = 0;
  char strand = '.';      ///< '+', '-' or '.'
  std::int64_t line = 0;  ///< its line
};

/// Candidate exons of a file, plain or gzip; what it is shows in its lines:
///  * GFF3 or GTF: nine columns between tabs; lines of type exon, or CDS where there is no exon;
///    GFF3's %XX in the sequence's name are decoded
///  * BED: sequence, start from 0, end not included, name, score, strand; the blocks of twelve
///    columns are the exons
///  * a table: [sequence] first last [strand: + - +1 -1, others are none], from 1, both included,
///    with or without a header, which does not begin with a digit
///  * GENSCAN's text output: its Init, Intr, Term and Sngl lines
/// A .bed name makes a table BED. Copies stay. Errors (bad_input) name file and line.
std::vector<ExonRecord> read_exons(const std::string& path);

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
