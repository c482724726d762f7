#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::report {

enum class PictureFormat : std::uint8_t { svg, pdf, png };
inline constexpr const char* picture_endings[] = {".svg", ".pdf", ".png"};  ///< by PictureFormat

/// One for each PictureFormat.
using PictureFormats = std::array<bool, 3>;

/// Those named "svg", "pdf" and "png".
///   errors: usage for another name
PictureFormats formats_named(const std::vector<std::string>& names);

inline constexpr double smallest_figure_width = 60, largest_figure_width = 1000;  ///< millimetres

/// How a run's figures become files.
struct PictureParams {
  double width = 0;             ///< as Report::figure_width
  PictureFormats figures = {};  ///< of each figure by itself
};

/// One embedding that the report can show.
struct Embedding {
  std::string name;           ///< "Euclidean d", "Fermat, alpha = 2"
  Matrix<double> points;      ///< n x dimensions
  std::vector<double> share;  ///< explained share per dimension
  std::string unit = {};      ///< of the distances, so of the coordinates; may be empty
};

/// Scores of one matrix, a row of the report's table.
struct ScoreRow {
  std::string name;
  double silhouette = 0, adjusted_rand = 0, nearest_neighbor = 0;
};

/// A symmetric matrix reduced to at most 512 x 512 cells (means of blocks) in clustered order.
/// Row r of m covers the clustered positions r * individuals / m up to (r + 1) * individuals / m.
struct HeatMap {
  std::string name;
  SquareMatrix<float> cells;
  std::int64_t individuals = 0;
  std::vector<std::int64_t> order;  ///< individual at each clustered position; may be empty
  std::string unit = {};            ///< of the cells; may be empty
};

struct Histogram {
  std::string name;
  double low = 0, high = 0;
  std::vector<std::int64_t> counts;  ///< equal bins over [low, high]
  std::string unit = {};             ///< of low and high; may be empty
};

/// A rooted tree of all individuals, drawn as a dendrogram. Merge k makes cluster n + k of two
/// clusters of smaller numbers, 0 .. n - 1 being the individuals; heights do not fall, but where
/// branches have lengths of their own (tips).
struct Tree {
  struct Merge {
    std::int32_t left = 0, right = 0;
    float height = 0;  ///< +inf: nothing joins the two
  };
  std::string name;
  std::string unit = {};  ///< of the heights; may be empty
  std::string linkage;    ///< "average": what a height means
  std::vector<Merge> merges;
  std::vector<float> tips = {};     ///< heights of the individuals; empty: all at 0
  std::vector<float> support = {};  ///< percent, of each merge; NaN: none; empty: not known
};

/// What a site adds to each axis of the embeddings: an arrow of the biplot.
struct Arrow {
  std::string name;
  std::vector<double> along;  ///< a number for each axis
};

/// A table of the page; the first cell of a row names it.
struct TextTable {
  std::string title;
  std::string note;  ///< sentences below the title
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

/// A number of each individual, shown by its colour on a scale.
struct Covariate {
  std::string name;
  double low = 0, high = 0;    ///< of the scale
  std::vector<double> values;  ///< per individual; NaN: none
};

/// Everything the report of a run shows. Plain data: the job fills it, this room draws it.
struct Report {
  std::string title;
  std::string subtitle;  ///< what was measured, in one line under the title of the picture
  std::vector<std::string> individuals;
  std::vector<std::string> class_names;         ///< empty: no labels
  std::vector<std::int32_t> classes;            ///< per individual; -1 without label
  std::vector<std::int32_t> class_styles = {};  ///< class_style() of each; empty: 0, 1, ...
  std::optional<Covariate> covariate = {};      ///< set by color_by(): classes are its steps
  std::vector<Embedding> embeddings;
  std::array<std::int64_t, 2> side_by_side = {
      0, 1};  ///< embeddings of the picture and the first figure
  double figure_width =
      0;  ///< of the pictures, in mm, panels below each other; 0: a page on its side
  std::string axis = "PCo";         ///< what axes of embeddings are called, with their number
  std::string embedding_note = {};  ///< sentences on the embeddings; empty: on classical scaling
  std::vector<Arrow> arrows = {};   ///< drawn over the embeddings, so long as fits
  std::vector<double> scree = {};   ///< share of each axis, drawn as bars
  std::vector<HeatMap> heat_maps;
  std::vector<Histogram> histograms;
  std::vector<Tree> trees;
  std::vector<double> alphas, kept_edges;  ///< the retention curve
  std::string curve_note;                  ///< sentences: of which pairs the curve is
  std::vector<double> run_alphas;          ///< of this run, all marked on the curve
  std::vector<ScoreRow> scores;
  std::vector<TextTable> tables;
  std::vector<std::string> findings;                         ///< sentences: what Fermat changed
  std::vector<std::string> notices;                          ///< warnings a reader must see
  std::vector<std::pair<std::string, std::string>> summary;  ///< sizes, filters, times, versions
  std::vector<std::pair<std::string, std::string>> newick;   ///< name -> tree, for download
};

// All write the same bytes for the same report and the same versions of yupana, cairo and
// fonts; they throw usage where the parts of the report do not fit together. Names may hold any
// bytes, numbers may be NaN or infinite, every part may be empty.

/// One self-contained page: no network, no external file; works from file://.
void write_html(AtomicFile& file, const Report& report);
/// Two embeddings side by side, coloured by class, with a legend and axis shares.
void write_svg(AtomicFile& file, const Report& report);
void write_pdf(AtomicFile& file, const Report& report);
void write_png(AtomicFile& file, const Report& report);

/// PREFIX.html, .svg, .pdf and .png; and in every format given each figure of the page by itself,
/// `figure_width` mm wide, 85 where it is 0: PREFIX.embedding1.svg and so on, .tree1, .heat-map1
/// and .histogram1 of every matrix, .curve and .scree.
void write_report(OutputFiles& files,
                  const std::string& prefix,
                  const Report& report,
                  const PictureFormats& figures);

}  // namespace yupana::report
