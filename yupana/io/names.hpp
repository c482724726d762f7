#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace yupana::io {

/// Numbers for texts, in order of appearance.
class Names {
 public:
  std::int32_t number(std::string_view text) {
    // Runs of one text are usual.
    if (last_ >= 0 && texts_[last_] == text) return last_;
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return last_ = found->second;
    last_ = static_cast<std::int32_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(texts_.back(), last_);
    return last_;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
  std::int32_t last_ = -1;
};

/// All texts of several lists once: in order of value if every one is a number (equal values in
/// order of bytes), else in order of bytes.
std::vector<std::string> ordered_names(const std::vector<Names>& lists);
/// For each text its place in `known`; -1: none.
std::vector<std::int32_t> places_of(const std::vector<std::string>& texts,
                                    const std::vector<std::string>& known);

}  // namespace yupana::io
