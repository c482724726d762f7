#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "yupana/forest/split.hpp"

/// Private to the family.
namespace yupana::forest {

/// Puts the branches under the top's nodes and brings all into preorder.
inline Tree grafted(Tree top, const std::vector<Segment>& places, std::vector<Tree> branches) {
  if (top.nodes.empty()) return std::move(branches[0]);
  // Children that are branches: -2 - number.
  for (std::size_t i = 0; i < places.size(); ++i) {
    top.set_child(places[i].parent, places[i].is_right, -2 - static_cast<std::int32_t>(i));
  }
  Tree tree;
  tree.outputs = top.outputs;
  struct Step {
    std::int32_t child, parent;
    bool is_right;
  };
  std::vector<Step> stack{{0, -1, false}};
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    const auto index = static_cast<std::int32_t>(tree.nodes.size());
    tree.set_child(step.parent, step.is_right, index);
    if (step.child < -1) {
      Tree& branch = branches[-2 - step.child];
      for (Node node : branch.nodes) {
        if (!node.is_leaf()) {
          node.left += index;
          node.right += index;
        }
        tree.take_set(node, branch);
        tree.nodes.push_back(node);
      }
      tree.values.insert(tree.values.end(), branch.values.begin(), branch.values.end());
      continue;
    }
    Node node = top.nodes[step.child];
    tree.take_set(node, top);
    tree.nodes.push_back(node);
    tree.values.insert(
        tree.values.end(), top.value(step.child), top.value(step.child) + top.outputs);
    if (node.is_leaf()) continue;
    stack.push_back({node.right, index, true});
    stack.push_back({node.left, index, false});
  }
  return tree;
}

}  // namespace yupana::forest
