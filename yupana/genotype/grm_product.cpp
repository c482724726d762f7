#include "yupana/genotype/grm_product.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/genotype/site_counts.hpp"
#include "yupana/genotype/site_dosages.hpp"

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

/// Tiles of sites of a block, standardized, and their products with the columns of x.
class SiteTiles {
 public:
  SiteTiles(Context& context,
            const CallBlock& block,
            Standardize standardize,
            MatrixView<const double> x)
      : context_(context),
        block_(block),
        right_(x.data, std::ssize(block.samples), x.cols, Eigen::OuterStride<>(x.stride)),
        scaled_(tile_sites, right_.rows()),
        products_(tile_sites, x.cols) {
    if (!block.codes.dosages.empty()) {
      add_dosage_scales(standardize);
      return;
    }
    std::vector<SiteCounts> counts(static_cast<std::size_t>(block.codes.sites));
    const SampleMask mask(block.codes.samples, block.samples);
    site_counts(context.backend(), block.codes, mask, counts);
    for (const SiteCounts& count : counts) add_scale(count, scale_of(count, standardize));
  }

  /// Sum of the squares of the standardized genotypes.
  double squares() const { return squares_; }
  const Rows& scaled() const { return scaled_; }
  const Rows& products() const { return products_; }

  void load(std::int64_t first, std::int64_t count) {
    context_.parallel_for(
        divide_up(count, piece_sites), 1, [&](std::int64_t begin, std::int64_t end) {
          context_.check_cancelled();
          for (std::int64_t piece = begin; piece < end; ++piece) {
            const std::int64_t at = piece * piece_sites, many = std::min(piece_sites, count - at);
            for (std::int64_t k = at; k < at + many; ++k) standardize_site(first + k, k);
            products_.middleRows(at, many).noalias() = scaled_.middleRows(at, many) * right_;
          }
        });
  }

 private:
  void add_scale(const SiteCounts& count, const Scale& scale) {
    scales_.push_back(scale);
    const auto add = [&](Code code, std::int64_t calls) {
      squares_ += static_cast<double>(calls) * scale.by_code[code] * scale.by_code[code];
    };
    add(homozygous_a1, count.homozygous_a1);
    add(heterozygous, count.heterozygous);
    add(homozygous_a2, count.homozygous_a2);
  }

  void add_dosage_scales(Standardize standardize) {
    for (std::int64_t site = 0; site < block_.codes.sites; ++site) {
      const DosageSums sums = dosage_sums(block_.codes, site, block_.samples);
      dosage_scales_.push_back(dosage_scale(sums, standardize));
      const auto [p, deviation] = dosage_scales_.back();
      if (deviation == 0) continue;
      const double copies = static_cast<double>(sums.sum) / dosage_unit;
      const double squares = static_cast<double>(sums.squares) / (dosage_unit * dosage_unit);
      squares_ += (squares - 2 * p * copies) / (deviation * deviation);
    }
  }

  void standardize_site(std::int64_t site, std::int64_t row) {
    if (!dosage_scales_.empty()) {
      const SiteScale& scale = dosage_scales_[static_cast<std::size_t>(site)];
      return standardize_dosages(block_.codes, site, block_.samples, scale, &scaled_(row, 0));
    }
    const Scale& scale = scales_[static_cast<std::size_t>(site)];
    for (std::int64_t i = 0; i < scaled_.cols(); ++i) {
      const std::int64_t sample = block_.samples[static_cast<std::size_t>(i)];
      scaled_(row, i) = scale.by_code[block_.codes.at(site, sample)];
    }
  }

  Context& context_;
  const CallBlock& block_;
  Eigen::Map<const Rows, 0, Eigen::OuterStride<>> right_;
  Rows scaled_;
  Rows products_;
  std::vector<Scale> scales_;
  std::vector<SiteScale> dosage_scales_;
  double squares_ = 0;
};

}  // namespace

double add_grm_product(Context& context,
                       const CallBlock& block,
                       Standardize standardize,
                       MatrixView<const double> x,
                       MatrixView<double> sums) {
  const std::int64_t samples = std::ssize(block.samples);
  Eigen::Map<Rows, 0, Eigen::OuterStride<>> result(
      sums.data, samples, sums.cols, Eigen::OuterStride<>(sums.stride));
  SiteTiles tiles(context, block, standardize, x);
  for (std::int64_t first = 0; first < block.codes.sites; first += tile_sites) {
    const std::int64_t count = std::min(tile_sites, block.codes.sites - first);
    tiles.load(first, count);
    context.parallel_for(
        divide_up(samples, piece_samples), 1, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t piece = begin; piece < end; ++piece) {
            const std::int64_t at = piece * piece_samples;
            const std::int64_t many = std::min(piece_samples, samples - at);
            result.middleRows(at, many).noalias() +=
                tiles.scaled().block(0, at, count, many).transpose() *
                tiles.products().topRows(count);
          }
        });
  }
  return tiles.squares();
}

Matrix<double> site_products(Context& context,
                             const CallBlock& block,
                             Standardize standardize,
                             MatrixView<const double> x) {
  Matrix<double> result(block.codes.sites, x.cols);
  SiteTiles tiles(context, block, standardize, x);
  for (std::int64_t first = 0; first < block.codes.sites; first += tile_sites) {
    const std::int64_t count = std::min(tile_sites, block.codes.sites - first);
    tiles.load(first, count);
    std::copy_n(tiles.products().data(), count * x.cols, result.row(first));
  }
  return result;
}

}  // namespace yupana::genotype
