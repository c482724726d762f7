#include "yupana/io/zarr_array.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "yupana/core/messages.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/json_reader.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

using ZarrJson = nlohmann::json;

constexpr std::size_t most_dimensions = 3;
constexpr std::int64_t most_element = 1 << 16;  ///< bytes

bool path_exists(const std::string& path) {
  std::error_code none;
  return std::filesystem::exists(path, none);
}

std::vector<std::uint8_t> bytes_of(const InputFile& file) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(file.size()));
  file.read_at(0, bytes.data(), bytes.size());
  return bytes;
}

ZarrJson read_json(const std::string& path) {
  constexpr std::int64_t most = 1 << 20;
  const InputFile file(path);
  if (file.size() > most) throw bad_file(path, "is no description of an array: too long");
  const std::vector<std::uint8_t> bytes = bytes_of(file);
  checked_json(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const ZarrJson json = ZarrJson::parse(bytes, nullptr, false);
  if (!json.is_object()) throw bad_file(path, "is no JSON object; is it damaged?");
  return json;
}

/// A member, or an error that names it.
const ZarrJson& member_of(const std::string& file, const ZarrJson& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  if (found == json.end()) throw bad_file(file, "expected a member '{}', got none", name);
  return *found;
}

std::string text_of(const std::string& file, const ZarrJson& json, const char* name) {
  const ZarrJson& value = member_of(file, json, name);
  if (!value.is_string()) throw bad_file(file, "{}: expected a text", name);
  return value.get<std::string>();
}

std::vector<std::int64_t> sizes_of(const std::string& file,
                                   const ZarrJson& json,
                                   const char* name) {
  const ZarrJson& value = member_of(file, json, name);
  std::vector<std::int64_t> sizes;
  for (const ZarrJson& size : value.is_array() ? value : ZarrJson::array()) {
    const bool valid = size.is_number_unsigned() && size.get<std::uint64_t>() <= INT32_MAX;
    if (!valid) throw bad_file(file, "{}: expected sizes below 2^31", name);
    sizes.push_back(size.get<std::int64_t>());
  }
  if (sizes.empty() || sizes.size() > most_dimensions) {
    throw bad_file(file, "{}: expected one to three sizes, got {}", name, sizes.size());
  }
  return sizes;
}

Packing zarr_packing(const std::string& file, const std::string& name) {
  constexpr std::pair<const char*, Packing> known[] = {{"zlib", Packing::zlib},
                                                       {"gzip", Packing::gzip},
                                                       {"zstd", Packing::zstd},
                                                       {"blosc", Packing::blosc}};
  for (const auto& [word, packing] : known) {
    if (name == word) return packing;
  }
  throw bad_file(
      file, "expected the compressor blosc, zstd, zlib or gzip, got '{}'", printable(name));
}

std::int64_t fill_of(const ZarrJson& json) {
  const auto found = json.find("fill_value");
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

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

bool ZarrArray::exists(const std::string& store, const std::string& name) {
  const std::string path = (std::filesystem::path(store) / name).string();
  return path_exists(path + "/.zarray") || path_exists(path + "/zarr.json");
}

ZarrArray::ZarrArray(const std::string& store, const std::string& name)
    : path_((std::filesystem::path(store) / name).string()) {
  const std::string second = path_ + "/.zarray", third = path_ + "/zarr.json";
  const bool is_second = path_exists(second);
  if (!is_second && !path_exists(third)) {
    throw bad_file(store, "holds no array '{}', which a VCF-Zarr store has", name);
  }
  const std::string& file = is_second ? second : third;
  try {
    if (is_second) {
      read_second(file);
    } else {
      read_third(file);
    }
  } catch (const ZarrJson::exception&) {
    throw bad_file(file, "is no description of an array: a member is of another kind");
  }
  check(file);
}

void ZarrArray::check(const std::string& file) const {
  const bool is_whole =
      shape_.size() == chunk_.size() && std::find(chunk_.begin(), chunk_.end(), 0) == chunk_.end();
  if (!is_whole) throw bad_file(file, "expected chunks of as many sizes as the array, none of 0");
}

/// .zarray of version 2.
void ZarrArray::read_second(const std::string& file) {
  const ZarrJson json = read_json(file);
  shape_ = sizes_of(file, json, "shape");
  chunk_ = sizes_of(file, json, "chunks");
  fill_ = fill_of(json);
  separator_ = json.value("dimension_separator", ZarrJson(".")) == "/" ? "/" : ".";
  if (member_of(file, json, "order") != "C" && shape_.size() > 1) {
    throw bad_file(file, "expected the order C of elements, got another");
  }
  const ZarrJson& compressor = member_of(file, json, "compressor");
  if (!compressor.is_null()) packing_ = zarr_packing(file, text_of(file, compressor, "id"));
  const ZarrJson filters = json.value("filters", ZarrJson());
  const std::string type = text_of(file, json, "dtype");
  const bool is_text = filters.is_array() && filters.size() == 1 &&
                       filters[0].value("id", ZarrJson()) == "vlen-utf8";
  const char letter = type.size() > 2 ? type[1] : 0;
  const std::int64_t size = letter == 0 ? 0 : std::atoll(type.c_str() + 2);
  if (type == "|O" && is_text) {
    kind_ = ZarrKind::text;
  } else if (!filters.is_null() && !filters.empty()) {
    throw bad_file(file, "expected no filter or vlen-utf8, got another");
  } else if ((type[0] == '<' || size == 1) && letter == 'i' && size > 0 &&
             (size & (size - 1)) == 0 && size <= 8) {
    element_ = size;
  } else if ((letter == 'S' || (letter == 'U' && type[0] == '<')) && size > 0 &&
             size < most_element / 4) {
    kind_ = letter == 'S' ? ZarrKind::bytes : ZarrKind::letters;
    element_ = letter == 'S' ? size : 4 * size;
  } else {
    throw bad_file(file,
                   "dtype: expected little-endian signed integers or texts (|O, |S, <U), got '{}'",
                   printable(type));
  }
}

/// zarr.json of version 3.
void ZarrArray::read_third(const std::string& file) {
  const ZarrJson json = read_json(file);
  shape_ = sizes_of(file, json, "shape");
  chunk_ = sizes_of(
      file, member_of(file, member_of(file, json, "chunk_grid"), "configuration"), "chunk_shape");
  fill_ = fill_of(json);
  const ZarrJson& keys = member_of(file, json, "chunk_key_encoding");
  const bool is_default = text_of(file, keys, "name") == "default";
  prefix_ = is_default ? "c" : "";
  separator_ =
      keys.value("configuration", ZarrJson::object()).value("separator", is_default ? "/" : ".");
  if (separator_ != "/" && separator_ != ".") {  // of names of files
    throw bad_file(file, "separator: expected / or ., got '{}'", printable(separator_));
  }
  const std::string type = text_of(file, json, "data_type");
  constexpr std::pair<const char*, int> integers[] = {
      {"int8", 1}, {"int16", 2}, {"int32", 4}, {"int64", 8}};
  const auto known = std::find_if(std::begin(integers),
                                  std::end(integers),
                                  [&](const auto& integer) { return type == integer.first; });
  if (type != "string" && known == std::end(integers)) {
    throw bad_file(
        file, "data_type: expected signed integers or string, got '{}'", printable(type));
  }
  kind_ = type == "string" ? ZarrKind::text : ZarrKind::integer;
  if (kind_ == ZarrKind::integer) element_ = known->second;
  const ZarrJson& codecs = member_of(file, json, "codecs");
  const std::string first = kind_ == ZarrKind::text ? "vlen-utf8" : "bytes";
  const bool is_plain =
      codecs.is_array() && (codecs.size() == 1 || codecs.size() == 2) &&
      text_of(file, codecs[0], "name") == first &&
      codecs[0].value("configuration", ZarrJson::object()).value("endian", "little") ==
          std::string("little");
  if (!is_plain) {
    throw bad_file(file, "codecs: expected {} (little-endian) and at most one after it", first);
  }
  if (codecs.size() == 2) packing_ = zarr_packing(file, text_of(file, codecs[1], "name"));
}

std::int64_t ZarrArray::chunk_elements() const {
  constexpr std::int64_t most = INT64_MAX / most_element;
  std::int64_t elements = 1;
  for (const std::int64_t size : chunk_) {
    elements = elements > most / size ? most : elements * size;
  }
  return elements;
}

bool ZarrArray::read(std::span<const std::int64_t> place, std::vector<std::uint8_t>& bytes) const {
  std::string file = prefix_;
  for (const std::int64_t number : place) {
    file += (file.empty() ? "" : separator_) + std::to_string(number);
  }
  file = path_ + "/" + file;
  if (!path_exists(file)) return false;
  const std::vector<std::uint8_t> packed = bytes_of(InputFile(file));
  // Texts are of any size: as many bytes as a file of such texts makes, not as a bomb does.
  constexpr std::size_t least_room = 64 << 20, most_factor = 64;
  const bool is_text = kind_ == ZarrKind::text;
  const auto wanted = static_cast<std::size_t>(chunk_elements() * element_);
  const std::size_t room = std::max(least_room, most_factor * packed.size());
  if (shape_.size() < 3 && wanted > room) {  // calls are held against the memory of the run
    throw bad_file(file,
                   "is a chunk of {} bytes in a file of {}; write smaller chunks",
                   wanted,
                   packed.size());
  }
  const std::size_t most = is_text ? room : wanted;
  if (const char* fault = unpack(packing_, packed, most, bytes)) throw bad_file(file, "{}", fault);
  if (!is_text && bytes.size() != wanted) {
    throw bad_file(file,
                   "unpacks to {} bytes, and a chunk takes {}; it is damaged or of another array",
                   bytes.size(),
                   wanted);
  }
  return true;
}

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
