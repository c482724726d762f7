// Relationships on the context's GPUs, with the sums of every other backend. Of weight * (x - x')^2
// the terms of one sample join its own; left are twice the sums of weight * x * x'. A weight is a
// number of 28 bits times a power of 32: sites of one power follow on each other, and products of
// bytes, x with each of four digits times x', give their sums, which are emptied into 64 bits.
#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/genotype/grm_backends.hpp"
#include "yupana/genotype/grm_kernels.hpp"

namespace yupana::genotype::cuda {
namespace {

using namespace yupana::cuda;

/// Sites of one step of products, a byte each.
constexpr std::int64_t step_sites = product_bytes;
/// Of which digits times 4 sum to less than 2^32.
constexpr std::int64_t most_sites = std::int64_t{8} << 20;
constexpr std::int64_t cell_bytes =
    (weight_digits + 1) * std::int64_t{sizeof(std::uint32_t)} + std::int64_t{sizeof(std::int64_t)};
constexpr std::int64_t piece_cell_bytes = sizeof(std::int64_t) + sizeof(std::uint32_t);

Band band_of(Range rows) {
  return {rows.begin / product_edge * product_edge, round_up(rows.end, product_edge)};
}

std::int64_t step_bytes(std::int64_t samples) {
  return (weight_digits + 1) * step_sites * round_up(samples, product_edge);
}

/// Steps whose operands are made at a time: many, since their sums are added to memory each time.
std::int64_t steps_at_once(std::int64_t samples, std::uint64_t memory) {
  const auto bytes = static_cast<std::int64_t>(std::min(memory / 8, std::uint64_t{2} << 30));
  return std::clamp<std::int64_t>(bytes / step_bytes(samples), 1, 1024);
}

/// Cells copied to the host at a time, of a row at least.
std::int64_t piece_cells(std::uint64_t memory, std::int64_t samples) {
  const auto cells = static_cast<std::int64_t>(memory / 16) / piece_cell_bytes;
  return std::max(std::min(cells, std::int64_t{1} << 25), samples);
}

/// Sites in the order of their products; `blank` fills steps up.
struct SiteDigits {
  struct Run {
    int shift = 0;
    Range steps;
  };
  std::vector<std::int32_t> sites;
  std::vector<std::uint32_t> digits;  ///< four of 7 bits, a byte each
  std::vector<Run> runs;
};

SiteDigits site_digits(const GrmBlock& block) {
  constexpr int power = 5, digit_bits = 7, significant_bits = 24;
  std::vector<std::vector<std::int32_t>> of_power;
  for (std::int64_t site = 0; site < block.sites(); ++site) {
    if (block.weights[site] == 0) continue;
    const auto width = std::bit_width(static_cast<std::uint64_t>(block.weights[site]));
    const auto at = static_cast<std::size_t>((width - significant_bits) / power);
    if (at >= of_power.size()) of_power.resize(at + 1);
    of_power[at].push_back(static_cast<std::int32_t>(site));
  }
  SiteDigits result;
  for (std::size_t at = 0; at < of_power.size(); ++at) {
    if (of_power[at].empty()) continue;
    const std::int64_t begin = std::ssize(result.sites) / step_sites;
    const int shift = static_cast<int>(at) * power;
    for (const std::int32_t site : of_power[at]) {
      const std::int64_t weight = block.weights[site] >> shift;
      std::uint32_t digits = 0;
      for (int d = 0; d < weight_digits; ++d) {
        digits |= static_cast<std::uint32_t>(weight >> (digit_bits * d) & 127) << (8 * d);
      }
      result.sites.push_back(site);
      result.digits.push_back(digits);
    }
    const std::int64_t end = divide_up(std::ssize(result.sites), step_sites);
    result.sites.resize(static_cast<std::size_t>(end * step_sites),
                        static_cast<std::int32_t>(block.sites()));
    result.digits.resize(result.sites.size());
    result.runs.push_back({shift, {begin, end}});
  }
  return result;
}

template <class T>
T* uploaded_to(DeviceArray<T>& array, const T* from, std::int64_t size) {
  T* const to = room_of(array, size);
  upload("copy sites to the GPU", to, from, size);
  return to;
}

template <class T>
DeviceArray<T> zeros(std::int64_t size, cudaStream_t stream) {
  DeviceArray<T> array(size);
  if (size > 0) check(cudaMemsetAsync(array.data(), 0, array.bytes(), stream), "clear sums");
  return array;
}

/// A band of rows on one device.
class BandSums {
 public:
  /// The terms of each sample, which are the same in every band, are summed in the first alone.
  BandSums(int device, std::int64_t samples, Range rows, bool first, std::uint64_t memory)
      : device_(device),
        rows_(rows),
        band_(band_of(rows)),
        products_(band_, BitMethod::automatic, Elements::bytes),
        steps_(steps_at_once(samples, memory)),
        piece_(piece_cells(memory, samples)),
        digit_sums_(zeros<std::uint32_t>(weight_digits * band_.cells(), stream_)),
        sums_(zeros<std::int64_t>(band_.cells(), stream_)),
        own_(zeros<std::int64_t>(first ? 2 * samples : 0, stream_)) {}
  ~BandSums() {
    const DeviceScope scope(device_);
    cudaStreamSynchronize(stream_);
  }

  /// Work is queued; the block is free again when this returns.
  void add(const GrmBlock& block) {
    const DeviceScope scope(device_);
    stream_.wait();  // until the sites before are no longer read
    const SiteDigits digits = site_digits(block);
    const SiteCodes codes = {
        uploaded_to(codes_, block.codes.codes.data(), block.codes.codes.size()),
        block.codes.stride,
        block.sites(),
        block.codes.samples};
    if (!own_.empty()) add_own(codes, block);
    multiply(codes, digits);
    if (!block.complete) add_missing(codes, block);
  }

  /// Adds the sums of the rows to those of the host.
  void collect(Context& context, Grm& grm) {
    const DeviceScope scope(device_);
    DeviceArray<std::int64_t> sums;
    DeviceArray<std::uint32_t> both;
    for (Range rows = {rows_.begin, rows_.begin}; rows.end < rows_.end;) {
      rows = triangle_band(rows.end, rows_.end, piece_);
      const std::int64_t cells = triangle_cells(rows.end) - triangle_cells(rows.begin);
      const std::int64_t to = grm.cell(rows.begin, 0);
      bring(context, sums_.data(), rows, cells, room_of(sums, cells), grm.sums.data() + to);
      if (both_.empty()) continue;
      bring(context, both_.data(), rows, cells, room_of(both, cells), grm.missing_both.data() + to);
    }
  }
  /// Adds the terms of each sample.
  void collect_samples(Grm& grm) {
    const DeviceScope scope(device_);
    stream_.wait();
    std::vector<std::int64_t> own(static_cast<std::size_t>(own_.size()));
    check(cudaMemcpy(own.data(), own_.data(), own_.bytes(), cudaMemcpyDeviceToHost), "copy sums");
    for (std::size_t i = 0; i < grm.own_sums.size(); ++i) {
      grm.own_sums[i] += own[2 * i];
      grm.missing[i] += own[2 * i + 1];
    }
  }

 private:
  void multiply(const SiteCodes& codes, const SiteDigits& digits) {
    const std::int32_t* const sites =
        uploaded_to(sites_, digits.sites.data(), std::ssize(digits.sites));
    const std::uint32_t* const packed =
        uploaded_to(digits_, digits.digits.data(), std::ssize(digits.digits));
    DevicePlanes planes;
    planes.rows = round_up(codes.samples, product_edge);
    planes.planes = weight_digits + 1;
    for (const SiteDigits::Run& run : digits.runs) {
      std::int64_t held = 0;  // sites in digit_sums_
      for (std::int64_t step = run.steps.begin; step < run.steps.end; step += planes.steps) {
        planes.steps = static_cast<int>(std::min(steps_, run.steps.end - step));
        planes.bytes = room_of(planes_, planes.size());
        if (held + planes.steps * step_sites > most_sites) {
          empty_digits(digit_sums_.data(), run.shift, band_, sums_.data(), stream_);
          held = 0;
        }
        make_operands(
            codes, sites + step * step_sites, packed + step * step_sites, planes, stream_);
        Product products[weight_digits];
        for (int d = 0; d < weight_digits; ++d) {
          products[d] = {0, d + 1, 1, digit_sums_.data() + d * band_.cells()};
        }
        products_.add(planes, products, stream_);
        held += planes.steps * step_sites;
      }
      empty_digits(digit_sums_.data(), run.shift, band_, sums_.data(), stream_);
    }
  }

  void add_own(const SiteCodes& codes, const GrmBlock& block) {
    std::vector<std::int64_t> own(block.own_terms.data(), block.own_terms.data() + 4 * codes.sites);
    constexpr std::int64_t squares[4] = {4, 0, 1, 0};  // of x, by code
    for (std::int64_t k = 0; k < 4 * codes.sites; ++k)
      own[k] -= block.weights[k / 4] * squares[k % 4];
    add_own_sums(codes, uploaded_to(own_terms_, own.data(), 4 * codes.sites), own_.data(), stream_);
  }

  void add_missing(const SiteCodes& codes, const GrmBlock& block) {
    if (both_.empty()) both_ = zeros<std::uint32_t>(band_.cells(), stream_);
    std::uint32_t* const masks = room_of(masks_, codes.samples * mask_words(codes.sites));
    const std::int32_t* const corrections =
        uploaded_to(corrections_, block.corrections.data(), 4 * codes.sites);
    correct_missing(codes, corrections, masks, rows_, {sums_.data(), both_.data(), band_}, stream_);
  }

  /// Adds rows of the band to a triangle of the host, through `packed`.
  template <class From, class To>
  void bring(
      Context& context, const From* from, Range rows, std::int64_t cells, From* packed, To* to) {
    pack_rows(from, band_, rows, packed, stream_);
    stream_.wait();
    Array<From> here(cells);
    check(cudaMemcpy(here.data(), packed, here.bytes(), cudaMemcpyDeviceToHost), "copy sums");
    context.count_moved(here.bytes());
    context.parallel_for(cells, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[i] += here[i];
    });
  }

  int device_;
  Range rows_;
  Band band_;
  Stream stream_;
  BitProducts products_;
  std::int64_t steps_, piece_;
  DeviceArray<std::uint32_t> digit_sums_;
  DeviceArray<std::int64_t> sums_;
  DeviceArray<std::uint32_t> both_;
  DeviceArray<std::int64_t> own_;  ///< per sample: its terms, its missing calls
  DeviceArray<std::uint8_t> codes_, planes_;
  DeviceArray<std::int32_t> sites_;
  DeviceArray<std::uint32_t> digits_, masks_;
  DeviceArray<std::int64_t> own_terms_;
  DeviceArray<std::int32_t> corrections_;
};

/// Each device has a band of the rows, and every site.
class OnDevices : public DeviceGrm {
 public:
  OnDevices(Context& context, std::int64_t samples, Range rows) : context_(context) {
    std::int64_t left = std::ssize(context.devices());
    for (const int device : context.devices()) {
      const std::int64_t cells = triangle_cells(rows.end) - triangle_cells(rows.begin);
      const Range band = left == 1 ? rows : triangle_band(rows.begin, rows.end, cells / left);
      --left;
      rows.begin = band.end;
      if (band.size() == 0) continue;
      const DeviceScope scope(device);
      bands_.push_back(
          std::make_unique<BandSums>(device, samples, band, bands_.empty(), context.gpu_memory()));
    }
  }
  void add(const GrmBlock& block) override {
    for (const auto& band : bands_) band->add(block);
    context_.count_moved(static_cast<std::uint64_t>(block.codes.codes.size()) * bands_.size());
  }
  void collect(Grm& grm) override {
    for (const auto& band : bands_) band->collect(context_, grm);
    if (!bands_.empty()) bands_.front()->collect_samples(grm);
  }

 private:
  Context& context_;
  std::vector<std::unique_ptr<BandSums>> bands_;
};

}  // namespace

std::unique_ptr<DeviceGrm> device_grm(Context& context, std::int64_t samples, Range rows) {
  return std::make_unique<OnDevices>(context, samples, rows);
}

GrmRoom room_of_grm(std::uint64_t gpu_memory, std::int64_t devices, std::int64_t samples) {
  const auto memory = static_cast<std::int64_t>(gpu_memory);
  const std::int64_t site = round_up(divide_up(samples, 4), 64) + divide_up(samples, 8) + 100;
  GrmRoom room;
  room.block_sites = memory / 8 / site;
  const std::int64_t fixed = steps_at_once(samples, gpu_memory) * step_bytes(samples) + memory / 8 +
                             piece_cells(gpu_memory, samples) * piece_cell_bytes + 16 * samples +
                             (std::int64_t{32} << 20);
  // Of a band the upper half of its squares is held too, and rows on both sides of it.
  room.cells = ((memory - fixed) / cell_bytes / 2 - 2 * product_edge * samples) * devices;
  return room;
}

}  // namespace yupana::genotype::cuda
