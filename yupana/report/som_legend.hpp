#pragma once

#include <string>
#include <vector>

#include "yupana/report/pen.hpp"
#include "yupana/report/som_map.hpp"

namespace yupana::report {

/// Groups that a legend names at most.
inline constexpr std::int64_t max_legend_names = 1000;

/// What a legend says of groups: those that some neuron is of, how many others there are, and
/// whether neurons are of none.
struct MapLegendWords {
  std::vector<std::int64_t> shown;
  std::string remark;  ///< empty: nothing more to say
  bool has_none = false;
};
MapLegendWords legend_words(const MapGroups& groups);

/// The groups of a map below its panels: a line of heading and names, as many as it takes, each as
/// long as it is.
class MapLegend {
 public:
  /// The pen measures the names.
  MapLegend(Pen& pen, const MapReport& report, double width);
  double height() const { return height_; }
  void draw(Pen& pen, double left, double top) const;

 private:
  enum class Kind { heading, name, remark };
  struct Entry {
    Kind kind;
    std::string text;
    Color color;
    double x, y;
  };
  void add(Pen& pen, Kind kind, const std::string& text, const Color& color);

  std::vector<Entry> entries_;
  double width_;
  double x_ = 0;
  double height_ = 0;
};

}  // namespace yupana::report
