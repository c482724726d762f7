#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <filesystem>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/genotype/site_names.hpp"
#include "yupana/io/genotype_sources.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/sample_lists.hpp"

namespace yupana::io {
namespace {

constexpr std::int64_t buffer_bytes = std::int64_t{16} << 20;
constexpr int no_genotype = -1;

/// Columns that are decoded at a time.
std::int64_t buffer_sites(std::int64_t samples, std::int64_t sites) {
  const std::int64_t stride = genotype::SiteBlock(samples, 0).stride;
  return std::min(sites, std::clamp<std::int64_t>(buffer_bytes / stride, 64, 65536));
}

/// The code of a value; no_genotype where it is none.
template <class T>
int code_of(T value, bool round) {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(value)) return genotype::missing_call;
  }
  if constexpr (std::signed_integral<T> || std::floating_point<T>) {
    if (value < 0) return genotype::missing_call;
  }
  if constexpr (std::floating_point<T>) {
    if (round && value < T(2.5)) value = std::floor(value + T(0.5));
  }
  if (value == 0) return genotype::homozygous_a2;
  if (value == 1) return genotype::heterozygous;
  if (value == 2) return genotype::homozygous_a1;
  return no_genotype;
}

class NpySource : public genotype::Source {
 public:
  explicit NpySource(const NpyGenotypesParams& params);

  const std::vector<std::string>& samples() const override { return ids_; }
  std::int64_t sites() const override { return npy_.cols(); }
  bool read(genotype::SiteBlock& block) override;
  void rewind() override;
  const genotype::SiteAccount& account() const override { return account_; }
  void name_sites() override { named_ = true; }
  std::vector<std::string> chromosomes() const override { return {"1"}; }

 private:
  void name_samples();
  void fill();
  /// Codes of `count` adjacent values, the first of them in this row and column.
  void decode(std::int64_t row, std::int64_t column, std::int64_t count);

  InputFile file_;
  NpyFile npy_;
  bool round_;
  std::vector<std::string> ids_;
  genotype::SiteBlock buffer_;  ///< decoded columns
  std::int64_t buffer_next_ = 0;
  std::int64_t next_ = 0;  ///< first column not decoded yet
  bool named_ = false;
  Array<std::uint8_t> bytes_;
  std::vector<std::uint8_t> codes_;
  genotype::SiteAccount account_;
};

NpySource::NpySource(const NpyGenotypesParams& params)
    : file_(params.path),
      npy_(file_, {.shape = "a matrix of samples x sites", .with_bool = true}),
      round_(params.round) {
  const std::int64_t samples = npy_.rows();
  if (samples == 0 || sites() == 0) {
    throw file_.fault("expected at least one sample and one site, got {} x {}", samples, sites());
  }
  if (round_ && npy_.type().kind != 'f') {
    throw usage_error("--round has no effect on '{}', which holds whole numbers; leave --round out",
                      params.path);
  }
  name_samples();
  buffer_ = genotype::SiteBlock(samples, buffer_sites(samples, sites()));
  const std::int64_t adjacent = npy_.layout().fortran ? samples : buffer_.capacity;
  bytes_ = Array<std::uint8_t>(adjacent * npy_.type().width);
  codes_.resize(adjacent);
}

void NpySource::name_samples() {
  const std::string& path = file_.path();
  const std::string names =
      (path.ends_with(".npy") ? path.substr(0, path.size() - 4) : path) + ".ids";
  std::error_code none;
  if (std::filesystem::exists(names, none)) {
    ids_ = read_ids(names);
    if (std::ssize(ids_) == npy_.rows()) return;
    throw bad_file(
        names, "expected {} names, one for each row of {}, got {}", npy_.rows(), path, ids_.size());
  }
  for (std::int64_t i = 1; i <= npy_.rows(); ++i) ids_.push_back(fmt::format("{}", i));
}

void NpySource::rewind() {
  next_ = buffer_next_ = 0;
  buffer_.sites = 0;
  account_ = {};
}

bool NpySource::read(genotype::SiteBlock& block) {
  block.sites = 0;
  while (block.sites < block.capacity) {
    if (buffer_next_ == buffer_.sites) {
      if (next_ == sites()) break;
      fill();
    }
    const std::int64_t count = std::min(block.capacity - block.sites, buffer_.sites - buffer_next_);
    std::memcpy(block.row(block.sites), buffer_.row(buffer_next_), count * block.stride);
    block.sites += count;
    buffer_next_ += count;
  }
  block.names.clear();
  for (std::int64_t k = 0; named_ && k < block.sites; ++k) {
    block.names.push_back(genotype::numbered_column(account_.read + k));
  }
  account_.read += block.sites;
  account_.kept += block.sites;
  return block.sites > 0;
}

/// Decodes the next columns.
void NpySource::fill() {
  const std::int64_t samples = npy_.rows(), sites = std::min(buffer_.capacity, npy_.cols() - next_);
  std::memset(buffer_.codes.data(), 0, buffer_.codes.bytes());
  if (npy_.layout().fortran) {
    for (std::int64_t k = 0; k < sites; ++k) {
      decode(0, next_ + k, samples);
      std::uint8_t* row = buffer_.row(k);
      for (std::int64_t i = 0; i < samples; ++i) row[i / 4] |= codes_[i] << (2 * (i % 4));
    }
  } else {
    for (std::int64_t i = 0; i < samples; ++i) {
      decode(i, next_, sites);
      std::uint8_t* to = buffer_.codes.data() + i / 4;
      for (std::int64_t k = 0; k < sites; ++k) to[k * buffer_.stride] |= codes_[k] << (2 * (i % 4));
    }
  }
  buffer_.sites = sites;
  buffer_next_ = 0;
  next_ += sites;
}

void NpySource::decode(std::int64_t row, std::int64_t column, std::int64_t count) {
  const bool fortran = npy_.layout().fortran;
  const std::int64_t first = fortran ? column * npy_.rows() + row : row * npy_.cols() + column;
  with_number_type(npy_.type(), [&](auto zero) {
    auto* const values = reinterpret_cast<decltype(zero)*>(bytes_.data());
    npy_.read(first, count, values);
    for (std::int64_t i = 0; i < count; ++i) {
      const int code = code_of(values[i], round_);
      codes_[i] = static_cast<std::uint8_t>(code);
      if (code != no_genotype) continue;
      const bool rounds = !round_ && static_cast<double>(values[i]) < 2.5;
      throw file_.fault(
          "row {}, column {} (from 1): expected 0, 1, 2 or a missing call (negative or "
          "NaN), got {}; {}",
          row + (fortran ? i : 0) + 1,
          column + (fortran ? 0 : i) + 1,
          +values[i],
          rounds ? "--round takes the nearest genotype" : "write missing calls as -1");
    }
  });
}

}  // namespace

std::unique_ptr<genotype::Source> open_npy_genotypes(const NpyGenotypesParams& params) {
  return std::make_unique<NpySource>(params);
}

std::uint64_t npy_reader_bytes(std::int64_t samples, std::int64_t sites) {
  const std::int64_t columns = buffer_sites(samples, sites);
  constexpr std::int64_t number = 9;  // at most, with its code
  return static_cast<std::uint64_t>(columns * genotype::SiteBlock(samples, 0).stride +
                                    number * std::max(samples, columns));
}

}  // namespace yupana::io
