#pragma once

#include <string>
#include <vector>

#include "yupana/analysis/clustering.hpp"
#include "yupana/core/atomic_file.hpp"

namespace yupana::io {

/// An undirected graph of individuals, ready to be written.
struct GraphFile {
  std::string description{};            ///< what the edges are and which were left out
  std::vector<std::string> names{};     ///< sample ids, one a node
  std::vector<std::string> labels{};    ///< populations, "" for none; or empty
  std::vector<analysis::Edge> edges{};  ///< weight = length: small is close
};

/// The graph as GraphML (yEd, Cytoscape, igraph, networkx). Nodes n0, n1, ... carry `name` and
/// `label`, edges `weight` and `kind`: "mst", "own shortest path" or "both"; the description is the
/// graph's <desc>. Numbers are the shortest that read back the same. Text that XML cannot hold
/// (control characters, what is not UTF-8) becomes U+FFFD.
///   errors: labels that are not one a name, or an edge beyond the nodes, is usage
void write_graphml(AtomicFile& file, const GraphFile& graph);

/// The same as GEXF 1.2 (Gephi), where a node's own `label` is its name; so the populations are the
/// attribute `population`.
void write_gexf(AtomicFile& file, const GraphFile& graph);

}  // namespace yupana::io
