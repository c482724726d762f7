#include "yupana/genotype/transpose.hpp"

#include "yupana/core/messages.hpp"
#include "yupana/genotype/transpose_backends.hpp"

namespace yupana::genotype {
namespace {

void check_indices(std::span<const std::int64_t> indices, std::int64_t count, const char* what) {
  for (const std::int64_t index : indices) {
    if (index < 0 || index >= count) {
      throw usage_error("transpose: expected {} 0 to {}, got {}", what, count - 1, index);
    }
  }
}

/// Gives `result` its shape; keeps its memory if that is large enough.
void shape(PlaneBlock& result, std::int64_t samples, std::int64_t sites, int planes) {
  if (result.samples == samples && result.sites == sites && result.planes == planes) return;
  const std::int64_t chunks = divide_up(sites, chunk_sites);
  const std::int64_t stride = chunks * planes * chunk_bytes;
  if (samples * stride > result.bytes.size()) {
    result = PlaneBlock(samples, sites, planes);
    return;
  }
  result.samples = samples;
  result.sites = sites;
  result.planes = planes;
  result.chunks = chunks;
  result.stride = stride;
}

}  // namespace

void transpose(Context& context,
               const SiteBlock& block,
               std::span<const std::int64_t> samples,
               std::span<const std::int64_t> sites,
               int planes,
               PlaneBlock& result) {
  if (planes != 2 && planes != 3) {
    throw usage_error("transpose: expected 2 or 3 planes, got {}", planes);
  }
  check_indices(samples, block.samples, "samples");
  check_indices(sites, block.sites, "sites");
  shape(result, std::ssize(samples), std::ssize(sites), planes);
  if (samples.empty() || sites.empty()) return;
  if (context.backend() == Backend::reference) {
    reference::transpose(block, samples, sites, result);
  } else {
    // Codes come from files, so they are in host memory: the CUDA backend uploads planes.
    cpu::transpose(context, block, samples, sites, result);
  }
}

}  // namespace yupana::genotype
