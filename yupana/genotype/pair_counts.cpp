#include "yupana/genotype/pair_counts.hpp"

#include <algorithm>
#include <limits>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/pair_counts_backends.hpp"
#include "yupana/genotype/transpose.hpp"

namespace yupana::genotype {
namespace {

/// Sites of a block whose buffers are as large as any's.
constexpr std::int64_t largest_block = std::int64_t{1} << 22;
constexpr std::uint64_t low_limit = std::numeric_limits<std::uint32_t>::max();

std::int64_t cells_of(Range rows) { return triangle_cells(rows.end) - triangle_cells(rows.begin); }

void widen(PairCounts& counts) {
  CountTriangle* const all[] = {
      &counts.ibs1, &counts.ibs0, &counts.shared, &counts.hethet, &counts.het};
  for (CountTriangle* triangle : all) {
    if (!triangle->empty() && triangle->high() == nullptr) triangle->widen();
  }
}

}  // namespace

void store_shared(PairCounts& counts, bool hethet) {
  CountTriangle shared(counts.rows), both, row;
  if (hethet) {
    both = CountTriangle(counts.rows);
    row = CountTriangle(counts.rows);
  }
  if (counts.ibs1.high() != nullptr) {
    shared.widen();
    if (hethet) both.widen(), row.widen();
  }
  for (std::int64_t i = counts.rows.begin; i < counts.rows.end && counts.sites > 0; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      const std::int64_t cell = shared.offset(i) + j;
      add_to(shared, cell, counts.shared_at(i, j));
      if (!hethet) continue;
      add_to(both, cell, counts.hethet_at(i, j));
      add_to(row, cell, counts.het_at(i, j));
    }
  }
  counts.shared = std::move(shared);
  counts.hethet = std::move(both);
  counts.het = std::move(row);
}

CountTriangle::CountTriangle(Range rows)
    : rows_(rows), low_(Array<std::uint32_t>::zeros(cells_of(rows))) {}

void CountTriangle::widen() { high_ = Array<std::uint32_t>::zeros(low_.size()); }

PairCounts empty_counts(std::int64_t samples, Range rows) {
  if (rows.begin == 0 && rows.end == 0) rows.end = samples;
  if (samples < 0 || rows.begin < 0 || rows.begin > rows.end || rows.end > samples) {
    throw usage_error(
        "pair_counts: expected rows within [0, {}), got [{}, {})", samples, rows.begin, rows.end);
  }
  PairCounts counts;
  counts.samples = samples;
  counts.rows = rows;
  counts.ibs1 = CountTriangle(rows);
  counts.ibs0 = CountTriangle(rows);
  for (auto* totals : {&counts.called, &counts.heterozygous, &counts.homozygous}) {
    totals->resize(static_cast<std::size_t>(samples));
  }
  return counts;
}

PairCounter::PairCounter(Context& context, std::int64_t samples, const PairCountsParams& params)
    : context_(context),
      hethet_(params.hethet),
      counts_(empty_counts(samples, params.rows)),
      threads_(params.threads) {
  if (threads_ == 0) {
    const std::uint64_t each =
        thread_bytes(context, counts_.rows, largest_block, true, params.hethet);
    threads_ = threads_within(context, context.memory() / 8, each);
  }
  if (context.backend() != Backend::cuda) return;
#ifdef YUPANA_CUDA
  if (samples > 0) device_ = cuda::device_counts(context, samples, counts_.rows, params.hethet);
#endif
}

std::uint64_t PairCounter::bytes(Range rows, bool with_shared, bool with_hethet) {
  const int triangles = with_shared ? (with_hethet ? 5 : 3) : 2;
  return static_cast<std::uint64_t>(triangles) * sizeof(std::uint32_t) *
         static_cast<std::uint64_t>(cells_of(rows));
}

std::uint64_t PairCounter::thread_bytes(
    const Context& context, Range rows, std::int64_t sites, bool with_shared, bool with_hethet) {
  if (context.backend() != Backend::cpu) return 0;
  return cpu::thread_bytes(context, rows, sites, with_shared, with_shared && with_hethet);
}

int PairCounter::threads_within(const Context& context,
                                std::uint64_t bytes,
                                std::uint64_t of_thread) {
  const std::uint64_t more = bytes / std::max<std::uint64_t>(1, of_thread);
  const auto all = static_cast<std::uint64_t>(context.threads());
  return static_cast<int>(std::min(all, 2 + std::min(all, more)));
}

std::uint64_t PairCounter::gpu_bytes(
    const Context& context, std::int64_t samples, Range rows, bool with_shared, bool hethet) {
#ifdef YUPANA_CUDA
  return cuda::device_bytes(context, samples, rows, with_shared, hethet);
#else
  (void)context, (void)samples, (void)rows, (void)with_shared, (void)hethet;
  return 0;
#endif
}

void PairCounter::check_samples(std::int64_t samples) const {
  if (samples == counts_.samples) return;
  throw usage_error(
      "pair_counts: expected a block of {} samples, got {}", counts_.samples, samples);
}

/// Gives the host triangles what `sites` more sites need.
void PairCounter::make_room(std::int64_t sites, bool with_missing) {
  // No total passes the number of sites, so 32 bits do until that does.
  if (static_cast<std::uint64_t>(counts_.sites + sites) > low_limit) widen(counts_);
  if (with_missing && counts_.shared.empty()) store_shared(counts_, hethet_);
}

void PairCounter::add(const PlaneBlock& block, Stage* stage) {
  check_samples(block.samples);
  if (block.sites == 0 || block.samples == 0) return;
  if (device_ != nullptr) {
    if (device_->room() < block.sites) fetch();
    device_->add(block);
    queued_ += block.sites;
    if (stage != nullptr) stage->advance(pairs() * static_cast<double>(block.sites));
    return;
  }
  make_room(block.sites, block.planes == 3);
  if (context_.backend() == Backend::reference) {
    reference::add_pairs(block, counts_);
    if (stage != nullptr) stage->advance(pairs() * static_cast<double>(block.sites));
  } else {
    cpu::add_pairs(context_, block, counts_, threads_, stage);
  }
  counts_.sites += block.sites;
}

void PairCounter::add(const CallBlock& block, Stage* stage) {
  check_samples(std::ssize(block.samples));
  const std::int64_t sites = block.codes.sites;
  if (sites == 0 || block.samples.empty()) return;
  if (device_ != nullptr) {
    if (device_->room() < sites) fetch();
    device_->add(block);
    queued_ += sites;
    if (stage != nullptr) stage->advance(pairs() * static_cast<double>(sites));
    return;
  }
  auto all = first_integers<std::int64_t>(sites);
  transpose(context_, block.codes, block.samples, all, block.complete ? 2 : 3, planes_);
  add(planes_, stage);
}

/// Pairs of the rows, without the diagonal.
double PairCounter::pairs() const {
  return static_cast<double>(cells_of(counts_.rows) - counts_.rows.size());
}

/// Brings what the devices have counted to the host.
void PairCounter::fetch() {
  if (device_ == nullptr || queued_ == 0) return;
  make_room(queued_, device_->any_missing());
  device_->collect(counts_);
  counts_.sites += std::exchange(queued_, 0);
}

const PairCounts& PairCounter::counts() {
  fetch();
  return counts_;
}

PairCounts PairCounter::take() {
  fetch();
  return std::move(counts_);
}

PairCounts pair_counts(Context& context, Cohort& cohort, const PairCountsParams& params) {
  // Long blocks amortise the sweep over the counts, short ones keep the planes small: 65,536 sites
  // are 16 KiB a sample and plane pair.
  constexpr std::int64_t block_sites = 65536;
  const auto samples = static_cast<std::int64_t>(cohort.samples().size());
  PairCounter counter(context, samples, params);
  const Range rows = counter.rows();
  const auto pairs = static_cast<double>(cells_of(rows));
  const double sites = cohort.sites() < 0 ? 0 : static_cast<double>(cohort.sites());
  Stage stage(context, "distances", pairs * sites, "pair-SNP");
  CallBlock block;
  while (cohort.read(block, block_sites)) counter.add(block, &stage);
  return counter.take();
}

namespace {

void add_vectors(Comm& comm, std::vector<std::uint64_t>& values) {
  comm.sum(values.data(), std::ssize(values));
}

/// Sums of one triangle over all ranks; this rank's share of the rows.
CountTriangle sum_triangle(Comm& comm,
                           CountTriangle& counts,
                           const std::vector<std::int64_t>& cells,
                           Range mine,
                           bool wide) {
  CountTriangle sum(mine);
  if (!wide) {
    comm.sum_scatter(counts.low(), cells, sum.low());
    counts = {};
    return sum;
  }
  const std::int64_t all = counts.low_words().size();
  Array<std::uint64_t> whole(all), share(cells_of(mine));
  const std::uint32_t* const high = counts.high();
  for (std::int64_t i = 0; i < all; ++i) {
    whole[i] = counts.low()[i] | (high == nullptr ? 0 : std::uint64_t{high[i]} << 32);
  }
  counts = {};
  comm.sum_scatter(whole.data(), cells, share.data());
  sum.widen();
  for (std::int64_t i = 0; i < share.size(); ++i) {
    sum.low()[i] = static_cast<std::uint32_t>(share[i]);
    sum.high()[i] = static_cast<std::uint32_t>(share[i] >> 32);
  }
  return sum;
}

}  // namespace

std::vector<Range> triangle_shares(Range rows, int parts) {
  std::vector<Range> shares;
  const std::int64_t cells = cells_of(rows);
  std::int64_t end = rows.begin;
  for (int part = 1; part <= parts; ++part) {
    // Up to the row at which the cells before it come nearest to their part: no share drifts.
    const std::int64_t before = cells * part / parts;
    const std::int64_t begin = end;
    while (end < rows.end && cells_of({rows.begin, end}) + end / 2 < before) ++end;
    shares.push_back({begin, part == parts ? rows.end : end});
  }
  return shares;
}

PairCounts sum_over_ranks(Comm& comm,
                          PairCounts counts,
                          bool hethet,
                          const std::vector<Range>& shares) {
  if (comm.size() == 1) return counts;
  std::uint64_t facts[2] = {static_cast<std::uint64_t>(counts.sites), !counts.shared.empty()};
  comm.sum(facts, 2);
  if (facts[1] > 0 && counts.shared.empty()) store_shared(counts, hethet);
  const bool wide = facts[0] > std::numeric_limits<std::uint32_t>::max();
  const Range mine = shares[static_cast<std::size_t>(comm.rank())];
  std::vector<std::int64_t> cells;
  for (const Range rows : shares) cells.push_back(cells_of(rows));

  PairCounts sum;
  sum.samples = counts.samples;
  sum.sites = static_cast<std::int64_t>(facts[0]);
  sum.rows = mine;
  sum.ibs1 = sum_triangle(comm, counts.ibs1, cells, mine, wide);
  sum.ibs0 = sum_triangle(comm, counts.ibs0, cells, mine, wide);
  if (facts[1] > 0) {
    sum.shared = sum_triangle(comm, counts.shared, cells, mine, wide);
    if (hethet) {
      sum.hethet = sum_triangle(comm, counts.hethet, cells, mine, wide);
      sum.het = sum_triangle(comm, counts.het, cells, mine, wide);
    }
  }
  sum.called = std::move(counts.called);
  sum.heterozygous = std::move(counts.heterozygous);
  sum.homozygous = std::move(counts.homozygous);
  add_vectors(comm, sum.called);
  add_vectors(comm, sum.heterozygous);
  add_vectors(comm, sum.homozygous);
  return sum;
}

DeviceDistances device_distances(Context&, PairCounter& counter) {
  const bool whole = counter.rows().begin == 0 && counter.rows().end == counter.samples();
  cuda::DeviceCounts* const counts = counter.device_counts();
  return whole && counts != nullptr ? counts->squared_distances() : DeviceDistances{};
}

}  // namespace yupana::genotype
