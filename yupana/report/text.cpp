#include "yupana/report/text.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "yupana/report/page.hpp"

namespace yupana::report {

std::string valid_utf8(const std::string& text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string escape_html(std::string_view text) {
  constexpr std::string_view marks = "<>&\"'";
  constexpr std::string_view names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
  std::string out;
  for (const char& c : text) {
    const std::size_t mark = marks.find(c);
    out += mark == marks.npos ? std::string_view(&c, 1) : names[mark];
  }
  return out;
}

std::string html_list(const std::vector<std::string>& texts) {
  std::string items;
  for (const std::string& text : texts) items += "<li>" + escaped(text) + "</li>";
  return "<ul>" + items + "</ul>";
}

std::string html_table(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string rows;
  for (const auto& [name, value] : pairs) {
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name), escaped(value));
  }
  return "<table><tbody>\n" + rows + "</tbody></table>";
}

std::string escape_script(std::string json) {
  if (json.find('<') == std::string::npos) return json;
  std::string out;
  out.reserve(json.size());
  for (const char c : json) c == '<' ? out += "\\u003c" : out += c;
  return out;
}

std::string base64(const void* data, std::size_t bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* from = static_cast<const std::uint8_t*>(data);
  std::string out((bytes + 2) / 3 * 4, '=');
  for (std::size_t i = 0, o = 0; i < bytes; i += 3, o += 4) {
    const std::size_t left = bytes - i;
    const std::uint32_t three =
        from[i] << 16 | (left > 1 ? from[i + 1] << 8 : 0) | (left > 2 ? from[i + 2] : 0);
    out[o] = digits[three >> 18];
    out[o + 1] = digits[three >> 12 & 63];
    if (left > 1) out[o + 2] = digits[three >> 6 & 63];
    if (left > 2) out[o + 3] = digits[three & 63];
  }
  return out;
}

void write_page(AtomicFile& file,
                std::string_view page,
                const std::map<std::string_view, std::string_view>& parts) {
  for (;;) {
    const std::size_t open = page.find("{{"), close = page.find("}}");
    file.write(page.substr(0, open));
    if (open == std::string_view::npos) return;
    const std::string_view name = page.substr(open + 2, close - open - 2);
    if (name == "head") {
      write_page(file, page::head_html, parts);
    } else {
      file.write(name == "begin"    ? page::begin_html
                 : name == "scheme" ? page::scheme_html
                 : name == "style"  ? page::page_css
                                    : parts.at(name));
    }
    page.remove_prefix(close + 2);
  }
}

std::string name_and_unit(const std::string& name, const std::string& unit) {
  return valid_utf8(unit.empty() ? name : fmt::format("{} ({})", name, unit));
}

std::string percent(double share) {
  if (!std::isfinite(share)) return {};
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  if (share < 1 && share >= 0.9995) return "> 99.9 %";
  return fmt::format("{:.1f} %", 100 * share);
}

}  // namespace yupana::report
