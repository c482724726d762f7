#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/cohort.hpp"

namespace yupana::genotype {

namespace cuda {
class DeviceGrm;
}

/// How a site is scaled; x counts alleles, p = sum of x / (2 calls) over the samples that stay.
enum class Standardize {
  gcta,       ///< (x - 2p) / sqrt(2 p (1 - p))
  eigensoft,  ///< (x - 2p) / sqrt(q (1 - q)), q = (1 + sum of x) / (2 + 2 calls)
};

struct GrmParams {
  Standardize standardize = Standardize::gcta;
  Range rows = {};      ///< rows of the triangle to compute; {0, 0}: all
  bool dosage = false;  ///< x is the dosage of blocks that have them: see grm_dosages.hpp
  bool gpu = true;      ///< with CUDA: sums of calls on its devices
};

/// Rows of a genomic relationship matrix as exact sums:
///   A_jk = 1 / M_jk * sum over sites of w (x_j - 2p) (x_k - 2p),  w the square of the scale
/// over the M_jk sites called in both; a site without variation adds nothing but counts in M_jk.
struct Grm {
  static constexpr int fraction_bits = 23;  ///< of sums

  std::int64_t samples = 0;
  std::int64_t sites = 0;
  Range rows;
  Array<std::int64_t> sums;            ///< of the lower triangle, without the terms that follow
  std::vector<std::int64_t> own_sums;  ///< per sample: of every pair it is in
  std::int64_t constant = 0;           ///< of every pair
  Array<double> products;              ///< of dosages, instead: M_jk A_jk of the lower triangle
  Array<std::uint32_t> missing_both;   ///< sites; empty while no call is missing
  std::vector<std::int64_t> missing;   ///< sites, per sample

  std::int64_t cell(std::int64_t i, std::int64_t j) const {
    return triangle_cells(i) - triangle_cells(rows.begin) + j;
  }
  /// M_ij, for j <= i in rows.
  std::int64_t shared(std::int64_t i, std::int64_t j) const;
  /// A_ij; NaN where no site is called in both.
  double at(std::int64_t i, std::int64_t j) const;
};

/// Pairs of a band, and sites of a block, that GPUs hold at once.
struct GrmRoom {
  std::int64_t cells = std::numeric_limits<std::int64_t>::max();
  std::int64_t block_sites = std::numeric_limits<std::int64_t>::max();
};

/// Adds blocks of sites to a relationship matrix.
///   method  w is rounded to a float, then every sum is an integer: with x the copies of the minor
///           allele (0 where missing), w (x - 2p) (x' - 2p) is w (x^2 + x'^2 - (x - x')^2) / 2 less
///           terms of one sample. Sites are sorted by weight into words of 16 of one weight, of
///           which population counts give (x - x')^2, times the weight in two 15-bit digits. Where
///           few sites share a weight, weights are sums of parts that more sites share. Missing
///           calls, which are few, correct the pairs of their sample one by one.
///   bound   |error of A_jk| <= 2^-24 sqrt(A_jj A_kk) + 2^-20, and the rounding of the result
///   work    pairs x sites / 512 vector steps where sites share weights, 2 to 6 times as many where
///           they do not; 8 bytes a pair in memory, 12 with missing calls
///           On GPUs w (x - 2p) (x' - 2p) is w x x' less such terms, and w x x' four products of
///           bytes, x by the digits of w times x' (grm_cuda.cu)
///   determinism: the same bits for any threads, order and size of blocks, and backend
///   devices: calls on CPU and CUDA, where every device has a band of the rows; dosages on the CPU
///   errors: out_of_resources where the sums of many rare sites pass 2^62
///   source: Yang, Lee, Goddard, Visscher 2011 (GCTA); Patterson, Price, Reich 2006 (EIGENSOFT)
class GrmCounter {
 public:
  GrmCounter(Context& context, std::int64_t samples, const GrmParams& params = {});
  /// Reports finished work to `stage`, if given, in pair-SNPs.
  void add(const CallBlock& block, Stage* stage = nullptr);
  Range rows() const { return grm_.rows; }
  Grm take();
  /// Bytes that a counter holds next to the sums and the blocks it is given, but for one more block
  /// of codes: if each of `sites` is in one word, or at the most (-1).
  static std::uint64_t bytes(std::int64_t samples, std::int64_t sites);
  /// What the context's GPUs hold; without CUDA any number.
  static GrmRoom room(const Context& context, std::int64_t samples);
  /// The least --gpu-memory whose room is a row of pairs and a site.
  static std::uint64_t least_gpu_memory(const Context& context, std::int64_t samples);

 private:
  Context& context_;
  Standardize standardize_;
  Grm grm_;
  std::int64_t bound_ = 0;                   ///< of any sum
  std::shared_ptr<cuda::DeviceGrm> device_;  ///< null but for CUDA
};

}  // namespace yupana::genotype
