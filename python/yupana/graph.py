"""Shortest paths and Fermat distances of dense and sparse graphs.

Matrices on a GPU (CuPy, torch: dense, int32, float32 or float64) are read there, never converted,
and results made there, of the same library; 2**30 - 1 of an int32 stays "no path".
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._call import HostKeywords, Keywords, ProgressLike, note_memory, options, run, whole, with_keywords
from ._views import Array, any_on_gpu, host_array, on_gpu, refuse_rounding, returned, same_types, square_matrix
from .genotype import Genotypes

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "Fermat",
    "FermatResult",
    "fermat",
    "keep_neighbors",
    "path",
    "predecessors",
    "shortest_paths",
]

_NO_EDGE = _core.graph.unreachable_int32


def _with_infinity(lengths: Array) -> Array:
    """Integers where every length is finite, else float64 with inf; arrays on a GPU as they are."""
    if on_gpu(lengths) or lengths.dtype != np.int32 or not (lengths == _NO_EDGE).any():
        return lengths
    return np.where(lengths == _NO_EDGE, np.inf, lengths)


@dataclass(repr=False)
class FermatResult:
    """Fermat distances and what there is to say about them.

    ``lengths``: n x n, int32, float32 or float64; inf where no path is (of distances on a GPU an
    array there; of int32 2**30 - 1). ``scale``: lengths are in
    units of scale**alpha (1 unless these would leave the range of floats). Shares of the pairs, which
    add up to 1, by the length F and the given distance's power W: ``kept_edges`` (F = W: the edge is its
    own shortest path), ``replaced_edges`` (F < W), ``longer_edges`` (F > W: the edge is none of the
    nearest neighbours'), ``unreachable_pairs`` (F infinite); through landmarks F is the estimate. The
    first three are NaN where alpha takes powers below the range of floats: they are not known then.
    ``certified``: share of pairs whose length is proven without a search, or with neighbors proven to be
    that of all edges. ``largest_rank``: largest neighbour rank of any edge on a shortest path, with
    neighbors. ``components``: into which the edges that were used join the vertices.
    """

    lengths: Array
    alpha: float
    rooted: bool
    scale: float
    kept_edges: float
    certified: float
    method: str
    largest_rank: int
    components: int
    replaced_edges: float
    longer_edges: float
    unreachable_pairs: float
    samples: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        n, dtype = len(self.lengths), self.lengths.dtype
        return f"FermatResult({n} x {n} lengths of {dtype}, alpha {self.alpha:g}, {self.method})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False and dtype is not None and self.lengths.dtype != dtype:
            raise ValueError(f"expected {self.lengths.dtype} without a copy, got {dtype}")
        return np.array(self.lengths, dtype) if copy else np.asarray(self.lengths, dtype)


def _power(alpha: float | str) -> float | None:
    """A number; None for "auto"."""
    if alpha == "auto":
        return None
    try:
        return float(alpha)
    except (TypeError, ValueError) as error:
        raise type(error)(f"alpha: expected a number of at least 1 or 'auto', got {alpha!r}") from None


def _check_source(source: Any, squared: bool) -> None:
    if isinstance(source, (str, os.PathLike)):
        raise TypeError(f"source: expected distances or genotypes, got the path {source!r}; read it first")
    if squared and isinstance(source, Genotypes):
        raise ValueError("squared has no effect on genotypes, only on distances; leave it out")


def _squared_distances(call: _core.Options, cohort: Genotypes) -> np.ndarray:
    distances = _core.genotype.count(cohort._input, call, False).squared_distances(call)
    if np.isnan(distances).any():
        raise ValueError(
            "some pairs of samples share no called site, so they have no distance; drop such "
            "samples with max_sample_missing, or use missing='mode'"
        )
    return distances


@with_keywords
def fermat(
    source: Any,
    alpha: float | str = 2.0,
    *,
    squared: bool = False,
    root: bool = False,
    precision: str = "auto",
    neighbors: int = 0,
    landmarks: int = 0,
    estimate: str = "upper",
    seed: int = 0,
    **keywords: Unpack[Keywords],
) -> FermatResult:
    """Sample Fermat distances: ``F(p, q) = min over paths p = x1 .. xT = q of sum d(xi, xi+1)^alpha``.

    Parameters
    ----------
    source : n x n matrix of distances, symmetric with zero diagonal (inf: no edge), or
        :class:`Genotypes`, whose Euclidean distances are taken; on a GPU all edges are used, and
        alpha is a number
    alpha : power on every distance, at least 1; "auto" finds the least that changes half the edges
    squared : the matrix holds d**2
    root : take the 1/alpha root of the result
    precision : "auto" (exact integers where the weights are), "int", "float32" or "float64"
    neighbors : use the edges to the k nearest neighbours only; 0 uses all
    landmarks, estimate, seed : estimate through so many landmarks: "upper" or "lower" bound, or "mean"
        of the two, which is no bound

    Raises
    ------
    ValueError : not square, not symmetric, negative or NaN distances, alpha below 1

    Examples
    --------
    >>> import numpy as np, yupana
    >>> d = np.array([[0., 1., 2.], [1., 0., 1.], [2., 1., 0.]])
    >>> yupana.fermat(d, alpha=2).lengths
    array([[0, 1, 2],
           [1, 0, 1],
           [2, 1, 0]], dtype=int32)
    """
    _check_source(source, squared)
    if on_gpu(source) and (alpha == "auto" or neighbors or landmarks):
        raise ValueError(
            "fermat: expected a number for alpha and all edges for distances on a GPU; for "
            "alpha 'auto', neighbors and landmarks copy them with .get() (CuPy) or .cpu() (torch)"
        )
    if not landmarks and (estimate != "upper" or seed):
        raise ValueError(f"{'seed' if seed else 'estimate'} has no effect without landmarks; leave it out")
    samples: list[str] = []
    with options(source if on_gpu(source) else None, **keywords) as call:
        if isinstance(source, Genotypes):
            samples, squared, distances = source.samples, True, _squared_distances(call, source)
        else:
            distances = square_matrix(source, "distances")
            note_memory("fermat of a matrix", keywords)
            if not on_gpu(source) and distances.dtype == np.int32 and (distances >= _NO_EDGE).any():
                distances = distances.astype(np.float64)
        facts = _core.graph.fermat(
            call,
            distances,
            squared=squared,
            alpha=_power(alpha),
            root=root,
            precision=precision,
            neighbors=neighbors,
            landmarks=landmarks,
            estimate=estimate,
            seed=whole("seed", seed, 2**64),
        )
    facts["lengths"] = _with_infinity(returned(facts["lengths"], (source,)))
    return FermatResult(samples=samples, **facts)


@with_keywords
def shortest_paths(weights: Any, method: str = "auto", **keywords: Unpack[Keywords]) -> Array:
    """Lengths of the shortest paths between all vertices: the min-plus closure of the weights.

    ``result(i, j) = min over paths i = v0 .. vk = j of sum weights(v[m], v[m+1])``, 0 on the
    diagonal. Integers are exact.

    Parameters
    ----------
    weights : n x n matrix, int or float; inf (in integers 2**30 - 1) is no edge, 0 is an edge; an edge
        may be negative where no cycle is; or a scipy sparse matrix, whose stored entries are the edges
    method : "auto", "symmetric", "directed" or "floyd_warshall"; for sparse matrices "auto" alone

    Raises
    ------
    ValueError : not square, NaN, a negative cycle (names a vertex on it)

    Examples
    --------
    >>> import numpy as np, yupana
    >>> inf = np.inf
    >>> yupana.shortest_paths(np.array([[0, 1, 5], [inf, 0, 1], [inf, inf, 0]]))
    array([[ 0.,  1.,  2.],
           [inf,  0.,  1.],
           [inf, inf,  0.]])
    """
    if not hasattr(weights, "tocsr"):
        matrix = square_matrix(weights, "weights")
        return _with_infinity(run("graph.shortest_paths", keywords, matrix, method))
    if method != "auto":
        raise ValueError(f"method: expected 'auto' for a sparse matrix, got {method!r}")
    sparse = weights.tocsr()
    if sparse.shape[0] != sparse.shape[1]:
        raise ValueError(f"weights: expected a square matrix, got shape {sparse.shape}")
    if sparse.dtype.kind not in "biuf":
        raise TypeError(f"weights: expected real numbers, got {sparse.dtype}")
    refuse_rounding(sparse.data, "weights")
    ends, columns = (x.astype(np.int64) for x in (sparse.indptr, sparse.indices))
    lengths = sparse.data.astype(np.float64)
    every = np.empty(0, np.int64)
    return run("graph.sparse_shortest_paths", keywords, ends, columns, lengths, every, False)


def _pair(weights: Any, lengths: Any) -> tuple[Any, Any]:
    """Square matrices; those in host memory of one type."""
    is_there = any_on_gpu(weights=weights, lengths=lengths)
    weights, lengths = square_matrix(weights, "weights"), square_matrix(lengths, "lengths")
    if is_there:
        return weights, lengths
    dtype = np.result_type(weights, lengths)
    if dtype not in (np.int32, np.float32):
        dtype = np.dtype(np.float64)
    return weights.astype(dtype, copy=False), lengths.astype(dtype, copy=False)


def path(weights: Any, lengths: Any, start: int, end: int) -> list[int]:
    """The vertices of a shortest path, both ends included; empty where there is none.

    Of equally short paths one of fewest steps, and of those the one whose next vertex is smallest.

    Parameters
    ----------
    weights : n x n matrix of edges (d**alpha for Fermat distances)
    lengths : their :func:`shortest_paths`; on a GPU only the lengths from start and the weights into
        vertices of the path are copied to the host

    Examples
    --------
    >>> import numpy as np, yupana
    >>> weights = np.array([[0., 1., 4.], [1., 0., 1.], [4., 1., 0.]])
    >>> yupana.path(weights, yupana.shortest_paths(weights), 0, 2)
    [0, 1, 2]
    """
    weights, lengths = _pair(weights, lengths)
    ends = whole("start", start), whole("end", end)
    return run("graph.path", {"threads": 1}, weights, lengths, *ends)


@with_keywords
def predecessors(weights: Any, lengths: Any, **keywords: Unpack[HostKeywords]) -> Array:
    """``result(i, j)``: the vertex before j on a shortest path from i; -1 for i = j or no path.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> weights = np.array([[0., 1., 4.], [1., 0., 1.], [4., 1., 0.]])
    >>> yupana.graph.predecessors(weights, yupana.shortest_paths(weights))
    array([[-1,  0,  1],
           [ 1, -1,  1],
           [ 1,  2, -1]], dtype=int32)
    """
    weights, lengths = _pair(weights, lengths)
    same_types(weights=weights, lengths=lengths)
    return run("graph.predecessors", keywords, weights, lengths)


@with_keywords
def keep_neighbors(weights: Any, k: int, **keywords: Unpack[HostKeywords]) -> np.ndarray:
    """The edges to the k nearest neighbours of either end; inf (2**30 - 1 in integers) elsewhere.

    Raises
    ------
    ValueError : not square, NaN, k below 0

    Examples
    --------
    >>> import numpy as np, yupana
    >>> weights = np.array([[0., 1., 4.], [1., 0., 2.], [4., 2., 0.]])
    >>> yupana.graph.keep_neighbors(weights, 1)
    array([[ 0.,  1., inf],
           [ 1.,  0.,  2.],
           [inf,  2.,  0.]])
    """
    weights = square_matrix(host_array(weights, "weights"), "weights")
    if np.isnan(weights).any():
        raise ValueError("weights: expected numbers, got NaN; use infinity where there is no edge")
    return run("graph.keep_neighbors", keywords, weights, whole("k", k))


class Fermat:
    """Fermat distances in the spelling of the ``fermat`` package.

    Parameters
    ----------
    alpha : power on every distance, at least 1
    path_method : "FW" all pairs exactly; "D" exactly on the graph of the k nearest neighbours; "L"
        estimated through landmarks
    k : nearest neighbours of "D". "L" takes it and needs none: paths to landmarks use every edge
    landmarks : how many, of "L"
    estimator : "up", "no_lca" (here the same upper bound), "down" or "mean", of "L"
    seed : of the landmarks
    device, threads, memory, progress : as everywhere

    Differences: ``path_method`` is "FW" where none is given (there "L", which wants landmarks); k
    counts neighbours and never the point itself (there "D" counts it); an edge of two mutual
    neighbours has its own length (there "D" doubles it); a distance of 0 is an edge (there none); an
    upper bound never exceeds the direct edge, no lowest common ancestor is needed for that; paths
    not found are inf; ``get_distances`` is exactly symmetric.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> d = np.array([[0., 1., 2.], [1., 0., 1.], [2., 1., 0.]])
    >>> model = yupana.Fermat(alpha=2, path_method="FW").fit(d)
    >>> float(model.get_distance(0, 2))
    2.0
    """

    def __init__(
        self,
        alpha: float = 2.0,
        path_method: str = "FW",
        k: int | None = None,
        landmarks: int | None = None,
        estimator: str = "up",
        seed: int | None = None,
        *,
        device: str = "auto",
        threads: int | None = None,
        memory: int | None = None,
        progress: ProgressLike = None,
    ) -> None:
        vars(self).update((name, value) for name, value in locals().items() if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments, so that scikit-learn's ``clone`` takes it."""
        return {name: getattr(self, name) for name in _FERMAT}

    def set_params(self, **params: Any) -> "Fermat":
        """Changes arguments."""
        for name, value in params.items():
            if name not in _FERMAT:
                raise ValueError(f"Fermat: expected one of {', '.join(_FERMAT)}; got '{name}'")
            setattr(self, name, value)
        return self

    def fit(self, distances: Any) -> "Fermat":
        """Computes all distances from an n x n matrix of d (on a GPU: with "FW"), or :class:`Genotypes`."""
        estimates = {"up": "upper", "no_lca": "upper", "down": "lower", "mean": "mean"}
        if self.path_method not in ("FW", "D", "L"):
            raise ValueError(f"path_method: expected FW, D or L, got {self.path_method!r}")
        if self.estimator not in estimates:
            raise ValueError(f"estimator: expected {', '.join(estimates)}, got {self.estimator!r}")
        for name, methods in {"k": "DL", "landmarks": "L", "estimator": "L", "seed": "L"}.items():
            if self.path_method not in methods and getattr(self, name) != _FERMAT[name]:
                raise ValueError(f"{name} has no effect with path_method {self.path_method}; leave it out")
            if (name, self.path_method) in (("k", "D"), ("landmarks", "L")) and not getattr(self, name):
                raise ValueError(f"{name}: expected at least 1 with path_method {self.path_method}")
        self.result_ = fermat(
            distances,
            self.alpha,
            neighbors=whole("k", self.k) if self.path_method == "D" else 0,
            landmarks=whole("landmarks", self.landmarks or 0),
            estimate=estimates[self.estimator],
            seed=self.seed or 0,
            **{name: getattr(self, name) for name in ("device", "threads", "memory", "progress")},
        )
        return self

    def get_distance(self, a: int, b: int) -> Any:
        """F(a, b)."""
        return self.get_distances()[a, b]

    def get_distances(self) -> Array:
        """All of them, n x n."""
        if not hasattr(self, "result_"):
            raise ValueError("Fermat: no distances yet; call fit(distances) first")
        return self.result_.lengths

    def __repr__(self) -> str:
        given = ", ".join(f"{n}={v!r}" for n, v in self.get_params().items() if v != _FERMAT[n])
        return f"Fermat({given})"


_FERMAT = {name: given.default for name, given in signature(Fermat).parameters.items()}
