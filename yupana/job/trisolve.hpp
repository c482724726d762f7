#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "yupana/core/context.hpp"
#include "yupana/sparse/triangular.hpp"

namespace yupana::job {

struct TrisolveParams {
  std::string matrix;      ///< Matrix Market, plain or gzip
  std::string side;        ///< right-hand sides, .npy of n or n x k, or text; empty: random ones
  std::string out;         ///< x: .npy, or text for any other name; empty: not kept
  std::int64_t sides = 1;  ///< random right-hand sides, uniform in [-1, 1)
  std::uint64_t seed = 1;
  sparse::TriangularParams system;  ///< of the file's matrix
};

/// What a system is like and how it was solved, for reports.
struct TrisolveResult {
  bool complex = false;  ///< x is complex: the matrix or b is
  std::int64_t rows = 0;
  std::int64_t entries = 0;  ///< of the triangle that is solved, its diagonal among them
  std::int64_t levels = 0;
  std::int64_t warps = 0;
  std::int64_t keys = 0;
  std::array<std::int64_t, 7> rows_of_class = {};
  sparse::SolveMethod method = sparse::SolveMethod::serial;
  std::int64_t sides = 0;
  double backward_error = 0;    ///< componentwise, see sparse::backward_error; inf: no solution
  std::int64_t not_finite = 0;  ///< numbers of x that are infinite or NaN
  std::int64_t first_not_finite_row = 0;  ///< of the first of them, from 1
  double analysis_seconds = 0;
  double solve_seconds = 0;
};

/// Whether a Matrix Market file holds complex numbers, which are solved on the CPU alone.
bool is_complex(Context& context, const std::string& matrix);

/// The name of a method as the command line has it.
const char* name_of(sparse::SolveMethod method);

/// Reads a triangular matrix, solves with it or its transpose and writes x. A symmetric file gives
/// either triangle. A real matrix is solved for real and imaginary parts of a complex b apart, its
/// backward error is that of the parts.
/// An x that leaves the range of double, or meets NaN, is written as it is: a note and the result
/// count its numbers that are not finite.
///   errors: usage: a method for the reference, which has one; a complex matrix for a GPU;
///   out_of_resources, before the work: more bytes than the context's memory; (bad_input): what the
///   readers and sparse::analyse refuse; a right-hand side of another length; a skew-symmetric
///   matrix without unit_diagonal
TrisolveResult trisolve(Context& context, const TrisolveParams& params);

}  // namespace yupana::job
