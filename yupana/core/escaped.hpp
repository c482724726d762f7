#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace yupana {

/// Bytes of the UTF-8 character at the front of `text`, if it can be shown: neither a control nor
/// one that has no width or turns the direction of what follows; otherwise 0.
std::size_t shown_character(std::string_view text);

/// Whether every byte of the text belongs to a character of UTF-8, which is what JSON can hold.
bool is_utf8(std::string_view text);

/// The text with every byte that belongs to no such character as \xNN: one line of valid UTF-8 that
/// commands no terminal and hides nothing. What the program and the Python package say of an error
/// goes through here, since it quotes names and bytes of files.
std::string escaped(std::string_view text);

}  // namespace yupana
