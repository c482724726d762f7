"""Exact counts of all pairs of samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._call import Keywords, options
from ._views import resident, returned


class PairCounts:
    """Exact counts for every pair of samples, from which each metric is a formula.

    Over the sites where both are called: ``ibs1`` differ by one allele, ``ibs0`` by two,
    ``shared`` are all of them; int64 matrices, samples x samples.
    """

    def __init__(self, counts: _core.genotype.PairCounts, keywords: dict[str, Any]) -> None:
        self._counts = counts
        self._keywords = keywords

    @property
    def samples(self) -> list[str]:
        """Names of the samples, in the order of rows and columns."""
        return self._counts.samples

    @property
    def sites(self) -> int:
        """Sites counted."""
        return self._counts.sites

    @property
    def summary(self) -> dict[str, Any]:
        """Samples and sites read and kept, and why others were dropped."""
        return self._counts.summary

    def _matrix(self, which: str) -> np.ndarray:
        with options(**self._keywords) as call:
            return returned(self._counts.matrix(call, which))

    @property
    def ibs1(self) -> np.ndarray:
        """Sites where the genotypes differ by 1."""
        return self._matrix("ibs1")

    @property
    def ibs0(self) -> np.ndarray:
        """Sites where they differ by 2."""
        return self._matrix("ibs0")

    @property
    def shared(self) -> np.ndarray:
        """Sites where both are called."""
        return self._matrix("shared")

    def distances(self, metric: str = "sqeuclidean", *, rescale: bool = True) -> np.ndarray:
        """The matrix of a metric, float64; see :func:`yupana.genotype.distances`."""
        with options(**self._keywords) as call:
            return self._counts.distances(call, metric, rescale)


def counted_on_gpu(calls: Any, hethet: bool, keywords: dict[str, Any]) -> PairCounts:
    """The counts of genotypes on a GPU, made there."""
    if set(keywords) - Keywords.__optional_keys__:
        raise ValueError(
            "filters: expected genotypes in host memory; copy the array with .get() (CuPy) or "
            ".cpu() (torch)"
        )
    calls = resident(calls, "genotypes", ("int8",), 2)
    source = _core.genotype.GenotypeInput()
    source.set_array(calls, [])
    with options(calls, **keywords) as call:
        return PairCounts(_core.genotype.count(source, call, hethet), keywords)
