#include <fmt/core.h>

#include <algorithm>

#include "yupana/report/genes_page.hpp"
#include "yupana/report/page.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

constexpr double gene_width = 1000, gene_margin = 12, gene_inner = gene_width - 2 * gene_margin;
constexpr double scale_line = 18, exon_line = 82, gene_height = 128;
constexpr double coding_half = 13, other_half = 6, max_gap = 26, min_exon = 2;

/// A colour of five for an identity; the page says which.
int shade(double identity) {
  return identity < 0.7 ? 0 : identity < 0.8 ? 1 : identity < 0.9 ? 2 : identity < 0.97 ? 3 : 4;
}

/// Where a gene's exons are drawn, along the sequence.
class Layout {
 public:
  explicit Layout(const GenePicture& gene) : exons_(gene.exons) {
    if (gene.strand == '-') std::reverse(exons_.begin(), exons_.end());
    first_ = exons_.front().first;
    last_ = exons_.back().last;
    const auto gaps = static_cast<double>(exons_.size() - 1);
    gap_ = gaps > 0 ? std::min(max_gap, 0.4 * gene_inner / gaps) : 0;
    double bases = 0;
    for (const GeneExon& exon : exons_) bases += length(exon);
    // What the shortest exons take more than their share the others give.
    const double room = gene_inner - gap_ * gaps - min_exon * static_cast<double>(exons_.size());
    double at = gene_margin;
    for (const GeneExon& exon : exons_) {
      begins_.push_back(at);
      at += min_exon + std::max(room, 0.0) * length(exon) / bases;
      ends_.push_back(at);
      at += gap_;
    }
  }

  const std::vector<GeneExon>& exons() const { return exons_; }
  /// On the line to scale, of the edge before a base.
  double scaled(std::int64_t base) const {
    return gene_margin + gene_inner * static_cast<double>(base - first_) /
                             static_cast<double>(last_ - first_ + 1);
  }
  double begin(std::size_t k) const { return begins_[k]; }
  double end(std::size_t k) const { return ends_[k]; }
  /// Within the enlarged exon k, of the edge before a base.
  double within(std::size_t k, std::int64_t base) const {
    return begins_[k] + (ends_[k] - begins_[k]) * static_cast<double>(base - exons_[k].first) /
                            length(exons_[k]);
  }

 private:
  static double length(const GeneExon& exon) {
    return static_cast<double>(exon.last - exon.first + 1);
  }
  std::vector<GeneExon> exons_;
  std::int64_t first_ = 0, last_ = 0;
  double gap_ = 0;
  std::vector<double> begins_, ends_;
};

std::string exon_part(double from, double to, double half, int color) {
  return fmt::format(
      "<rect class=\"exon i{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\"/>",
      color,
      from,
      exon_line - half,
      std::max(to - from, 0.5),
      2 * half);
}

/// One exon enlarged, with a title that a pointer shows.
std::string exon_box(const Layout& layout, std::size_t k, std::size_t rank) {
  const GeneExon& exon = layout.exons()[k];
  const int color = shade(exon.identity);
  std::string boxes = "<g>";
  boxes += fmt::format("<title>exon {}: {} to {}, {} bases, target {} to {}, identity {}</title>",
                       rank,
                       exon.first,
                       exon.last,
                       exon.last - exon.first + 1,
                       exon.target_first,
                       exon.target_last,
                       percent(exon.identity));
  if (exon.coding_first == 0) {
    boxes += exon_part(layout.begin(k), layout.end(k), other_half, color);
  } else {
    const double from = layout.within(k, exon.coding_first);
    const double to = layout.within(k, exon.coding_last + 1);
    if (exon.coding_first > exon.first)
      boxes += exon_part(layout.begin(k), from, other_half, color);
    if (exon.coding_last < exon.last) boxes += exon_part(to, layout.end(k), other_half, color);
    boxes += exon_part(from, to, coding_half, color);
  }
  return boxes + "</g>\n";
}

/// The intron after the exon k along the sequence, pointed the way it is read.
std::string intron_path(const Layout& layout, std::size_t k, char strand) {
  const double from = layout.end(k), to = layout.begin(k + 1), middle = (from + to) / 2;
  const double tip = strand == '+' ? 3 : -3;
  std::string text =
      fmt::format("<path class=\"intron\" d=\"M{:.2f} {}H{:.2f}M{:.2f} {}L{:.2f} {}L{:.2f} {}\"/>",
                  from,
                  exon_line,
                  to,
                  middle - tip,
                  exon_line - 3,
                  middle,
                  exon_line,
                  middle - tip,
                  exon_line + 3);
  const GeneExon& a = layout.exons()[k];
  const GeneExon& b = layout.exons()[k + 1];
  const std::string& donor = strand == '+' ? a.donor : b.donor;
  const std::string& acceptor = strand == '+' ? b.acceptor : a.acceptor;
  if ((donor == "GT" && acceptor == "AG") || donor.empty()) return text + "\n";
  return text + fmt::format(
                    "<text class=\"odd\" x=\"{:.2f}\" y=\"{}\" "
                    "text-anchor=\"middle\">{}..{}</text>\n",
                    middle,
                    exon_line + 30,
                    escaped(donor),
                    escaped(acceptor));
}

std::string gene_svg(const GenePicture& gene) {
  const Layout layout(gene);
  const std::vector<GeneExon>& exons = layout.exons();
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"exons of {}\">\n"
      "<path class=\"intron\" d=\"M{} {}H{}\"/>\n",
      gene_width,
      gene_height,
      escaped(gene.name),
      gene_margin,
      scale_line,
      gene_width - gene_margin);
  for (std::size_t k = 0; k < exons.size(); ++k) {
    const double from = layout.scaled(exons[k].first), to = layout.scaled(exons[k].last + 1);
    svg += fmt::format(
        "<path class=\"link\" d=\"M{0:.2f} {1}L{2:.2f} {1}L{3:.2f} {4}L{5:.2f} {4}Z\"/>"
        "<rect class=\"exon\" x=\"{0:.2f}\" y=\"{6}\" width=\"{7:.2f}\" height=\"10\"/>\n",
        from,
        scale_line + 5,
        to,
        layout.end(k),
        exon_line - coding_half - 3,
        layout.begin(k),
        scale_line - 5,
        std::max(to - from, 0.5));
  }
  for (std::size_t k = 0; k + 1 < exons.size(); ++k) svg += intron_path(layout, k, gene.strand);
  for (std::size_t k = 0; k < exons.size(); ++k) {
    svg += exon_box(layout, k, gene.strand == '+' ? k + 1 : exons.size() - k);
  }
  return svg + fmt::format(
                   "<text x=\"{}\" y=\"{}\">{}</text>"
                   "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n</svg>\n",
                   gene_margin,
                   gene_height - 4,
                   exons.front().first,
                   gene_width - gene_margin,
                   gene_height - 4,
                   exons.back().last);
}

std::string exon_table(const GenePicture& gene) {
  std::string rows;
  for (std::size_t k = 0; k < gene.exons.size(); ++k) {
    const GeneExon& e = gene.exons[k];
    const std::string coding =
        e.coding_first == 0 ? "–" : fmt::format("{}–{}", e.coding_first, e.coding_last);
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}–{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        k + 1,
        e.first,
        e.last,
        e.last - e.first + 1,
        coding,
        e.target_first,
        e.target_last,
        percent(e.identity),
        escaped(e.score),
        escaped(e.acceptor),
        escaped(e.donor));
  }
  std::string head;
  for (const char* name : {"exon",
                           "first",
                           "last",
                           "bases",
                           "coding",
                           "target",
                           "identity",
                           "score",
                           "acceptor",
                           "donor"}) {
    head += fmt::format("<th scope=\"col\">{}</th>", name);
  }
  return "<details><summary>Exons as a table</summary><div class=\"scroll\"><table><thead><tr>" +
         head + "</tr></thead><tbody>\n" + rows + "</tbody></table></div></details>";
}

}  // namespace

void write_genes_html(AtomicFile& file, const GenesReport& report) {
  std::string findings, genes, summary;
  for (const std::string& text : report.findings) findings += "<li>" + escaped(text) + "</li>";
  for (const GenePicture& gene : report.genes) {
    if (gene.exons.empty()) continue;
    genes += fmt::format(
        "<figure class=\"gene card\"><figcaption><h2>{}</h2><p class=\"facts\">{} ({}), "
        "{}</p></figcaption>\n{}{}</figure>\n",
        escaped(gene.name),
        escaped(gene.sequence),
        gene.strand,
        escaped(gene.facts),
        gene_svg(gene),
        exon_table(gene));
  }
  for (const auto& [name, value] : report.summary) {
    summary += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name), escaped(value));
  }
  write_page(file,
             page::genes_html,
             {{"title", escaped(report.title)},
              {"policy", ""},
              {"findings", "<ul>" + findings + "</ul>"},
              {"genes", genes},
              {"summary", "<table><tbody>\n" + summary + "</tbody></table>"}});
}

}  // namespace yupana::report
