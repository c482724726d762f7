#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/io/model_files.hpp"

namespace yupana::io {

// The binary form of a model, all numbers with the lowest byte first:
//   "YUPTREE2"; bytes of the header (u64); the header, the JSON form's without its trees
//   trees (u64); of each: nodes (u64), then node after node:
//     flags (u8): 1 leaf, 2 missing values go left, 4 weight = rows, 8 impurity = 0,
//                 16 values are whole numbers, 32 categories are split
//     of no leaf: feature (varint), threshold (f64) or how many categories (varint) and a bit of
//     each, 1 goes left, the first the lowest of the first byte; left - number of the node
//     (varint), right alike rows (varint); weight (f64) and impurity (f64) where the flags do not
//     say them one value an output: varint or f64
//   CRC-32 (zlib's) of all before (u32)
// varint: 7 bits a byte, the lowest first; all but the last byte have their highest bit set.

bool is_binary_model(std::string_view bytes);

/// bad_input for a file that is cut short or damaged, or of the form without a checksum;
/// out_of_resources where the trees are beyond `max_bytes`.
forest::Model binary_model(const std::string& path,
                           std::string_view bytes,
                           std::uint64_t max_bytes,
                           const ModelWork& work = {});

/// The CRC-32 that ends a model's binary form, as 8 hexadecimal digits: of the model, however a
/// text of it is laid out. context: null for one thread
std::string model_checksum(Context* context, std::string_view path, const forest::Model& model);

/// Parts that both forms share, of model_files.cpp: everything of a model but its trees as JSON.
std::string model_header(std::string_view path, const forest::Model& model);
forest::Model model_of_header(const std::string& path, std::string_view text);
/// Every node but the root is the child of exactly one node before it, and features are there.
void check_model(const std::string& path, const forest::Model& model);
/// `wanted`: bytes of reading, `later`: of what follows with all trees; `instead`: what else helps.
Error model_too_large(const std::string& path,
                      std::uint64_t wanted,
                      double later,
                      const ModelWork& work,
                      std::uint64_t max_bytes,
                      const char* instead);

/// take(make(tree)) for one tree after the other. With a context the texts are made on its threads,
/// of as many trees at a time as have about half a million nodes.
template <class Make, class Take>
void each_tree_text(Context* context,
                    const std::vector<forest::Tree>& trees,
                    const Make& make,
                    const Take& take) {
  constexpr std::int64_t most_nodes = std::int64_t{1} << 19;
  const std::int64_t count = std::ssize(trees);
  std::vector<std::string> texts;
  for (std::int64_t first = 0; first < count; first += std::ssize(texts)) {
    std::int64_t last = first + 1, nodes = std::ssize(trees[first].nodes);
    while (context != nullptr && last < count && nodes < most_nodes) {
      nodes += std::ssize(trees[last++].nodes);
    }
    texts.assign(static_cast<std::size_t>(last - first), {});
    const auto make_some = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) texts[i] = make(trees[first + i]);
    };
    context != nullptr ? context->parallel_for(last - first, 1, make_some)
                       : make_some(0, last - first);
    for (const std::string& text : texts) take(text);
  }
}

}  // namespace yupana::io
