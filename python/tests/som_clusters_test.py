"""Clusters of a map's neurons, against scikit-learn's Ward on the map's graph."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.cluster import AgglomerativeClustering

import yupana


@pytest.mark.parametrize("lattice", ["rectangular", "hexagonal"])
def test_clusters_are_scikit_learns(lattice):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3)) + 6 * rng.integers(0, 2, (300, 3))
    som = yupana.SOM(6, 5, lattice=lattice, random_state=1).fit(X)
    rows, cols = np.divmod(np.arange(30), 5)
    if lattice == "rectangular":
        x, y, far = cols * 1.0, rows * 1.0, 1.5
    else:
        x, y, far = cols + rows % 2 / 2, rows * np.sqrt(0.75), 1.1
    apart = np.hypot(x[:, None] - x, y[:, None] - y)
    graph = csr_matrix((apart > 0) & (apart < far))
    for count in (1, 2, 5, 9):
        of, silhouettes = som.clusters(count)
        assert of.shape == (6, 5) and len(silhouettes) == 0
        ward = AgglomerativeClustering(count, linkage="ward", connectivity=graph)
        pairs = set(zip(of.ravel(), ward.fit_predict(som.weights_.astype(float))))
        assert len(pairs) == count
    of, silhouettes = som.clusters()
    assert len(silhouettes) == 4 and of.max() + 1 == np.argmax(silhouettes) + 2


def test_counts_without_sense_are_refused():
    som = yupana.SOM(2, 2, random_state=0).fit(np.arange(20.0).reshape(10, 2))
    for count in (0, -1, 5, 2.5):
        with pytest.raises(ValueError, match="clusters: expected"):
            som.clusters(count)
