#include "yupana/io/json_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"

namespace yupana::io {
namespace {

bool is_json_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a value ends before the letter: one that is part of no number and no word.
bool ends_value(char c) {
  return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

}  // namespace

void checked_json(const std::string& path, std::string_view text) {
  constexpr std::size_t most_depth = 32;
  constexpr std::int64_t most_members = 1000;
  std::size_t depth = 0;
  std::array<std::int64_t, most_depth + 1> members{};  // of each open object; -1: a list
  members[0] = -1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
        break;
      case '{':
      case '[':
        if (depth == most_depth) {
          throw bad_file(path,
                         "expected brackets nested at most {} deep, got more; is it damaged?",
                         most_depth);
        }
        members[++depth] = text[i] == '{' ? 1 : -1;
        break;
      case '}':
      case ']':
        depth -= depth > 0;
        break;
      case ',':
        if (members[depth] < 0 || ++members[depth] <= most_members) break;
        throw bad_file(path,
                       "expected objects of at most {} members, got one of more; is it damaged?",
                       most_members);
    }
  }
}

Error JsonReader::no_json() const { return bad_file(path_, no_json_); }

std::size_t JsonReader::count() const {
  return 1 + static_cast<std::size_t>(std::count(at_, std::find(at_, end_, ']'), ','));
}

std::string_view JsonReader::skip() {
  next();
  const char* const first = at_;
  for (int depth = 0; at_ < end_; ++at_) {
    const char c = *at_;
    if (depth == 0 && (c == ',' || c == ':' || c == ']' || c == '}')) break;
    if (c == '"') {
      for (++at_; at_ < end_ && *at_ != '"'; ++at_) at_ += *at_ == '\\';
      if (at_ >= end_) at_ = end_ - 1;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      ++at_;
      break;
    }
  }
  return {first, at_};
}

JsonReader::Json JsonReader::value() {
  const std::string_view text = skip();
  checked_json(path_, text);
  return Json::parse(text.begin(), text.end());
}

bool JsonReader::is_word(std::string_view word) {
  if (size() <= word.size() || !std::equal(word.begin(), word.end(), at_)) return false;
  if (!ends_value(at_[word.size()])) return false;
  at_ += word.size();
  return true;
}

std::optional<bool> JsonReader::flag() {
  next();
  if (is_word("false")) return false;
  if (is_word("true")) return true;
  const Json json = value();
  return json.is_boolean() ? std::optional(json.get<bool>()) : std::nullopt;
}

// The document's last brace is a byte that ends what the two below read.
std::optional<double> JsonReader::number() {
  const bool is_negative = next() == '-';
  const char* digit = at_ + (is_negative ? 1 : 0);
  // Neither 007 nor -0, which the library reads as the integer 0, nor 1. are what programs write.
  bool is_plain = is_json_digit(*digit) && (*digit != '0' || digit[1] == '.');
  while (is_json_digit(*digit)) ++digit;
  is_plain = is_plain && (*digit != '.' || is_json_digit(digit[1]));
  double number = 0;
  const char* const stop = is_plain ? read_number(at_, end_, number) : at_;
  if (is_plain && ends_value(*stop) && std::isfinite(number)) {
    at_ = stop;
    return number;
  }
  const Json json = value();
  return json.is_number() ? std::optional(json.get<double>()) : std::nullopt;
}

std::optional<std::int64_t> JsonReader::whole() {
  const bool is_negative = next() == '-';
  const char* const digit = at_ + (is_negative ? 1 : 0);
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(at_, end_, number);
  const bool is_plain = error == std::errc() && (*digit != '0' || stop == digit + 1);
  if (is_plain && ends_value(*stop)) {
    at_ = stop;
    return number;
  }
  const Json json = value();
  const bool is_larger = json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX;
  if (!json.is_number_integer() || is_larger) return {};
  return json.get<std::int64_t>();
}

}  // namespace yupana::io
