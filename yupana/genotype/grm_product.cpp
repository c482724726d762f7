#include "yupana/genotype/grm_product.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/genotype/grm_backends.hpp"
#include "yupana/genotype/grm_product_backends.hpp"
#include "yupana/genotype/site_counts.hpp"
#include "yupana/genotype/site_dosages.hpp"

namespace yupana::genotype {
namespace {

using cpu::column_group;
using cpu::ColumnGroups;
using cpu::SiteTerms;
using cpu::term_sites;

/// Samples that a thread sums for, at least.
constexpr std::int64_t share_samples = 128;

SiteTerms terms_of(const SiteCounts& counts, Standardize standardize) {
  SiteTerms terms;
  if (counts.minor_alleles() == 0) return terms;
  const double alleles = 2.0 * static_cast<double>(counts.called());
  const double copies = static_cast<double>(2 * counts.homozygous_a1 + counts.heterozygous);
  const double p = copies / alleles, q = (1 + copies) / (2 + alleles);
  const double factor =
      1 / std::sqrt(standardize == Standardize::gcta ? 2 * p * (1 - p) : q * (1 - q));
  const auto z = [&](double x) { return (x - 2 * p) * factor; };
  terms.varies = true;
  terms.rare_is_a1 = 2 * counts.homozygous_a1 + counts.heterozygous <= counts.called();
  terms.common = z(terms.rare_is_a1 ? 0 : 2);
  terms.rare = z(terms.rare_is_a1 ? 2 : 0) - terms.common;
  terms.heterozygous = z(1) - terms.common;
  terms.missing = 0 - terms.common;
  return terms;
}

double squares_of(const SiteCounts& counts, const SiteTerms& terms) {
  const auto of = [&](std::int64_t calls, double more) {
    const double z = terms.common + more;
    return static_cast<double>(calls) * z * z;
  };
  const std::int64_t a1 = counts.homozygous_a1, a2 = counts.homozygous_a2;
  return of(terms.rare_is_a1 ? a2 : a1, 0) + of(terms.rare_is_a1 ? a1 : a2, terms.rare) +
         of(counts.heterozygous, terms.heterozygous);
}

/// A copy of columns in groups, the last one filled up with zeros.
class GroupedColumns {
 public:
  GroupedColumns(std::int64_t rows, std::int64_t columns)
      : groups_(divide_up(columns, column_group)),
        values_(Array<double>::zeros(rows * groups_ * column_group)),
        view_{values_.data(), rows, groups_} {}
  explicit GroupedColumns(MatrixView<const double> from) : GroupedColumns(from.rows, from.cols) {
    each(from, [](double& here, const double& there) { here = there; });
  }
  void copy_to(MatrixView<double> to) const {
    each(to, [](const double& here, double& there) { there = here; });
  }
  void copy_row(std::int64_t row, MatrixView<double> to) const {
    for (std::int64_t j = 0; j < to.cols; ++j) {
      to.row(row)[j] = view_.at(j / column_group, row)[j % column_group];
    }
  }
  const ColumnGroups& view() const { return view_; }

 private:
  template <class T, class Body>
  void each(MatrixView<T> matrix, const Body& body) const {
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      for (std::int64_t j = 0; j < matrix.cols; ++j) {
        body(view_.at(j / column_group, i)[j % column_group], matrix.row(i)[j]);
      }
    }
  }

  std::int64_t groups_;
  Array<double> values_;
  ColumnGroups view_;
};

/// The sites of a block with hard calls.
class CalledSites {
 public:
  CalledSites(Context& context, const CallBlock& block, Standardize standardize)
      : context_(context),
        some_(all_are_kept(block) ? SiteBlock() : kept_codes(block)),
        kept_(all_are_kept(block) ? block.codes : some_) {
    std::vector<SiteCounts> counts(static_cast<std::size_t>(block.codes.sites));
    const SampleMask mask(block.codes.samples, block.samples);
    site_counts(context.backend(), block.codes, mask, counts);
    for (const SiteCounts& count : counts) {
      terms_.push_back(terms_of(count, standardize));
      if (terms_.back().varies) squares_ += squares_of(count, terms_.back());
    }
  }
  double squares() const { return squares_; }

  /// Whether some call of a sample is there. Terms of a sample without any meet, but for rounding.
  std::vector<bool> has_calls() const {
    std::vector<std::uint64_t> all(static_cast<std::size_t>(kept_.stride / 8), ~std::uint64_t{0});
    for (std::int64_t site = 0; site < kept_.sites; ++site) {
      for (std::size_t at = 0; at < all.size(); ++at) {
        std::uint64_t word;
        std::memcpy(&word, kept_.row(site) + 8 * at, 8);
        all[at] &= word & ~(word >> 1);
      }
    }
    std::vector<bool> result(static_cast<std::size_t>(kept_.samples));
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = (all[i / 32] >> (2 * (i % 32)) & 1) == 0;
    }
    return result;
  }

  void multiply(MatrixView<const double> x, const ColumnGroups& products) const {
    const GroupedColumns columns(x);
    GroupedColumns totals(1, x.cols);
    for (std::int64_t i = 0; i < x.rows; ++i) {
      for (std::int64_t j = 0; j < x.cols; ++j) {
        totals.view().at(j / column_group, 0)[j % column_group] += x.row(i)[j];
      }
    }
    context_.parallel_for(divide_up(kept_.sites, term_sites), 1, [&](std::int64_t k) {
      context_.check_cancelled();
      const Range sites = {k * term_sites, std::min((k + 1) * term_sites, kept_.sites)};
      cpu::grm_product_kernels().site_sums(
          {kept_, terms_.data()}, sites, columns.view(), totals.view(), products);
    });
  }
  void add_transposed(const ColumnGroups& products, const ColumnGroups& sums) const {
    context_.parallel_for(
        divide_up(kept_.samples, share_samples), 1, [&](std::int64_t begin, std::int64_t end) {
          context_.check_cancelled();
          const Range samples = {begin * share_samples,
                                 std::min(end * share_samples, kept_.samples)};
          cpu::grm_product_kernels().sample_sums({kept_, terms_.data()}, samples, products, sums);
        });
  }

 private:
  static bool all_are_kept(const CallBlock& block) {
    return std::ssize(block.samples) == block.codes.samples;
  }
  static SiteBlock kept_codes(const CallBlock& block) {
    SiteBlock kept(std::ssize(block.samples), block.codes.sites);
    kept.sites = block.codes.sites;
    for (std::int64_t k = 0; k < kept.sites; ++k) {
      copy_calls(block.codes, k, block.samples, kept.row(k));
    }
    return kept;
  }

  Context& context_;
  SiteBlock some_;  ///< codes of the kept samples, where they are not all
  const SiteBlock& kept_;
  std::vector<SiteTerms> terms_;
  double squares_ = 0;
};

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Sites whose dosages are standardized at a time.
constexpr std::int64_t tile_sites = 64;
/// Of a product, by one thread: fixed, since sums may round by the shape of their product.
constexpr std::int64_t piece_sites = 8;
constexpr std::int64_t piece_samples = 256;

/// Tiles of sites of a block with dosages, standardized, and their products with the columns of x.
class DosageTiles {
 public:
  DosageTiles(Context& context,
              const CallBlock& block,
              Standardize standardize,
              MatrixView<const double> x)
      : context_(context),
        block_(block),
        right_(x.data, std::ssize(block.samples), x.cols, Eigen::OuterStride<>(x.stride)),
        scaled_(tile_sites, right_.rows()),
        products_(tile_sites, x.cols) {
    for (std::int64_t site = 0; site < block_.codes.sites; ++site) {
      const DosageSums sums = dosage_sums(block_.codes, site, block_.samples);
      scales_.push_back(dosage_scale(sums, standardize));
      const auto [p, deviation] = scales_.back();
      if (deviation == 0) continue;
      const double copies = static_cast<double>(sums.sum) / dosage_unit;
      const double squares = static_cast<double>(sums.squares) / (dosage_unit * dosage_unit);
      squares_ += (squares - 2 * p * copies) / (deviation * deviation);
    }
  }

  /// Sum of the squares of the standardized genotypes.
  double squares() const { return squares_; }
  const Rows& products() const { return products_; }

  void load(std::int64_t first, std::int64_t count) {
    context_.parallel_for(divide_up(count, piece_sites), 1, [&](std::int64_t piece) {
      context_.check_cancelled();
      const std::int64_t at = piece * piece_sites, many = std::min(piece_sites, count - at);
      for (std::int64_t k = at; k < at + many; ++k) {
        const SiteScale& scale = scales_[static_cast<std::size_t>(first + k)];
        standardize_dosages(block_.codes, first + k, block_.samples, scale, &scaled_(k, 0));
      }
      products_.middleRows(at, many).noalias() = scaled_.middleRows(at, many) * right_;
    });
  }
  /// sums += transposed tile x products.
  void add_transposed(std::int64_t count, MatrixView<double> sums) const {
    Eigen::Map<Rows, 0, Eigen::OuterStride<>> result(
        sums.data, scaled_.cols(), sums.cols, Eigen::OuterStride<>(sums.stride));
    context_.parallel_for(divide_up(scaled_.cols(), piece_samples), 1, [&](std::int64_t piece) {
      const std::int64_t at = piece * piece_samples;
      const std::int64_t many = std::min(piece_samples, scaled_.cols() - at);
      result.middleRows(at, many).noalias() +=
          scaled_.block(0, at, count, many).transpose() * products_.topRows(count);
    });
  }

 private:
  Context& context_;
  const CallBlock& block_;
  Eigen::Map<const Rows, 0, Eigen::OuterStride<>> right_;
  Rows scaled_;
  Rows products_;
  std::vector<SiteScale> scales_;
  double squares_ = 0;
};

/// Calls body(first, count) for tiles of sites.
template <class Body>
void for_each_tile(std::int64_t sites, const Body& body) {
  for (std::int64_t first = 0; first < sites; first += tile_sites) {
    body(first, std::min(tile_sites, sites - first));
  }
}

}  // namespace

double add_grm_product(Context& context,
                       const CallBlock& block,
                       Standardize standardize,
                       MatrixView<const double> x,
                       MatrixView<double> sums) {
  if (!block.codes.dosages.empty()) {
    DosageTiles tiles(context, block, standardize, x);
    for_each_tile(block.codes.sites, [&](std::int64_t first, std::int64_t count) {
      tiles.load(first, count);
      tiles.add_transposed(count, sums);
    });
    return tiles.squares();
  }
  const CalledSites sites(context, block, standardize);
  const GroupedColumns products(block.codes.sites, x.cols), grouped(sums);
  sites.multiply(x, products.view());
  sites.add_transposed(products.view(), grouped.view());
  const std::vector<bool> has_calls =
      block.complete ? std::vector<bool>(block.samples.size(), true) : sites.has_calls();
  for (std::int64_t i = 0; i < sums.rows; ++i) {
    if (has_calls[static_cast<std::size_t>(i)]) grouped.copy_row(i, sums);
  }
  return sites.squares();
}

Matrix<double> site_products(Context& context,
                             const CallBlock& block,
                             Standardize standardize,
                             MatrixView<const double> x) {
  Matrix<double> result(block.codes.sites, x.cols);
  if (block.codes.dosages.empty()) {
    const GroupedColumns products(block.codes.sites, x.cols);
    CalledSites(context, block, standardize).multiply(x, products.view());
    products.copy_to(result.view());
    return result;
  }
  DosageTiles tiles(context, block, standardize, x);
  for_each_tile(block.codes.sites, [&](std::int64_t first, std::int64_t count) {
    tiles.load(first, count);
    std::copy_n(tiles.products().data(), count * x.cols, result.row(first));
  });
  return result;
}

std::vector<SiteScale> site_scales(Context& context,
                                   const CallBlock& block,
                                   Standardize standardize) {
  if (!block.codes.dosages.empty()) {
    std::vector<SiteScale> scales;
    for (std::int64_t site = 0; site < block.codes.sites; ++site) {
      scales.push_back(dosage_scale(dosage_sums(block.codes, site, block.samples), standardize));
    }
    return scales;
  }
  std::vector<SiteCounts> counts(static_cast<std::size_t>(block.codes.sites));
  site_counts(
      context.backend(), block.codes, SampleMask(block.codes.samples, block.samples), counts);
  std::vector<SiteScale> scales;
  for (const SiteCounts& count : counts) {
    const double alleles = 2.0 * static_cast<double>(count.called());
    const double copies = static_cast<double>(2 * count.homozygous_a1 + count.heterozygous);
    const double p = alleles > 0 ? copies / alleles : 0, q = (1 + copies) / (2 + alleles);
    const double variance = standardize == Standardize::gcta ? 2 * p * (1 - p) : q * (1 - q);
    scales.push_back({p, count.minor_alleles() == 0 ? 0 : std::sqrt(variance)});
  }
  return scales;
}

void add_scores(Context& context,
                const CallBlock& block,
                std::span<const SiteScore> sites,
                MatrixView<double> scores) {
  constexpr std::int64_t grain = 64;
  const std::int64_t samples = std::ssize(block.samples), columns = scores.cols;
  context.parallel_for(samples, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t site = 0; site < block.codes.sites; ++site) {
      const SiteScore& score = sites[static_cast<std::size_t>(site)];
      if (score.weights == nullptr || score.scale.deviation == 0) continue;
      double by_code[4] = {};
      const auto scaled = [&](double x) {
        return ((score.exchanged ? 2 - x : x) - 2 * score.scale.frequency) / score.scale.deviation;
      };
      by_code[homozygous_a1] = scaled(2);
      by_code[heterozygous] = scaled(1);
      by_code[homozygous_a2] = scaled(0);
      const bool dosage = !block.codes.dosages.empty();
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t sample = block.samples[static_cast<std::size_t>(i)];
        double z = by_code[block.codes.at(site, sample)];
        if (dosage) {
          const double x = dosage_at(block.codes, site, sample);
          z = x < 0 ? 0 : scaled(x);
        }
        for (std::int64_t k = 0; k < columns; ++k) scores.row(i)[k] += z * score.weights[k];
      }
    }
  });
}

}  // namespace yupana::genotype
