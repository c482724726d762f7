#include "yupana/io/graph_files.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"

namespace yupana::io {
namespace {

class GraphFilesTest : public test::FolderTest {
 protected:
  template <class Write>
  std::string written(const Write& write, const GraphFile& graph) {
    AtomicFile file(path_);
    write(file, graph);
    file.commit();
    return test::bytes_of(path_);
  }
  const std::string path_ = file("g");
};

GraphFile small_graph() {
  return {.description = "tree & edges",
          .names = {"A<1>", "B", "C"},
          .labels = {"Yoruba", "", "\"Han\""},
          .edges = {{0, 1, 1.5, true, true}, {0, 2, 0, false, true}, {1, 2, 1e-300, true, false}}};
}

TEST_F(GraphFilesTest, GraphmlHoldsNodesEdgesAndKinds) {
  EXPECT_EQ(written(write_graphml, small_graph()),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="name" for="node" attr.name="name" attr.type="string"/>
<key id="label" for="node" attr.name="label" attr.type="string"/>
<key id="weight" for="edge" attr.name="weight" attr.type="double"/>
<key id="kind" for="edge" attr.name="kind" attr.type="string"/>
<graph id="individuals" edgedefault="undirected">
<desc>tree &#38; edges</desc>
<node id="n0"><data key="name">A&#60;1&#62;</data><data key="label">Yoruba</data></node>
<node id="n1"><data key="name">B</data></node>
<node id="n2"><data key="name">C</data><data key="label">&#34;Han&#34;</data></node>
<edge source="n0" target="n1"><data key="weight">1.5</data><data key="kind">both</data></edge>
<edge source="n0" target="n2"><data key="weight">0</data><data key="kind">own shortest path</data></edge>
<edge source="n1" target="n2"><data key="weight">1e-300</data><data key="kind">mst</data></edge>
</graph>
</graphml>
)");
}

TEST_F(GraphFilesTest, GexfHoldsNodesEdgesAndKinds) {
  EXPECT_EQ(written(write_gexf, small_graph()),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
<meta><creator>yupana</creator><description>tree &#38; edges</description></meta>
<graph mode="static" defaultedgetype="undirected">
<attributes class="node"><attribute id="population" title="population" type="string"/></attributes>
<attributes class="edge"><attribute id="kind" title="kind" type="string"/></attributes>
<nodes>
<node id="n0" label="A&#60;1&#62;"><attvalues><attvalue for="population" value="Yoruba"/></attvalues></node>
<node id="n1" label="B"></node>
<node id="n2" label="C"><attvalues><attvalue for="population" value="&#34;Han&#34;"/></attvalues></node>
</nodes>
<edges>
<edge id="0" source="n0" target="n1" weight="1.5"><attvalues><attvalue for="kind" value="both"/></attvalues></edge>
<edge id="1" source="n0" target="n2" weight="0"><attvalues><attvalue for="kind" value="own shortest path"/></attvalues></edge>
<edge id="2" source="n1" target="n2" weight="1e-300"><attvalues><attvalue for="kind" value="mst"/></attvalues></edge>
</edges>
</graph>
</gexf>
)");
}

TEST_F(GraphFilesTest, TextThatXmlCannotHoldIsReplaced) {
  const std::string replacement = "\xef\xbf\xbd";
  const std::pair<std::string, std::string> cases[] = {
      {std::string("a\0b", 3), "a" + replacement + "b"},
      {"tab\tline\nreturn\r", "tab&#9;line&#10;return&#13;"},
      {"it's", "it&#39;s"},
      {"\x1f", replacement},
      {"\x7f", "\x7f"},
      {"\xc3\xa9 \xe4\xb8\xad \xf0\x9f\xa7\xac", "\xc3\xa9 \xe4\xb8\xad \xf0\x9f\xa7\xac"},
      {"\xe9t\xe9", replacement + "t" + replacement},             // Latin-1
      {"\xc3", replacement},                                      // cut short
      {"\xc0\xaf", replacement + replacement},                    // overlong
      {"\xe0\x80\xaf", replacement + replacement + replacement},  // overlong
      {"\xed\xa0\x80", replacement + replacement + replacement},  // surrogate
      {"\xef\xbf\xbf", replacement + replacement + replacement},  // U+FFFF
      {"\xf4\x90\x80\x80", replacement + replacement + replacement + replacement},
      {"\x80", replacement},
  };
  for (const auto& [name, want] : cases) {
    const std::string text = written(write_graphml, {.names = {name}});
    EXPECT_NE(text.find("<data key=\"name\">" + want + "</data>"), std::string::npos) << text;
  }
}

TEST_F(GraphFilesTest, PythonsParserReadsEveryByteOfAName) {
  if (std::system("/usr/bin/python3 -c 'import xml.dom.minidom' 2>/dev/null") != 0) {
    GTEST_SKIP() << "no /usr/bin/python3 with its XML parser";
  }
  GraphFile graph;
  for (int byte = 0; byte < 256; ++byte) {
    graph.names.push_back(std::string("x") + static_cast<char>(byte) + "y");
    graph.labels.push_back(std::string(2, static_cast<char>(byte)));
  }
  for (std::int64_t i = 1; i < 256; ++i)
    graph.edges.push_back({0, i, 1.0 / static_cast<double>(i)});
  const std::string check =
      "/usr/bin/python3 -c 'import sys, xml.dom.minidom as x; d = x.parse(sys.argv[1]);"
      "n = d.getElementsByTagName(\"node\"); e = d.getElementsByTagName(\"edge\");"
      "sys.exit((len(n), len(e)) != (256, 255))' " +
      path_;
  written(write_graphml, graph);
  EXPECT_EQ(std::system(check.c_str()), 0);
  written(write_gexf, graph);
  EXPECT_EQ(std::system(check.c_str()), 0);
}

TEST_F(GraphFilesTest, LargeGraphsPassTheBufferWhole) {
  GraphFile graph{.names = std::vector<std::string>(1000, "sample")};
  for (std::int64_t e = 0; e < 40000; ++e) graph.edges.push_back({e % 1000, e / 40, 0.1});
  const std::string text = written(write_graphml, graph);
  EXPECT_GT(text.size(), std::size_t{3} << 20);
  std::size_t edges = 0;
  for (auto at = text.find("<edge "); at != std::string::npos; at = text.find("<edge ", at + 1)) {
    ++edges;
  }
  EXPECT_EQ(edges, 40000u);
  EXPECT_EQ(text.substr(text.size() - 11), "</graphml>\n");
}

TEST_F(GraphFilesTest, AGraphWithoutNodesIsAFile) {
  EXPECT_EQ(written(write_graphml, {}).find("<node"), std::string::npos);
  EXPECT_NE(written(write_gexf, {}).find("<nodes>\n</nodes>\n<edges>\n</edges>"),
            std::string::npos);
}

TEST_F(GraphFilesTest, RefusesEdgesAndLabelsThatDoNotFit) {
  AtomicFile file(path_);
  EXPECT_THROW(write_graphml(file, {.names = {"a"}, .edges = {{0, 1}}}), Error);
  EXPECT_THROW(write_gexf(file, {.names = {"a"}, .edges = {{-1, 0}}}), Error);
  EXPECT_THROW(write_gexf(file, {.names = {"a"}, .labels = {"b", "c"}}), Error);
}

}  // namespace
}  // namespace yupana::io
