#pragma once

#include <memory>
#include <string>

#include "yupana/core/context.hpp"
#include "yupana/genotype/source.hpp"

namespace yupana::io {

struct NpyGenotypesParams {
  std::string path;
  /// Take the nearest of 0, 1, 2 (halves go up) for values in [0, 2.5): imputed means occur.
  bool round = false;
};

/// Genotypes of a .npy matrix, samples in rows and sites in columns, C or Fortran order, of signed
/// or unsigned integers or floats of 1 to 8 bytes in either byte order, as a stream of sites.
///   values: 0, 1 and 2 are genotypes; negative ones and NaN are missing calls; any other value is
///   refused with row and column, from 1
/// Samples are named by PATH with .ids instead of .npy, one a line, if that file is there;
/// otherwise 1, 2, ...
///   work: one pass in stretches of columns; memory: 16 MiB, or 64 columns if that is more
///   throws bad_input for: a header that cannot be read; another shape or type; a file of another
///   size than the header says; values that are no genotype; names that are too many, too few or
///   repeated
std::unique_ptr<genotype::Source> open_npy_genotypes(const NpyGenotypesParams& params);

}  // namespace yupana::io
