#include <fmt/format.h>

#include <vector>

#include "yupana/core/counted.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/text.hpp"
#include "yupana/report/trees_parts.hpp"

namespace yupana::report {
namespace {

constexpr std::int64_t open_depth = 6;
constexpr std::size_t max_lines = 4000;  ///< nodes in a page
constexpr double least_share = 0.005;    ///< narrower than half a pixel

/// The deepest level that is written: at most max_lines nodes, but the open levels at least.
std::int64_t deepest_written(const std::vector<TreeLine>& tree) {
  std::vector<std::size_t> nodes;
  for (const TreeLine& own : tree) {
    if (nodes.size() <= static_cast<std::size_t>(own.depth)) nodes.resize(own.depth + 1);
    ++nodes[own.depth];
  }
  std::size_t all = 0;
  for (std::size_t depth = 0; depth < nodes.size(); ++depth) {
    all += nodes[depth];
    if (all > max_lines && static_cast<std::int64_t>(depth) > open_depth) {
      return static_cast<std::int64_t>(depth) - 1;
    }
  }
  return static_cast<std::int64_t>(nodes.size()) - 1;
}

/// The classes' shares as a bar in the colours of the table of classes.
std::string mix_of(const TreeLine& line) {
  if (line.shares.empty() || line.shares.size() > max_class_curves) return "";
  std::string parts;
  for (std::size_t c = 0; c < line.shares.size(); ++c) {
    if (line.shares[c] < least_share) continue;
    parts += fmt::format("<i class=\"c{}\" style=\"width: {:.1f}%\"></i>", c, 100 * line.shares[c]);
  }
  return "<span class=\"mix\">" + parts + "</span>";
}

std::string words_of(const TreeLine& line) {
  return fmt::format("{} <b>{}</b>{} <span class=\"rows\">{}{}</span>",
                     line.depth == 0 ? "all rows" : escaped(line.condition),
                     escaped(line.prediction),
                     mix_of(line),
                     counted(line.rows, "row"),
                     line.is_leaf ? "" : fmt::format(", impurity {:.3g}", line.impurity));
}

std::string lists_of(const std::vector<TreeLine>& tree, std::int64_t deepest) {
  std::string text = "<ul>\n";
  std::int64_t depth = 0;  // of the list at work
  std::int64_t folded = 0;
  const auto close_to = [&](std::int64_t to) {
    if (folded > 0) {
      text += fmt::format(
          "<ul><li><span class=\"rows\">{} below, see yupana tree show</span></li>"
          "</ul></details></li>\n",
          counted(folded, "leaf", "leaves"));
      folded = 0;
    }
    for (; depth > to; --depth) text += "</ul></details></li>\n";
  };
  for (const TreeLine& own : tree) {
    if (own.depth > deepest) {
      folded += own.is_leaf ? 1 : 0;
      continue;
    }
    close_to(own.depth);
    if (own.is_leaf) {
      text += "<li class=\"leaf\"><span>" + words_of(own) + "</span></li>\n";
      continue;
    }
    text += fmt::format("<li><details{}><summary>{}</summary>",
                        own.depth < open_depth ? " open" : "",
                        words_of(own));
    if (own.depth == deepest) continue;
    text += "<ul>\n";
    depth = own.depth + 1;
  }
  close_to(0);
  return text + "</ul>\n";
}

}  // namespace

std::string tree_of(const TreesReport& report) {
  if (report.tree.size() < 2) return "";
  const char* const shares =
      report.classes.empty() || report.classes.size() > max_class_curves
          ? ""
          : " The bar has the classes' shares, in the colours of their table.";
  return fmt::format(
      "<figure id=\"tree\"><figcaption><h2>The tree</h2><p>Of each node the condition that leads "
      "there, what it predicts and the rows of the training that reach it.{} Below depth {} nodes "
      "are folded: click to open one. Long numbers are rounded; yupana tree show has them "
      "whole.</p></figcaption><div class=\"scroll\">{}</div></figure>",
      shares,
      open_depth,
      lists_of(report.tree, deepest_written(report.tree)));
}

}  // namespace yupana::report
