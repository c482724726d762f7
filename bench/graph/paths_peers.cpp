#include "bench/graph/paths_peers.hpp"

#include <fmt/core.h>

#include <string>
namespace yupana::bench {
namespace {

struct Peer {
  const char* name;
  const char* package;  ///< of Debian
  const char* imports;
  const char* version;
  const char* prepare;  ///< from the matrix w of n rows
  const char* close;    ///< what is timed
  const char* rows;     ///< the first two rows of the result
};

constexpr Peer peers[] = {
    {"scipy floyd_warshall, 1 thread",
     "python3-scipy",
     "import scipy.sparse.csgraph",
     "'SciPy ' + scipy.__version__",
     "",
     "f = scipy.sparse.csgraph.floyd_warshall(w, directed=False)",
     "f[:2]"},
    {"graph-tool shortest_distance(dense=True)",
     "python3-graph-tool",
     "import graph_tool.topology",
     "'graph-tool ' + graph_tool.__version__.split()[0]",
     "g = graph_tool.Graph(directed=False)\n"
     "g.add_vertex(n)\n"
     "i, j = np.triu_indices(n, 1)\n"
     "g.add_edge_list(np.column_stack([i, j]))\n"
     "length = g.new_edge_property(\"double\", vals=w[i, j])\n",
     "f = graph_tool.topology.shortest_distance(g, weights=length, dense=True)",
     "[f[0].a, f[1].a]"}};

}  // namespace

void paths_peers(const BenchParams& params, std::int64_t n, const PeerResult& report) {
  for (const Peer& which : peers) {
    PythonPeer peer{.imports = std::string("import numpy as np, scipy\n"
                                           "from scipy.sparse.csgraph import dijkstra\n") +
                               which.imports,
                    .version = which.version};
    peer.setup = fmt::format(
        "n = {}\n"
        "w = np.triu(np.random.default_rng(1).integers(1, 1000001, (n, n)), 1).astype(float)\n"
        "w = w + w.T\n{}",
        n,
        which.prepare);
    peer.statement = which.close;
    peer.verified = fmt::format("np.array_equal({}, dijkstra(w, indices=[0, 1]))", which.rows);
    peer.repeats = params.quick ? 1 : 3;
    peer.package = which.package;
    report(which.name, run_python(peer));
  }
}

void paths_cuda_peers(std::int64_t n, const DevicePeerResult& report) {
  const std::string script = fmt::format(
      "import torch\nn = {}\n"
      "w = torch.triu(torch.randint(1, 1000001, (n, n), device=\"cuda\"), 1).float()\n"
      "w = w + w.T\n"
      "def close():\n"
      "  d = w.clone()\n"
      "  for k in range(n): torch.minimum(d, d[:, k:k + 1] + d[k:k + 1, :], out=d)\n"
      "  return d\n"
      "close(); times = []\n"
      "for _ in range(3):\n"
      "  a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)\n"
      "  a.record(); d = close(); b.record(); b.synchronize(); times.append(a.elapsed_time(b))\n"
      "good = True\n"
      "for s in (0, n - 1):\n"
      "  f = w[s].clone()\n"
      "  while True:\n"
      "    g = torch.minimum(f, (f[:, None] + w).amin(0))\n"
      "    if torch.equal(f, g): break\n"
      "    f = g\n"
      "  good = good and torch.equal(f, d[s])\n"
      "print(sorted(times)[1] * 1e-3, int(good))\n",
      n);
  const std::string output = output_of(fmt::format("python3 -c '{}'", script));
  double seconds = 0;
  int right = 0;
  if (std::sscanf(output.c_str(), "%lf %d", &seconds, &right) != 2) {
    seconds = 0;
  }
  report("PyTorch, a rank-1 update a vertex", seconds, right == 1);
}

}  // namespace yupana::bench
