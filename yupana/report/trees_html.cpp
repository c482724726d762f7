#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "yupana/report/page.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/text.hpp"
#include "yupana/report/trees_page.hpp"

namespace yupana::report {
namespace {

using Points = std::vector<std::pair<double, double>>;

constexpr std::size_t max_curves = max_class_curves, max_confused = 40, max_bars = 25,
                      wide_confusion = 14;  // more classes have narrow columns
constexpr double chart_left = 46, chart_top = 10, side = 360, chart_width = chart_left + side + 14,
                 chart_height = chart_top + side + 44;

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "–";
}

std::string colors_of(std::size_t classes) {
  std::string rules;
  for (std::size_t c = 0; c < std::min(classes, max_curves); ++c) {
    for (const auto& [scheme, color] :
         {std::pair{"", class_colors[c]}, std::pair{".dark ", dark_class_colors[c]}}) {
      rules += fmt::format("{0}.curve.c{1} {{ stroke: {2}; }}\n{0}i.c{1} {{ background: {2}; }}\n",
                           scheme,
                           c,
                           hex_of(color));
    }
  }
  return rules;
}

/// A curve a class over axes from 0 to 1.
struct Chart {
  const char* title;
  const char* x_title;
  const char* y_title;
  Points ClassScores::*points;
  bool has_diagonal = false;
  bool has_dots = false;
};
constexpr Chart charts[] = {
    {"ROC", "share of other rows taken for the class", "recall", &ClassScores::roc, true},
    {"Precision and recall", "recall", "precision", &ClassScores::precision_recall},
    {"Calibration", "share predicted", "share observed", &ClassScores::calibration, true, true}};

std::string svg_of(const Chart& chart,
                   const TreesReport& report,
                   const std::vector<std::size_t>& drawn) {
  const auto x_of = [](double x) { return chart_left + x * side; };
  const auto y_of = [](double y) { return chart_top + (1 - y) * side; };
  std::string svg =
      fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{} of each class\">\n",
                  chart_width,
                  chart_height,
                  chart.title);
  for (int k = 0; k <= 5; ++k) {
    const double at = k / 5.0;
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1}V{2}M{3} {4:.1f}H{5}\"/>"
        "<text x=\"{0:.1f}\" y=\"{6}\" text-anchor=\"middle\">{7:.1f}</text>"
        "<text x=\"{8}\" y=\"{9:.1f}\" text-anchor=\"end\">{7:.1f}</text>\n",
        x_of(at),
        chart_top,
        chart_top + side,
        chart_left,
        y_of(at),
        chart_left + side,
        chart_top + side + 17,
        at,
        chart_left - 7,
        y_of(at) + 4);
  }
  svg += fmt::format("<path class=\"axis\" d=\"M{} {}V{}H{}\" fill=\"none\"/>\n",
                     chart_left,
                     chart_top,
                     chart_top + side,
                     chart_left + side);
  if (chart.has_diagonal) {
    svg += fmt::format("<path class=\"chance\" d=\"M{} {}L{} {}\"/>\n",
                       chart_left,
                       chart_top + side,
                       chart_left + side,
                       chart_top);
  }
  for (const std::size_t c : drawn) {
    const ClassScores& own = report.classes[c];
    svg += fmt::format("<path class=\"curve c{}\" d=\"", c % max_curves);
    char step = 'M';
    for (const auto& [x, y] : own.*chart.points) {
      svg += fmt::format("{}{:.1f} {:.1f}", step, x_of(x), y_of(y));
      step = 'L';
    }
    svg += fmt::format("\"><title>{}</title></path>\n", escaped(own.name));
    if (!chart.has_dots) continue;
    for (const auto& [x, y] : own.*chart.points) {
      svg += fmt::format("<circle class=\"curve c{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>\n",
                         c % max_curves,
                         x_of(x),
                         y_of(y));
    }
  }
  return svg + fmt::format(
                   "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>"
                   "<text transform=\"translate(12 {}) rotate(-90)\" "
                   "text-anchor=\"middle\">{}</text>\n</svg>",
                   chart_left + side / 2,
                   chart_top + side + 38,
                   chart.x_title,
                   chart_top + side / 2,
                   chart.y_title);
}

/// The table of classes is the charts' legend too.
std::string class_table(const TreesReport& report, const std::vector<std::size_t>& drawn) {
  std::string rows;
  for (std::size_t c = 0; c < report.classes.size(); ++c) {
    const ClassScores& own = report.classes[c];
    const bool has_curve = std::find(drawn.begin(), drawn.end(), c) != drawn.end();
    rows += fmt::format("<tr><th scope=\"row\">{}{}</th><td>{}</td>",
                        has_curve ? fmt::format("<i class=\"key c{}\"></i>", c % max_curves) : "",
                        escaped(own.name),
                        own.rows);
    for (const double value : {own.precision, own.recall, own.f1, own.roc_auc, own.pr_auc}) {
      rows += "<td>" + number(value) + "</td>";
    }
    rows += "</tr>\n";
  }
  return "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">class</th>"
         "<th scope=\"col\">rows</th><th scope=\"col\">precision</th><th scope=\"col\">recall</th>"
         "<th scope=\"col\">F1</th><th scope=\"col\">ROC area</th><th scope=\"col\">PR area</th>"
         "</tr></thead><tbody>\n" +
         rows + "</tbody></table></div>";
}

std::string curves_of(const TreesReport& report) {
  if (report.classes.empty()) return "";
  std::vector<std::size_t> drawn;
  for (std::size_t c = 0; c < std::min(report.classes.size(), max_curves); ++c) {
    if (!report.classes[c].roc.empty()) drawn.push_back(c);
  }
  std::string panels;
  if (!drawn.empty()) {
    panels = "<div class=\"panels\">\n";
    for (const Chart& chart : charts) {
      panels += fmt::format(
          "<div class=\"panel\"><h3>{}</h3>{}</div>\n", chart.title, svg_of(chart, report, drawn));
    }
    panels += "</div>\n";
  }
  std::string more;
  if (report.classes.size() > max_curves) {
    more = fmt::format(" The first {} classes are drawn.", max_curves);
  }
  return "<figure id=\"curves\"><figcaption><h2>Each class against all others</h2><p>" +
         escaped(report.rows) +
         ". Precision: how many of the rows taken for the class are of it. Recall: how many of its "
         "rows are found. The curves show both as the share that a row needs falls from 1 to 0; a "
         "class drawn by lot would follow the dashed line of ROC. Calibration: of rows with about "
         "the same share of a class, how many are of it; the dashed line is as predicted." +
         more + "</p></figcaption>\n" + panels + class_table(report, drawn) + "</figure>";
}

std::string confusion_of(const TreesReport& report) {
  const auto classes = static_cast<std::size_t>(report.confusion.rows());
  if (classes == 0 || classes > max_confused) return "";
  std::string head, rows;
  for (std::size_t i = 0; i < classes; ++i) {
    const std::string name = escaped(report.classes[i].name);
    head += "<th scope=\"col\">" + name + "</th>";
    rows += "<tr><th scope=\"row\">" + name + "</th>";
    std::int64_t all = 0;
    for (std::size_t j = 0; j < classes; ++j) all += report.confusion(i, j);
    for (std::size_t j = 0; j < classes; ++j) {
      const std::int64_t count = report.confusion(i, j);
      const double share = all > 0 ? static_cast<double>(count) / static_cast<double>(all) : 0;
      rows += fmt::format("<td{} style=\"background: rgb({} / {:.2f})\">{}</td>",
                          i == j ? " class=\"right\"" : "",
                          i == j ? "20 86 156" : "192 58 8",
                          0.6 * share,
                          count);
    }
    rows += "</tr>\n";
  }
  return "<figure id=\"confusion\"><figcaption><h2>What is taken for what</h2><p>" +
         escaped(report.rows) +
         ": a row for each true class, a column for each predicted one. The tint is the share of "
         "the true class's rows.</p></figcaption><div id=\"confusion-table\" class=\"scroll" +
         (classes > wide_confusion ? " narrow" : "") +
         "\">"
         "<table><thead><tr><th scope=\"col\">true \\ predicted</th>" +
         head + "</tr></thead><tbody>\n" + rows + "</tbody></table></div></figure>";
}

std::string importances_of(const TreesReport& report) {
  std::vector<Importance> list = report.importances;
  std::ranges::stable_sort(list, std::greater{}, &Importance::impurity);
  if (list.empty() || !(list[0].impurity > 0)) return "";
  const std::size_t all = list.size();
  list.resize(std::min(all, max_bars));
  std::string rows;
  for (const Importance& own : list) {
    const std::string spread =
        report.has_deviations ? fmt::format(" ± {:.4f}", own.deviation) : std::string();
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{:.4f}{}</td><td><div class=\"bar\" "
        "style=\"width: {:.1f}%\"></div></td></tr>\n",
        escaped(own.feature),
        own.impurity,
        spread,
        100 * own.impurity / list[0].impurity);
  }
  return fmt::format(
      "<figure id=\"importances\"><figcaption><h2>What the predictions rest on</h2><p>Each "
      "feature's "
      "share of the decrease of impurity{}, which favours features of many values; {}</p>"
      "</figcaption><div id=\"importance-table\" "
      "class=\"scroll\"><table><tbody>\n{}</tbody></table>"
      "</div></figure>",
      report.has_deviations ? " (± its standard deviation over the trees)" : "",
      all > list.size() ? fmt::format("the first {} of {} features.", list.size(), all)
                        : "all features.",
      rows);
}

}  // namespace

void write_trees_html(AtomicFile& file, const TreesReport& report) {
  write_page(file,
             page::trees_html,
             {{"title", escaped(report.title)},
              {"kind", report.classes.empty() ? "yupana regression" : "yupana classification"},
              {"policy", ""},
              {"colors", colors_of(report.classes.size())},
              {"findings", html_list(report.findings)},
              {"curves", curves_of(report)},
              {"confusion", confusion_of(report)},
              {"tree", tree_of(report)},
              {"importances", importances_of(report)},
              {"dependences", dependences_of(report)},
              {"rows", escaped(report.rows) + "."},
              {"measures", html_table(report.measures)},
              {"summary", html_table(report.summary)}});
}

}  // namespace yupana::report
