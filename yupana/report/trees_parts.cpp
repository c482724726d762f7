#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "yupana/core/messages.hpp"
#include "yupana/report/legend.hpp"
#include "yupana/report/pen.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/text.hpp"
#include "yupana/report/trees_page.hpp"

namespace yupana::report {
namespace {

constexpr double plot_left = 76, plot_top = 10, plot_width = 360, plot_height = 230;

/// The outputs that are shown: numbers, the second of two classes, or the first classes.
std::vector<std::size_t> shown_outputs(const TreesReport& report) {
  if (report.classes.empty()) return {0};
  if (report.classes.size() == 2) return {1};
  std::vector<std::size_t> all;
  for (std::size_t c = 0; c < std::min(report.classes.size(), max_class_curves); ++c) {
    all.push_back(c);
  }
  return all;
}

struct Range {
  double low = HUGE_VAL, high = -HUGE_VAL;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double part(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

/// Of all features alike, so that their curves compare.
Range range_of_means(const TreesReport& report, const std::vector<std::size_t>& outputs) {
  Range range;
  for (const Dependence& own : report.dependences) {
    for (std::int64_t v = 0; v < own.means.rows(); ++v) {
      for (const std::size_t c : outputs) range.add(own.means(v, static_cast<std::int64_t>(c)));
    }
  }
  return range;
}

std::string curve_chart(const TreesReport& report,
                        const Dependence& own,
                        const std::vector<std::size_t>& outputs,
                        const Range& y) {
  Range x;
  for (const double value : own.values) {
    if (std::isfinite(value)) x.add(value);
  }
  if (x.low > x.high) x = {0, 1};  // infinite values alone
  const auto x_of = [&](double value) {
    return plot_left + std::clamp(x.part(value), 0.0, 1.0) * plot_width;
  };
  const auto y_of = [&](double value) { return plot_top + (1 - y.part(value)) * plot_height; };
  std::string svg =
      fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Prediction by {}\">\n",
                  plot_left + plot_width + 14,
                  plot_top + plot_height + 28,
                  escaped(own.feature));
  const auto marks = [](const Range& range) {
    std::vector<double> at = ticks(range.low, range.high, 5);
    return at.empty() ? std::vector<double>{range.low} : at;
  };
  const std::vector<double> columns = marks(x), lines = marks(y);
  const std::vector<std::string> column_texts = tick_texts(columns), line_texts = tick_texts(lines);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                       x_of(columns[k]),
                       plot_top + plot_height + 17,
                       column_texts[k]);
  }
  for (std::size_t k = 0; k < lines.size(); ++k) {
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{} {:.1f}H{}\"/><text x=\"{}\" y=\"{:.1f}\" "
        "text-anchor=\"end\">{}</text>\n",
        plot_left,
        y_of(lines[k]),
        plot_left + plot_width,
        plot_left - 7,
        y_of(lines[k]) + 4,
        line_texts[k]);
  }
  for (const std::size_t c : outputs) {
    svg += fmt::format("<path class=\"curve {}\" d=\"",
                       outputs.size() > 1 ? fmt::format("c{}", c) : "only");
    char step = 'M';
    for (std::size_t v = 0; v < own.values.size(); ++v) {
      const double mean = own.means(static_cast<std::int64_t>(v), static_cast<std::int64_t>(c));
      svg += fmt::format("{}{:.1f} {:.1f}", step, x_of(own.values[v]), y_of(mean));
      step = 'L';
    }
    const std::string name = report.classes.empty() ? own.feature : report.classes[c].name;
    svg += fmt::format("\"><title>{}</title></path>\n", escaped(name));
  }
  return svg + fmt::format(
                   "<text transform=\"translate(12 {}) rotate(-90)\" "
                   "text-anchor=\"middle\">{}</text>\n</svg>",
                   plot_top + plot_height / 2,
                   report.classes.empty() ? "mean prediction" : "mean share");
}

std::string category_table(const TreesReport& report,
                           const Dependence& own,
                           const std::vector<std::size_t>& outputs,
                           const Range& y) {
  std::string rows;
  for (std::size_t v = 0; v < own.values.size(); ++v) {
    rows += "<tr><th scope=\"row\">" + escaped(own.names[v]) + "</th>";
    for (const std::size_t c : outputs) {
      const double mean = own.means(static_cast<std::int64_t>(v), static_cast<std::int64_t>(c));
      rows += fmt::format("<td>{:.4g}</td>", mean);
      if (outputs.size() == 1) {
        rows += fmt::format(
            "<td class=\"room\"><div class=\"bar\" style=\"width: {:.1f}%\"></div></td>",
            100 * y.part(mean));
      }
    }
    rows += "</tr>\n";
  }
  std::string head;
  for (const std::size_t c : outputs) {
    if (outputs.size() > 1) {
      head += "<th scope=\"col\">" + escaped(report.classes[c].name) + "</th>";
    }
  }
  if (!head.empty()) head = "<thead><tr><th></th>" + head + "</tr></thead>";
  return "<div class=\"scroll dependence\"><table>" + head + "<tbody>\n" + rows +
         "</tbody></table></div>";
}

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

constexpr Color panel_grid = {0xe3, 0xe5, 0xe8};
constexpr std::size_t most_bars = 40;
constexpr double bar_row_height = 18, name_width = 150, panel_width = 260, panel_gap = 24,
                 border = 16;
constexpr double bars_title_height = 44, axis_height = 26;

struct Bars {
  std::string title;
  Color color;
  std::vector<double> values;
  std::vector<double> deviations;  ///< empty: none are drawn
};

/// One panel of bars from a common zero line, with its axis.
void draw_bars(Pen& pen, const Bars& bars, double left, double bottom) {
  double low = 0, high = 0;
  for (std::size_t i = 0; i < bars.values.size(); ++i) {
    const double spread = bars.deviations.empty() ? 0 : bars.deviations[i];
    low = std::min(low, bars.values[i] - spread);
    high = std::max(high, bars.values[i] + spread);
  }
  if (!(high > low)) high = low + 1;
  const auto x_of = [&](double value) { return left + (value - low) / (high - low) * panel_width; };
  pen.color(ink);
  pen.font(13, true);
  pen.text(bars.title, left, bars_title_height - 20, Align::left, panel_width);
  const std::vector<double> marks = ticks(low, high, 4);
  const std::vector<std::string> texts = tick_texts(marks);
  pen.font(11);
  for (std::size_t k = 0; k < marks.size(); ++k) {
    pen.color(panel_grid);
    pen.line(x_of(marks[k]), bars_title_height - 6, x_of(marks[k]), bottom);
    pen.color(muted);
    pen.text(texts[k], x_of(marks[k]), bottom + 15, Align::center, 60);
  }
  for (std::size_t i = 0; i < bars.values.size(); ++i) {
    const double top = bars_title_height + static_cast<double>(i) * bar_row_height;
    const double from = x_of(std::min(0.0, bars.values[i]));
    const double to = x_of(std::max(0.0, bars.values[i]));
    pen.color(bars.color);
    pen.fill({from, top + 3, to - from, bar_row_height - 6});
    if (bars.deviations.empty() || !(bars.deviations[i] > 0)) continue;
    pen.color(ink);
    const double middle = top + bar_row_height / 2;
    pen.line(x_of(bars.values[i] - bars.deviations[i]),
             middle,
             x_of(bars.values[i] + bars.deviations[i]),
             middle);
  }
  pen.color(muted);
  pen.line(x_of(0), bars_title_height - 6, x_of(0), bottom);
}

}  // namespace

std::string dependences_of(const TreesReport& report) {
  if (report.dependences.empty()) return "";
  const std::vector<std::size_t> outputs = shown_outputs(report);
  const Range y = range_of_means(report, outputs);
  std::string panels;
  for (const Dependence& own : report.dependences) {
    if (own.values.empty()) continue;
    panels += fmt::format("<div class=\"panel\"><h3>{}</h3>{}</div>\n",
                          escaped(own.feature),
                          own.names.empty() ? curve_chart(report, own, outputs, y)
                                            : category_table(report, own, outputs, y));
  }
  const std::size_t classes = report.classes.size();
  const std::string what =
      classes == 0   ? "The mean prediction"
      : classes == 2 ? "The mean share of '" + report.classes[1].name + "'"
                     : fmt::format("The mean share of {}, in the colours above,",
                                   outputs.size() < classes
                                       ? fmt::format("the first {} classes", outputs.size())
                                       : "each class");
  const Dependence& first = report.dependences.front();
  const std::string over =
      first.rows == first.of_rows
          ? fmt::format(" over all {} rows", first.rows)
          : fmt::format(" over {} of {} rows, evenly apart,", first.rows, first.of_rows);
  return "<figure id=\"dependences\"><figcaption><h2>How the predictions change</h2><p>" +
         escaped(what) + over +
         " of the training whose feature is set to one value after the other, all else "
         "as "
         "it is (partial dependence); the features that the predictions rest on most. Where "
         "features "
         "hang together, this asks about rows that cannot be.</p></figcaption>\n<div "
         "class=\"panels\">\n" +
         panels + "</div></figure>";
}

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

void write_importances_svg(AtomicFile& file, std::vector<Importance> list, bool has_permutation) {
  std::stable_sort(list.begin(), list.end(), [&](const Importance& a, const Importance& b) {
    return has_permutation ? a.permutation > b.permutation : a.impurity > b.impurity;
  });
  const std::size_t all = list.size();
  list.resize(std::min(all, most_bars));
  std::vector<Bars> panels;
  if (has_permutation) panels.push_back({"loss of score when shuffled", class_colors[1], {}, {}});
  panels.push_back({"share of the decrease of impurity", class_colors[0], {}, {}});
  for (const Importance& one : list) {
    panels.back().values.push_back(one.impurity);
    if (!has_permutation) continue;
    panels.front().values.push_back(one.permutation);
    panels.front().deviations.push_back(one.deviation);
  }
  const auto count = static_cast<double>(panels.size());
  const double bottom = bars_title_height + static_cast<double>(list.size()) * bar_row_height;
  const double width = border + name_width + count * (panel_width + panel_gap) + border;
  file.write(svg_of(width, bottom + axis_height + border, [&](cairo_surface_t* surface) {
    Pen pen(surface);
    pen.color({255, 255, 255});
    pen.fill({0, 0, width, bottom + axis_height + border});
    pen.font(12);
    for (std::size_t i = 0; i < list.size(); ++i) {
      pen.color(ink);
      const double line = bars_title_height + static_cast<double>(i) * bar_row_height + 13;
      pen.text(
          valid_utf8(list[i].feature), border + name_width - 8, line, Align::right, name_width - 8);
    }
    for (std::size_t p = 0; p < panels.size(); ++p) {
      draw_bars(pen,
                panels[p],
                border + name_width + static_cast<double>(p) * (panel_width + panel_gap),
                bottom);
    }
    if (all > list.size()) {
      pen.color(muted);
      pen.font(11);
      pen.text(fmt::format("{} more", all - list.size()),
               border + name_width - 8,
               bottom + 15,
               Align::right,
               name_width);
    }
  }));
}

}  // namespace yupana::report
