#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/sparse/poisson.hpp"
#include "bench/support/bench.hpp"
#include "yupana/sparse/triangular.hpp"

namespace yupana::bench {

using System = sparse::TriangularSystem<double, std::int32_t>;
using SystemMatrix = sparse::CsrMatrix<double, std::int32_t>;

/// A grid of the benches, by name.
struct Grid {
  const char* name;
  std::int64_t width, height, depth;

  SystemMatrix matrix() const {
    return sparse::lower_poisson<double, std::int32_t>(width, height, depth);
  }
};

/// The largest square matrices of the folder of --data, as lower triangles whose diagonal is 1, by
/// the names of their cases. What is left out is said.
std::vector<std::pair<std::string, SystemMatrix>> systems_of_files(Context& context,
                                                                   const BenchParams& params);

/// Right-hand side and the result that every implementation must come to.
struct Verified {
  Matrix<double> b, x;
};
Verified verified(const SystemMatrix& matrix, const sparse::TriangularParams& options = {});
bool same_analysis(const sparse::LevelAnalysis<std::int32_t>& a,
                   const sparse::LevelAnalysis<std::int32_t>& b);
/// Equal to the verified result in every value.
bool same_bits(const Verified& want, const double* x);
/// Largest relative difference from the verified result below 1e-12.
bool agrees(const Verified& want, const double* x);

/// Systems in GPU memory (CUDA builds), with cuSPARSE where it is installed.
void trisolve_cuda(Context& context, const BenchParams& params);
void trisolve_cuda_peers(const BenchParams& params,
                         const std::string& what,
                         const SystemMatrix& matrix,
                         const Verified& want);

}  // namespace yupana::bench
