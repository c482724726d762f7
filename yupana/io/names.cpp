#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "yupana/io/cell.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {

std::vector<std::string> ordered_names(const std::vector<Names>& lists) {
  std::set<std::string> all;
  for (const Names& list : lists) all.insert(list.texts().begin(), list.texts().end());
  std::vector<std::pair<double, std::string>> sorted;
  bool numbers = true;
  for (const std::string& text : all) {
    double value = 0;
    numbers = numbers && whole_number(text, value) && !std::isnan(value);
    sorted.emplace_back(value, text);
  }
  if (numbers) std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> names;
  for (auto& [value, text] : sorted) names.push_back(std::move(text));
  return names;
}

std::vector<std::int32_t> places_of(const std::vector<std::string>& texts,
                                    const std::vector<std::string>& known) {
  std::unordered_map<std::string_view, std::int32_t> places;
  for (const std::string& text : known) {
    places.emplace(text, static_cast<std::int32_t>(places.size()));
  }
  std::vector<std::int32_t> result;
  for (const std::string& text : texts) {
    const auto found = places.find(text);
    result.push_back(found == places.end() ? -1 : found->second);
  }
  return result;
}

}  // namespace yupana::io
