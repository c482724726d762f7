#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "yupana/core/atomic_file.hpp"
#include "yupana/forest/forest.hpp"

namespace yupana::io {

/// The newest version that is read; a model without text columns is written as version 1, which
/// the first release reads.
inline constexpr int model_version = 2;

/// A model as readable JSON: trees as arrays, one entry a node (children -1 at leaves; a threshold
/// of null is +infinity). Every number reads back the same.
void write_model_json(AtomicFile& file, const forest::Model& model);
/// The same in a compact binary: about 50 bytes a node and 8 a value.
void write_model_binary(AtomicFile& file, const forest::Model& model);
/// What that writes, in memory.
std::string model_bytes(const forest::Model& model);
/// Reads either. bad_input for anything that is no model, of another version, or damaged.
forest::Model read_model(const std::string& path, std::uint64_t most_bytes);
/// The same from memory; `name` stands for the path in errors.
forest::Model model_from_bytes(const std::string& name, std::string_view bytes);

/// One line a node: "if x <= 2.5 (missing too)", and what leaves predict; thresholds unrounded.
std::string rules_text(const forest::Model& model, std::int64_t tree);
/// The tree as Graphviz text, and as a picture of its own.
std::string tree_dot(const forest::Model& model, std::int64_t tree);
std::string tree_svg(const forest::Model& model, std::int64_t tree);

}  // namespace yupana::io
