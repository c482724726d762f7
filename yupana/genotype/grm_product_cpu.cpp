// Compiled without contraction: sums have the same bits on every target.
#include <algorithm>
#include <bit>
#include <cstring>

#include "yupana/genotype/grm_product_backends.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/genotype/grm_product_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yupana::genotype::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
constexpr std::int64_t lanes = hn::MaxLanes(Doubles());
constexpr std::int64_t vectors = column_group / lanes;
constexpr std::int64_t word_samples = 64;
/// Samples whose columns stay in the first-level cache while sites pass by.
constexpr std::int64_t piece_samples = 128;

/// A row of a group of columns.
struct Row {
  hn::Vec<Doubles> v[vectors];

  static HWY_INLINE Row load(const double* from) {
    Row row;
    for (std::int64_t k = 0; k < vectors; ++k) row.v[k] = hn::LoadU(Doubles(), from + k * lanes);
    return row;
  }
  HWY_INLINE void store(double* to) const {
    for (std::int64_t k = 0; k < vectors; ++k) hn::StoreU(v[k], Doubles(), to + k * lanes);
  }
  HWY_INLINE void add(const double* from) {
    for (std::int64_t k = 0; k < vectors; ++k) {
      v[k] = hn::Add(v[k], hn::LoadU(Doubles(), from + k * lanes));
    }
  }
  HWY_INLINE void add_to(double* to) const {
    for (std::int64_t k = 0; k < vectors; ++k) {
      hn::StoreU(hn::Add(hn::LoadU(Doubles(), to + k * lanes), v[k]), Doubles(), to + k * lanes);
    }
  }
  HWY_INLINE Row times(double factor) const {
    Row row;
    for (std::int64_t k = 0; k < vectors; ++k) row.v[k] = hn::Mul(v[k], hn::Set(Doubles(), factor));
    return row;
  }
};

/// Of 64 samples those of each class: sample k < 32 at bit 2 k, sample 32 + k at bit 2 k + 1. Loops
/// over the bits of one word are half as many as over those of two, and it is their ends that take
/// the time.
struct Classes {
  std::uint64_t rare = 0;
  std::uint64_t heterozygous = 0;
  std::uint64_t missing = 0;
};

HWY_INLINE Classes classes_of(const CodeTerms& block, std::int64_t site, std::int64_t first) {
  constexpr std::uint64_t even = 0x5555555555555555;
  Classes classes;
  for (int half = 0; half < 2; ++half) {
    const std::int64_t left = block.codes.samples - first - 32 * half;
    if (left <= 0) break;
    const std::uint64_t inside = left >= 32 ? even : even & ((1ull << (2 * left)) - 1);
    std::uint64_t word;
    std::memcpy(&word, block.codes.row(site) + first / 4 + 8 * half, 8);
    const std::uint64_t low = word & even, high = word >> 1 & even;
    const std::uint64_t rare = block.terms[site].rare_is_a1 ? ~(low | high) : low & high;
    classes.rare |= (rare & inside) << half;
    classes.heterozygous |= (high & ~low & inside) << half;
    classes.missing |= (low & ~high & inside) << half;
  }
  return classes;
}

template <class Body>
HWY_INLINE void for_each_sample(std::uint64_t bits, std::int64_t first, const Body& body) {
  for (; bits != 0; bits &= bits - 1) {
    const int bit = std::countr_zero(bits);
    body(first + bit / 2 + bit % 2 * 32);
  }
}

/// Adds the rows of x of a piece of samples, by class, to sums[3][column_group].
void add_classes(const CodeTerms& block,
                 std::int64_t site,
                 Range samples,
                 const ColumnGroups& x,
                 std::int64_t group,
                 double* sums) {
  Row rare = Row::load(sums), heterozygous = Row::load(sums + column_group);
  Row missing = Row::load(sums + 2 * column_group);
  for (std::int64_t first = samples.begin; first < samples.end; first += word_samples) {
    const Classes classes = classes_of(block, site, first);
    const auto add = [&](Row& row) {
      return [&](std::int64_t sample) { row.add(x.at(group, sample)); };
    };
    for_each_sample(classes.rare, first, add(rare));
    for_each_sample(classes.heterozygous, first, add(heterozygous));
    for_each_sample(classes.missing, first, add(missing));
  }
  rare.store(sums);
  heterozygous.store(sums + column_group);
  missing.store(sums + 2 * column_group);
}

void site_sums(const CodeTerms& block,
               Range sites,
               const ColumnGroups& x,
               const ColumnGroups& totals,
               const ColumnGroups& products) {
  alignas(64) double sums[term_sites][3 * column_group];
  for (std::int64_t group = 0; group < x.groups; ++group) {
    std::memset(sums, 0, sizeof(sums));
    for (std::int64_t begin = 0; begin < x.rows; begin += piece_samples) {
      const Range samples = {begin, std::min(begin + piece_samples, x.rows)};
      for (std::int64_t site = sites.begin; site < sites.end; ++site) {
        if (!block.terms[site].varies) continue;
        add_classes(block, site, samples, x, group, sums[site - sites.begin]);
      }
    }
    for (std::int64_t site = sites.begin; site < sites.end; ++site) {
      const SiteTerms& terms = block.terms[site];
      const double* const of_classes = sums[site - sites.begin];
      double* const to = products.at(group, site);
      Row::load(totals.at(group, 0)).times(terms.common).store(to);
      Row::load(of_classes).times(terms.rare).add_to(to);
      Row::load(of_classes + column_group).times(terms.heterozygous).add_to(to);
      Row::load(of_classes + 2 * column_group).times(terms.missing).add_to(to);
    }
  }
}

/// The terms of up to 64 sites.
void add_terms(const CodeTerms& block,
               Range sites,
               Range samples,
               const ColumnGroups& products,
               const ColumnGroups& sums,
               std::int64_t group) {
  alignas(64) double common[column_group] = {};
  for (std::int64_t site = sites.begin; site < sites.end; ++site) {
    Row::load(products.at(group, site)).times(block.terms[site].common).add_to(common);
  }
  const Row of_all = Row::load(common);
  for (std::int64_t i = samples.begin; i < samples.end; ++i) of_all.add_to(sums.at(group, i));
  for (std::int64_t site = sites.begin; site < sites.end; ++site) {
    const SiteTerms& terms = block.terms[site];
    if (!terms.varies) continue;
    const Row product = Row::load(products.at(group, site));
    const Row rare = product.times(terms.rare), heterozygous = product.times(terms.heterozygous);
    const Row missing = product.times(terms.missing);
    for (std::int64_t first = samples.begin; first < samples.end; first += word_samples) {
      const Classes classes = classes_of(block, site, first);
      const auto add = [&](const Row& row) {
        return [&](std::int64_t sample) { row.add_to(sums.at(group, sample)); };
      };
      for_each_sample(classes.rare, first, add(rare));
      for_each_sample(classes.heterozygous, first, add(heterozygous));
      for_each_sample(classes.missing, first, add(missing));
    }
  }
}

void sample_sums(const CodeTerms& block,
                 Range samples,
                 const ColumnGroups& products,
                 const ColumnGroups& sums) {
  for (std::int64_t begin = samples.begin; begin < samples.end; begin += piece_samples) {
    const Range piece = {begin, std::min(begin + piece_samples, samples.end)};
    for (std::int64_t group = 0; group < sums.groups; ++group) {
      for (std::int64_t site = 0; site < block.codes.sites; site += term_sites) {
        const Range sites = {site, std::min(site + term_sites, block.codes.sites)};
        add_terms(block, sites, piece, products, sums, group);
      }
    }
  }
}

const GrmProductKernels* grm_product_table() {
  static constexpr GrmProductKernels all = {&site_sums, &sample_sums};
  return &all;
}

}  // namespace yupana::genotype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::genotype::cpu {

HWY_EXPORT(grm_product_table);

const GrmProductKernels& grm_product_kernels() {
  return *HWY_DYNAMIC_DISPATCH(grm_product_table)();
}

}  // namespace yupana::genotype::cpu
#endif  // HWY_ONCE
