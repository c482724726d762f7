#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yupana/core/atomic_file.hpp"

namespace yupana::report {

/// Bytes that are not UTF-8 become U+FFFD: a sample name may hold anything.
std::string valid_utf8(const std::string& text);

/// For element contents and attribute values of HTML.
std::string escape_html(std::string_view text);
/// The same of any bytes.
inline std::string escaped(const std::string& text) { return escape_html(valid_utf8(text)); }

/// Texts as items of a list.
std::string html_list(const std::vector<std::string>& texts);
/// Names and values as rows of a table.
std::string html_table(const std::vector<std::pair<std::string, std::string>>& pairs);

/// JSON for a script element: no '<' is left, so no name can close the element or
/// open a comment.
std::string escape_script(std::string json);

std::string base64(const void* data, std::size_t bytes);

/// Writes a page in which parts.at(name) replaces each {{name}} but those that all pages share:
/// their head, which has a title and a policy of its own, style and begin.
void write_page(AtomicFile& file,
                std::string_view page,
                const std::map<std::string_view, std::string_view>& parts);

/// "distance d (mm)"; the name alone without a unit. Valid UTF-8.
std::string name_and_unit(const std::string& name, const std::string& unit);

/// 34.2 % for 0.342; never 0 % or 100 % of what is not; empty for a share that is not finite.
std::string percent(double share);

}  // namespace yupana::report
