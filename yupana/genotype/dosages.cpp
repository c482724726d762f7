#include "yupana/genotype/dosages.hpp"

#include <algorithm>
#include <unordered_set>

#include "yupana/core/cuda/place.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/genotype/dosages_backends.hpp"
#include "yupana/genotype/pair_counts_backends.hpp"
#include "yupana/genotype/site_names.hpp"

namespace yupana::genotype {
namespace {

[[noreturn]] void refuse(const Dosages& dosages, Range sites) {
  for (std::int64_t i = 0; i < dosages.samples; ++i) {
    for (std::int64_t k = sites.begin; k < sites.end; ++k) {
      if (dosages.at(i, k) <= 2) continue;
      throw bad_genotype(i, k, dosages.at(i, k));
    }
  }
  throw input_error("genotypes: the array changed while it was read");
}

bool fill(
    Context& context, const Dosages& dosages, Range sites, PlaneBlock& planes, bool& missing) {
  if (context.backend() == Backend::reference) {
    return reference::fill_planes(dosages, sites, planes, missing);
  }
  return cpu::fill_planes(context, dosages, sites, planes, missing);
}

void shape(const Dosages& dosages, Range sites, int planes, PlaneBlock& result) {
  if (result.samples == dosages.samples && result.sites == sites.size() &&
      result.planes == planes) {
    return;
  }
  result = PlaneBlock(dosages.samples, sites.size(), planes);
}

/// Sites whose codes are written side by side, so that a cache line of the array is read once.
constexpr std::int64_t tile_sites = 64;

/// Two planes of a block: what a block costs to begin with is hidden, and memory small.
constexpr std::int64_t block_bytes = std::int64_t{64} << 20;

}  // namespace

Error bad_genotype(std::int64_t row, std::int64_t column, int value) {
  return input_error(
      "genotypes: expected 0, 1, 2 or, missing, a negative number; row {}, column {} is {} (from "
      "1)",
      row + 1,
      column + 1,
      value);
}

void planes_of(Context& context, const Dosages& dosages, Range sites, PlaneBlock& result) {
  bool missing = false;
  shape(dosages, sites, result.planes, result);
  if (!fill(context, dosages, sites, result, missing)) refuse(dosages, sites);
  if (!missing || result.planes == 3) return;
  shape(dosages, sites, 3, result);
  if (!fill(context, dosages, sites, result, missing)) refuse(dosages, sites);
}

PairCounts pair_counts(Context& context, const Dosages& dosages, const PairCountsParams& params) {
  if (dosages.samples < 1) throw input_error("genotypes: expected at least one sample, got none");
#ifdef YUPANA_CUDA
  const int device = yupana::cuda::device_of(context, dosages.data);
  if (device >= 0) {
    PairCounts counts = empty_counts(dosages.samples, params.rows);
    cuda::add_pairs(context, device, dosages, params.hethet, counts);
    return counts;
  }
#endif
  PairCounter counter(context, dosages.samples, params);
  const double samples = static_cast<double>(dosages.samples);
  const double pairs = samples * (samples - 1) / 2;
  Stage stage(context, "pair counts", pairs * static_cast<double>(dosages.sites), "pair-SNP");
  const std::int64_t sites =
      round_up(std::clamp<std::int64_t>(
                   4 * block_bytes / dosages.samples, chunk_sites, std::int64_t{1} << 20),
               chunk_sites);
  PlaneBlock planes;
  for (std::int64_t begin = 0; begin < dosages.sites; begin += sites) {
    planes_of(context, dosages, {begin, std::min(begin + sites, dosages.sites)}, planes);
    counter.add(planes, &stage);
  }
  return counter.take();
}

DosageSource::DosageSource(const Dosages& dosages, std::vector<std::string> names)
    : dosages_(dosages), names_(std::move(names)) {
  if (names_.empty()) {
    for (std::int64_t i = 1; i <= dosages.samples; ++i) names_.push_back(std::to_string(i));
  }
  if (std::ssize(names_) != dosages.samples) {
    throw input_error(
        "samples: expected {} names, one for each row, got {}", dosages.samples, names_.size());
  }
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names_) {
    if (seen.insert(name).second) continue;
    throw input_error("samples: expected different names, got '{}' twice", name);
  }
}

bool DosageSource::read(SiteBlock& block) {
  block.sites = std::min(block.capacity, dosages_.sites - next_);
  for (std::int64_t first = 0; first < block.sites; first += tile_sites) {
    const std::int64_t end = std::min(first + tile_sites, block.sites);
    std::fill(block.row(first), block.row(first) + (end - first) * block.stride, std::uint8_t{0});
    for (std::int64_t i = 0; i < dosages_.samples; ++i) {
      for (std::int64_t k = first; k < end; ++k) {
        const std::int8_t x = dosages_.at(i, next_ + k);
        if (x > 2) refuse(dosages_, {next_ + first, next_ + end});
        static constexpr Code codes[] = {missing_call, homozygous_a2, heterozygous, homozygous_a1};
        const int code = codes[std::max<int>(x, -1) + 1] << (2 * (i % 4));
        block.row(k)[i / 4] = static_cast<std::uint8_t>(block.row(k)[i / 4] | code);
      }
    }
  }
  block.names.clear();
  for (std::int64_t k = 0; named_ && k < block.sites; ++k) {
    block.names.push_back(numbered_column(next_ + k));
  }
  next_ += block.sites;
  account_.read = account_.kept = next_;
  return block.sites > 0;
}

void DosageSource::rewind() {
  next_ = 0;
  account_ = {};
}

}  // namespace yupana::genotype
