#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/forest/forest.hpp"

namespace yupana::io {

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
