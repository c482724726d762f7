#include "yupana/genotype/grm_product.hpp"

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/genotype/site_counts.hpp"

namespace yupana::genotype {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Sites that are standardized at a time.
constexpr std::int64_t tile_sites = 64;
/// Of a product, by one thread: fixed, since sums may round by the shape of their product.
constexpr std::int64_t piece_sites = 8;
constexpr std::int64_t piece_samples = 256;

struct Scale {
  double by_code[4] = {};
};

Scale scale_of(const SiteCounts& counts, Standardize standardize) {
  Scale scale;
  if (counts.minor_alleles() == 0) return scale;
  const double alleles = 2.0 * static_cast<double>(counts.called());
  const double copies = static_cast<double>(2 * counts.homozygous_a1 + counts.heterozygous);
  const double p = copies / alleles, q = (1 + copies) / (2 + alleles);
  const double factor =
      1 / std::sqrt(standardize == Standardize::gcta ? 2 * p * (1 - p) : q * (1 - q));
  scale.by_code[homozygous_a1] = (2 - 2 * p) * factor;
  scale.by_code[heterozygous] = (1 - 2 * p) * factor;
  scale.by_code[homozygous_a2] = -2 * p * factor;
  return scale;
}

}  // namespace

double add_grm_product(Context& context,
                       const CallBlock& block,
                       Standardize standardize,
                       MatrixView<const double> x,
                       MatrixView<double> sums) {
  const std::int64_t samples = std::ssize(block.samples), sites = block.codes.sites;
  std::vector<SiteCounts> counts(static_cast<std::size_t>(sites));
  site_counts(
      context.backend(), block.codes, SampleMask(block.codes.samples, block.samples), counts);
  double squares = 0;
  std::vector<Scale> scales;
  for (const SiteCounts& count : counts) {
    const Scale& scale = scales.emplace_back(scale_of(count, standardize));
    const auto add = [&](Code code, std::int64_t calls) {
      squares += static_cast<double>(calls) * scale.by_code[code] * scale.by_code[code];
    };
    add(homozygous_a1, count.homozygous_a1);
    add(heterozygous, count.heterozygous);
    add(homozygous_a2, count.homozygous_a2);
  }
  const Eigen::Map<const Rows, 0, Eigen::OuterStride<>> right(
      x.data, samples, x.cols, Eigen::OuterStride<>(x.stride));
  Eigen::Map<Rows, 0, Eigen::OuterStride<>> result(
      sums.data, samples, sums.cols, Eigen::OuterStride<>(sums.stride));
  Rows scaled(std::min(tile_sites, sites), samples), inner(tile_sites, x.cols);
  for (std::int64_t first = 0; first < sites; first += tile_sites) {
    const std::int64_t count = std::min(tile_sites, sites - first);
    context.parallel_for(
        divide_up(count, piece_sites), 1, [&](std::int64_t begin, std::int64_t end) {
          context.check_cancelled();
          for (std::int64_t piece = begin; piece < end; ++piece) {
            const std::int64_t at = piece * piece_sites, many = std::min(piece_sites, count - at);
            for (std::int64_t k = at; k < at + many; ++k) {
              const Scale& scale = scales[static_cast<std::size_t>(first + k)];
              for (std::int64_t i = 0; i < samples; ++i) {
                scaled(k, i) = scale.by_code[block.codes.at(
                    first + k, block.samples[static_cast<std::size_t>(i)])];
              }
            }
            inner.middleRows(at, many).noalias() = scaled.middleRows(at, many) * right;
          }
        });
    context.parallel_for(
        divide_up(samples, piece_samples), 1, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t piece = begin; piece < end; ++piece) {
            const std::int64_t at = piece * piece_samples;
            const std::int64_t many = std::min(piece_samples, samples - at);
            result.middleRows(at, many).noalias() +=
                scaled.block(0, at, count, many).transpose() * inner.topRows(count);
          }
        });
  }
  return squares;
}

}  // namespace yupana::genotype
