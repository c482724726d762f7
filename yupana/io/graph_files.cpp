#include "yupana/io/graph_files.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "yupana/core/messages.hpp"

namespace yupana::io {
namespace {

/// Bytes of the UTF-8 sequence that `text` begins with, if XML 1.0 allows its character; else 0.
std::size_t xml_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return lead >= 0x20 || lead == '\t' || lead == '\n' || lead == '\r' ? 1 : 0;
  const std::size_t length = lead < 0xc2   ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  std::uint32_t code = lead & (0xff >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  const bool forbidden = code == 0xfffe || code == 0xffff || code > 0x10ffff;
  return code < smallest[length] || surrogate || forbidden ? 0 : length;
}

/// `text` as it may appear in an element or an attribute.
std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = xml_character(text);
    const char c = text[0];
    if (length == 0) {
      result += "\xef\xbf\xbd";
    } else if (std::string_view("&<>\"'\t\n\r").find(c) != std::string_view::npos) {
      result += "&#" + std::to_string(c) + ";";
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

/// Collects text and hands it to the file a megabyte at a time.
class GraphText {
 public:
  explicit GraphText(AtomicFile& file) : file_(file) {}

  template <class Format, class... Args>
  void add(const Format& format, const Args&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, args...);
    if (buffer_.size() >= std::size_t{1} << 20) flush();
  }
  void flush() {
    file_.write(buffer_.data(), buffer_.size());
    buffer_.clear();
  }

 private:
  AtomicFile& file_;
  fmt::memory_buffer buffer_;
};

std::string_view kind(const analysis::Edge& edge) {
  if (!edge.in_tree) return "own shortest path";
  return edge.own_path ? "both" : "mst";
}

void check(const GraphFile& graph, std::string_view function) {
  const std::int64_t nodes = static_cast<std::int64_t>(graph.names.size());
  if (!graph.labels.empty() && graph.labels.size() != graph.names.size()) {
    throw usage_error("{}: expected {} labels, one a name, or none; got {}",
                      function,
                      graph.names.size(),
                      graph.labels.size());
  }
  for (const analysis::Edge& edge : graph.edges) {
    if (edge.i >= 0 && edge.i < nodes && edge.j >= 0 && edge.j < nodes) continue;
    throw usage_error("{}: expected edges between {} nodes, got one from {} to {}",
                      function,
                      nodes,
                      edge.i,
                      edge.j);
  }
}

std::string label_of(const GraphFile& graph, std::size_t node) {
  return graph.labels.empty() ? std::string() : escaped(graph.labels[node]);
}

void add_graphml_nodes(GraphText& text, const GraphFile& graph) {
  for (std::size_t i = 0; i < graph.names.size(); ++i) {
    text.add(
        FMT_COMPILE(R"(<node id="n{}"><data key="name">{}</data>)"), i, escaped(graph.names[i]));
    const std::string label = label_of(graph, i);
    if (!label.empty()) text.add(FMT_COMPILE(R"(<data key="label">{}</data>)"), label);
    text.add(FMT_COMPILE("</node>\n"));
  }
}

void add_gexf_nodes(GraphText& text, const GraphFile& graph) {
  for (std::size_t i = 0; i < graph.names.size(); ++i) {
    text.add(FMT_COMPILE(R"(<node id="n{}" label="{}">)"), i, escaped(graph.names[i]));
    const std::string label = label_of(graph, i);
    if (!label.empty()) {
      text.add(FMT_COMPILE(R"(<attvalues><attvalue for="population" value="{}"/></attvalues>)"),
               label);
    }
    text.add(FMT_COMPILE("</node>\n"));
  }
}

}  // namespace

void write_graphml(AtomicFile& file, const GraphFile& graph) {
  check(graph, "write_graphml");
  GraphText text(file);
  text.add(FMT_COMPILE(R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="name" for="node" attr.name="name" attr.type="string"/>
<key id="label" for="node" attr.name="label" attr.type="string"/>
<key id="weight" for="edge" attr.name="weight" attr.type="double"/>
<key id="kind" for="edge" attr.name="kind" attr.type="string"/>
<graph id="individuals" edgedefault="undirected">
<desc>{}</desc>
)"),
           escaped(graph.description));
  add_graphml_nodes(text, graph);
  for (const analysis::Edge& edge : graph.edges) {
    text.add(FMT_COMPILE(R"(<edge source="n{}" target="n{}"><data key="weight">{}</data>)"
                         R"(<data key="kind">{}</data></edge>)"
                         "\n"),
             edge.i,
             edge.j,
             edge.length,
             kind(edge));
  }
  text.add(FMT_COMPILE("</graph>\n</graphml>\n"));
  text.flush();
}

void write_gexf(AtomicFile& file, const GraphFile& graph) {
  check(graph, "write_gexf");
  GraphText text(file);
  text.add(FMT_COMPILE(R"(<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
<meta><creator>yupana</creator><description>{}</description></meta>
<graph mode="static" defaultedgetype="undirected">
<attributes class="node"><attribute id="population" title="population" type="string"/></attributes>
<attributes class="edge"><attribute id="kind" title="kind" type="string"/></attributes>
<nodes>
)"),
           escaped(graph.description));
  add_gexf_nodes(text, graph);
  text.add(FMT_COMPILE("</nodes>\n<edges>\n"));
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const analysis::Edge& edge = graph.edges[e];
    text.add(FMT_COMPILE(R"(<edge id="{}" source="n{}" target="n{}" weight="{}"><attvalues>)"
                         R"(<attvalue for="kind" value="{}"/></attvalues></edge>)"
                         "\n"),
             e,
             edge.i,
             edge.j,
             edge.length,
             kind(edge));
  }
  text.add(FMT_COMPILE("</edges>\n</graph>\n</gexf>\n"));
  text.flush();
}

}  // namespace yupana::io
