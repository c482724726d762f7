#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "yupana/report/text.hpp"
#include "yupana/report/ticks.hpp"
#include "yupana/report/trees_parts.hpp"

namespace yupana::report {
namespace {

constexpr double plot_left = 62, plot_top = 10, plot_width = 360, plot_height = 230;

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
  return svg + "</svg>";
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

}  // namespace yupana::report
