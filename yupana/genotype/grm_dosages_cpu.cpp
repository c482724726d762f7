#include "yupana/genotype/grm_dosages.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/genotype/grm_dosages_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yupana::genotype::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Sums of four rows and two vectors of columns stay in registers. Products are exact, so that a
/// fused sum rounds as a separate one.
void add_dosage_tile(const double* rows, const double* columns, std::int64_t sites, double* sums) {
  constexpr std::int64_t n = DosageTiles::tile_samples;
  const hn::CappedTag<double, 8> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < n; i += 4) {
    for (std::int64_t j = 0; j < n; j += 2 * lanes) {
      double* const at = sums + i * n + j;
      auto a0 = hn::LoadU(d, at), b0 = hn::LoadU(d, at + lanes);
      auto a1 = hn::LoadU(d, at + n), b1 = hn::LoadU(d, at + n + lanes);
      auto a2 = hn::LoadU(d, at + 2 * n), b2 = hn::LoadU(d, at + 2 * n + lanes);
      auto a3 = hn::LoadU(d, at + 3 * n), b3 = hn::LoadU(d, at + 3 * n + lanes);
      const double* row = rows + i;
      const double* column = columns + j;
      for (std::int64_t s = 0; s < sites; ++s, row += n, column += n) {
        const auto a = hn::LoadU(d, column), b = hn::LoadU(d, column + lanes);
        const auto r0 = hn::Set(d, row[0]), r1 = hn::Set(d, row[1]);
        const auto r2 = hn::Set(d, row[2]), r3 = hn::Set(d, row[3]);
        a0 = hn::MulAdd(r0, a, a0), b0 = hn::MulAdd(r0, b, b0);
        a1 = hn::MulAdd(r1, a, a1), b1 = hn::MulAdd(r1, b, b1);
        a2 = hn::MulAdd(r2, a, a2), b2 = hn::MulAdd(r2, b, b2);
        a3 = hn::MulAdd(r3, a, a3), b3 = hn::MulAdd(r3, b, b3);
      }
      hn::StoreU(a0, d, at), hn::StoreU(b0, d, at + lanes);
      hn::StoreU(a1, d, at + n), hn::StoreU(b1, d, at + n + lanes);
      hn::StoreU(a2, d, at + 2 * n), hn::StoreU(b2, d, at + 2 * n + lanes);
      hn::StoreU(a3, d, at + 3 * n), hn::StoreU(b3, d, at + 3 * n + lanes);
    }
  }
}

}  // namespace yupana::genotype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::genotype::cpu {

HWY_EXPORT(add_dosage_tile);

void add_dosage_tile(const double* rows, const double* columns, std::int64_t sites, double* sums) {
  HWY_DYNAMIC_DISPATCH(add_dosage_tile)(rows, columns, sites, sums);
}

}  // namespace yupana::genotype::cpu
#endif  // HWY_ONCE
