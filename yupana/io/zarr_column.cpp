#include <algorithm>
#include <cstring>

#include "yupana/core/messages.hpp"
#include "yupana/io/zarr_array.hpp"

namespace yupana::io {
namespace {

/// UTF-8 of a letter.
void append_letter(std::string& text, std::uint32_t letter) {
  if (letter < 0x80) {
    text += static_cast<char>(letter);
    return;
  }
  const int more = letter < 0x800 ? 1 : letter < 0x10000 ? 2 : 3;
  constexpr unsigned first[] = {0, 0xc0, 0xe0, 0xf0};
  text += static_cast<char>(first[more] | letter >> (6 * more));
  for (int k = more - 1; k >= 0; --k) text += static_cast<char>(0x80 | (letter >> (6 * k) & 63));
}

/// Texts of a fixed size.
std::string fixed_text(ZarrKind kind, const std::uint8_t* bytes, std::int64_t size) {
  std::string text;
  if (kind == ZarrKind::bytes) {
    text.assign(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    text.resize(std::strlen(text.c_str()));
    return text;
  }
  for (std::int64_t i = 0; i < size; i += 4) {
    std::uint32_t letter;
    std::memcpy(&letter, bytes + i, sizeof letter);
    if (letter == 0) break;
    append_letter(text, std::min(letter, std::uint32_t{0x10ffff}));
  }
  return text;
}

}  // namespace

ZarrColumn::ZarrColumn(const std::string& store,
                       const std::string& name,
                       bool is_text,
                       std::int64_t rows)
    : array_(store, name) {
  constexpr std::int64_t most_width = 1 << 16;
  const std::vector<std::int64_t>& shape = array_.shape();
  if (is_text == (array_.kind() == ZarrKind::integer) || shape.size() > (is_text ? 2 : 1)) {
    throw bad_file(array_.path(), "expected {}, got another array", is_text ? "texts" : "integers");
  }
  if (shape.size() == 2) width_ = shape[1];
  if (width_ < 1 || width_ > most_width || (shape.size() == 2 && array_.chunk()[1] < width_)) {
    throw bad_file(
        array_.path(), "expected rows of 1 to {} texts in one chunk, got {}", most_width, width_);
  }
  if (rows < 0 || rows == shape[0]) return;
  throw bad_file(array_.path(), "has {} rows, and the store's calls are of {}", shape[0], rows);
}

void ZarrColumn::load(std::int64_t chunk) {
  loaded_ = -1;
  numbers_.clear();
  texts_.clear();
  std::vector<std::uint8_t> bytes;
  const std::int64_t place[] = {chunk, 0};
  const bool has_file = array_.read(std::span(place, array_.shape().size()), bytes);
  if (array_.kind() == ZarrKind::integer) {
    if (has_file) take_numbers(bytes);
  } else if (has_file) {
    take_texts(bytes);
  } else {
    texts_.resize(static_cast<std::size_t>(width_));
  }
  loaded_ = chunk;
}

void ZarrColumn::take_numbers(const std::vector<std::uint8_t>& bytes) {
  const auto size = static_cast<std::size_t>(array_.element());
  const auto shift = static_cast<unsigned>(64 - 8 * size);
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    std::uint64_t value = 0;
    std::memcpy(&value, &bytes[at], size);
    numbers_.push_back(static_cast<std::int64_t>(value << shift) >> shift);
  }
}

void ZarrColumn::take_texts(const std::vector<std::uint8_t>& bytes) {
  const std::int64_t elements = array_.chunk_elements(), size = array_.element();
  const std::int64_t width = array_.shape().size() == 2 ? array_.chunk()[1] : 1;
  const bool is_fixed = array_.kind() != ZarrKind::text;
  std::size_t at = 0;
  const auto number = [&] {
    std::uint32_t value = 0;
    if (bytes.size() - at < sizeof value) throw bad_file(array_.path(), "a chunk is cut short");
    std::memcpy(&value, &bytes[at], sizeof value);
    at += sizeof value;
    return value;
  };
  // Each text takes four bytes for its length.
  const bool is_whole = is_fixed || (number() == elements && elements <= std::ssize(bytes) / 4);
  if (!is_whole)
    throw bad_file(array_.path(), "a chunk holds another number of texts; is it damaged?");
  for (std::int64_t i = 0; i < elements; ++i) {
    std::string text;
    if (is_fixed) {
      text = fixed_text(array_.kind(), bytes.data() + i * size, size);
    } else {
      const std::size_t length = number();
      if (length > bytes.size() - at) throw bad_file(array_.path(), "a chunk is cut short");
      text.assign(reinterpret_cast<const char*>(bytes.data() + at), length);
      at += length;
    }
    if (i % width < width_) texts_.push_back(std::move(text));
  }
}

std::int64_t ZarrColumn::number(std::int64_t row) {
  const std::int64_t chunk = row / array_.chunk()[0];
  if (chunk != loaded_) load(chunk);
  return numbers_.empty() ? array_.fill() : numbers_[row % array_.chunk()[0]];
}

std::span<const std::string> ZarrColumn::texts(std::int64_t row) {
  const std::int64_t chunk = row / array_.chunk()[0];
  if (chunk != loaded_) load(chunk);
  const auto size = static_cast<std::size_t>(width_);
  const std::size_t begin = static_cast<std::size_t>(row % array_.chunk()[0]) * size;
  return {&texts_[begin < texts_.size() ? begin : 0], size};
}

}  // namespace yupana::io
