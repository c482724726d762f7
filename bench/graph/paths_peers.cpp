#include "bench/graph/paths_peers.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "bench/support/bench.hpp"

namespace yupana::bench {
namespace {

struct Peer {
  const char* name;
  const char* package;  ///< of Debian
  const char* module;
  const char* prepare;  ///< from the matrix w of n rows
  const char* close;    ///< what is timed
  const char* rows;     ///< the first two rows of the result
};

constexpr Peer peers[] = {
    {"scipy floyd_warshall",
     "python3-scipy",
     "scipy.sparse.csgraph",
     "",
     "f = scipy.sparse.csgraph.floyd_warshall(w, directed=False)",
     "f[:2]"},
    {"graph-tool shortest_distance(dense=True)",
     "python3-graph-tool",
     "graph_tool.topology",
     "g = graph_tool.Graph(directed=False)\n"
     "g.add_vertex(n)\n"
     "i, j = np.triu_indices(n, 1)\n"
     "g.add_edge_list(np.column_stack([i, j]))\n"
     "length = g.new_edge_property(\"double\", vals=w[i, j])\n",
     "f = graph_tool.topology.shortest_distance(g, weights=length, dense=True)",
     "[f[0].a, f[1].a]"}};

bool importable(const char* module) {
  return !output_of(fmt::format("/usr/bin/python3 -c 'import {}; print(1)'", module)).empty();
}

}  // namespace

void paths_peers(Context& context, std::int64_t n, const PeerResult& report) {
  for (const Peer& peer : peers) {
    if (!importable(peer.module)) {
      context.note(
          fmt::format("{}: not installed (Debian: {}), left out", peer.name, peer.package));
      continue;
    }
    const std::string script = fmt::format(
        "import time, numpy as np, {}\n"
        "from scipy.sparse.csgraph import dijkstra\n"
        "n = {}\n"
        "w = np.triu(np.random.default_rng(1).integers(1, 1000001, (n, n)), 1).astype(float)\n"
        "w = w + w.T\n"
        "{}"
        "t = time.perf_counter()\n"
        "{}\n"
        "t = time.perf_counter() - t\n"
        "print(t, int(np.array_equal({}, dijkstra(w, indices=[0, 1]))))\n",
        peer.module,
        n,
        peer.prepare,
        peer.close,
        peer.rows);
    const std::string output = output_of(fmt::format("/usr/bin/python3 -c '{}'", script));
    double seconds = 0;
    int right = 0;
    if (std::sscanf(output.c_str(), "%lf %d", &seconds, &right) != 2) {
      context.note(fmt::format("{}: failed for n = {}, left out", peer.name, n));
      continue;
    }
    report(peer.name, seconds, right == 1);
  }
}

void paths_cuda_peers(Context& context, std::int64_t n, const PeerResult& report) {
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
    context.note("PyTorch with CUDA: not installed, its rank-1 updates are left out");
    return;
  }
  report("PyTorch, a rank-1 update a vertex", seconds, right == 1);
}

}  // namespace yupana::bench
