#include "yupana/genotype/grm.hpp"

#include <cmath>
#include <cstring>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/grm_backends.hpp"
#include "yupana/genotype/grm_dosages.hpp"
#include "yupana/genotype/grm_words.hpp"

namespace yupana::genotype {

GrmSite grm_site(const SiteCounts& counts, Standardize standardize) {
  const std::int64_t minor = counts.minor_alleles(), calls = counts.called();
  GrmSite site;
  site.fold = 2 * counts.homozygous_a1 + counts.heterozygous > calls;
  if (minor == 0) return site;
  const double alleles = 2.0 * static_cast<double>(calls), copies = static_cast<double>(minor);
  const double mean = 2 * copies / alleles;
  const double variance = standardize == Standardize::gcta
                              ? mean * (1 - copies / alleles)
                              : (1 + copies) * (1 + alleles - copies) / std::pow(2 + alleles, 2);
  const double weight = std::ldexp(static_cast<float>(1 / variance), weight_bits);
  const auto units = [](double value) { return static_cast<std::int64_t>(std::nearbyint(value)); };
  site.weight = units(weight);
  site.constant = units(weight * mean * mean);
  for (const auto& [code, x] :
       {std::pair{homozygous_a1, 2.0}, {heterozygous, 1.0}, {homozygous_a2, 0.0}}) {
    site.own[code] = units(weight * x * (x - 2 * mean));
    site.correction[code] = static_cast<std::int32_t>(units(weight * mean * (x - mean)));
  }
  // Added twice where both calls are missing: takes the constant off.
  site.correction[missing_call] = static_cast<std::int32_t>(units(-0.5 * weight * mean * mean));
  return site;
}

void copy_calls(const SiteBlock& from,
                std::int64_t site,
                std::span<const std::int64_t> kept,
                std::uint8_t* to) {
  const std::int64_t bytes = SiteBlock(std::ssize(kept), 0).stride;
  if (std::ssize(kept) == from.samples) {
    std::memcpy(to, from.row(site), static_cast<std::size_t>(bytes));
    return;
  }
  std::memset(to, 0, static_cast<std::size_t>(bytes));
  for (std::int64_t i = 0; i < std::ssize(kept); ++i) {
    const int code = from.at(site, kept[static_cast<std::size_t>(i)]) << (2 * (i % 4));
    to[i / 4] = static_cast<std::uint8_t>(to[i / 4] | code);
  }
}

namespace {

/// Exchanges the homozygotes of a row.
void fold(std::uint8_t* row, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, row + i, 8);
    const std::uint64_t homozygous = ~(word ^ word >> 1) & 0x5555555555555555;
    word ^= homozygous * 3;  // both bits of a code that has them equal
    std::memcpy(row + i, &word, 8);
  }
}

GrmBlock make_block(Context& context,
                    const CallBlock& calls,
                    std::span<const SiteCounts> counts,
                    Standardize standardize,
                    std::int64_t& constant,
                    std::int64_t& bound) {
  const std::int64_t sites = calls.codes.sites;
  GrmBlock block;
  block.complete = calls.complete;
  block.codes = SiteBlock(std::ssize(calls.samples), sites + 1);
  block.codes.sites = sites + 1;
  block.weights = Array<std::int64_t>(sites);
  // Vectors of eight and sixteen numbers are read where a table has four.
  block.own_terms = Array<std::int64_t>::zeros(4 * sites + 4);
  block.corrections = Array<std::int32_t>::zeros(4 * sites + 12);
  std::vector<std::int64_t> constants(static_cast<std::size_t>(sites));
  context.parallel_for(sites, 64, [&](std::int64_t k) {
    context.check_cancelled();
    const GrmSite site = grm_site(counts[static_cast<std::size_t>(k)], standardize);
    copy_calls(calls.codes, k, calls.samples, block.codes.row(k));
    if (site.fold) fold(block.codes.row(k), block.codes.stride);
    block.weights[k] = site.weight;
    constants[static_cast<std::size_t>(k)] = site.constant;
    for (std::int64_t code = 0; code < 4; ++code) {
      block.own_terms[4 * k + code] = site.own[code];
      block.corrections[4 * k + code] = site.correction[code];
    }
  });
  std::memset(block.codes.row(sites), 0x55, static_cast<std::size_t>(block.codes.stride));
  for (const std::int64_t value : constants) constant += value;
  for (const std::int64_t weight : block.weights) bound += weight;
  return block;
}

}  // namespace

std::int64_t Grm::shared(std::int64_t i, std::int64_t j) const {
  const auto of = [&](std::int64_t k) { return missing[static_cast<std::size_t>(k)]; };
  if (i == j) return sites - of(i);
  return sites - of(i) - of(j) + (missing_both.empty() ? 0 : missing_both[cell(i, j)]);
}

double Grm::at(std::int64_t i, std::int64_t j) const {
  const std::int64_t count = shared(i, j);
  if (count == 0) return std::numeric_limits<double>::quiet_NaN();
  if (!products.empty()) return products[cell(i, j)] / static_cast<double>(count);
  const std::int64_t sum = sums[cell(i, j)] + own_sums[static_cast<std::size_t>(i)] +
                           own_sums[static_cast<std::size_t>(j)] + 2 * constant;
  constexpr double unit = 1.0 / (std::int64_t{1} << fraction_bits);
  return static_cast<double>(sum) * unit / static_cast<double>(count);
}

GrmCounter::GrmCounter(Context& context, std::int64_t samples, const GrmParams& params)
    : context_(context), standardize_(params.standardize) {
  grm_.samples = samples;
  grm_.rows = params.rows.end == 0 ? Range{0, samples} : params.rows;
  const std::int64_t cells = grm_.cell(grm_.rows.end, 0);
  if (params.dosage) {
    grm_.products = Array<double>::zeros(cells);
  } else {
    grm_.sums = Array<std::int64_t>::zeros(cells);
  }
  grm_.own_sums.resize(static_cast<std::size_t>(samples));
  grm_.missing.resize(static_cast<std::size_t>(samples));
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda && params.gpu && !params.dosage && samples > 0) {
    device_ = cuda::device_grm(context, samples, grm_.rows);
  }
#endif
}

Grm GrmCounter::take() {
#ifdef YUPANA_CUDA
  if (device_) device_->collect(grm_);
#endif
  device_ = nullptr;
  return std::move(grm_);
}

GrmRoom GrmCounter::room([[maybe_unused]] const Context& context,
                         [[maybe_unused]] std::int64_t samples) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) {
    return cuda::room_of_grm(context.gpu_memory(), std::ssize(context.devices()), samples);
  }
#endif
  return {};
}

std::uint64_t GrmCounter::least_gpu_memory([[maybe_unused]] const Context& context,
                                           [[maybe_unused]] std::int64_t samples) {
  std::uint64_t memory = 0;
#ifdef YUPANA_CUDA
  const auto devices = std::ssize(context.devices());
  for (std::uint64_t bit = std::uint64_t{1} << 46; bit > 0; bit /= 2) {
    const GrmRoom room = cuda::room_of_grm(memory + bit, devices, samples);
    if (room.cells < samples || room.block_sites < 1) memory += bit;
  }
#endif
  return memory + 1;
}

std::uint64_t GrmCounter::bytes(std::int64_t samples, std::int64_t sites) {
  const std::int64_t planes =
      sites < 0 ? slab_sites : std::min(slab_sites, round_up(sites, chunk_sites));
  return static_cast<std::uint64_t>(samples * planes / 4 + 32 * samples);
}

void GrmCounter::add(const CallBlock& calls, Stage* stage) {
  if (std::ssize(calls.samples) != grm_.samples) {
    throw usage_error("expected blocks of {} samples, got {}", grm_.samples, calls.samples.size());
  }
  if (!grm_.products.empty()) return add_dosages(context_, calls, standardize_, grm_, stage);
  std::vector<SiteCounts> counts(static_cast<std::size_t>(calls.codes.sites));
  const SampleMask mask(calls.codes.samples, calls.samples);
  site_counts(context_.backend(), calls.codes, mask, counts);
  const GrmBlock block = make_block(context_, calls, counts, standardize_, grm_.constant, bound_);
  // A sum is below 16 weights a site: x^2 twice, (x - x')^2 and the constant.
  if (bound_ > std::int64_t{1} << 58) {
    throw resource_error(
        "expected weights of sites that sum to less than 2^36, got more: many sites are very rare; "
        "leave them out with --maf");
  }
  grm_.sites += calls.codes.sites;
  if (!block.complete && grm_.missing_both.empty()) {
    grm_.missing_both = Array<std::uint32_t>::zeros(grm_.sums.size());
  }
  bool added = false;
#ifdef YUPANA_CUDA
  if (device_) {
    device_->add(block);
    added = true;
  }
#endif
  if (!added && context_.backend() == Backend::cpu) {
    return cpu::add_block(context_, block, grm_, stage);
  }
  if (!added) reference::add_block(block, grm_);
  const Range rows = grm_.rows;
  const auto pairs = static_cast<double>(triangle_cells(rows.end) - triangle_cells(rows.begin));
  if (stage != nullptr) stage->advance(pairs * static_cast<double>(block.sites()));
}

}  // namespace yupana::genotype
