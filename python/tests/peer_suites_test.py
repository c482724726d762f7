"""A part of the peers' own test suites, in the versions that are installed; peer_suites.py runs all."""

import pytest
from peer_suites import SUITES, run_suite

PARTS = {
    "scipy.fft": "TestFFT or test_dtypes or TestRFFT or workers",
    "scipy.sparse.csgraph": "not min_only_random and not 20904",
    "scipy.sparse.linalg": "SpsolveTriangular and not random",
    "scipy.spatial.distance": "hamming or euclidean or cityblock or calling",
    "scipy.cluster.hierarchy": "Linkage or Fcluster or Leaders",
    "networkx": "TestFloyd or all_pairs or TestDijkstra or Johnson",
    "sklearn.tree": "not Extra and not sparse_criteria and not prune",
    "sklearn.tree, monotonic": "1d or nd",
    "sklearn.ensemble": "not Extra and not oob and not importances and not missing",
}


@pytest.mark.parametrize("name", SUITES)
def test_a_part_of_a_peers_suite_passes(name):
    pytest.importorskip(SUITES[name].package)
    status, counts = run_suite(name, "-k", PARTS[name])
    assert status == 0 and counts["failed"] == 0
    assert counts["passed"] > 5 and counts["of them ours"] > 2
