#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/genotype/grm.hpp"
#include "yupana/io/npy_matrix.hpp"
#include "yupana/job/input.hpp"

namespace yupana::job {

struct GrmJobParams {
  InputParams input;
  genotype::Standardize standardize = genotype::GrmParams{}.standardize;
  bool gcta = true;  ///< PREFIX.grm.bin, .grm.N.bin, .grm.id
  bool npy = true;   ///< PREFIX.grm.npy
  io::NpyType type = io::NpyType::float64;
  std::optional<double> cutoff;  ///< PREFIX.grm.sp: pairs of this relationship or more
  std::string out;               ///< prefix of the files
};

struct GrmJobResult {
  genotype::CohortSummary cohort;
  std::int64_t pairs_without_sites = 0;  ///< NaN in the matrix
  std::int64_t passes = 1;               ///< over the input
  std::vector<std::string> files;
};

/// Sites that are read at a time, and bands of rows that memory holds. Blocks are as large as
/// memory allows up to 1 GiB: more sites then share a weight.
struct GrmPlan {
  std::int64_t block_sites = 0;
  std::vector<Range> bands;
};

/// `cell_bytes`: of a pair, next to its sums, at the same time.
///   errors: out_of_resources where one row, or with `one_band` all of them, do not fit
GrmPlan plan_grm(const Context& context, const Input& input, int cell_bytes, bool one_band);

/// Rows of the matrix over the whole input, with progress.
genotype::Grm count_grm(Context& context,
                        Input& input,
                        const GrmPlan& plan,
                        const genotype::GrmParams& params);

/// The whole matrix, symmetric.
SquareMatrix<double> grm_matrix(Context& context, const genotype::Grm& grm);

/// The samples as GCTA and PLINK 2 list them: family and individual identifier.
void write_grm_ids(AtomicFile& file, const Input& input);

/// Genotypes in, a genomic relationship matrix in files out. One process.
GrmJobResult run_grm(Context& context, const GrmJobParams& params);

}  // namespace yupana::job
