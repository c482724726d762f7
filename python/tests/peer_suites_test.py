"""A part of the peers' own test suites; peer_suites.py runs all. Later versions move their tests and modules."""

import pytest
from peer_suites import PINNED, SUITES, run_suite

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
    package = SUITES[name].package
    version, pinned = pytest.importorskip(package).__version__, PINNED[package]
    if version.split(".")[:2] != pinned.split(".")[:2]:
        pytest.skip(f"{package} is {version}; its suite is that of {pinned}")
    status, counts = run_suite(name, "-k", PARTS[name])
    assert status == 0 and counts["failed"] == 0
    assert counts["passed"] > 5 and counts["of them ours"] > 2
