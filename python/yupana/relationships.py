"""Relationship matrices of genotypes, and their principal components."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._call import options
from ._dosages import check_opens
from .genotype import _opened

__all__ = ["Pca", "grm", "pca", "pca_project"]


class Pca(NamedTuple):
    """Principal components of individuals.

    ``vectors``: (n, components), columns of norm 1; ``eigenvalues``: the largest first; ``trace``:
    the sum of all of them.
    """

    vectors: np.ndarray
    eigenvalues: np.ndarray
    trace: float


def grm(
    source: Any, *, standardize: str = "gcta", dosage: bool = False, **keywords: Any
) -> np.ndarray:
    """The genomic relationship matrix, float64 n x n: over the M sites called in both, with p the
    allele frequency among all samples, the mean of (x - 2p)(y - 2p) / 2p(1 - p).

    Sites without variation add nothing, but count in M. Sums are exact integers of weights that are
    rounded to floats; the same bits for any number of threads.

    Parameters
    ----------
    source : :class:`Genotypes`, or what :func:`read_genotypes` takes, with its keywords
    standardize : "gcta", as above and as PLINK 2; "eigensoft" divides by q(1 - q) instead, with
        q = (1 + alleles) / (2 + 2 calls)
    dosage : of a .pgen, .bgen or VCF (FORMAT/DS): dosages instead of hard calls

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.grm(np.array([[0, 1], [1, 1], [2, 1]], np.int8))
    array([[ 1.,  0., -1.],
           [ 0.,  0.,  0.],
           [-1.,  0.,  1.]])
    """
    cohort = _opened(source, keywords)
    with options(**cohort._keywords) as call:
        return _core.genotype.grm(cohort._input, call, standardize, dosage)


def pca(
    source: Any,
    components: int = 10,
    *,
    standardize: str = "gcta",
    dosage: bool = False,
    **keywords: Any,
) -> Pca:
    """Principal components: eigenvectors of :func:`grm` for its largest eigenvalues, as PLINK 2's
    --pca, each signed so that its entry of largest size is positive.

    Parameters
    ----------
    source, standardize, dosage : as of :func:`grm`
    components : eigenvectors; fewer where there are fewer samples

    Raises
    ------
    ValueError : a pair of samples without a called site in common, no site with variation

    Examples
    --------
    >>> import yupana
    >>> found = yupana.pca("simulate:60x2000,populations=3,seed=1", 2)
    >>> found.vectors.shape
    (60, 2)
    """
    cohort = _opened(source, keywords)
    with options(**cohort._keywords) as call:
        return Pca(**_core.genotype.pca(cohort._input, call, components, standardize, dosage))


def pca_project(
    source: Any, loadings: str | os.PathLike[str], *, dosage: bool = False, **keywords: Any
) -> np.ndarray:
    """Coordinates of samples among the components of an earlier run, float64 (n, components): with
    that run's frequencies the sum over sites of z l / sqrt(M eigenvalue), its vectors for its own
    samples. Missing calls, and sites that ``source`` does not have, count as the mean; alleles may
    be exchanged.

    Parameters
    ----------
    source, dosage : as of :func:`grm`
    loadings : PREFIX.loadings.tsv of ``yupana pca --loadings``, with PREFIX.eigenval beside it

    Raises
    ------
    ValueError : no site of the loadings in ``source``, files of different runs
    OSError : loadings that cannot be opened

    Examples
    --------
    >>> import pathlib, tempfile, numpy as np, yupana
    >>> head = ["#CHROM", "POS", "ID", "A1", "A2", "A1_FREQ", "SD", "PC1"]
    >>> site = ["1", "1", "snp1", "A", "G", "0.5", "0.5", "1"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     loadings = pathlib.Path(folder, "run.loadings.tsv")
    ...     _ = loadings.write_text("".join("\\t".join(line) + "\\n" for line in (head, site)))
    ...     _ = pathlib.Path(folder, "run.eigenval").write_text("4\\n")
    ...     yupana.pca_project(np.array([[0], [1], [2]], np.int8), loadings)
    array([[-1.],
           [ 0.],
           [ 1.]])
    """
    cohort = _opened(source, keywords)
    if os.fspath(loadings).endswith(".loadings.tsv"):
        check_opens(loadings)
    with options(**cohort._keywords) as call:
        return _core.genotype.pca_project(cohort._input, call, os.fspath(loadings), dosage)
