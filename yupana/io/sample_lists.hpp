#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/io/fam.hpp"

namespace yupana::io {

/// Identifiers, one a line; blank lines are ignored, blanks inside a name kept. Throws bad_input
/// with both lines for a repeated one.
std::vector<std::string> read_ids(const std::string& path);

/// Samples that a --keep or --remove file names, as identifiers of the input (SampleNames::ids):
/// one sample a line, its identifier alone or family and individual; more columns, blank lines and
/// lines that begin with # are ignored. Where the input has no families, the second of two columns
/// is the identifier, the first is not looked at. Throws bad_input with the line for a sample that
/// the input does not have, or that an individual shared by several families leaves open.
std::vector<std::string> read_sample_list(const std::string& path, const SampleNames& samples);

/// Labels of samples: label names in the order of the file, and per sample which one it has.
struct SampleLabels {
  std::vector<std::string> names;
  std::vector<std::int64_t> of;  ///< per sample: place in `names`, -1 without one
  std::int64_t unlabelled = 0;   ///< samples without a label
  std::int64_t unknown = 0;      ///< lines that name no sample of the input
};

/// Labels from a text file: tab-separated (or, without a tab in its first line, separated by
/// blanks), sample in the first column, label in `column`, which is the name of a column or its
/// number from 1; empty: the second. The first line is a header if `column` is a name, or if its
/// first field is no sample of the input but a word such as sample, id or iid. Samples may be
/// missing from the file, and the file may hold others: both are counted, for a note.
///   throws bad_input with the line for: too few columns; a column the header does not have; a
///   sample given two different labels; no sample labelled at all
SampleLabels read_labels(const std::string& path,
                         const SampleNames& samples,
                         const std::string& column = {});

}  // namespace yupana::io
