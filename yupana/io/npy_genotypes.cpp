#include "yupana/io/npy_genotypes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/io/fam.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/npy_layout.hpp"
#include "yupana/io/sample_lists.hpp"

namespace yupana::io {
namespace {

constexpr std::int64_t buffer_bytes = std::int64_t{16} << 20;
constexpr int no_genotype = -1;

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

template <class T>
T value_at(const std::uint8_t* bytes, bool swapped) {
  std::uint8_t copy[sizeof(T)];
  std::memcpy(copy, bytes, sizeof(T));
  if (swapped) std::reverse(copy, copy + sizeof(T));
  T value;
  std::memcpy(&value, copy, sizeof(T));
  return value;
}

/// Codes of `count` adjacent values; where one is no genotype, its place, otherwise -1.
template <class T>
std::int64_t decode(
    const std::uint8_t* bytes, std::int64_t count, bool swapped, bool round, std::uint8_t* codes) {
  for (std::int64_t i = 0; i < count; ++i) {
    const int code =
        code_of(value_at<T>(bytes + i * static_cast<std::int64_t>(sizeof(T)), swapped), round);
    if (code == no_genotype) return i;
    codes[i] = static_cast<std::uint8_t>(code);
  }
  return -1;
}

template <class T>
std::string text_at(const std::uint8_t* bytes, bool swapped) {
  if constexpr (sizeof(T) == 1) return fmt::format("{}", int{value_at<T>(bytes, swapped)});
  return fmt::format("{}", value_at<T>(bytes, swapped));
}

/// How values of one type are read.
struct ValueType {
  std::int64_t (*decode)(const std::uint8_t*, std::int64_t, bool, bool, std::uint8_t*);
  std::string (*text)(const std::uint8_t*, bool);
};

template <class T>
constexpr ValueType value_type{decode<T>, text_at<T>};

ValueType type_of(const std::string& path, const NpyLayout& layout) {
  switch (layout.kind << 8 | layout.width) {
    case 'i' << 8 | 1:
      return value_type<std::int8_t>;
    case 'i' << 8 | 2:
      return value_type<std::int16_t>;
    case 'i' << 8 | 4:
      return value_type<std::int32_t>;
    case 'i' << 8 | 8:
      return value_type<std::int64_t>;
    case 'u' << 8 | 1:
    case 'b' << 8 | 1:
      return value_type<std::uint8_t>;
    case 'u' << 8 | 2:
      return value_type<std::uint16_t>;
    case 'u' << 8 | 4:
      return value_type<std::uint32_t>;
    case 'u' << 8 | 8:
      return value_type<std::uint64_t>;
    case 'f' << 8 | 4:
      return value_type<float>;
    case 'f' << 8 | 8:
      return value_type<double>;
    default:
      throw bad_file(path,
                     fmt::format("genotypes of type {}{}; wanted int8 to int64, uint8 to uint64, "
                                 "float32 or float64",
                                 layout.kind,
                                 layout.width));
  }
}

class NpySource : public genotype::Source {
 public:
  explicit NpySource(const NpyGenotypesParams& params);

  const std::vector<std::string>& samples() const override { return ids_; }
  std::int64_t sites() const override { return layout_.shape[1]; }
  bool read(genotype::SiteBlock& block) override;
  void rewind() override;
  const genotype::SiteAccount& account() const override { return account_; }

 private:
  void read_header();
  void name_samples();
  void fill();
  void decode_rows(std::int64_t sites);
  void decode_columns(std::int64_t sites);
  [[noreturn]] void refuse(std::int64_t row, std::int64_t column, const std::uint8_t* value) const;

  InputFile file_;
  bool round_;
  NpyLayout layout_;
  ValueType type_{};
  std::vector<std::string> ids_;
  genotype::SiteBlock buffer_;  ///< decoded columns
  std::int64_t buffer_next_ = 0;
  std::int64_t next_ = 0;  ///< first column not decoded yet
  Array<std::uint8_t> bytes_;
  std::vector<std::uint8_t> codes_;
  genotype::SiteAccount account_;
};

NpySource::NpySource(const NpyGenotypesParams& params) : file_(params.path), round_(params.round) {
  read_header();
  name_samples();
  const std::int64_t samples = layout_.shape[0];
  const std::int64_t stride = genotype::SiteBlock(samples, 0).stride;
  const std::int64_t capacity = std::clamp<std::int64_t>(buffer_bytes / stride, 64, 65536);
  buffer_ = genotype::SiteBlock(samples, std::min(sites(), capacity));
  const std::int64_t adjacent = layout_.fortran ? samples : buffer_.capacity;
  bytes_ = Array<std::uint8_t>(adjacent * layout_.width);
  codes_.resize(static_cast<std::size_t>(adjacent));
}

void NpySource::read_header() {
  constexpr std::int64_t most_header = 64 << 10;
  std::string head(static_cast<std::size_t>(std::min(file_.size(), most_header)), '\0');
  file_.read_at(0, head.data(), head.size());
  layout_ = npy_layout(file_.path(), head);
  if (layout_.shape.size() != 2) {
    throw bad_file(file_.path(),
                   fmt::format("a matrix of samples x sites wanted, {} dimensions found",
                               layout_.shape.size()));
  }
  if (layout_.shape[0] == 0 || layout_.shape[1] == 0) {
    throw bad_file(file_.path(),
                   fmt::format("at least one sample and one site wanted, {} x {} found",
                               layout_.shape[0],
                               layout_.shape[1]));
  }
  type_ = type_of(file_.path(), layout_);
  std::int64_t values = 0;
  std::int64_t wanted = 0;
  if (__builtin_mul_overflow(layout_.shape[0], layout_.shape[1], &values) ||
      __builtin_mul_overflow(values, layout_.width, &wanted) ||
      wanted != file_.size() - layout_.data) {
    throw bad_file(file_.path(),
                   fmt::format("{} x {} values of {} bytes wanted behind the header, {} bytes "
                               "found; copy or save it again",
                               layout_.shape[0],
                               layout_.shape[1],
                               layout_.width,
                               file_.size() - layout_.data));
  }
}

void NpySource::name_samples() {
  const std::string& path = file_.path();
  const std::string names =
      (path.ends_with(".npy") ? path.substr(0, path.size() - 4) : path) + ".ids";
  std::error_code none;
  if (std::filesystem::exists(names, none)) {
    ids_ = read_ids(names);
    if (std::ssize(ids_) == layout_.shape[0]) return;
    throw bad_file(names,
                   fmt::format("{} names wanted, one for each row of {}, {} found",
                               layout_.shape[0],
                               path,
                               ids_.size()));
  }
  for (std::int64_t i = 1; i <= layout_.shape[0]; ++i) ids_.push_back(fmt::format("{}", i));
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
    std::memcpy(block.row(block.sites),
                buffer_.row(buffer_next_),
                static_cast<std::size_t>(count * block.stride));
    block.sites += count;
    buffer_next_ += count;
  }
  account_.read += block.sites;
  account_.kept += block.sites;
  return block.sites > 0;
}

/// Decodes the next stretch of columns.
void NpySource::fill() {
  const std::int64_t sites = std::min(buffer_.capacity, layout_.shape[1] - next_);
  std::memset(buffer_.codes.data(), 0, buffer_.codes.bytes());
  if (layout_.fortran) {
    decode_columns(sites);
  } else {
    decode_rows(sites);
  }
  buffer_.sites = sites;
  buffer_next_ = 0;
  next_ += sites;
}

void NpySource::decode_rows(std::int64_t sites) {
  for (std::int64_t row = 0; row < layout_.shape[0]; ++row) {
    const std::int64_t first = row * layout_.shape[1] + next_;
    file_.read_at(layout_.data + first * layout_.width,
                  bytes_.data(),
                  static_cast<std::size_t>(sites * layout_.width));
    const std::int64_t bad =
        type_.decode(bytes_.data(), sites, layout_.swapped, round_, codes_.data());
    if (bad >= 0) refuse(row, next_ + bad, bytes_.data() + bad * layout_.width);
    std::uint8_t* to = buffer_.codes.data() + row / 4;
    const int shift = static_cast<int>(2 * (row % 4));
    for (std::int64_t k = 0; k < sites; ++k) {
      to[k * buffer_.stride] |= static_cast<std::uint8_t>(codes_[k] << shift);
    }
  }
}

void NpySource::decode_columns(std::int64_t sites) {
  const std::int64_t samples = layout_.shape[0];
  for (std::int64_t k = 0; k < sites; ++k) {
    file_.read_at(layout_.data + (next_ + k) * samples * layout_.width,
                  bytes_.data(),
                  static_cast<std::size_t>(samples * layout_.width));
    const std::int64_t bad =
        type_.decode(bytes_.data(), samples, layout_.swapped, round_, codes_.data());
    if (bad >= 0) refuse(bad, next_ + k, bytes_.data() + bad * layout_.width);
    std::uint8_t* row = buffer_.row(k);
    for (std::int64_t i = 0; i < samples; ++i) {
      row[i / 4] |= static_cast<std::uint8_t>(codes_[i] << (2 * (i % 4)));
    }
  }
}

void NpySource::refuse(std::int64_t row, std::int64_t column, const std::uint8_t* value) const {
  throw bad_file(file_.path(),
                 fmt::format("row {}, column {} (from 0) holds {}: 0, 1, 2 or a missing call "
                             "(negative or NaN) wanted; --round takes the nearest genotype of "
                             "values below 2.5",
                             row,
                             column,
                             type_.text(value, layout_.swapped)));
}

}  // namespace

std::unique_ptr<genotype::Source> open_npy_genotypes(const NpyGenotypesParams& params) {
  return std::make_unique<NpySource>(params);
}

}  // namespace yupana::io
