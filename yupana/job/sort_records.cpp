// The records of a .npy file as rows to sort.
#include <algorithm>
#include <bit>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/npy_records.hpp"
#include "yupana/io/printable.hpp"
#include "yupana/job/sort_rows.hpp"

namespace yupana::job {
namespace {

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

/// The bytes of a number of a record, the least significant first.
std::uint64_t word_of(const char* bytes, std::int64_t width, bool swapped) {
  std::uint64_t word = 0;
  for (std::int64_t i = 0; i < width; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[swapped ? i : width - 1 - i]);
    word = word << 8 | byte;
  }
  return word;
}

std::int64_t signed_word(std::uint64_t word, std::int64_t width) {
  const auto unused = 64 - 8 * width;
  return static_cast<std::int64_t>(word << unused) >> unused;
}

double float_of(std::uint64_t word, std::int64_t width) {
  if (width == 2) return static_cast<double>(io::Half{static_cast<std::uint16_t>(word)});
  if (width == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(word));
  return std::bit_cast<double>(word);
}

/// A code point as UTF-8, whose bytes have the order of code points.
void append_utf8(std::uint32_t c, std::string& text) {
  if (c < 0x80) {
    text += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  text += static_cast<char>((0xff00 >> (more + 1) & 0xff) | c >> 6 * more);
  for (int k = more - 1; k >= 0; --k) text += static_cast<char>(0x80 | (c >> 6 * k & 0x3f));
}

class RecordRows : public RowSource {
 public:
  explicit RecordRows(const SortRowsParams& params) : records_(params.in), params_(params) {
    refuse_options_of_texts();
    for (const RowKey& key : row_keys(params)) keys_.emplace_back(field_of(key), key.descending);
  }

  void begin(AtomicFile* out) override {
    if (out != nullptr) header_ = std::ssize(records_.preamble(0));
  }
  bool next(std::string_view& row) override {
    ++read_;
    return records_.next(row);
  }
  std::string place() const override {
    return records_.path() + ": record " + std::to_string(read_);
  }

  void append_key(std::string_view row, std::string& key) override {
    for (const auto& [field, descending] : keys_) append(row, field, descending, key);
  }

  // By place throughout: a header written last must not meet one still in the stream's buffer.
  void write(AtomicFile& out, std::string_view rows) override {
    buffer_ += rows;
    if (buffer_.size() >= (1 << 20)) flush(out);
  }
  void finish(AtomicFile& out, std::int64_t count) override {
    flush(out);
    const std::string head = records_.preamble(count);
    out.write_at(0, head.data(), head.size());
  }

 private:
  void refuse_options_of_texts() const {
    const char* const given = params_.numeric             ? "--numeric"
                              : params_.text              ? "--text"
                              : params_.header            ? "--header"
                              : !params_.quotes           ? "--no-quotes"
                              : params_.delimiter != '\0' ? "--delimiter"
                                                          : nullptr;
    if (given == nullptr) return;
    throw usage_error("{} is for a table of text; leave it out of records of .npy", given);
  }

  io::RecordField field_of(const RowKey& key) const {
    const auto& fields = records_.fields();
    const auto found =
        key.column < 0                    ? std::find_if(fields.begin(),
                                      fields.end(),
                                      [&](const io::RecordField& f) { return f.name == key.name; })
        : key.column < std::ssize(fields) ? fields.begin() + key.column
                                          : fields.end();
    if (found == fields.end()) {
      std::vector<std::string> names;
      for (const io::RecordField& field : fields) names.push_back(field.name);
      throw bad_file(records_.path(),
                     "no field '{}'; its fields are {}",
                     io::printable(key.name),
                     io::printable(joined(names, ", ")));
    }
    if (key.type != '\0') {
      throw usage_error("--key {}: a field sorts by its own type; leave '{}' out",
                        key.given,
                        std::string(1, key.type));
    }
    const bool is_number = std::string_view("biumM").find(found->kind) != std::string_view::npos;
    const bool is_float = found->kind == 'f' && found->width <= 8;
    const bool is_text = found->kind == 'S' || found->kind == 'U';
    if ((is_number && found->width > 0 && found->width <= 8) || is_float || is_text) return *found;
    throw bad_file(records_.path(),
                   "field '{}' is no integer, float, text or date of one value; sort by another",
                   io::printable(found->name));
  }

  static void append(std::string_view row,
                     const io::RecordField& field,
                     bool descending,
                     std::string& key) {
    const char* const bytes = row.data() + field.offset;
    if (field.kind == 'S') {
      std::string_view text(bytes, static_cast<std::size_t>(field.width));
      text = text.substr(0, text.find_last_not_of('\0') + 1);
      return append_text(text, descending, key);
    }
    if (field.kind == 'U') {
      std::string text;
      for (std::int64_t at = 0; at < field.width; at += 4) {
        append_utf8(static_cast<std::uint32_t>(word_of(bytes + at, 4, field.swapped)), text);
      }
      text.resize(text.find_last_not_of('\0') + 1);
      return append_text(text, descending, key);
    }
    const std::uint64_t word = word_of(bytes, field.width, field.swapped);
    if (field.kind == 'f') return append_number(float_of(word, field.width), descending, key);
    if (field.kind == 'u' || field.kind == 'b') return append_word(word, descending, key);
    const bool is_date = field.kind == 'M' || field.kind == 'm';
    if (is_date && word == sign_bit) return append_word(~std::uint64_t{0}, false, key);  // NaT
    const auto value = static_cast<std::uint64_t>(signed_word(word, field.width));
    append_word(value ^ sign_bit, descending, key);
  }

  void flush(AtomicFile& out) {
    out.write_at(header_ + written_, buffer_.data(), buffer_.size());
    written_ += std::ssize(buffer_);
    buffer_.clear();
  }

  io::NpyRecords records_;
  const SortRowsParams& params_;
  std::vector<std::pair<io::RecordField, bool>> keys_;  ///< and whether it descends
  std::int64_t header_ = 0, written_ = 0, read_ = 0;
  std::string buffer_;
};

}  // namespace

std::unique_ptr<RowSource> record_rows(const SortRowsParams& params) {
  return std::make_unique<RecordRows>(params);
}

}  // namespace yupana::job
