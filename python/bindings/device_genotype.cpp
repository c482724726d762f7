// Genotypes in the memory of a GPU.
#ifdef YUPANA_CUDA
#include <algorithm>
#include <vector>

#include "python/bindings/device_planes.hpp"
#include "python/bindings/device_views.hpp"
#include "python/bindings/genotype.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/dosages.hpp"
#include "yupana/genotype/pair_counts_backends.hpp"
#include "yupana/genotype/pair_sums.hpp"

namespace yupana::python {
namespace {

using genotype::PairCounts;
using genotype::cuda::DevicePlanes;
using genotype::cuda::PairSums;
using genotype::cuda::PlaneKind;

/// Whether some call is missing. Throws for what no genotype is.
bool checked(const device::Genotypes& genotypes) {
  const device::GenotypesSummary summary = device::summarize_genotypes(genotypes);
  if (summary.bad != ~0ull) {
    const auto at = static_cast<std::int64_t>(summary.bad);
    throw input_error(
        "genotypes: expected 0, 1, 2 or, missing, a negative number; row {}, column {} is none of "
        "them (from 1)",
        at / genotypes.sites + 1,
        at % genotypes.sites + 1);
  }
  if (genotypes.sites > PairSums::most_sites) {
    throw input_error("genotypes: expected at most {} sites of an array on a GPU, got {}",
                      PairSums::most_sites,
                      genotypes.sites);
  }
  return summary.missing != 0;
}

PairCounts no_counts(std::int64_t samples) {
  PairCounts counts;
  counts.samples = samples;
  counts.rows = {0, samples};
  counts.ibs1 = genotype::CountTriangle(counts.rows);
  counts.ibs0 = genotype::CountTriangle(counts.rows);
  for (auto* totals : {&counts.called, &counts.heterozygous, &counts.homozygous}) {
    totals->resize(static_cast<std::size_t>(samples));
  }
  return counts;
}

/// Sites whose planes take about 256 MiB.
std::int64_t sites_at_once(std::int64_t samples, PlaneKind kind) {
  const std::int64_t row = round_up(samples, genotype::cuda::product_edge);
  const std::int64_t step = row * genotype::cuda::product_bytes * genotype::cuda::planes_of(kind);
  return genotype::cuda::product_sites *
         std::clamp<std::int64_t>((std::int64_t{256} << 20) / step, 1, 4096);
}

PairCounts counted(Context& context, int device, const device::Genotypes& genotypes, bool hethet) {
  const bool missing = checked(genotypes);
  PairCounts counts = no_counts(genotypes.samples);
  if (missing) genotype::store_shared(counts, hethet);
  if (genotypes.samples == 0 || genotypes.sites == 0) return counts;
  const PlaneKind kind = missing ? PlaneKind::pairwise : PlaneKind::complete;
  PairSums sums(device, {genotypes.samples, counts.rows, hethet, context.gpu_memory()});
  genotype::cuda::PlaneMemory memory;
  const auto samples = static_cast<double>(genotypes.samples);
  const double pairs = samples * (samples - 1) / 2;
  Stage stage(context, "count pairs", pairs * static_cast<double>(genotypes.sites), "pair-SNP");
  const std::int64_t piece = sites_at_once(genotypes.samples, kind);
  for (std::int64_t first = 0; first < genotypes.sites; first += piece) {
    const std::int64_t sites = std::min(piece, genotypes.sites - first);
    const DevicePlanes planes = memory.shape(genotypes.samples, sites, kind);
    device::planes_from_calls(genotypes, first, sites, kind, planes, sums.stream());
    sums.add(planes, kind, sites);
    sums.wait();
    stage.advance(pairs * static_cast<double>(sites));
  }
  sums.move_to(context, counts);
  counts.sites = genotypes.sites;
  return counts;
}

}  // namespace

void bind_device_genotype(nb::module_& m) {
  m.def(
      "pair_counts",
      [](const Options& options, DeviceRows<std::int8_t> calls, bool hethet) {
        const auto samples = static_cast<std::int64_t>(calls.shape(0));
        const auto sites = static_cast<std::int64_t>(calls.shape(1));
        const genotype::DosageSource named({.samples = samples}, {});
        Counted result{call_on_device(options,
                                      calls.device_id(),
                                      [&](Context& context) {
                                        return counted(context,
                                                       calls.device_id(),
                                                       {calls.data(), samples, sites},
                                                       hethet);
                                      }),
                       named.samples(),
                       {}};
        summarize(result);
        return result;
      },
      nb::arg("options"),
      taken("calls"),
      nb::arg("hethet"));
}

}  // namespace yupana::python

#endif
