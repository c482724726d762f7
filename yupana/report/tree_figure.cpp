#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "yupana/report/figures.hpp"
#include "yupana/report/legend.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

constexpr std::int64_t most_rows = 120;
constexpr double row_height = 13, scale_height = 28;
constexpr double least_support = 50;  ///< percent, that is drawn
constexpr std::int32_t several = -2;  ///< classes of a cluster that differ

std::int64_t individuals_of(const Tree& tree) { return std::ssize(tree.merges) + 1; }

/// Clusters as the rows of a picture: 0 .. n - 1 are individuals, n + k is merge k.
class Dendrogram {
 public:
  Dendrogram(const Report& report, const Tree& tree)
      : report_(report),
        tree_(tree),
        n_(individuals_of(tree)),
        class_(2 * n_ - 1, -1),
        size_(2 * n_ - 1, 1) {
    for (std::int64_t i = 0; i < n_ && !report.class_names.empty(); ++i) {
      class_[i] = report.classes[static_cast<std::size_t>(i)];
    }
    for (std::int64_t k = 0; k < n_ - 1; ++k) {
      const auto [left, right] = children(n_ + k);
      class_[n_ + k] = class_[left] == class_[right] ? class_[left] : several;
      size_[n_ + k] = size_[left] + size_[right];
      if (std::isfinite(height(n_ + k))) top_ = std::max(top_, height(n_ + k));
    }
    lay_out();
  }

  const std::vector<std::int64_t>& rows() const { return rows_; }
  /// Row of each cluster drawn, in rows from the top.
  const std::map<std::int64_t, double>& places() const { return places_; }
  bool is_open(std::int64_t c) const { return c >= n_ && places_.contains(children(c).first); }
  bool is_individual(std::int64_t c) const { return c < n_; }
  double top() const { return top_ > 0 ? top_ : 1; }
  std::pair<std::int64_t, std::int64_t> children(std::int64_t c) const {
    const Tree::Merge& merge = tree_.merges[static_cast<std::size_t>(c - n_)];
    return {merge.left, merge.right};
  }
  double height(std::int64_t c) const {
    if (c >= n_) return tree_.merges[static_cast<std::size_t>(c - n_)].height;
    return tree_.tips.empty() ? 0 : tree_.tips[static_cast<std::size_t>(c)];
  }
  double support(std::int64_t c) const {
    if (c < n_ || tree_.support.empty()) return std::nan("");
    return tree_.support[static_cast<std::size_t>(c - n_)];
  }
  Color color(std::int64_t c) const {
    if (report_.class_names.empty() || class_[c] == several) return ink;
    return class_[c] < 0 ? no_class_color : color_of(style_of(report_, class_[c]).color);
  }
  std::int32_t class_of(std::int64_t c) const { return class_[c]; }
  std::string text(std::int64_t c) const {
    if (is_individual(c)) return valid_utf8(report_.individuals[static_cast<std::size_t>(c)]);
    const bool one_class = class_[c] >= 0 && !report_.covariate;
    return fmt::format(
        "{} individuals{}",
        size_[c],
        one_class ? ", " + valid_utf8(report_.class_names[static_cast<std::size_t>(class_[c])])
                  : "");
  }

 private:
  /// Opens the highest merges: the cut of the tree into so many rows.
  void lay_out() {
    const std::int64_t lowest = 2 * n_ - std::min(most_rows, n_);
    std::vector<std::int64_t> stack{2 * n_ - 2};
    while (!stack.empty()) {
      const std::int64_t c = stack.back();
      stack.pop_back();
      if (c < 0) {  // both children have their rows
        const auto [left, right] = children(~c);
        places_[~c] = (places_.at(left) + places_.at(right)) / 2;
      } else if (c < n_ || c < lowest) {
        places_[c] = static_cast<double>(rows_.size()) + 0.5;
        rows_.push_back(c);
      } else {
        const auto [left, right] = children(c);
        stack.insert(stack.end(), {~c, right, left});
      }
    }
  }

  const Report& report_;
  const Tree& tree_;
  std::int64_t n_;
  std::vector<std::int32_t> class_;
  std::vector<std::int64_t> size_, rows_;
  std::map<std::int64_t, double> places_;
  double top_ = 0;
};

/// From heights and rows to the paper.
struct Frame {
  Box box;
  double root;  ///< room on the left for joins at no height
  double top;
  double x(double height) const {
    if (!std::isfinite(height)) return box.left;
    return box.left + root + (1 - height / top) * (box.width - root);
  }
  double y(double row) const { return box.top + row * row_height; }
};

void draw_height_scale(Pen& pen, const Frame& frame) {
  const std::vector<double> values = ticks(0, frame.top, frame.box.width / 90);
  const std::vector<std::string> texts = tick_texts(values);
  pen.font(12.5);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double x = frame.x(values[k]);
    pen.color(grid_color);
    pen.line(x, frame.box.top - 4, x, frame.box.bottom());
    pen.color(muted);
    pen.text(texts[k], x, frame.box.top - 9, Align::center, 90);
  }
}

void draw_joins(Pen& pen, const Frame& frame, const Dendrogram& shown) {
  for (const auto& [c, row] : shown.places()) {
    if (!shown.is_open(c)) continue;
    const auto [left, right] = shown.children(c);
    const double x = frame.x(shown.height(c));
    for (const std::int64_t child : {left, right}) {
      const double y = frame.y(shown.places().at(child));
      pen.color(shown.color(child));
      pen.line(x, frame.y(row), x, y);
      pen.line(x, y, frame.x(shown.height(child)), y);
    }
  }
  pen.color(ink);
  pen.font(10.5);
  for (const auto& [c, row] : shown.places()) {
    // Less is mostly of short branches, whose numbers would cover each other.
    if (!(shown.support(c) >= least_support)) continue;
    const std::string text = fmt::format("{:.0f}", shown.support(c));
    pen.text(text, frame.x(shown.height(c)) - 2, frame.y(row) - 2, Align::right, 40);
  }
}

/// A cluster of one row is a triangle from its join to its individuals.
void draw_cluster(Pen& pen, const Frame& frame, double x, double y) {
  cairo_move_to(pen.get(), x, y);
  cairo_line_to(pen.get(), frame.box.right(), y - 0.4 * row_height);
  cairo_line_to(pen.get(), frame.box.right(), y + 0.4 * row_height);
  cairo_fill(pen.get());
  pen.line(x, y, frame.box.right(), y);  // its tip is too thin to be seen
}

}  // namespace

double tree_height(const Tree& tree) {
  return scale_height + static_cast<double>(std::min(most_rows, individuals_of(tree))) * row_height;
}

void draw_tree(Pen& pen, const Box& box, const Report& report, const Tree& tree) {
  const Dendrogram shown(report, tree);
  const bool labelled = !report.class_names.empty();
  const double names = std::min(0.35 * box.width, 260.0);
  const bool apart = std::any_of(tree.merges.begin(), tree.merges.end(), [](const auto& merge) {
    return !std::isfinite(merge.height);
  });
  const Frame frame{{box.left,
                     box.top + scale_height,
                     box.width - names,
                     static_cast<double>(shown.rows().size()) * row_height},
                    apart ? 12.0 : 0.0,
                    shown.top()};
  draw_height_scale(pen, frame);
  draw_joins(pen, frame, shown);
  const double text_left = frame.box.right() + (labelled ? 18 : 6);
  for (const std::int64_t c : shown.rows()) {
    const double y = frame.y(shown.places().at(c)), x = frame.x(shown.height(c));
    pen.color(shown.is_individual(c) ? grid_color : shown.color(c));
    if (shown.is_individual(c)) {
      if (!tree.tips.empty()) pen.line(x, y, frame.box.right(), y);
    } else {
      draw_cluster(pen, frame, x, y);
    }
    if (labelled && shown.class_of(c) != several) {
      const ClassStyle style = style_of(report, std::max(shown.class_of(c), 0));
      pen.marker(shown.class_of(c) < 0 ? nullptr : &style, frame.box.right() + 9, y, 4, 1);
    }
    pen.color(ink);
    pen.font(12);
    pen.text(shown.text(c), text_left, y + 4.2, Align::left, box.right() - text_left);
  }
}

}  // namespace yupana::report
