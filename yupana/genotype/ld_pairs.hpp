#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/genotype/ld_prune.hpp"

namespace yupana::genotype {

/// PLINK's tolerance on thresholds.
inline constexpr double ld_tolerance = 0x1p-44;

/// Which of the sites before a site are correlated with it, as far as they may share a window.
struct LdNear {
  std::shared_ptr<const Array<std::uint32_t>> words;  ///< null where nobody looked
  std::int64_t begin = 0;                             ///< its first word
  std::int64_t first = 0;  ///< index in the chromosome of the site of its first bit

  bool has(std::int64_t site) const {
    return ((*words)[begin + (site - first) / 32] >> ((site - first) % 32) & 1) != 0;
  }
};

namespace cuda {

/// Correlations on the context's GPUs, with the sums and comparisons of the CPU. Only CUDA builds
/// define it.
class LdPairs {
 public:
  virtual ~LdPairs() = default;
  /// Bytes of a site's codes: those of the founders, then missing ones.
  virtual std::int64_t stride() const = 0;
  virtual void begin_chromosome() = 0;
  /// Of the chromosome's next sites; `complete`: no call of a founder is missing.
  ///   errors: out_of_resources where the sites of a window do not fit --gpu-memory
  virtual std::vector<LdNear> add(const Array<std::uint8_t>& codes,
                                  const std::vector<std::int64_t>& positions,
                                  bool complete) = 0;
};
std::unique_ptr<LdPairs> ld_pairs(Context& context,
                                  const LdPruneParams& params,
                                  std::int64_t founders);

}  // namespace cuda
}  // namespace yupana::genotype
