#pragma once

#include <cstdint>

#include "yupana/core/tiles.hpp"
#include "yupana/genotype/site_block.hpp"

/// Private to the family: standardized genotypes times columns, from 2-bit codes.
namespace yupana::genotype::cpu {

/// Columns come in groups of so many.
inline constexpr std::int64_t column_group = 24;
/// Sites whose terms meet before they are added to a sample's sums.
inline constexpr std::int64_t term_sites = 64;

/// A standardized site: z of the commoner homozygote, which most samples have, and what the others
/// have more.
struct SiteTerms {
  double common = 0;
  double rare = 0;  ///< of the other homozygote
  double heterozygous = 0;
  double missing = 0;
  bool rare_is_a1 = true;
  bool varies = false;
};

/// Groups of columns: group g of a row is at (g * rows + row) * column_group.
struct ColumnGroups {
  double* data;
  std::int64_t rows;
  std::int64_t groups;
  double* at(std::int64_t group, std::int64_t row) const {
    return data + (group * rows + row) * column_group;
  }
};

struct CodeTerms {
  const SiteBlock& codes;
  const SiteTerms* terms;
};

/// The same sums by the instructions of every processor.
struct GrmProductKernels {
  /// products(site) = sum over samples of z x(sample), for these sites; `totals` has one row, the
  /// sum of all rows of x. Sums run over the samples one by one.
  void (*site_sums)(const CodeTerms& block,
                    Range sites,
                    const ColumnGroups& x,
                    const ColumnGroups& totals,
                    const ColumnGroups& products);
  /// sums(sample) += z products(site), for these samples, 64 sites at a time.
  void (*sample_sums)(const CodeTerms& block,
                      Range samples,
                      const ColumnGroups& products,
                      const ColumnGroups& sums);
};
const GrmProductKernels& grm_product_kernels();

}  // namespace yupana::genotype::cpu
