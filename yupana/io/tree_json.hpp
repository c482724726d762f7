#pragma once

#include <cstddef>
#include <string>

#include "yupana/forest/tree.hpp"
#include "yupana/io/json_reader.hpp"

namespace yupana::io {

/// A tree as a JSON object of lists, an entry a node. The library's own takes a fifth of a forest's
/// run.
std::string tree_text(const forest::Tree& tree);

/// The tree that is the reader's next value, with one output; `number`, from 1, is its name in
/// errors. bad_input for what is no list of the values that it is to have; whether they are a tree
/// is the caller's to check.
forest::Tree read_tree(const std::string& path, JsonReader& reader, std::size_t number);

}  // namespace yupana::io
