#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "yupana/core/error.hpp"

namespace yupana::io {

/// bad_input where brackets are nested deeply, which the JSON library's copies follow on the stack,
/// or an object has many members, each of which it compares with all before it.
void checked_json(const std::string& path, std::string_view text);

/// A document taken value by value, so that nothing is held of it but what the caller keeps.
/// Numbers, true and false as programs write them are read here; every other text goes to the JSON
/// library, which so decides what is a value and what is refused. It takes a zero byte for the end:
/// the text has none.
///   errors: bad_input or the library's exceptions for a text that is no JSON
class JsonReader {
 public:
  using Json = nlohmann::ordered_json;

  /// The object that `text` is, up to its last brace. `no_json`: the error of a text that is none.
  /// Keeps all three.
  JsonReader(const std::string& path, std::string_view text, const char* no_json)
      : path_(path),
        no_json_(no_json),
        begin_(text.data()),
        at_(begin_),
        end_(begin_ + text.rfind('}') + 1) {}

  /// The first byte of what is next; 0 at the end.
  char next() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
    return at_ < end_ ? *at_ : '\0';
  }
  /// Bytes before it, and from it on.
  std::size_t place() const { return static_cast<std::size_t>(at_ - begin_); }
  std::size_t size() const { return static_cast<std::size_t>(end_ - at_); }

  /// take(name) for each member of the object that is next; takes its value.
  template <class Take>
  void members(const Take& take) {
    each('{', '}', [&] {
      if (next() != '"') throw no_json();
      const auto name = value().get<std::string>();
      expect(':');
      take(name);
    });
  }
  /// take() for each value of the list that is next; takes the value.
  template <class Take>
  void values(const Take& take) {
    each('[', ']', take);
  }
  /// Values of the list of numbers that is next.
  std::size_t count() const;

  Json value();
  /// The text of a value, not looked at but for where it ends.
  std::string_view skip();
  /// Nothing where the value, which is taken all the same, is of another kind.
  std::optional<bool> flag();
  std::optional<double> number();
  std::optional<std::int64_t> whole();

 private:
  bool is_word(std::string_view word);
  void expect(char letter) {
    if (next() != letter) throw no_json();
    ++at_;
  }
  template <class Take>
  void each(char first, char last, const Take& take) {
    expect(first);
    if (next() == last) return expect(last);
    while (true) {
      take();
      if (next() == last) return expect(last);
      expect(',');
    }
  }
  Error no_json() const;

  const std::string& path_;
  const char* no_json_;
  const char* begin_;
  const char* at_;
  const char* end_;
};

}  // namespace yupana::io
