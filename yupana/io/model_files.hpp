#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/forest/forest.hpp"

namespace yupana::io {

/// The newest version that is read. A model is written as the first version that can hold it: 2
/// where it has columns of text, 3 where a threshold is infinite, 4 where nodes split categories,
/// else 1.
inline constexpr int model_version = 4;

/// A model as readable JSON: trees as arrays, one entry a node (children -1 at leaves). Every
/// number reads back the same; a threshold that is infinite is the text "inf" (all known values are
/// at most that) or "-inf". "set" is the number of a node's text among "sets", whose character c is
/// "1" where category c goes left; -1: none. "checksum" is that of the binary form, and compared
/// where it is present. Throws bad_input for names that are not UTF-8.
void write_model_json(Context& context, AtomicFile& file, const forest::Model& model);
/// The same in a compact binary (model_binary.hpp), trees in less than half, with a checksum.
void write_model_binary(Context& context, AtomicFile& file, const forest::Model& model);
/// What that writes, in memory.
std::string model_bytes(const forest::Model& model);
/// What follows the reading of a model, for a refusal: bytes for one of its trees, and for all,
/// given those of the trees.
struct ModelWork {
  std::function<double(const forest::Model& model, const forest::Tree& tree, std::size_t trees)>
      of_tree = {};
  std::function<double(double trees)> total = {};
};
/// Reads either. bad_input for anything that is no model, of another version, or damaged;
/// out_of_resources where reading takes more than `max_bytes`: it names what reading takes, or
/// the work where that takes more.
forest::Model read_model(const std::string& path,
                         std::uint64_t max_bytes,
                         const ModelWork& work = {});
/// The same from memory; `name` replaces the path in errors.
forest::Model model_from_bytes(const std::string& name,
                               std::string_view bytes,
                               std::uint64_t max_bytes = ~std::uint64_t{0},
                               const ModelWork& work = {});

/// A node in words.
struct NodeWords {
  std::int32_t node = 0;
  std::int64_t depth = 0;
  std::string condition;   ///< "x <= 2.5 or missing", which leads there; empty: the root
  std::string prediction;  ///< the class, or the number
};
struct WordParams {
  bool missing = true;   ///< conditions say where missing values go
  bool rounded = false;  ///< numbers of many digits have six
};
/// The nodes in preorder.
std::vector<NodeWords> node_words(const forest::Model& model,
                                  std::int64_t tree,
                                  const WordParams& params);
/// A column in a sentence: its name, or "column 3" where that is a number.
std::string column_words(const std::string& name);

/// One line a node: "if x <= 2.5 or missing", "if x in {a, b}", and what leaves predict; thresholds
/// unrounded. Where sends_missing_to_larger() it is said once, at the end.
std::string rules_text(const forest::Model& model, std::int64_t tree);
/// The tree as Graphviz text, and as a picture of its own: the root at the left, nodes below
/// `deepest` folded into a box that counts their leaves; numbers of many digits have six.
std::string tree_dot(const forest::Model& model, std::int64_t tree);
std::string tree_svg(const forest::Model& model, std::int64_t tree, std::int64_t deepest = 6);

/// A model in the Open Neural Network Exchange format (ai.onnx.ml opset 3, TreeEnsembleClassifier
/// or TreeEnsembleRegressor), as bytes of a .onnx file.
///   input "x": float32 [rows, features], NaN where missing
///   output "label": string [rows], and "probabilities": float32 [rows, classes] (soft voting: mean
///   of the trees' shares; hard: share of their votes); of numbers "value": float32 [rows, 1]
///   metadata "yupana": JSON with the names of features and classes and, of columns of text, which
///   number of x is which category (encodings: values, or one_hot: a feature a category)
///   thresholds: rounded down to float32, so that every float32 goes where it goes here; a double
///   that is cast to float32 on its way in may cross a threshold that lies between the two
///   sums: of float32, within 1e-6 of the double's here; votes are counted exactly
///   errors: out_of_resources beyond the 2 GiB that the format can hold
///   source: onnx.proto3 and the operators' pages, github.com/onnx/onnx
std::string onnx_model(const forest::Model& model);

}  // namespace yupana::io
