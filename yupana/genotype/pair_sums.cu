#include <algorithm>
#include <cstring>

#include "yupana/core/error.hpp"
#include "yupana/genotype/pair_sums.hpp"

namespace yupana::genotype::cuda {
namespace {

using namespace yupana::cuda;

constexpr int pairwise_planes = planes_of(PlaneKind::pairwise);
// A block should hold this many sites: multiplying them takes many times as long as adding the
// squares to their sums.
constexpr std::int64_t least_slot_sites = 64 * product_sites;
constexpr std::int64_t slot_bytes = std::int64_t{64} << 20;

Band band_of(Range rows) {
  return {rows.begin / product_edge * product_edge, round_up(rows.end, product_edge)};
}

std::int64_t codes_stride(std::int64_t samples) { return round_up(divide_up(samples, 4), 64); }

/// Device bytes of one site: its codes in two slots, its planes.
std::int64_t site_bytes(std::int64_t samples) {
  return 2 * codes_stride(samples) + round_up(samples, product_edge) * pairwise_planes / 8;
}

std::int64_t sites_of_slot(std::int64_t samples, std::uint64_t memory) {
  const std::int64_t large = std::max(least_slot_sites, slot_bytes / codes_stride(samples));
  const auto room = static_cast<std::int64_t>(memory / 4) / site_bytes(samples);
  const std::int64_t sites = std::min({large, room, std::int64_t{1} << 22});
  return std::max(round_up(sites, product_sites), product_sites);
}

template <class T>
__global__ void add_kernel(T* to, const T* from, std::int64_t count) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    to[i] += from[i];
  }
}

/// Sums of rows from the diagonal: S = |u| + |v| = 2 |v| + |w|, W = |w|, P = |p|.
__global__ void diagonal_kernel(const SumMatrices m,
                                unsigned long long* complete,
                                unsigned long long* pairwise) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= m.band.end) return;
  const std::int64_t cell = i * (m.band.end + 1), padded = m.padded_samples;
  if (m.s != nullptr) {
    complete[plane_v(PlaneKind::complete) * padded + i] = (m.s[cell] - m.w[cell]) / 2;
    complete[plane_w(PlaneKind::complete) * padded + i] = m.w[cell];
  }
  if (m.p != nullptr) {
    pairwise[i] = m.p[cell];
    pairwise[plane_w(PlaneKind::pairwise) * padded + i] = m.wm[cell];
  }
}

template <class T>
void zero(DeviceArray<T>& array, cudaStream_t stream) {
  if (!array.empty()) check(cudaMemsetAsync(array.data(), 0, array.bytes(), stream), "clear sums");
}

}  // namespace

PairSums::PairSums(int device, const PairSumsParams& params)
    : device_(device),
      samples_(params.samples),
      memory_(params.memory),
      rows_(params.rows),
      hethet_(params.hethet),
      band_(band_of(params.rows)),
      products_(band_, params.method),
      slot_sites_(sites_of_slot(params.samples, params.memory)) {
  const std::int64_t padded = round_up(samples_, product_edge);
  complete_rows_ = DeviceArray<unsigned long long>(planes_of(PlaneKind::complete) * padded);
  pairwise_rows_ = DeviceArray<unsigned long long>(pairwise_planes * padded);
  clear();
}

std::uint64_t PairSums::bytes(Range rows, bool with_missing, bool hethet) {
  // Blocks without a missing call may come between others: both kinds of sums are kept.
  const int matrices = with_missing ? (hethet ? 7 : 6) : 2;
  return static_cast<std::uint64_t>(band_of(rows).cells()) * sizeof(std::uint32_t) *
         static_cast<std::uint64_t>(matrices);
}

std::uint64_t PairSums::block_bytes(std::int64_t samples, std::uint64_t memory) {
  return static_cast<std::uint64_t>(sites_of_slot(samples, memory) * site_bytes(samples));
}

std::uint64_t PairSums::held_bytes() const {
  std::uint64_t bytes = block_bytes(samples_, memory_);
  for (const Sums* sums : {&s_, &w_, &p_, &h_, &z_, &wm_, &wp_}) bytes += sums->bytes();
  return bytes + complete_rows_.bytes() + pairwise_rows_.bytes();
}

std::int64_t PairSums::room() const {
  return most_sites - std::max(complete_sites_, pairwise_sites_) - gathered_;
}

std::uint32_t* PairSums::ready(Sums& sums) {
  if (sums.empty() && band_.cells() > 0) {
    sums = Sums(band_.cells());
    zero(sums, work_);
  }
  return sums.data();
}

void PairSums::clear() {
  for (Sums* sums : {&s_, &w_, &p_, &h_, &z_, &wm_, &wp_}) zero(*sums, work_);
  zero(complete_rows_, work_);
  zero(pairwise_rows_, work_);
  complete_sites_ = pairwise_sites_ = 0;
}

PairSums::Slot& PairSums::next_slot(std::int64_t bytes) {
  Slot& slot = slots_[slot_];
  if (slot.used) slot.copied.wait();
  if (slot.host.size() < bytes) {
    if (slot.used) slot.read.wait();
    slot.host = {};
    slot.codes = {};
    slot.host = PinnedArray<std::uint8_t>(bytes);
    slot.codes = DeviceArray<std::uint8_t>(bytes);
    slot.used = false;
  }
  return slot;
}

/// Copies a slot to the device; work queued afterwards sees it.
void PairSums::send(Slot& slot, const std::uint8_t* from, std::int64_t bytes) {
  if (slot.used) slot.read.hold(copy_);
  check(
      cudaMemcpyAsync(
          slot.codes.data(), from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, copy_),
      "copy genotypes to the GPU");
  slot.copied.record(copy_);
  slot.copied.hold(work_);
  slot.used = true;
  slot_ ^= 1;
}

void PairSums::add(const PlaneBlock& block) {
  const DeviceScope scope(device_);
  flush();
  const std::int64_t bytes = block.samples * block.stride;
  Slot& slot = next_slot(bytes);
  std::memcpy(slot.host.data(), block.bytes.data(), static_cast<std::size_t>(bytes));
  send(slot, slot.host.data(), bytes);
  const PlaneKind kind = block.planes == 3 ? PlaneKind::pairwise : PlaneKind::complete;
  const DevicePlanes planes = planes_.shape(samples_, block.sites, kind);
  planes_from_block(
      slot.codes.data(), block.planes, block.chunks, block.samples, kind, planes, work_);
  slot.read.record(work_);
  multiply(planes, kind, block.sites);
}

void PairSums::add(const CallBlock& block) {
  const DeviceScope scope(device_);
  if (gathered_ > 0 && (stride_ != block.codes.stride || gathered_complete_ != block.complete)) {
    flush();
  }
  if (kept_host_ != block.samples) {
    flush();
    kept_host_ = block.samples;
    std::vector<std::int32_t> kept(kept_host_.begin(), kept_host_.end());
    work_.wait();
    bool all = std::ssize(kept) == block.codes.samples;
    for (std::size_t i = 0; i < kept.size(); ++i) all &= kept[i] == static_cast<std::int32_t>(i);
    kept_ = DeviceArray<std::int32_t>(all ? 0 : std::ssize(kept));
    upload("copy the list of samples", kept_.data(), kept.data(), kept_.size());
  }
  stride_ = block.codes.stride;
  gathered_complete_ = block.complete;
  for (std::int64_t done = 0; done < block.codes.sites;) {
    Slot& slot = next_slot(slot_sites_ * stride_);
    const std::int64_t count = std::min(block.codes.sites - done, slot_sites_ - gathered_);
    std::memcpy(slot.host.data() + gathered_ * stride_,
                block.codes.row(done),
                static_cast<std::size_t>(count * stride_));
    gathered_ += count;
    done += count;
    if (gathered_ == slot_sites_) flush();
  }
}

/// Uploads the gathered sites.
void PairSums::flush() {
  if (gathered_ == 0) return;
  Slot& slot = slots_[slot_];
  send(slot, slot.host.data(), gathered_ * stride_);
  const PlaneKind kind = gathered_complete_ ? PlaneKind::complete : PlaneKind::pairwise;
  const DevicePlanes planes = planes_.shape(samples_, gathered_, kind);
  planes_from_codes(
      slot.codes.data(), stride_, gathered_, kept_.data(), samples_, kind, planes, work_);
  slot.read.record(work_);
  const std::int64_t sites = std::exchange(gathered_, 0);
  multiply(planes, kind, sites);
}

void PairSums::add_pinned(const std::uint8_t* codes,
                          std::int64_t stride,
                          std::int64_t sites,
                          bool complete) {
  const DeviceScope scope(device_);
  flush();
  const PlaneKind kind = complete ? PlaneKind::complete : PlaneKind::pairwise;
  for (std::int64_t done = 0; done < sites; done += slot_sites_) {
    const std::int64_t count = std::min(slot_sites_, sites - done);
    Slot& slot = slots_[slot_];
    if (slot.codes.size() < slot_sites_ * stride) {
      if (slot.used) slot.read.wait();
      slot.codes = {};
      slot.codes = DeviceArray<std::uint8_t>(slot_sites_ * stride);
    }
    send(slot, codes + done * stride, count * stride);
    const DevicePlanes planes = planes_.shape(samples_, count, kind);
    planes_from_codes(slot.codes.data(), stride, count, nullptr, samples_, kind, planes, work_);
    slot.read.record(work_);
    multiply(planes, kind, count);
  }
}

void PairSums::wait() {
  const DeviceScope scope(device_);
  flush();
  work_.wait();
}

void PairSums::add(const DevicePlanes& planes, PlaneKind kind, std::int64_t sites) {
  const DeviceScope scope(device_);
  flush();
  multiply(planes, kind, sites);
}

void PairSums::multiply(const DevicePlanes& planes, PlaneKind kind, std::int64_t sites) {
  Product list[6];
  int count = 0;
  if (kind == PlaneKind::complete) {
    list[count++] = {0, 0, 2, ready(s_)};
    list[count++] = {2, 2, 1, ready(w_)};
    complete_sites_ += sites;
  } else {
    list[count++] = {2, 2, 2, ready(z_)};
    list[count++] = {0, 0, 1, ready(p_)};
    list[count++] = {1, 1, 1, ready(h_)};
    list[count++] = {4, 4, 1, ready(wm_)};
    if (hethet_) list[count++] = {4, 0, 1, ready(wp_)};
    pairwise_sites_ += sites;
  }
  products_.add(planes, {list, static_cast<std::size_t>(count)}, work_);
  sum_rows(planes, kind);
}

/// Set bits of planes whose sums are not on the diagonal of the sums: v of blocks with missing
/// calls, and all of them if the band does not hold every diagonal cell.
void PairSums::sum_rows(const DevicePlanes& planes, PlaneKind kind) {
  const bool on_diagonal = has_whole_diagonal();
  if (kind == PlaneKind::complete) {
    if (!on_diagonal) add_row_sums(planes, 1, 2, complete_rows_.data(), work_);
  } else if (on_diagonal) {
    add_row_sums(planes, plane_v(kind), 1, pairwise_rows_.data(), work_);
  } else {
    add_row_sums(planes, 0, planes.planes, pairwise_rows_.data(), work_);
  }
}

void PairSums::take_from(PairSums& other) {
  {
    const DeviceScope scope(other.device_);
    other.flush();
    other.work_.wait();
  }
  const DeviceScope scope(device_);
  flush();
  constexpr std::int64_t piece = std::int64_t{1} << 26;
  DeviceArray<unsigned char> landing(
      std::min(piece, std::max<std::int64_t>(band_.cells(), pairwise_planes * samples_ * 4)) * 8);
  const auto add = [&](auto* to, auto* from, std::int64_t size) {
    const std::int64_t step = landing.size() / static_cast<std::int64_t>(sizeof(*to));
    for (std::int64_t at = 0; at < size; at += step) {
      const std::int64_t count = std::min(step, size - at);
      auto* const here = reinterpret_cast<decltype(to)>(landing.data());
      check(cudaMemcpyPeerAsync(here,
                                device_,
                                from + at,
                                other.device_,
                                static_cast<std::size_t>(count) * sizeof(*to),
                                work_),
            "copy sums between GPUs");
      add_kernel<<<1024, 256, 0, work_>>>(to + at, here, count);
      check_launch("add sums");
    }
  };
  Sums* mine[] = {&s_, &w_, &p_, &h_, &z_, &wm_, &wp_};
  Sums* theirs[] = {&other.s_, &other.w_, &other.p_, &other.h_, &other.z_, &other.wm_, &other.wp_};
  for (int i = 0; i < 7; ++i) {
    if (!theirs[i]->empty()) add(ready(*mine[i]), theirs[i]->data(), theirs[i]->size());
  }
  add(complete_rows_.data(), other.complete_rows_.data(), complete_rows_.size());
  add(pairwise_rows_.data(), other.pairwise_rows_.data(), pairwise_rows_.size());
  complete_sites_ += other.complete_sites_;
  pairwise_sites_ += other.pairwise_sites_;
  work_.wait();
  const DeviceScope other_scope(other.device_);
  other.clear();
}

SumMatrices PairSums::matrices() {
  const DeviceScope scope(device_);
  flush();
  SumMatrices m;
  if (complete_sites_ > 0) {
    m.s = s_.data();
    m.w = w_.data();
  }
  if (pairwise_sites_ > 0) {
    m.p = p_.data();
    m.h = h_.data();
    m.z = z_.data();
    m.wm = wm_.data();
    m.wp = wp_.data();
  }
  m.complete = complete_rows_.data();
  m.pairwise = pairwise_rows_.data();
  m.complete_sites = static_cast<std::uint32_t>(complete_sites_);
  m.sites = static_cast<std::uint32_t>(complete_sites_ + pairwise_sites_);
  m.padded_samples = round_up(samples_, product_edge);
  m.band = band_;
  if (has_whole_diagonal()) {
    const auto blocks = static_cast<unsigned>(divide_up(band_.end, 256));
    diagonal_kernel<<<blocks, 256, 0, work_>>>(m, complete_rows_.data(), pairwise_rows_.data());
    check_launch("read the diagonal");
  }
  return m;
}

}  // namespace yupana::genotype::cuda
