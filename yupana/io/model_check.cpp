#include <algorithm>
#include <cmath>
#include <numeric>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/model_binary.hpp"

namespace yupana::io {
namespace {

using forest::Model;
using forest::Node;
using forest::Tree;

/// A finite number, or weights of classes that have shares.
bool has_value(const Model& model, const double* value, std::int32_t outputs) {
  if (!model.is_class()) return std::isfinite(*value);
  const double sum = std::accumulate(value, value + outputs, 0.0);
  return *std::min_element(value, value + outputs) >= 0 && sum > 0 && std::isfinite(sum);
}

}  // namespace

Error model_too_large(const std::string& path,
                      std::uint64_t wanted,
                      double later,
                      const ModelWork& work,
                      std::uint64_t max_bytes,
                      const char* instead) {
  const auto reading = static_cast<double>(wanted);
  if (work.total) later = work.total(later);
  return resource_error(
      "{}: reading the model takes {}{}; memory is limited to {}; give --memory {}{}",
      path,
      needed_bytes(reading),
      later > reading ? ", and what follows " + needed_bytes(later) : "",
      allowed_bytes(static_cast<double>(max_bytes)),
      memory_option(std::max(reading, later)),
      instead);
}

void check_model(const std::string& path, const Model& model) {
  if (model.trees.empty()) throw bad_file(path, "a model without trees");
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const Tree& tree = model.trees[t];
    const auto damaged = [&](std::string_view what) {
      return bad_file(path, "tree {}: {}; train the model again", t + 1, what);
    };
    if (tree.nodes.empty()) throw damaged("no nodes");
    if (tree.values.size() != tree.nodes.size() * static_cast<std::size_t>(tree.outputs)) {
      throw damaged("other than one value a node and class");
    }
    std::vector<char> seen(tree.nodes.size(), 0);
    std::size_t children = 0;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const Node& node = tree.nodes[i];
      if (node.feature >= std::ssize(model.features)) throw damaged("a feature that is not there");
      if (node.set < -1 || node.set >= std::ssize(tree.sets)) throw damaged("a set that is none");
      if (node.rows < 0 || !(node.weight >= 0) ||
          !has_value(model, tree.value(static_cast<std::int64_t>(i)), tree.outputs)) {
        throw damaged(fmt::format("node {} has a value or weight that is none", i));
      }
      if (node.is_leaf()) continue;
      if (node.threshold != node.threshold) throw damaged("a threshold that is no number");
      for (const std::int32_t child : {node.left, node.right}) {
        const bool below = child > static_cast<std::int64_t>(i) && child < std::ssize(tree.nodes);
        if (!below || seen[child] != 0) {
          throw damaged(fmt::format("node {} has a child that is none", i));
        }
        seen[child] = 1;
        ++children;
      }
    }
    if (children + 1 != tree.nodes.size()) throw damaged("nodes without a parent");
  }
}

}  // namespace yupana::io
