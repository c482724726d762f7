#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace yupana::io {

/// Text of JSON. Letters are written at its end, in memory that has room for more: a string that
/// counts each takes twice as long.
class JsonWriter {
 public:
  void put(std::string_view letters) {
    end_ = std::ranges::copy(letters, room(letters.size())).out - text_.data();
  }
  void put(std::int64_t value) {
    char* const from = room(number_letters);
    end_ = std::to_chars(from, from + number_letters, value).ptr - text_.data();
  }
  /// As the JSON library writes it. Most are whole: weights, and sums of them.
  void put(double value) {
    if (std::fabs(value) < 1e15 && value == std::trunc(value) && !std::signbit(value)) {
      put(static_cast<std::int64_t>(value));
      put(".0");
    } else if (std::isfinite(value)) {
      char* const from = room(number_letters);
      end_ = nlohmann::detail::to_chars(from, from + number_letters, value) - text_.data();
    } else {
      put("null");
    }
  }
  void drop_last() { --end_; }
  std::string take() {
    text_.resize(static_cast<std::size_t>(end_));
    return std::move(text_);
  }

 private:
  // Of any number of JSON, with room to spare.
  static constexpr std::size_t number_letters = 64;

  char* room(std::size_t letters) {
    const std::size_t wanted = static_cast<std::size_t>(end_) + letters;
    if (wanted > text_.size()) text_.resize(2 * wanted);
    return text_.data() + end_;
  }

  std::string text_;
  std::ptrdiff_t end_ = 0;
};

}  // namespace yupana::io
