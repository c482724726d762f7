#include "yupana/io/npy_records.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/npy_file.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

constexpr std::int64_t most_width = std::int64_t{1} << 30;

/// Reads the description of a structured type: a list of tuples of a name, or a title and a name, a
/// type or again a list, and of several values a shape.
class Description {
 public:
  Description(std::string_view path, std::string_view text) : path_(path), text_(text) {}

  /// The fields, and the text that described them.
  std::pair<std::vector<RecordField>, std::string> read() {
    std::vector<RecordField> fields;
    width_ = list(&fields);
    return {std::move(fields), std::string(text_.substr(0, at_))};
  }
  std::int64_t width() const { return width_; }

 private:
  [[noreturn]] void refuse() const {
    throw bad_file(path_,
                   ".npy header has a structured type that cannot be read at '{}'; save it again "
                   "with numpy.save",
                   printable(text_.substr(std::min(at_, text_.size()), 20)));
  }

  bool takes(char c) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void take(char c) {
    if (!takes(c)) refuse();
  }

  /// A string of Python; escaped characters as themselves.
  std::string word() {
    const char quote = takes('\'') ? '\'' : '"';
    if (quote == '"') take('"');
    std::string text;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\') ++at_;
      if (at_ < text_.size()) text += text_[at_++];
    }
    take(quote);
    return text;
  }

  std::string name() {
    if (!takes('(')) return word();
    word();  // a title
    take(',');
    std::string text = word();
    take(')');
    return text;
  }

  std::int64_t number() {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
    const auto value = number_of<std::int64_t>(text_.substr(at_, end - at_));
    if (!value) refuse();
    at_ = end;
    return *value;
  }

  static std::int64_t times(std::int64_t a, std::int64_t b) {
    return b > 0 && a > most_width / b ? most_width + 1 : a * b;
  }

  /// How many values a field has: its shape's product.
  std::int64_t shape() {
    std::int64_t count = 1;
    if (!takes('(')) {
      takes(' ');
      return number();
    }
    while (!takes(')')) {
      takes(' ');
      count = times(count, number());
      takes(',');
    }
    return count;
  }

  /// The type of one value: "<i4", "|S10", "<M8[ns]".
  void type(RecordField& field) {
    const std::string text = word();
    const std::size_t unit = std::min(text.find('['), text.size());
    const auto width = text.size() > 2
                           ? number_of<std::int64_t>(std::string_view(text).substr(2, unit - 2))
                           : std::nullopt;
    if (!width || *width < 0 || *width > most_width) refuse();
    if (text[1] == 'O') {
      throw bad_file(path_,
                     "field '{}' holds values of Python; save fields of plain types",
                     printable(field.name));
    }
    if (std::string_view("biufcSaUVMm").find(text[1]) == std::string_view::npos) refuse();
    field.swapped = text[0] == '>';
    field.kind = text[1] == 'a' ? 'S' : text[1];
    field.width = field.kind == 'U' ? 4 * *width : *width;
  }

  /// A list of fields; their bytes together. Those of a list in a list are passed over.
  std::int64_t list(std::vector<RecordField>* fields) {
    if (++depth_ > 16) refuse();
    std::int64_t offset = 0;
    take('[');
    while (!takes(']')) {
      RecordField field;
      take('(');
      field.name = name();
      take(',');
      field.offset = offset;
      takes(' ');
      if (at_ < text_.size() && text_[at_] == '[') {
        field.width = list(nullptr);
      } else {
        type(field);
      }
      if (takes(',')) {
        field.width = times(field.width, shape());
        field.kind = '\0';
      }
      take(')');
      offset += field.width;
      if (offset > most_width) refuse();
      if (fields != nullptr) fields->push_back(std::move(field));
      takes(',');
    }
    --depth_;
    return offset;
  }

  std::string_view path_, text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::int64_t width_ = 0;
};

}  // namespace

NpyRecords::NpyRecords(std::string path) : file_(std::move(path)) {
  const std::string head = head_of(file_, 1 << 16);
  const NpyHeader header = npy_header(file_.path(), head);
  Description description(file_.path(), header.after(file_.path(), "descr"));
  std::tie(fields_, description_) = description.read();
  width_ = description.width();
  version_ = header.version;
  data_ = header.data;
  const std::vector<std::int64_t> shape = shape_of(file_.path(), header);
  const bool is_column = shape.size() == 1 || (shape.size() == 2 && shape[1] == 1);
  if (!is_column || width_ == 0) {
    throw file_.fault("expected one dimension of records, got an array of {}{}",
                      counted(std::ssize(shape), "dimension"),
                      width_ == 0 ? " of records without bytes" : "");
  }
  count_ = shape[0];
  const std::int64_t bytes = file_.size() - data_;
  if (bytes % width_ != 0 || bytes / width_ != count_) {
    throw file_.fault("expected {} of {} bytes, got {} bytes of them; copy the file again",
                      counted(count_, "record"),
                      width_,
                      bytes);
  }
}

bool NpyRecords::next(std::string_view& record) {
  if (begin_ == end_) {
    if (done_ == count_) return false;
    const std::int64_t most = std::max<std::int64_t>(1, (std::int64_t{1} << 18) / width_);
    begin_ = 0;
    end_ = std::min(most, count_ - done_);
    buffer_.resize(static_cast<std::size_t>(end_ * width_));
    file_.read_at(data_ + done_ * width_, buffer_.data(), buffer_.size());
    done_ += end_;
  }
  record = {buffer_.data() + begin_ * width_, static_cast<std::size_t>(width_)};
  ++begin_;
  return true;
}

std::string NpyRecords::preamble(std::int64_t count) const {
  std::string text =
      fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({},), }}", description_, count);
  constexpr std::size_t digits = 19, before = 12;  // of a count; signature, version, length
  const std::size_t longest = text.size() + digits - std::to_string(count).size();
  text.resize((before + longest + 1 + 63) / 64 * 64 - before - 1, ' ');
  text += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(std::max(version_, 2)), '\0'};
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(text.size() >> shift);
  return bytes + text;
}

bool has_records(const std::string& path) {
  const InputFile file(path);
  const std::string head = head_of(file, 1 << 16);
  return is_npy(head) && npy_header(path, head).after(path, "descr").starts_with('[');
}

}  // namespace yupana::io
